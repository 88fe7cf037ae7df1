package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// far is a lobby whose host creates all matches elsewhere. A test changes their listings.
type far struct {
	*lobby.Lobby

	mu      sync.Mutex // guards the fields below
	created []string   // IDs
	removed []string   // IDs
	deaf    bool       // nobody answers
}

func (f *far) CreateFor(_ context.Context, _ lobby.Client, r protocol.GameNew, seats *lobby.Seats) (protocol.MatchInfo, error) {
	info := protocol.MatchInfo{ID: record.NewID(), Game: r.Game, Players: 2, Time: time.Now().Add(seats.Within).Unix()}
	for _, p := range append(slices.Clone(seats.Players), seats.Order...) {
		if p != "" {
			info.Reserved = append(info.Reserved, p)
		}
	}
	f.mu.Lock()
	f.created = append(f.created, info.ID)
	f.mu.Unlock()
	f.Expect(lobby.Listing{Host: "far", Info: info, Fixture: seats.Fixture, Assigned: true}, seats.Changed)
	return info, nil
}

func (f *far) Remove(id, reason string) bool {
	f.mu.Lock()
	deaf := f.deaf
	f.removed = append(f.removed, id)
	f.mu.Unlock()
	x, _ := f.Elsewhere(id)
	if deaf || x.Gone || x.Info.Running {
		return false
	}
	x.Gone, x.Reason = true, reason
	f.SetElsewhere(x)
	return true
}

// last returns the ID of the match that was created last, and the number of matches.
func (f *far) last() (id string, n int) {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.created) > 0 {
		id = f.created[len(f.created)-1]
	}
	return id, len(f.created)
}

// change changes the listing of a match elsewhere.
func (f *far) change(id string, change func(*lobby.Listing)) {
	x, _ := f.Elsewhere(id)
	change(&x)
	f.SetElsewhere(x)
}

// run is a change: the match has all its players.
func run(x *lobby.Listing) {
	x.Info.Running = true
	x.Info.Identities = map[string]string{}
	for _, p := range x.Info.Reserved {
		x.Info.Connected = append(x.Info.Connected, p)
		x.Info.Identities[p] = p
	}
	x.Info.Reserved = nil
}

func gone(x *lobby.Listing) { x.Gone = true }

// listed lists a match of another host that its desk has created.
func (f *far) listed(fixture *record.Fixture, players ...string) (id string) {
	id = record.NewID()
	f.SetElsewhere(lobby.Listing{Host: "far", Assigned: true, Fixture: fixture, Info: protocol.MatchInfo{
		ID: id, Game: "duel", Players: len(players), Reserved: players, Time: time.Now().Add(30 * time.Second).Unix(),
	}})
	return id
}

// withTerms runs a test with the desk of one of several hosts. Lead has it lead until end
// is called.
func withTerms(t *testing.T, test func(t *testing.T, w *testDesk, f *far, lead func() (end func()))) {
	t.Helper()
	withDesk(t, func(t *testing.T, w *testDesk) {
		f := &far{Lobby: w.lobby}
		w.Desk.Close()
		w.Desk = NewInCluster(f, w.games, testLimits, slog.New(slog.DiscardHandler))
		test(t, w, f, func() func() {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { // ends with ctx
				w.Lead(ctx, func(ctx context.Context) { <-ctx.Done() })
				close(done)
			}()
			time.Sleep(adoptDelay)
			synctest.Wait()
			return func() {
				cancel()
				<-done
			}
		})
	})
}

