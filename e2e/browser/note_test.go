package browser

import (
	"testing"

	"colosseum/internal/test/long"
	"colosseum/protocol"
)

func TestNotesOfABotAreNextToItsMovesAfterTheMatch(t *testing.T) {
	long.Only(t, "one more detail of a replay")
	h := shared(t)
	alice := dial(t, h)
	id, err := alice.Create(protocol.GameNew{
		Name: "noted", Game: "kamisado", Args: map[string]string{"pace": "0", "bot": "medium"}, Params: protocol.GameParams{Bots: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	alice.join(id, "alice")
	// The bot moves once. Then alice forfeits, with her first line if she moves second.
	for _, line := range []string{"d1d4", "no move"} {
		if err := alice.SendLine(line); err != nil {
			t.Fatal(err)
		}
	}
	alice.AwaitEnd(t)
	b := open(t, 1280, 900)
	b.visit(h.url + "/match/" + id)
	b.await("[...document.querySelectorAll('#moves .noted')].length === 1")
	const about = "document.querySelector('#moves .noted').closest('button').textContent"
	b.await("/(depth \\d+, |drawn by lot)/.test(" + about + ")")
	b.await("document.querySelectorAll('#note tr').length === 2") // with the heading
	b.click("#note-box summary")
	b.await("document.querySelector('#note').innerText.includes(document.querySelector('#moves .noted').textContent)")
	b.shoot("notes-1280")
}
