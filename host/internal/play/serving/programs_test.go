package serving

import (
	"context"
	"slices"
	"testing"
	"time"

	"colosseum/host/internal/play/lobby"
)

// programs take the seats that are kept for programs.
type programs struct{ lobby *lobby.Lobby }

func (p programs) Play(ctx context.Context, m lobby.HostedMatch) {
	for _, s := range m.Seats {
		_ = p.lobby.JoinProgram(&guest{}, m.ID, s.Player) // else the test fails
	}
	<-ctx.Done()
}

// withPrograms is withDesk with programs of ann and bob.
func withPrograms(t *testing.T, test func(t *testing.T, w *testDesk)) {
	t.Helper()
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.lobby.SetPrograms(programs{w.lobby})
		test(t, w)
	})
}

func TestMatchOfProgramsNeedsNoConnectedPlayer(t *testing.T) {
	withPrograms(t, func(t *testing.T, w *testDesk) {
		f := cup("duel", "ann", "bob")
		f.Versions = []int{2, 1}
		over := w.play(t.Context(), f)
		w.expectEnd(over, "waits") // it runs
		time.Sleep(time.Second)
		w.expectEnd(over, played1)
	})
}

// A player whose program plays can have other matches at the same time, and the desk
// neither waits for its connection nor assigns it the seat.
func TestConnectionOfAPlayerIsNotAskedIfItsProgramPlays(t *testing.T) {
	withPrograms(t, func(t *testing.T, w *testDesk) {
		w.games.lasts = time.Minute
		ann := w.serve("ann", nil)
		w.serve("eve", nil)
		w.mustJoin(w.expect("duel: ann eve")[0], "ann", "eve") // ann has no room for another one
		ann.take()
		f := cup("duel", "ann", "bob")
		f.Versions = []int{2, 1}
		over := w.play(t.Context(), f)
		if got := ann.take(); len(got) > 0 {
			t.Errorf("ann got %q, want no seat", got)
		}
		running := 0
		for _, m := range w.lobby.List() {
			if m.Running {
				running++
			}
		}
		if running != 2 {
			t.Errorf("got %d running matches, want that of the connections and that of the programs", running)
		}
		time.Sleep(time.Minute)
		w.expectEnd(over, played1)
	})
}

func TestOnlyConnectedPlayersAreAbsent(t *testing.T) {
	withPrograms(t, func(t *testing.T, w *testDesk) {
		f := cup("duel", "ann", "bob")
		f.Versions = []int{2, 0}
		over := w.play(t.Context(), f)
		time.Sleep(f.Grace)
		w.expectEnd(over, "absent [bob], error <nil>")
		over = w.play(t.Context(), f)
		w.serve("bob", nil)
		seats := w.take()
		if len(seats) != 1 || seats[0].player != "bob" {
			t.Fatalf("got the seats %+v, want one of bob", seats)
		}
		w.mustJoin(w.contestID(), "bob")
		time.Sleep(time.Second)
		w.expectEnd(over, played1)
	})
}

func TestAdoptedMatchDoesNotCountForPlayersOfPrograms(t *testing.T) {
	withPrograms(t, func(t *testing.T, w *testDesk) {
		a := &assignment{programs: []string{"ann"}}
		a.info.Reserved = []string{"ann", "bob"}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.countAdoptedLocked(a)
		var names []string
		for _, p := range a.players {
			names = append(names, p.name)
		}
		if !slices.Equal(names, []string{"bob"}) {
			t.Errorf("the match counts for %v, want bob alone", names)
		}
	})
}
