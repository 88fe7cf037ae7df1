package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

func TestMatchesArePlayedUpToTheConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		s := serveWith(t, h, nil)
		synctest.Wait()
		wantEvents(t, s, "connected as bob, 0 running")
		h.assign("a", "b", "c", "b") // the host can send an assignment again
		synctest.Wait()
		wantEvents(t, s, "started a, 1 running", "started b, 2 running")
		s.end("a")
		synctest.Wait()
		wantEvents(t, s, "ended a won, 1 running", "started c, 2 running")
		h.assign("d", "e")
		time.Sleep(16 * time.Second) // more than the time to join
		h.assign("f", "g")
		synctest.Wait()
		wantEvents(t, s, "dropped d, 2 running", "dropped e, 2 running") // more than Concurrency wait
		s.end("b")
		synctest.Wait()
		s.end("c")
		synctest.Wait()
		wantEvents(t, s, "ended b won, 1 running", "started f, 2 running", "ended c won, 1 running", "started g, 2 running")
		h.assign("h")
		time.Sleep(16 * time.Second)
		s.end("f")
		synctest.Wait()
		wantEvents(t, s, "ended f won, 1 running", "dropped h, 1 running")
		if s.most != 2 {
			t.Errorf("got %d matches at the same time, want 2", s.most)
		}
		s.stop()
		s.end("g")
		<-s.done
	})
}

func TestServerThatRenamesAMatchDoesNotKeepItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		s := serveWith(t, h, func(d *Daemon, s *served) {
			d.Concurrency = 1
			s.ending = func(string) MatchEnd { return endOf("other", 1, true, nil) }
		})
		synctest.Wait()
		h.assign("a", "b")
		synctest.Wait()
		wantEvents(t, s, "connected as bob, 0 running", "started a, 1 running", "ended a won, 0 running", "started b, 1 running", "ended b won, 0 running")
		s.kill()
		<-s.done
	})
}

func TestFirstSignalFinishesTheMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		s := serveWith(t, h, nil)
		synctest.Wait()
		h.assign("a", "b")
		synctest.Wait()
		s.takeEvents()
		s.stop()
		synctest.Wait()
		wantEvents(t, s, "draining, 2 running")
		if last := h.offers[len(h.offers)-1]; len(h.offers) != 2 || last.Concurrency != 0 || fmt.Sprint(last.Games) != "[g]" {
			t.Errorf("got the offers %+v, want a second one with concurrency 0", h.offers)
		}
		s.end("a")
		synctest.Wait()
		s.end("b")
		<-s.done
		if s.err != nil {
			t.Errorf("got %v, want nil", s.err)
		}
		wantEvents(t, s, "ended a won, 1 running", "ended b won, 0 running")
	})
}

func TestMatchAssignedBeforeTheDrainIsPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		h.hold = make(chan struct{})
		s := serveWith(t, h, nil)
		synctest.Wait()
		s.stop()
		synctest.Wait()
		h.assign("a")
		close(h.hold)
		synctest.Wait()
		h.assign("b") // the host was creating it
		synctest.Wait()
		s.end("b")
		synctest.Wait()
		s.end("a")
		<-s.done
		wantEvents(t, s, "connected as bob, 0 running", "draining, 0 running", "started a, 1 running", "started b, 2 running", "ended b won, 1 running", "ended a won, 0 running")
	})
}

func TestDrainDoesNotWaitForASilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		h.hold = make(chan struct{})
		s := serveWith(t, h, nil)
		synctest.Wait()
		begin := time.Now()
		s.stop()
		<-s.done
		close(h.hold)
		if took := time.Since(begin); s.err != nil || took != drainTimeout {
			t.Errorf("got %v after %v, want nil after %v", s.err, took, drainTimeout)
		}
	})
}

func TestSecondSignalLeavesTheMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		s := serveWith(t, h, nil)
		synctest.Wait()
		h.assign("a")
		synctest.Wait()
		s.kill()
		<-s.done
		if s.err != errKilled {
			t.Errorf("got %v, want %v", s.err, errKilled)
		}
		if len(s.playing) > 0 {
			t.Errorf("got the matches %v after the end, want none", s.playing)
		}
	})
}

func TestDaemonConnectsAgainAndMatchesGoOn(t *testing.T) {
	for _, code := range []int{0, 1001, protocol.CloseTooSlow, protocol.CloseLimit, protocol.CloseShutdown} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newPairHost(t)
				s := serveWith(t, h, nil)
				synctest.Wait()
				h.assign("a")
				time.Sleep(time.Hour)
				h.set(func() { h.down = true })
				h.cut(code)
				time.Sleep(time.Hour)
				h.set(func() { h.down = false })
				time.Sleep(maxDelay)
				synctest.Wait()
				events := s.takeEvents()
				if last := events[len(events)-1]; last != "connected as bob, 1 running" {
					t.Errorf("got the last event %q, want a connection and the match running", last)
				}
				h.assign("a", "b") // the host sends it again if it has not been joined
				synctest.Wait()
				wantEvents(t, s, "started b, 2 running")
				s.end("a")
				s.end("b")
				s.stop()
				<-s.done
			})
		})
	}
}