func TestDeskWorksOnlyWhileItsHostLeads(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
		refused := func(when string) {
			t.Helper()
			b := w.serve("ann", nil)
			if got, want := b.take(), []string{"stopped"}; !slices.Equal(got, want) {
				t.Errorf("%s: serve: got %q, want %q", when, got, want)
			}
			if _, err := w.challenge("", "duel", "ann"); !errors.Is(err, ErrNotLeading) {
				t.Errorf("%s: challenge: got %v, want %v", when, err, ErrNotLeading)
			}
			if err := w.Desk.Find(t.Context(), &guest{}, lobby.Client{}, protocol.LobbyFindMatch{}); !errors.Is(err, ErrNotLeading) {
				t.Errorf("%s: find: got %v, want %v", when, err, ErrNotLeading)
			}
			if _, _, err := w.Play(t.Context(), cup("duel", "ann", "bob")); !errors.Is(err, ErrNotLeading) {
				t.Errorf("%s: play: got %v, want %v", when, err, ErrNotLeading)
			}
		}
		refused("before")
		for range 2 {
			end := lead()
			release := w.Engage([]string{"eve"})
			ann := w.serve("ann", nil)
			w.expectMatches("ann", 0)
			w.serve("bob", nil)
			w.expect("duel: ann bob")
			end()
			release()
			if got, want := ann.take(), []string{"serving ann", "duel within 15", "stopped"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if len(w.players) != 0 || len(w.queues) != 0 || len(w.recent.last) != 0 || len(w.engaged) != 0 {
				t.Errorf("got %d players, %d queues, %d recent pairings and %d engaged players after the end, want none", len(w.players), len(w.queues), len(w.recent.last), len(w.engaged))
			}
			refused("after")
			id, _ := f.last()
			f.change(id, gone)
			time.Sleep(time.Hour) // all timers
		}
	})
}

func TestMatchesOfEarlierLeaderCount(t *testing.T) {
	withTerms(t, func(_ *testing.T, w *testDesk, f *far, lead func() func()) {
		running, waiting := f.listed(nil, "ann", "bob"), f.listed(nil, "carol", "dan")
		f.change(running, run)
		defer lead()()
		w.serve("ann", nil)
		w.expect()
		w.expectMatches("ann", 1)
		w.serve("carol", nil)
		w.expect("duel: carol") // again
		w.serve("eve", nil)
		w.expect()
		f.change(running, gone)
		w.expect("duel: ann eve")
		f.change(waiting, func(x *lobby.Listing) {
			x.Gone, x.Absent, x.Reason = true, []string{"carol"}, "carol did not join in time"
		})
		w.expectMatches("carol", 0)
		w.serve("fay", nil)
		w.expect("duel: carol fay") // carol is not blocked: it may not have known that seat
	})
}

// TestSeatThatNobodyKnewIsNotAssigned: the answer to the request for its match was lost,
// so that the earlier leader gave the player another match.
func TestSeatThatNobodyKnewIsNotAssigned(t *testing.T) {
	withTerms(t, func(_ *testing.T, w *testDesk, f *far, lead func() func()) {
		f.change(f.listed(nil, "ann", "bob"), run)
		f.listed(nil, "ann", "carol")
		defer lead()()
		w.serve("ann", nil)
		w.expect()
		w.expectMatches("ann", 2)
	})
}

func TestFoundMatchOfEarlierLeaderGetsAPlayer(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, _ *far, lead func() func()) {
		lead()()
		a, b := lobby.New(w.games, &w.records, lobby.Limits{Matches: 9, Expiry: time.Hour, Stall: time.Hour}, "", slog.New(slog.DiscardHandler)), &guest{}
		if err := a.Find(t.Context(), b, lobby.Client{}, protocol.LobbyFindMatch{New: protocol.GameNew{Name: "T", Game: "duel"}, Name: "x"}, func(lobby.Change) {}); err != nil {
			t.Fatal(err)
		}
		m := &two{w.lobby, a}
		a.Publish(func(x lobby.Listing) {
			x.Host = "far"
			go func() { // the lobby is locked; ends at once
				time.Sleep(time.Second)
				m.Lobby.SetElsewhere(x)
			}()
		})
		time.Sleep(time.Second)
		w.Desk = NewInCluster(m, w.games, testLimits, slog.New(slog.DiscardHandler))
		end := lead()
		w.serve("ann", nil)
		w.expect("duel: ann") // before the listing shows its seat
		time.Sleep(2 * time.Second)
		w.expectMatches("ann", 1)
		time.Sleep(testLimits.Accept)
		w.expectMatches("ann", 0) // it has not come
		end()
		closed, cancel := context.WithCancel(t.Context())
		cancel()
		a.Close(closed)
		time.Sleep(time.Hour)
	})
}

// two are the matches of two hosts, as the first one's desk uses them.
type two struct {
	*lobby.Lobby
	other *lobby.Lobby
}

