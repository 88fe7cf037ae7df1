package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// outcome is what Play returned.
type outcome struct {
	id     string
	absent []string
	err    error
}

// cup returns a match of a contest for these players, by seat.
func cup(game string, players ...string) ContestMatch {
	entries := make([]int, len(players))
	for i := range entries {
		entries[i] = 7 * i
	}
	return ContestMatch{
		Name: "round 3", Game: game, Players: players, Seed: 12345, Grace: time.Minute,
		Contest: &record.Fixture{Contest: "spring-cup", Pairing: 4, Leg: 1, Entries: entries},
	}
}

// play plays a match of a contest until it has left the lobby or ctx ends. It returns
// when the match exists or was refused.
func (w *testDesk) play(ctx context.Context, f ContestMatch) <-chan outcome {
	over := make(chan outcome, 1)
	go func() {
		var o outcome
		o.id, o.absent, o.err = w.Play(ctx, f)
		over <- o
	}()
	synctest.Wait()
	return over
}

// contestID returns the ID of the only waiting match of a contest.
func (w *testDesk) contestID() string {
	w.t.Helper()
	var ids []string
	for _, m := range w.lobby.List() {
		if m.Contest != "" && !m.Running {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) != 1 {
		w.t.Fatalf("got the waiting matches %q of contests, want one", ids)
	}
	return ids[0]
}

// expectEnd checks what Play returned; with nothing, that it has not returned.
func (w *testDesk) expectEnd(over <-chan outcome, want string) {
	w.t.Helper()
	synctest.Wait()
	got := "waits"
	select {
	case o := <-over:
		got = fmt.Sprintf("absent %v, error %v", o.absent, o.err)
	default:
	}
	if got != want {
		w.t.Errorf("Play: got %q, want %q", got, want)
	}
}

const played1 = "absent [], error <nil>"

func TestContestMatchHasItsSeatsAndSeedWhateverTheOrderOfJoins(t *testing.T) {
	for _, joins := range [][]string{{"ann", "bob"}, {"bob", "ann"}} {
		withDesk(t, func(t *testing.T, w *testDesk) {
			w.serve("ann", nil)
			w.serve("bob", func(r *protocol.Serve) { r.Challenges = true })
			over := w.play(t.Context(), cup("trio", "bob", "", "ann"))
			id := w.contestID()
			w.expect() // they serve another game
			for _, name := range joins {
				if err := w.lobby.Join(&guest{}, lobby.Client{Player: name}, protocol.LobbyJoinMatch{ID: id, Name: "bot-of-" + name}); err != nil {
					t.Fatal(err)
				}
			}
			w.expectEnd(over, "waits")
			time.Sleep(w.games.lasts)
			w.expectEnd(over, played1)
			r := w.record(id)
			var seats []string
			for _, s := range r.Seats {
				seats = append(seats, fmt.Sprintf("%s(%s)", s.Name, s.Player))
			}
			if want := []string{"bot-of-bob(bob)", "ServerBot$0()", "bot-of-ann(ann)"}; !slices.Equal(seats, want) || r.Seed != 12345 {
				t.Errorf("joins %v: got the seats %v and the seed %d, want %v and 12345", joins, seats, r.Seed, want)
			}
			if got, want := fmt.Sprint(*r.Fixture), "{spring-cup 4 1 [0 7 14] 0}"; got != want {
				t.Errorf("got the fixture %v, want %v", got, want)
			}
		})
	}
}

func TestPlayersThatServeAreAssignedTheirContestMatch(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("ann", func(r *protocol.Serve) { r.Challenges = true })
		over := w.play(t.Context(), cup("duel", "bob", "ann"))
		id := w.expect("duel: ann")[0]
		w.serve("bob", nil)
		w.expect("duel: bob")
		w.mustJoin(id, "ann", "bob")
		time.Sleep(w.games.lasts)
		w.expectEnd(over, played1)
		w.expectMatches("ann", 0)
		w.expectMatches("bob", 0)
	})
}

func TestPlayIsRefused(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		play := func(f ContestMatch) error {
			_, _, err := w.Play(t.Context(), f)
			return err
		}
		if got, want := fmt.Sprint(play(cup("duel", "ann", "ann"))), "Cannot create game: ann has two seats"; got != want {
			t.Errorf("one player on two seats: got %q, want %q", got, want)
		}
		if err := play(cup("chess", "ann", "bob")); err == nil {
			t.Error("an unknown game: got no error, want one")
		}
		w.lobby.SetLimits(lobby.Limits{Matches: 0, Stall: time.Hour})
		if err := play(cup("duel", "ann", "bob")); !errors.Is(err, lobby.ErrFull) {
			t.Errorf("a full lobby: got %v, want %v", err, lobby.ErrFull)
		}
		w.Desk.Close()
		if err := play(cup("duel", "ann", "bob")); !errors.Is(err, lobby.ErrClosed) {
			t.Errorf("a closed desk: got %v, want %v", err, lobby.ErrClosed)
		}
		if len(w.contests) != 0 || w.Stats().Matches != 0 {
			t.Errorf("got %v and %+v after refusals, want no matches", w.contests, w.Stats())
		}
	})
}

