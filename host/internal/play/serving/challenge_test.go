package serving

import (
	"context"
	"slices"
	"testing"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

func (w *testDesk) challenge(creator, game string, opponents ...string) (string, error) {
	r := protocol.GameNew{Name: "T", Game: game, Opponents: opponents}
	return w.Desk.Challenge(context.Background(), lobby.Client{Player: creator}, r)
}

func onlyChallenges(r *protocol.Serve) { r.Challenges = true }

func TestChallengedPlayerGetsASeat(t *testing.T) {
	for _, creator := range []string{"ann", ""} {
		t.Run("creator "+creator, func(t *testing.T) {
			withDesk(t, func(t *testing.T, w *testDesk) {
				w.serve("Bob", onlyChallenges)
				id, err := w.challenge(creator, "duel", "bob")
				if err != nil {
					t.Fatal(err)
				}
				if got := w.expect("duel: Bob"); got[0] != id {
					t.Errorf("got the match %s, want %s", got[0], id)
				}
				info, _ := w.lobby.Info(id)
				want := []string{"Bob"}
				if creator != "" {
					want = append(want, creator)
				}
				if !slices.Equal(info.Reserved, want) {
					t.Errorf("got seats kept for %v, want %v", info.Reserved, want)
				}
				w.mustJoin(id, "Bob")
				if err := w.lobby.Join(&guest{}, lobby.Client{Player: creator}, protocol.LobbyJoinMatch{ID: id, Name: "x"}); err != nil {
					t.Errorf("the creator's seat: got %v, want it", err)
				}
			})
		})
	}
}

func TestChallengeIsRefused(t *testing.T) {
	tests := []struct {
		name, creator, game string
		opponents           []string
		want                string
	}{
		{"nobody with that name", "ann", "duel", []string{"zoe"}, "zoe plays no duel now: it is not served with coco serve"},
		{"another game", "ann", "trio", []string{"bob", "zoe"}, "bob plays no trio now: it is not served with coco serve"},
		{"a player that has left", "ann", "duel", []string{"gone"}, "gone plays no duel now: it is not served with coco serve"},
		{"itself", "BOB", "duel", []string{"bob"}, "bob plays no duel now: it is the player that challenges"},
		{"twice", "ann", "duel", []string{"bob", "BOB"}, "BOB plays no duel now: it is named twice"},
		{"busy", "ann", "duel", []string{"busy"}, "busy plays no duel now: it has as many matches as it takes at once: try again later"},
		{"late", "ann", "duel", []string{"late"}, "late plays no duel now: it did not join its last match: try again later"},
	}
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", onlyChallenges)
		w.Leave(w.serve("gone", onlyChallenges), "gone")
		w.serve("late", onlyChallenges)
		if _, err := w.challenge("ann", "duel", "late"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Second)
		w.serve("busy", onlyChallenges)
		if _, err := w.challenge("ann", "duel", "busy"); err != nil {
			t.Fatal(err)
		}
		w.expect("duel: busy", "duel: late")
		for _, tt := range tests {
			if _, err := w.challenge(tt.creator, tt.game, tt.opponents...); err == nil || err.Error() != tt.want {
				t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
			}
			w.expectMatches("bob", 0)
		}
		if got := w.Stats().Refused; got != uint64(len(tests)) {
			t.Errorf("counted %d challenges refused, want %d", got, len(tests))
		}
	})
}

func TestChallengeForAnotherNumberOfPlayersFreesThem(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", func(r *protocol.Serve) { r.Games = []string{"trio"} })
		_, err := w.Desk.Challenge(t.Context(), lobby.Client{Player: "ann"}, protocol.GameNew{Name: "T", Game: "trio", Opponents: []string{"bob"}, Params: protocol.GameParams{Players: new(3)}})
		want := "Cannot create game: 2 players do not fill the 3 seats: change the number of players or of bots"
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
		w.expect()
		w.expectMatches("bob", 0)
	})
}

func TestChallengeHasAsManySeatsAsItNames(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		r := protocol.GameNew{Name: "T", Game: "duel", Params: protocol.GameParams{Bots: 1}}
		for _, name := range []string{"bob", "cat", "dan"} {
			w.serve(name, onlyChallenges)
			r.Opponents = append(r.Opponents, name)
		}
		id, err := w.Desk.Challenge(t.Context(), lobby.Client{Player: "ann"}, r)
		if err != nil {
			t.Fatal(err)
		}
		if info, _ := w.lobby.Info(id); info.Players != 5 || info.Bots != 1 || len(info.Reserved) != 4 {
			t.Errorf("got %d players, %d bots and seats kept for %v, want 5, 1 and four", info.Players, info.Bots, info.Reserved)
		}
	})
}

func TestChallengeCountsAsAMatch(t *testing.T) {
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.serve("bob", nil)
		id, err := w.challenge("ann", "duel", "bob")
		if err != nil {
			t.Fatal(err)
		}
		w.serve("carol", nil)
		w.expect("duel: bob")
		w.mustJoin(id, "bob")
		time.Sleep(15 * time.Second) // ann does not come
		w.expect("duel: bob carol")
		if n := w.Stats().NotJoined; n != 0 {
			t.Errorf("counted %d seats not taken, want 0: ann does not serve", n)
		}
	})
}