func (m *two) Reserve(id, player string) error  { return m.other.Reserve(id, player) }
func (m *two) Unreserve(id, player string) bool { return m.other.Unreserve(id, player) }
func (m *two) Remove(id, reason string) bool    { return m.other.Remove(id, reason) }

func TestMatchOfContestIsTakenOver(t *testing.T) {
	tests := []struct {
		name   string
		before func(f *far, id string) // the term begins
		played bool                    // Play waits for it
		after  func(*lobby.Listing)    // while Play waits for it
		want   string                  // what Play returned; "waits": it has created another one
	}{
		{"that runs", func(f *far, id string) { f.change(id, run) }, true, gone, played1},
		{"whose host dies", func(f *far, id string) { f.change(id, run) }, true, func(x *lobby.Listing) { x.Gone, x.Reason = true, "the host stopped" }, "absent [], error the host stopped"},
		{"that waits", func(*far, string) {}, false, nil, "waits"},
		{"that waits on a host that does not answer, and starts", func(f *far, _ string) { f.deaf = true }, true, func(x *lobby.Listing) {
			run(x)
			x.Gone = true
		}, played1},
		{"that waits on a host that does not answer, and dies", func(f *far, _ string) { f.deaf = true }, true, func(x *lobby.Listing) { x.Gone, x.Reason = true, "the host stopped" }, "waits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
				match := cup("duel", "ann", "bob")
				id := f.listed(match.Contest, "ann", "bob")
				tt.before(f, id)
				end := lead()
				over := w.play(t.Context(), match)
				if tt.played {
					time.Sleep(5 * time.Second)
					w.expectEnd(over, "waits")
					if _, n := f.last(); n != 0 {
						t.Errorf("got %d more matches while that one is alive, want 0", n)
					}
					f.change(id, tt.after)
					time.Sleep(5 * time.Second)
				}
				time.Sleep(comeBack)
				w.expectEnd(over, tt.want)
				want := 0
				if tt.want == "waits" {
					want = 1
				}
				if _, n := f.last(); n != want {
					t.Errorf("got %d more matches, want %d", n, want)
				}
				end()
				time.Sleep(time.Hour)
			})
		})
	}
}

func TestMatchThatEndsBeforeItIsTakenOverIsNotPlayedAgain(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
		match := cup("duel", "ann", "bob")
		id := f.listed(match.Contest, "ann", "bob")
		f.change(id, run)
		defer lead()()
		f.change(id, gone)
		over := w.play(t.Context(), match)
		w.expectEnd(over, played1)
		if _, n := f.last(); n != 0 {
			t.Errorf("got %d more matches, want 0: its result is newer than what the caller has read", n)
		}
		over = w.play(t.Context(), match) // it was aborted
		time.Sleep(comeBack)
		w.expectEnd(over, "waits")
		if id, n := f.last(); n != 1 || !w.lobby.Watch(id, func(lobby.Change) {}) {
			t.Errorf("got %d more matches, want 1", n)
		}
	})
}

func TestMatchOfContestThatNobodyPlaysIsRemoved(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
		end := lead()
		playing := cup("duel", "ann", "bob")
		playing.Grace = time.Hour
		over := w.play(t.Context(), playing)
		time.Sleep(comeBack)
		played, _ := f.last()
		other := *playing.Contest
		other.Leg++
		late := f.listed(&other, "ann", "bob")
		runs := f.listed(&other, "carol", "dan")
		f.change(runs, run)
		f.listed(nil, "eve", "frank") // of no contest
		time.Sleep(3 * sweepEvery)
		f.mu.Lock()
		removed := slices.Clone(f.removed)
		f.mu.Unlock()
		if !slices.Equal(removed, []string{late}) {
			t.Errorf("got %v removed, want %s alone; the match that is played is %s, one that runs %s", removed, late, played, runs)
		}
		w.expectEnd(over, "waits")
		end()
	})
}

func TestNumberOfAnotherMatchIsNotUsed(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
		match := cup("duel", "ann", "bob")
		other := *match.Contest
		other.Entries = []int{8, 9}
		f.change(f.listed(&other, "carol", "dan"), run)
		defer lead()()
		w.expectEnd(w.play(t.Context(), match), "absent [], error another match has its number")
	})
}