func TestDelaysDoubleUpToALimitAndStartAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		h.down = true
		s := serveWith(t, h, nil)
		time.Sleep(2 * time.Minute)
		want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, maxDelay, maxDelay}
		h.set(func() {
			for i, delay := range want {
				if got := h.dials[i+1].Sub(h.dials[i]); got != delay {
					t.Errorf("attempt %d: got a delay of %v, want %v", i+1, got, delay)
				}
			}
			h.down = false
		})
		time.Sleep(maxDelay + steady)
		h.set(func() { h.dials, h.down = nil, true })
		s.takeEvents()
		h.cut(0)
		time.Sleep(time.Second)
		h.set(func() {
			if len(h.dials) != 2 || h.dials[1].Sub(h.dials[0]) != 500*time.Millisecond {
				t.Errorf("got attempts at %v, want the delays from the start", h.dials)
			}
		})
		s.stop()
		<-s.done
		if s.err != nil {
			t.Errorf("got %v, want nil: a signal ends the attempts", s.err)
		}
	})
}

func TestConnectionsThatEndAtOnceAreTriedAtTheLongestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		h.code = protocol.CloseLimit
		s := serveWith(t, h, nil)
		time.Sleep(10 * time.Minute)
		h.set(func() {
			if n := len(h.dials); n < 20 || n > 30 {
				t.Errorf("got %d attempts in ten minutes, want about one in 30 s", n)
			}
		})
		s.kill()
		<-s.done
	})
}

func TestJitterShortensADelayToAHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		h.down = true
		s := serveWith(t, h, func(d *Daemon, _ *served) { d.Jitter = func() float64 { return 0 } })
		time.Sleep(200 * time.Millisecond)
		h.set(func() {
			if len(h.dials) != 2 || h.dials[1].Sub(h.dials[0]) != firstDelay/2 {
				t.Errorf("got attempts at %v, want a delay of %v", h.dials, firstDelay/2)
			}
		})
		s.kill()
		<-s.done
	})
}

func TestSilentConnectionIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		s := serveWith(t, h, nil)
		time.Sleep(time.Hour)
		wantEvents(t, s, "connected as bob, 0 running") // the host answers pings
		h.set(func() { h.deaf = true })
		time.Sleep(maxSilence + 2*watchEvery)
		if events := s.takeEvents(); len(events) == 0 || !strings.HasPrefix(events[0], "no connection") {
			t.Errorf("got the events %q, want the loss of the connection", events)
		}
		h.set(func() { h.deaf = false })
		s.kill()
		<-s.done
	})
}

func TestFinalRefusalsEndTheDaemon(t *testing.T) {
	tests := []struct {
		name   string
		change func(*pairHost)
		want   string
	}{
		{"a wrong token", func(h *pairHost) { h.code = protocol.CloseToken }, "the server refuses the token: because"},
		{"a broken protocol", func(h *pairHost) { h.code = protocol.CloseProtocol }, "the server closed the connection: because (code 4000)"},
		{"a second daemon", func(h *pairHost) { h.code = protocol.CloseReplaced }, "another coco serve of this player has taken over: stop it, let one coco serve name the games of both, or register another player for this one"},
		{"a refused offer", func(h *pairHost) { h.refuse = "unknown game" }, "the server refuses to serve bob: unknown game"},
		{"a server that does not pair", func(h *pairHost) { h.feature = "" }, "the server does not pair players: coco serve needs a server of Colosseum"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newPairHost(t)
				tt.change(h)
				s := serveWith(t, h, nil)
				<-s.done
				if s.err == nil || s.err.Error() != tt.want || len(h.dials) != 1 {
					t.Errorf("got %v after %d connections, want %s after one", s.err, len(h.dials), tt.want)
				}
			})
		})
	}
}

func TestMatchesAreFinishedAfterAFinalRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		s := serveWith(t, h, nil)
		synctest.Wait()
		h.assign("a")
		synctest.Wait()
		h.cut(protocol.CloseReplaced)
		synctest.Wait()
		s.end("a")
		<-s.done
		if server.CloseCode(s.err) != protocol.CloseReplaced {
			t.Errorf("got %v, want the close code", s.err)
		}
		wantEvents(t, s, "connected as bob, 0 running", "started a, 1 running", "draining, 1 running", "ended a won, 0 running")
	})
}

