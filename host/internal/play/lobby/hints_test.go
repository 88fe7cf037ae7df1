package lobby

import (
	"testing"
	"testing/synctest"

	"colosseum/protocol"
)

// A client that asks for hints can also play where there are none.
func TestMatchesCanBeWithoutHints(t *testing.T) {
	for _, without := range []bool{false, true} {
		inLobby(t, 10, func(t *testing.T, l *testLobby) {
			id := l.keep(t, nil, Seats{Players: []string{"ann"}, Open: 1, NoHints: without})
			for i, name := range []string{"ann", "bob"} {
				c := Client{Player: name, Hints: func(protocol.MatchQuestion) {}}
				if i > 0 {
					c.Hints = nil
				}
				if err := l.Join(unlogged(name), c, protocol.LobbyJoinMatch{ID: id, Name: name}); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if got := l.duel.setup.Hints; (got == nil) != without {
				t.Errorf("NoHints is %v: the game gives hints for the seats %v", without, got)
			}
		})
	}
}
