package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/terminal"
	"colosseum/internal/test/cutproxy"
	"colosseum/internal/test/long"
	"colosseum/internal/test/race"
	"colosseum/protocol"
)

// rounds is the length of the matches: MatchReceived and confirmations occur in them.
const rounds = 70

// joinFrames is the number of frames of a client, and of the host, until it has joined.
const joinFrames = 2

// playThrough plays a match through a proxy. It returns what the program has seen, the
// answers that the host got, and the frames that passed.
func playThrough(t *testing.T, plan cutproxy.Plan) (seen string, answers []string, frames [2]int) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		var mu sync.Mutex // guards last
		var last [2]int
		s := join(t, t.Context(), h.serve(func(f cutproxy.Frame) cutproxy.Action {
			mu.Lock()
			defer mu.Unlock()
			if f.Connection == 0 {
				last[f.Direction] = f.Number
			}
			return plan(f)
		}))
		h.play(s, rounds)
		<-s.done
		if s.err != nil {
			t.Errorf("got %v, want the end of the match", s.err)
		}
		lost, back := 0, 0
		for _, line := range s.printed(t) {
			lost += strings.Count(line, "> Connection lost, reconnecting")
			back += strings.Count(line, "> Reconnected")
		}
		mu.Lock()
		defer mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		if lost != back || lost > h.arrivals-1 || (lost == 0) != (h.arrivals == 1) { // an attempt can fail too
			t.Errorf("got %d lost and %d restored connections printed, want the same, at most %d", lost, back, h.arrivals-1)
		}
		seen, answers, frames = s.seen.String(), h.lines, last
	})
	return seen, answers, frames
}

func TestMatchIsTheSameAfterACutAtAnyFrame(t *testing.T) {
	wantSeen, wantAnswers, frames := playThrough(t, cutproxy.Pass)
	if len(wantAnswers) != rounds || frames[cutproxy.ToServer] < 2*rounds || frames[cutproxy.ToClient] < 2*rounds {
		t.Fatalf("got %d answers in %v frames, want %d", len(wantAnswers), frames, rounds)
	}
	step := 1
	switch {
	case race.On:
		step = 5 // the goroutines do the same after each cut
	case !long.Run():
		step = 3
	}
	for _, d := range []cutproxy.Direction{cutproxy.ToServer, cutproxy.ToClient} {
		for number := joinFrames; number <= frames[d]; number += step {
			for _, place := range []cutproxy.Place{cutproxy.Before, cutproxy.Middle, cutproxy.After} {
				if seen, answers, _ := playThrough(t, cutproxy.Once(d, number, place)); seen != wantSeen || !slices.Equal(answers, wantAnswers) {
					t.Errorf("cut %v frame %d %v: got %d bytes and %d answers, want the %d and %d of a match without a cut",
						place, number, d, len(seen), len(answers), len(wantSeen), len(wantAnswers))
				}
			}
		}
	}
}

func TestMatchIsTheSameAfterManyCuts(t *testing.T) {
	wantSeen, wantAnswers, _ := playThrough(t, cutproxy.Pass)
	for seed := range uint64(50) {
		seen, answers, _ := playThrough(t, cutproxy.Random(seed, 0.2, 30, joinFrames, 0))
		if seen != wantSeen || !slices.Equal(answers, wantAnswers) {
			t.Errorf("seed %d: got %d bytes and %d answers, want %d and %d", seed, len(seen), len(answers), len(wantSeen), len(wantAnswers))
		}
	}
}

// TestSilentConnectionIsGivenUp swallows everything from a frame on.
func TestSilentConnectionIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		s := join(t, t.Context(), h.serve(func(f cutproxy.Frame) cutproxy.Action {
			return cutproxy.Action{Swallow: f.Connection == 0 && f.Direction == cutproxy.ToClient && f.Number == 20}
		}))
		began := time.Now()
		h.play(s, rounds)
		<-s.done
		if took := time.Since(began); s.err != nil || took < maxSilence || took > maxSilence+2*watchEvery {
			t.Errorf("got %v after %v, want the end of the match after about %v", s.err, took, maxSilence)
		}
	})
}

// TestQuietConnectionIsKept has a host that says nothing for an hour, and answers pings.
func TestQuietConnectionIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		s := join(t, t.Context(), h.serve(cutproxy.Pass))
		h.start()
		time.Sleep(time.Hour)
		h.end()
		<-s.done
		if s.err != nil || h.arrivals != 1 {
			t.Errorf("got %v and %d connections, want one for the whole match", s.err, h.arrivals)
		}
	})
}

func TestAttemptsToResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		dial := h.serve(cutproxy.Pass)
		var attempts []time.Duration
		var broke time.Time // set while nothing is dialled
		s := join(t, t.Context(), func(ctx context.Context) (*server.Conn, error) {
			if broke.IsZero() {
				return dial(ctx)
			}
			attempts = append(attempts, time.Since(broke).Round(time.Millisecond))
			return nil, &server.ConnectionError{Err: errors.New("no route")}
		})
		h.start()
		synctest.Wait()
		broke = time.Now()
		h.cut()
		<-s.done
		want := []time.Duration{0, 188 * time.Millisecond, 563 * time.Millisecond, 1313 * time.Millisecond, 2813 * time.Millisecond, 6563 * time.Millisecond, 10313 * time.Millisecond}
		if len(attempts) < len(want) || !slices.Equal(attempts[:len(want)], want) {
			t.Errorf("got attempts at %v, want %v", attempts, want)
		}
		if last := attempts[len(attempts)-1]; last < resumeTimeout || last > resumeTimeout+5*time.Second {
			t.Errorf("got the last attempt at %v, want it at about %v", last, resumeTimeout)
		}
		if _, ok := errors.AsType[*server.ConnectionError](s.err); !ok || !strings.Contains(s.err.Error(), "did not come back within 2m0s: no route") {
			t.Errorf("got %v, want a lost connection", s.err)
		}
	})
}

// TestHostThatDoesNotAnswer accepts connections and then swallows everything.
func TestHostThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		s := join(t, t.Context(), h.serve(func(f cutproxy.Frame) cutproxy.Action {
			return cutproxy.Action{Swallow: f.Connection > 0}
		}))
		h.start()
		synctest.Wait()
		broke := time.Now()
		h.cut()
		<-s.done
		if took := time.Since(broke); took < resumeTimeout || took > resumeTimeout+attemptTimeout+5*time.Second {
			t.Errorf("got the end after %v, want it after about %v", took, resumeTimeout)
		}
		if s.err == nil || !strings.HasSuffix(s.err.Error(), "did not come back within 2m0s: the server does not answer") {
			t.Errorf("got %v, want a server that does not answer", s.err)
		}
	})
}

// TestFinalEnds has reasons for which coco does not come back.
func TestFinalEnds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		code    int    // of the close frame that the host sends; 0: the connection breaks
		refuse  string // of MatchResume
		reclose int    // close code after the next handshake
		refused bool
		want    string
	}{
		{name: "protocol", code: protocol.CloseProtocol, want: "because (code 4000)"},
		{name: "limit", code: protocol.CloseLimit, refused: true, want: "at a limit: because"},
		{name: "token", code: protocol.CloseToken, refused: true, want: "refuses the token: because"},
		{name: "replaced", code: protocol.CloseReplaced, want: "because (code 4005)"},
		{name: "normal", code: 1000, want: "because (code 1000)"},
		{name: "shutdown", code: protocol.CloseShutdown, reclose: protocol.CloseShutdown, refused: true, want: "the host stopped, and the match with it; coco history m shows it"},
		{name: "refused", refuse: "too late", refused: true, want: "did not let you return to the match: too late; if it has ended, coco history m shows it"},
		{name: "refused after too slow", code: protocol.CloseTooSlow, refuse: "too late", refused: true, want: "coco history m shows it"},
		{name: "token on return", reclose: protocol.CloseToken, refused: true, want: "refuses the token: because"},
		{name: "protocol on return", reclose: protocol.CloseProtocol, want: "because (code 4000)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newSeatHost(t)
				s := join(t, t.Context(), h.serve(cutproxy.Pass))
				h.start()
				synctest.Wait()
				h.mu.Lock()
				h.refuse, h.code = tt.refuse, tt.reclose
				h.mu.Unlock()
				if tt.code != 0 {
					h.closeWith(tt.code)
				} else {
					h.cut()
				}
				<-s.done
				_, refused := errors.AsType[*server.Refused](s.err)
				if s.err == nil || refused != tt.refused || !strings.HasSuffix(s.err.Error(), tt.want) {
					t.Errorf("got %v (refused: %v), want %q", s.err, refused, tt.want)
				}
			})
		})
	}
}