// TestRefusalAfterServingIsNotFinal: a host that has just started can still load its games.
func TestRefusalAfterServingIsNotFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		s := serveWith(t, h, nil)
		time.Sleep(time.Minute)
		h.set(func() { h.refuse = "unknown game" })
		h.cut(protocol.CloseShutdown)
		time.Sleep(time.Minute)
		h.set(func() { h.refuse = "" })
		s.takeEvents()
		time.Sleep(maxDelay)
		synctest.Wait()
		wantEvents(t, s, "connected as bob, 0 running")
		s.kill()
		<-s.done
	})
}

// TestContestsAreEnteredOnceBeforeServing: a class that starts at the same moment can get
// more than a server answers at once.
func TestContestsAreEnteredOnceBeforeServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newPairHost(t)
		entered := ""
		s := serveWith(t, h, func(d *Daemon, _ *served) {
			d.Contests = []string{"friday", "ladder"}
			busy := &server.ConnectionError{Text: locale.Errorf("busy")}
			d.Enter = func(_ context.Context, contest string) error {
				h.set(func() {
					if len(h.offers) > 0 {
						t.Errorf("%s: got %d offers before entering, want none", contest, len(h.offers))
					}
				})
				if busy != nil && contest == "ladder" {
					defer func() { busy = nil }()
					return busy
				}
				entered += contest + " "
				return nil
			}
		})
		synctest.Wait()
		wantEvents(t, s, "entered friday, 0 running", "no connection (busy), again in 250ms, 0 running")
		time.Sleep(time.Second)
		wantEvents(t, s, "entered ladder, 0 running", "connected as bob, 0 running")
		h.cut(protocol.CloseShutdown)
		time.Sleep(time.Second)
		s.takeEvents()
		s.kill()
		<-s.done
		if want := "friday ladder "; entered != want {
			t.Errorf("got %q entered, want %q", entered, want)
		}
	})
}

func TestProgramThatWritesNothingEndsTheDaemon(t *testing.T) {
	failed := &player.Failed{Text: locale.Errorf("the program failed: exit status 1")}
	unstarted := MatchEnd{Summary: match.Summary{Info: info("x")}, Err: &player.Failed{Text: locale.Errorf("cannot start the program")}}
	early := MatchEnd{Summary: match.Summary{Info: info("x")}, Err: &player.Failed{Text: locale.Errorf("the program failed: exit status 2")}}
	silent, good, lostLate := endOf("x", 2, false, failed), endOf("x", 1, true, nil), endOf("x", 2, true, failed)
	timeout := endOf("x", 2, false, nil)
	timeout.Result.Players[0].Ended = protocol.ForfeitTimeout
	timeout.Result.Reason = "bob was too late"
	left := endOf("x", 1, false, nil) // the opponent never moved
	tests := []struct {
		name string
		outs []MatchEnd
		want string // empty: the daemon goes on
	}{
		{"it fails three times", []MatchEnd{silent, silent, silent}, "the program wrote nothing in 3 matches in a row; the last time: the program failed: exit status 1"},
		{"it is silent until its time ends", []MatchEnd{timeout, silent, timeout}, "the program wrote nothing in 3 matches in a row; the last time: bob was too late"},
		{"it works in between", []MatchEnd{silent, silent, good, silent, silent}, ""},
		{"it fails after its moves", []MatchEnd{lostLate, lostLate, lostLate, lostLate}, ""},
		{"the opponents never move", []MatchEnd{left, left, left, left}, ""},
		{"it cannot start at first", []MatchEnd{unstarted}, "cannot start the program"},
		{"it fails before its first match", []MatchEnd{early}, "the program failed: exit status 2"},
		{"it fails before its second match", []MatchEnd{silent, early}, "the program failed: exit status 2"},
		{"it cannot start later", []MatchEnd{good, unstarted, unstarted}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newPairHost(t)
				s := serveWith(t, h, func(d *Daemon, s *served) {
					s.ending = func(string) MatchEnd {
						out := tt.outs[0]
						tt.outs = tt.outs[1:]
						return out
					}
				})
				synctest.Wait()
				for range len(tt.outs) {
					h.assign("x")
					synctest.Wait()
				}
				if tt.want == "" {
					s.stop()
				}
				<-s.done
				if got := fmt.Sprint(s.err); got != tt.want && (tt.want != "" || s.err != nil) {
					t.Errorf("got %s, want %q", got, tt.want)
				}
				var fault *player.Failed
				if tt.want != "" && !errors.As(s.err, &fault) {
					t.Errorf("got %T, want a failure of the program", s.err)
				}
				if events := strings.Join(s.takeEvents(), "\n"); len(tt.outs) > 0 || tt.want != "" && len(h.offers) > 2 {
					t.Errorf("got %d matches left and %d offers, want none and at most 2:\n%s", len(tt.outs), len(h.offers), events)
				}
			})
		})
	}
}
