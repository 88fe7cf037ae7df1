package serving

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

func TestClientThatFindsGetsAPlayerThatServes(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", nil)
		guest := w.find("duel", "x")
		w.mustJoin(w.expect("duel: bob")[0], "bob")
		if guest.match == nil {
			t.Error("got the client waiting, want its match running")
		}
		time.Sleep(2 * time.Second)
		w.expectMatches("bob", 0)
	})
}

func TestPlayerThatBecomesFreeIsAssignedToAWaitingMatch(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.find("duel", "x")
		w.expect()
		time.Sleep(time.Minute)
		w.serve("bob", func(r *protocol.Serve) { r.Challenges = true })
		w.expect()
		w.serve("ann", nil)
		w.expect("duel: ann")
		w.serve("carol", nil)
		w.expect() // ann has the seat
	})
}

func TestPlayerIsNotAssignedToItsOwnMatch(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("ann", nil)
		r := protocol.LobbyFindMatch{New: protocol.GameNew{Name: "T", Game: "duel"}, Name: "ann"}
		if err := w.Desk.Find(context.Background(), &guest{}, lobby.Client{Player: "ann"}, r); err != nil {
			t.Fatal(err)
		}
		w.expect()
		w.serve("bob", nil)
		w.expect("duel: bob") // the match that waits comes first
	})
}

func TestPlayersAreNotAssignedToMatchesWithOtherSettings(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", nil)
		r := protocol.LobbyFindMatch{New: protocol.GameNew{Name: "T", Game: "duel", Args: map[string]string{"rounds": "11"}}, Name: "x"}
		if err := w.Desk.Find(context.Background(), &guest{}, lobby.Client{}, r); err != nil {
			t.Fatal(err)
		}
		w.expect()
	})
}

func TestAllOpenSeatsAreFilledAtOnce(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		w.find("trio", "x")
		w.expect()
		w.serve("bob", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		w.mustJoin(w.expect("trio: ann bob")[0], "ann", "bob")
	})
}

func TestPlayerThatDoesNotComeIsReplaced(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.find("duel", "x")
		id := w.expect("duel: ann")[0]
		time.Sleep(15 * time.Second)
		w.expect()
		w.expectMatches("ann", 0)
		time.Sleep(10 * time.Minute) // ann is not asked again
		synctest.Wait()
		w.expect()
		if _, err := w.lobby.Match(id); err == nil {
			t.Error("got the match after its expiry, want it removed")
		}
		guest := w.find("duel", "x")
		w.expect("duel: ann") // another match
		time.Sleep(15 * time.Second)
		w.expect()
		w.serve("bob", nil)
		w.mustJoin(w.expect("duel: bob")[0], "bob")
		if guest.match == nil {
			t.Error("got the client waiting, want its match running")
		}
		if got := w.Stats().NotJoined; got != 2 {
			t.Errorf("counted %d seats not taken, want 2", got)
		}
	})
}

func TestPlayerThatLeavesAFoundMatchIsReplaced(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		three := func(r *protocol.Serve) { r.Games = []string{"trio"} }
		w.serve("ann", three)
		w.serve("bob", three)
		w.find("trio", "x")
		id := w.expect("trio: ann bob")[0]
		w.lobby.Leave(w.mustJoin(id, "ann"), id)
		w.expectMatches("ann", 0)
		w.serve("carol", three)
		w.expect("trio: carol")
		w.mustJoin(id, "carol", "bob")
	})
}

func TestClientThatFindsComesBeforeAPlayerThatHasNotJoined(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", nil)
		first := w.find("duel", "x")
		id := w.expect("duel: bob")[0]
		w.find("duel", "y")
		if first.match == nil {
			t.Error("got the first client waiting, want it to meet the second")
		}
		w.expectMatches("bob", 0)
		if _, err := w.join(id, "bob"); err == nil {
			t.Error("bob's seat: got it, want it taken")
		}
		w.find("duel", "z") // bob is not to blame
		w.expect("duel: bob")
	})
}

func TestPlayersAreFreeWhenTheClientThatLooksLeaves(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", nil)
		guest := w.find("duel", "x")
		w.expect("duel: bob")
		w.lobby.Leave(guest, guest.id)
		w.expectMatches("bob", 0)
		w.serve("ann", nil)
		w.expect("duel: ann bob")
		if n := w.Stats().NotJoined; n != 0 {
			t.Errorf("counted %d seats not taken, want 0", n)
		}
		if n := len(w.queues["duel"].waiting); n != 0 {
			t.Errorf("got %d matches that wait, want 0", n)
		}
	})
}

func TestPlayerThatLostItsSeatIsNotAssignedToTheMatchAgain(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		three := func(r *protocol.Serve) { r.Games = []string{"trio"} }
		w.serve("ann", three)
		w.serve("bob", three)
		w.find("trio", "x")
		id := w.expect("trio: ann bob")[0]
		second := w.find("trio", "y") // takes the seat of one of them
		w.lobby.Leave(second, id)
		w.expect()
		w.serve("carol", three)
		w.expect("trio: carol")
		if n := w.Stats().NotJoined; n != 0 {
			t.Errorf("counted %d seats not taken, want 0", n)
		}
	})
}