// TestMatchGoesOnThroughAnotherHost closes the connection like a host that stops while the
// match is on another one.
func TestMatchGoesOnThroughAnotherHost(t *testing.T) {
	for _, started := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := newSeatHost(t)
			s := join(t, t.Context(), h.serve(cutproxy.Pass))
			if started {
				h.start()
				synctest.Wait()
			}
			h.mu.Lock()
			h.code = protocol.CloseShutdown // the balancer has not noticed it yet
			h.mu.Unlock()
			h.closeWith(protocol.CloseShutdown)
			time.Sleep(20 * time.Second)
			h.mu.Lock()
			h.code = 0
			h.mu.Unlock()
			h.play(s, rounds)
			<-s.done
			if s.err != nil {
				t.Errorf("started %v: got %v, want the end of the match", started, s.err)
			}
		})
	}
}

func TestTemporaryRefusalsAreTriedAgain(t *testing.T) {
	for _, code := range []int{protocol.CloseLimit, protocol.CloseShutdown, 1012} {
		synctest.Test(t, func(t *testing.T) {
			h := newSeatHost(t)
			s := join(t, t.Context(), h.serve(cutproxy.Pass))
			h.start()
			synctest.Wait()
			h.mu.Lock()
			h.code = code
			h.mu.Unlock()
			h.cut()
			time.Sleep(20 * time.Second)
			h.mu.Lock()
			h.code = 0
			h.mu.Unlock()
			h.play(s, rounds)
			<-s.done
			if s.err != nil {
				t.Errorf("code %d: got %v, want the end of the match", code, s.err)
			}
		})
	}
}

func TestWaitingSeatIsTakenAgain(t *testing.T) {
	for _, forgotten := range []bool{false, true} {
		t.Run(fmt.Sprintf("forgotten %v", forgotten), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newSeatHost(t)
				s := join(t, t.Context(), h.serve(cutproxy.Pass))
				want := []string{"LobbyJoinMatch", "MatchResume"}
				if forgotten {
					h.mu.Lock()
					h.ticket = "ticket-2"
					h.mu.Unlock()
					want = append(want, "LobbyJoinMatch")
				}
				h.cut()
				synctest.Wait()
				h.play(s, rounds)
				<-s.done
				synctest.Wait()
				h.mu.Lock()
				defer h.mu.Unlock()
				if want = append(want, "closed"); s.err != nil || !slices.Equal(h.names, want) {
					t.Errorf("got %q, %v, want %q and the end of the match", h.names, s.err, want)
				}
			})
		})
	}
}

// TestStartOfTheMatchDuringABreak starts the match while the player is away.
func TestStartOfTheMatchDuringABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		dial := h.serve(cutproxy.Pass)
		var away atomic.Bool
		s := join(t, t.Context(), func(ctx context.Context) (*server.Conn, error) {
			if away.Load() {
				return nil, &server.ConnectionError{Err: errors.New("no route")}
			}
			return dial(ctx)
		})
		away.Store(true)
		h.cut()
		synctest.Wait()
		h.start()
		h.say("hello\n")
		away.Store(false)
		h.play(s, rounds)
		<-s.done
		if s.err != nil {
			t.Errorf("got %v, want the end of the match", s.err)
		}
	})
}

// TestLeavingReachesTheHost leaves with a connection, and during a break.
func TestLeavingReachesTheHost(t *testing.T) {
	for _, broken := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := newSeatHost(t)
			dial := h.serve(cutproxy.Pass)
			var away atomic.Bool
			ctx, cancel := context.WithCancel(t.Context())
			s := join(t, ctx, func(ctx context.Context) (*server.Conn, error) {
				if away.Load() {
					return nil, &server.ConnectionError{Err: errors.New("no route")}
				}
				return dial(ctx)
			})
			h.start()
			synctest.Wait()
			if broken {
				away.Store(true)
				h.cut()
				synctest.Wait()
			}
			cancel()
			synctest.Wait()
			away.Store(false)
			s.match.begun.Store(true)
			s.match.leave()
			<-s.done
			synctest.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			if got := h.names[len(h.names)-1]; got != "closed" {
				t.Errorf("broken %v: got %q, want a normal close frame at the end", broken, h.names)
			}
		})
	}
}