// Ann and bob have a match with a grace of a minute. Ann serves, bob comes with another
// client.
func TestPlayersThatDoNotComeAreAbsent(t *testing.T) {
	const plays = "absent [], error <nil>"
	join := func(w *testDesk, id, player string) *guest { return w.mustJoin(id, player) }
	tests := []struct {
		name    string
		during  func(w *testDesk, id string) *guest // the one that gets a reason
		want    string
		reason  string
		blocked bool // ann
	}{
		{"nobody comes", func(*testDesk, string) *guest { return nil }, "absent [bob ann], error <nil>", "", true},
		{"ann comes", func(w *testDesk, id string) *guest { return join(w, id, "ann") }, "absent [bob], error <nil>", "bob did not join in time", false},
		{"bob comes", func(w *testDesk, id string) *guest { return join(w, id, "bob") }, "absent [ann], error <nil>", "ann did not join in time", true},
		{"the first one leaves", func(w *testDesk, id string) *guest {
			w.lobby.Leave(join(w, id, "bob"), id)
			return join(w, id, "ann")
		}, "absent [bob], error <nil>", "bob did not join in time", false},
		{"the first one breaks and comes back", func(w *testDesk, id string) *guest {
			w.lobby.Leave(join(w, id, "ann"), id)
			time.Sleep(58 * time.Second)
			join(w, id, "bob")
			return join(w, id, "ann")
		}, plays, "", false},
		{"one joins at the last moment", func(w *testDesk, id string) *guest {
			join(w, id, "ann")
			time.Sleep(time.Minute - time.Millisecond)
			return join(w, id, "bob")
		}, plays, "", false},
		{"a stranger tries to join", func(w *testDesk, id string) *guest {
			if _, err := w.join(id, "eve"); err == nil {
				w.t.Error("eve: got a seat of ann or bob, want an error")
			}
			return join(w, id, "ann")
		}, "absent [bob], error <nil>", "bob did not join in time", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withDesk(t, func(t *testing.T, w *testDesk) {
				w.serve("ann", nil)
				over := w.play(t.Context(), cup("duel", "bob", "ann"))
				g := tt.during(w, w.expect("duel: ann")[0])
				time.Sleep(61 * time.Second)
				w.expectEnd(over, tt.want)
				if g != nil && g.expired != tt.reason {
					t.Errorf("got the reason %q, want %q", g.expired, tt.reason)
				}
				w.expectMatches("ann", 0)
				if len(w.contests) != 0 {
					t.Errorf("got %v waiting, want none", w.contests)
				}
				if got := len(w.Free("duel")) == 0; got != tt.blocked {
					t.Errorf("ann is blocked: got %v, want %v", got, tt.blocked)
				}
				// A miss never costs the next match of a contest.
				w.play(t.Context(), cup("duel", "bob", "ann"))
				w.expect("duel: ann")
			})
		})
	}
}

func TestContestMatchWaitsForAPlayerWithoutRoom(t *testing.T) {
	for _, lasts := range []time.Duration{time.Second, 3 * time.Minute} { // also longer than the grace
		withDesk(t, func(t *testing.T, w *testDesk) {
			w.games.lasts = lasts
			bob := w.serve("bob", nil)
			ann := w.serve("ann", func(r *protocol.Serve) { r.Games = []string{"duel", "trio"} })
			w.mustJoin(w.expect("duel: ann bob")[0], "ann", "bob")
			w.Leave(bob, "bob")
			over := w.play(t.Context(), cup("trio", "", "ann", "bob"))
			w.expectEnd(over, "waits")
			w.expect()
			time.Sleep(lasts)
			id := w.expect("trio: ann")[0]
			if got, want := ann.take(), "trio within 60"; got[len(got)-1] != want {
				t.Errorf("got %q, want the last event %q", got, want)
			}
			if _, err := w.challenge("dave", "duel", "ann"); err == nil {
				t.Error("a challenge while the only place is taken: got no error, want one")
			}
			time.Sleep(500 * time.Millisecond)
			w.mustJoin(id, "ann", "bob")
			time.Sleep(w.games.lasts)
			w.expectEnd(over, "absent [], error <nil>")
		})
	}
}

