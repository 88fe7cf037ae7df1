package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/lobby"
	"colosseum/host/internal/record"
	"colosseum/protocol"
)

// outcome is what Play returned.
type outcome struct {
	id     string
	absent []string
	err    error
}

// cup returns a match of a contest for these players, by seat.
func cup(game string, players ...string) Fixture {
	entries := make([]int, len(players))
	for i := range entries {
		entries[i] = 7 * i
	}
	return Fixture{
		Name: "round 3", Game: game, Players: players, Seed: 12345, Grace: time.Minute,
		Contest: &record.Fixture{Contest: "spring-cup", Pairing: 4, Leg: 1, Entries: entries},
	}
}

// play plays a match of a contest until it has left the lobby or ctx ends. It returns
// when the match exists or was refused.
func (w *testDesk) play(ctx context.Context, f Fixture) <-chan outcome {
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
			if got, want := fmt.Sprint(*r.Fixture), "{spring-cup 4 1 [0 7 14]}"; got != want {
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

func TestPlayReturnsErrFullWhenTheLobbyIsFull(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.lobby.SetLimits(lobby.Limits{Matches: 0, Stall: time.Hour})
		if _, _, err := w.Play(t.Context(), cup("duel", "ann", "bob")); !errors.Is(err, lobby.ErrFull) {
			t.Errorf("got %v, want %v", err, lobby.ErrFull)
		}
	})
}