// TestFloodWaitsForTheHost has a program that writes much more than the host reads.
func TestFloodWaitsForTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		s := join(t, t.Context(), h.serve(cutproxy.Random(1, 0.02, 20, joinFrames, 0)))
		h.start()
		synctest.Wait()
		const lines = 8000
		ctx, stop := context.WithCancel(t.Context())
		go func() { // until everything is sent
			for i := range lines {
				s.match.link.send(ctx, fmt.Appendf(nil, "%0999d\n", i))
			}
		}()
		for i := range lines {
			if got, want := <-h.answered, fmt.Sprintf("%0999d", i); got != want {
				t.Errorf("line %d: got %.20q, want %d", i, got, i)
				break
			}
			s.match.link.mu.Lock()
			kept := len(s.match.link.lines.kept)
			s.match.link.mu.Unlock()
			if kept > maxKept+1000 {
				t.Errorf("line %d: got %d bytes kept, want at most %d", i, kept, maxKept+1000)
				break
			}
		}
		stop()
		h.end()
		<-s.done
	})
}

func TestCountsThatTheHostCannotHave(t *testing.T) {
	l := sentLines{kept: []byte("a\nb\nhalf"), first: 5, base: 10, sent: 18}
	for taken, want := range map[uint64]string{4: "the host lost lines", 8: "the host counted 8 lines"} {
		lines := l
		if err := lines.rewind(taken); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d lines: got %v, want %q", taken, err, want)
		}
	}
	for taken, want := range map[uint64]string{5: "a\nb\nhalf", 6: "b\nhalf", 7: "half"} {
		lines := l
		if err := lines.rewind(taken); err != nil || string(lines.kept) != want || lines.sent != lines.base || lines.first != taken {
			t.Errorf("%d lines: got %+v, %v, want %q", taken, lines, err, want)
		}
	}
}

// TestBreakBeforeTheReplyToAJoin cuts the request to join, and its reply.
func TestBreakBeforeTheReplyToAJoin(t *testing.T) {
	for _, d := range []cutproxy.Direction{cutproxy.ToServer, cutproxy.ToClient} {
		synctest.Test(t, func(t *testing.T) {
			h := newSeatHost(t)
			s := join(t, t.Context(), h.serve(cutproxy.Once(d, 1, cutproxy.Before)))
			h.play(s, rounds)
			<-s.done
			h.mu.Lock()
			defer h.mu.Unlock()
			if s.err != nil || h.arrivals != 2 {
				t.Errorf("cut %v: got %v after %d connections, want the end of the match after 2", d, s.err, h.arrivals)
			}
		})
	}
}

// A host that has read the request holds the seat, so coco tries as long as in a match.
func TestLongBreakBeforeTheReplyToAJoin(t *testing.T) {
	for _, tt := range []struct {
		name string
		gone time.Duration
		want string
	}{
		{"it comes back", resumeTimeout / 2, ""},
		{"it stays away", time.Hour, "did not come back within 2m0s: no route; the server can still hold a seat for ann"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			output, err := os.Create(filepath.Join(t.TempDir(), "lines"))
			if err != nil {
				t.Fatal(err)
			}
			defer output.Close()
			synctest.Test(t, func(t *testing.T) {
				h := newSeatHost(t)
				dial := h.serve(cutproxy.Once(cutproxy.ToClient, 1, cutproxy.Before))
				began, calls := time.Now(), 0
				m := &Match{ID: "m", Name: "ann", Print: terminal.NewPrinter(output), Dial: func(ctx context.Context) (*server.Conn, error) {
					if calls++; calls > 1 && time.Since(began) < tt.gone {
						return nil, &server.ConnectionError{Err: errors.New("no route")}
					}
					return dial(ctx)
				}}
				m.link = newLink("m", m.Print, m.Dial)
				err := m.enter(t.Context())
				m.link.close()
				if got := fmt.Sprint(err); !strings.HasSuffix(got, cmp.Or(tt.want, "<nil>")) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if took, most := time.Since(began), resumeTimeout+delays[len(delays)-1]; took > most {
					t.Errorf("got it after %v, want it within %v", took, most)
				}
			})
		})
	}
}

// TestHostThatStopsBeforeTheReplyToAJoin closes the first connections as a host does that
// stops, or that cannot reach the one of the match.
func TestHostThatStopsBeforeTheReplyToAJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newSeatHost(t)
		h.code = protocol.CloseShutdown
		time.AfterFunc(time.Second, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.code = 0
		})
		s := join(t, t.Context(), h.serve(cutproxy.Pass))
		h.play(s, rounds)
		<-s.done
		h.mu.Lock()
		defer h.mu.Unlock()
		if s.err != nil || h.arrivals < 2 {
			t.Errorf("got %v after %d connections, want the end of the match after at least 2", s.err, h.arrivals)
		}
	})
}