func TestLostLeadershipEndsPlayButNoMatchThatRuns(t *testing.T) {
	for _, runs := range []bool{true, false} {
		t.Run(fmt.Sprint("it runs: ", runs), func(t *testing.T) {
			withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
				end := lead()
				over := w.play(t.Context(), cup("duel", "ann", "bob"))
				time.Sleep(comeBack)
				id, _ := f.last()
				if runs {
					f.change(id, run)
				}
				begun := time.Now()
				end()
				synctest.Wait()
				if o := <-over; o.err == nil {
					t.Error("got no error, want one")
				}
				if took := time.Since(begun); took > time.Second {
					t.Errorf("it took %v, want a moment", took)
				}
				if x, _ := f.Elsewhere(id); x.Gone == runs {
					t.Errorf("the match is gone: got %v, want %v", x.Gone, !runs)
				}
			})
		})
	}
}

// Changes of matches of other hosts are coalesced: only the last one comes.
func TestCoalescedChanges(t *testing.T) {
	absent := func(x *lobby.Listing) {
		x.Gone, x.Absent, x.Reason = true, []string{"bob"}, "bob did not join in time"
		x.Info.Reserved, x.Info.Connected, x.Info.Identities = []string{"bob"}, []string{"a"}, map[string]string{"a": "ann"}
	}
	ended := func(x *lobby.Listing) {
		run(x)
		x.Gone = true
	}
	tests := []struct {
		name   string
		change func(*lobby.Listing)
		want   string
		misses uint64
	}{
		{"joined, started and ended", ended, played1, 0},
		{"joined and expired", absent, "absent [bob], error <nil>", 1},
		{"joined, started, and the host dies", func(x *lobby.Listing) {
			ended(x)
			x.Reason = "the host stopped"
		}, "absent [], error the host stopped", 0},
		{"forgotten", nil, "absent [], error the server is shutting down: try again later", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
				defer lead()()
				w.serve("ann", func(r *protocol.Serve) { r.Challenges = true })
				w.serve("bob", func(r *protocol.Serve) { r.Challenges = true })
				over := w.play(t.Context(), cup("duel", "ann", "bob"))
				w.expect("duel: ann bob")
				id, _ := f.last()
				if tt.change == nil {
					f.ForgetElsewhere(id)
				} else {
					f.change(id, tt.change)
					f.change(id, tt.change) // again
				}
				w.expectEnd(over, tt.want)
				w.expectMatches("ann", 0)
				w.expectMatches("bob", 0)
				if got := w.Stats().NotJoined; got != tt.misses {
					t.Errorf("got %d misses, want %d", got, tt.misses)
				}
			})
		})
	}
}

func TestContestOfNewLeaderWaitsForPlayersToComeBack(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
		running := f.listed(nil, "ann", "eve")
		f.change(running, run)
		defer lead()()
		w.serve("bob", nil)
		over := w.play(t.Context(), cup("duel", "ann", "bob"))
		time.Sleep(2 * time.Second)
		w.serve("ann", nil)
		time.Sleep(time.Minute)
		if _, n := f.last(); n != 0 {
			t.Errorf("got %d matches while ann plays another one, want 0", n)
		}
		f.change(running, gone)
		w.expect("duel: ann bob")
		w.expectEnd(over, "waits")
	})
}

func TestContestOfNewLeaderDoesNotWaitLongForAbsentPlayers(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
		defer lead()()
		w.play(t.Context(), cup("duel", "ann", "bob"))
		time.Sleep(comeBack)
		if _, n := f.last(); n != 1 {
			t.Errorf("got %d matches, want 1", n)
		}
	})
}

func TestSeatIsAssignedAgainUntilItsPlayerJoins(t *testing.T) {
	withTerms(t, func(t *testing.T, w *testDesk, f *far, lead func() func()) {
		end := lead()
		defer end()
		ann := w.serve("ann", nil)
		w.serve("bob", nil)
		w.expect("duel: ann bob")
		ann.take()
		time.Sleep(repeatAfter)
		synctest.Wait()
		if got, want := ann.take(), []string{"duel within 10"}; !slices.Equal(got, want) {
			t.Errorf("not joined yet: got %q, want %q", got, want)
		}
		id, _ := f.last()
		f.change(id, run)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := ann.take(); len(got) != 0 {
			t.Errorf("while it plays: got %q, want nothing", got)
		}
		f.change(id, gone)
	})
}
