package serving

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/protocol"
)

func (w *testDesk) expectFree(game string, want ...string) {
	w.t.Helper()
	synctest.Wait()
	var got []string
	for _, f := range w.Free(game) {
		got = append(got, f.Player)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("free for the %s: got %q, want %q", game, got, want)
	}
}

func TestEngagedPlayersGetOnlyContests(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		first := w.Engage([]string{"ann", "bob"})
		second := w.Engage([]string{"Ann"})
		w.serve("ann", concurrency(2))
		w.serve("bob", nil)
		w.serve("carol", nil)
		w.find("duel", "eve")
		w.mustJoin(w.expect("duel: carol")[0], "carol")
		w.find("duel", "gus")
		w.expect()
		w.expectFree("duel")
		if _, err := w.challenge("", "duel", "BOB"); err == nil || !strings.Contains(err.Error(), "it plays a contest") {
			t.Errorf("a challenge of an engaged player: got %v, want that it plays a contest", err)
		}
		w.expect()
		w.play(t.Context(), cup("duel", "ann", "bob"))
		w.expect("duel: ann bob")

		first()
		first() // counts once
		w.expect()
		second()
		w.expect("duel: ann") // for gus
		if len(w.engaged) != 0 {
			t.Errorf("got %v, want nobody engaged", w.engaged)
		}
	})
}

func TestPlayersThatBecomeEngagedAreNoLongerPaired(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.serve("ann", nil)
		release := w.Engage([]string{"ann"})
		w.serve("bob", nil)
		w.expect()
		w.expectFree("duel", "bob")
		release()
		w.expect("duel: ann bob")
		w.expectFree("duel")
	})
}

func TestPlayersOfALadderArePairedForOtherGamesAndMeetClientsThatLook(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		both := func(r *protocol.Serve) { r.Games = []string{"duel", "trio"} }
		release := w.EngageFor("duel", []string{"ann", "bob"})
		w.serve("ann", both)
		time.Sleep(time.Second)
		w.serve("bob", both)
		w.expect()
		w.expectFree("duel", "ann", "bob")
		w.find("duel", "eve")
		w.expect("duel: ann")
		w.serve("carol", nil)
		w.expect() // bob is in the ladder, and carol is not
		w.serve("dave", nil)
		w.expect("duel: carol dave")
		w.find("trio", "gus")
		w.expect() // one player is missing
		w.serve("fay", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		w.expect("trio: bob fay")
		release()
		w.expect()
	})
}

// After a failure all free players are tried again, but not those of a ladder.
func TestPlayersOfALadderAreNotPairedAfterAFailure(t *testing.T) {
	withDesk(t, func(_ *testing.T, w *testDesk) {
		w.EngageFor("duel", []string{"ann", "bob"})
		w.serve("ann", nil)
		w.serve("bob", nil)
		w.serve("carol", nil)
		synctest.Wait()
		w.games.remove("duel")
		w.Engage([]string{"carol"})() // she is tried again when that ends
		synctest.Wait()
		w.Desk.mu.Lock()
		if w.queues["duel"].retry == nil {
			w.t.Error("got no failure, want one")
		}
		w.Desk.mu.Unlock()
		w.games.add("duel", 2)
		time.Sleep(time.Minute)
		w.expect()
		w.expectFree("duel", "ann", "bob", "carol")
	})
}

func TestFreeListsPlayersThatTakeAMatchOfALadder(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.EngageFor("duel", []string{"ann", "bob", "carol", "dave"})
		w.serve("bob", nil)
		time.Sleep(time.Second)
		w.serve("ann", nil)
		w.serve("carol", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		w.serve("dave", func(r *protocol.Serve) { r.Challenges = true })
		w.serve("eve", concurrency(0))
		want := []Waiting{{"bob", time.Now().Add(-time.Second), false}, {"ann", time.Now(), false}, {"dave", time.Now(), true}}
		if got := w.Free("duel"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		w.expectFree("chess")
	})
}

func TestChangedReportsEachChangeOfTheFreePlayers(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.EngageFor("duel", []string{"ann", "bob"})
		var ann *bot
		var id string
		steps := []struct {
			name string
			do   func()
			want []string
		}{
			{"serve", func() { ann = w.serve("ann", nil) }, []string{"ann"}},
			{"leave", func() { w.Leave(ann, "ann") }, nil},
			{"serve again", func() { w.serve("ann", nil) }, []string{"ann"}},
			{"a match is assigned", func() { w.play(t.Context(), cup("duel", "bob", "ann")); id = w.contestID() }, nil},
			{"it ends", func() { w.mustJoin(id, "ann", "bob"); time.Sleep(w.games.lasts) }, []string{"ann"}},
			{"engaged", func() { w.Engage([]string{"ann"}) }, nil},
			{"bob serves", func() { w.serve("bob", nil) }, []string{"bob"}},
			{"bob misses a match", func() { w.play(t.Context(), cup("duel", "bob", "eve")); time.Sleep(time.Minute) }, nil},
			{"bob is no longer blocked", func() { time.Sleep(time.Minute) }, []string{"bob"}},
		}
		for _, step := range steps {
			changed := w.Changed()
			select {
			case <-changed:
				t.Fatalf("before %s: got a change, want none", step.name)
			default:
			}
			step.do()
			synctest.Wait()
			select {
			case <-changed:
			default:
				t.Errorf("%s: got no change, want one", step.name)
			}
			w.expectFree("duel", step.want...)
		}
	})
}

func TestServingPlayersCanBeBusyOrEngaged(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("ann", nil)
		w.serve("bob", onlyChallenges)
		w.serve("carol", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		w.serve("dan", concurrency(0)) // it only finishes its matches
		w.Leave(w.serve("gone", nil), "gone")
		defer w.Engage([]string{"ann"})()
		if _, err := w.challenge("", "duel", "bob"); err != nil {
			t.Fatal(err)
		}
		expect := func(want ...string) {
			t.Helper()
			got := w.Serving("duel")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		expect("ann", "bob")
		changed := w.Changed()
		time.Sleep(16 * time.Second) // bob does not join, and is blocked
		expect("ann")
		select {
		case <-changed:
		default:
			t.Error("got no change when a player was blocked, want one")
		}
	})
}