func TestContestMatchDoesNotWaitForeverForAPlayerWithoutRoom(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.games.lasts = time.Hour
		w.serve("bob", nil)
		w.serve("ann", nil)
		w.mustJoin(w.expect("duel: ann bob")[0], "ann", "bob")
		over := w.play(t.Context(), cup("duel", "ann", "bob"))
		time.Sleep(10*time.Minute + 59*time.Second)
		w.expectEnd(over, "waits")
		time.Sleep(time.Second)
		w.expectEnd(over, "absent [ann bob], error <nil>")
		ctx, cancel := context.WithCancel(t.Context())
		over = w.play(ctx, cup("duel", "ann", "bob"))
		cancel()
		w.expectEnd(over, "absent [], error context canceled")
		over = w.play(t.Context(), cup("duel", "ann", "bob"))
		w.Desk.Close()
		w.expectEnd(over, "absent [], error "+lobby.ErrClosed.Error())
	})
}

func TestPlayerThatGotItsSeatTooLateIsAbsentButNotBlocked(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		over := w.play(t.Context(), cup("duel", "bob", "ann"))
		time.Sleep(55 * time.Second)
		w.serve("ann", nil)
		w.expect("duel: ann")
		time.Sleep(5 * time.Second)
		w.expectEnd(over, "absent [bob ann], error <nil>")
		if len(w.Free("duel")) != 1 || w.Stats().NotJoined != 0 {
			t.Errorf("got %v free and %+v, want ann free and no miss", w.Free("duel"), w.Stats())
		}
	})
}

func TestContestMatchIsAssignedAgainOnANewConnection(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		ann := w.serve("ann", nil)
		over := w.play(t.Context(), cup("duel", "bob", "ann"))
		id := w.expect("duel: ann")[0]
		w.Leave(ann, "ann")
		time.Sleep(20 * time.Second)
		ann = w.serve("ann", nil)
		w.expect("duel: ann")
		if got, want := ann.take(), []string{"serving ann", "duel within 40"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		w.serve("ann", concurrency(0)) // drains, and takes what it was assigned
		w.expect("duel: ann")
		w.mustJoin(id, "ann", "bob")
		time.Sleep(w.games.lasts)
		w.expectEnd(over, played1)
	})
}

// A player that has taken its seat with another client and leaves it gets it with coco
// serve.
func TestSeatThatWasLeftIsAssigned(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.play(t.Context(), cup("duel", "bob", "ann"))
		id := w.contestID()
		page := w.mustJoin(id, "ann")
		w.serve("ann", nil)
		w.expect()
		w.expectMatches("ann", 0) // the one on the page needs no place
		w.lobby.Leave(page, id)
		w.expect("duel: ann")
		w.expectMatches("ann", 1)
	})
}

func TestPlayEndsWithItsContext(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("ann", nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		over := w.play(ctx, cup("duel", "bob", "ann"))
		ann := w.mustJoin(w.expect("duel: ann")[0], "ann")
		cancel(errors.New("paused"))
		w.expectEnd(over, "absent [], error paused")
		if ann.expired != stopped {
			t.Errorf("ann: got the reason %q, want %q", ann.expired, stopped)
		}
		w.expectMatches("ann", 0)

		ctx, cancel = context.WithCancelCause(t.Context())
		over = w.play(ctx, cup("duel", "bob", "ann"))
		w.mustJoin(w.expect("duel: ann")[0], "ann", "bob")
		cancel(errors.New("paused"))
		w.expectEnd(over, "waits") // the match goes on
		time.Sleep(w.games.lasts)
		w.expectEnd(over, played1)
	})
}

func TestHostThatStopsEndsWaitingMatchesAndAwaitsRunningOnes(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		running := w.play(t.Context(), cup("duel", "ann", "bob"))
		w.mustJoin(w.contestID(), "ann", "bob")
		waiting := w.play(t.Context(), cup("duel", "carol", "dave"))
		carol := w.mustJoin(w.contestID(), "carol")
		w.Desk.Close()
		w.expectEnd(waiting, "absent [], error "+lobby.ErrClosed.Error())
		w.expectEnd(running, "waits")
		if carol.expired != lobby.ErrClosed.Error() {
			t.Errorf("carol: got the reason %q, want %q", carol.expired, lobby.ErrClosed)
		}
		w.lobby.Close(t.Context())
		w.expectEnd(running, played1)
	})
}

func TestMatchThatIsRemovedHasItsReasonAsTheError(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		over := w.play(t.Context(), cup("duel", "ann", "bob"))
		w.lobby.Remove(w.contestID(), "because")
		w.expectEnd(over, "absent [], error because")
		over = w.play(t.Context(), cup("duel", "ann", "bob"))
		w.lobby.Close(t.Context())
		w.expectEnd(over, "absent [], error "+lobby.ErrClosed.Error())
	})
}
