package browser

import (
	"testing"

	"colosseum/protocol"
)

// TestPersonPlaysInRealTime plays tron with the keyboard: ticks of 50 ms pass while the page
// draws, and the keys of the person arrive.
func TestPersonPlaysInRealTime(t *testing.T) {
	h := shared(t)
	b := open(t, 1200, 900)
	id, err := dial(t, h).Create(protocol.GameNew{
		Name: "race", Game: "tron", Args: map[string]string{"tick": "50", "width": "20", "height": "12", "bot": "easy"}, Params: protocol.GameParams{Players: new(3), Bots: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.visit(h.url + "/match/" + id + "#play")
	b.await("document.querySelector('#caption.mine')")
	b.enter()
	// The person rides in a square that becomes smaller, as far as the others let it.
	b.eval(`setInterval(() => {
		window.turns = (window.turns ?? 0) + 1;
		document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ["ArrowUp", "a", "ArrowDown", "d"][window.turns % 4], bubbles: true, cancelable: true }));
	}, 60)`, nil)
	b.leave()
	b.await("/You won|You lost|Draw|first place/.test(document.querySelector('#verdict').textContent)")
	if forfeits := b.text("document.querySelectorAll('#players .tag.bad').length"); forfeits != "0" {
		t.Errorf("got %s forfeits, want 0", forfeits)
	}
	if faults := b.console(); len(faults) > 0 {
		t.Errorf("got %q on the console, want nothing", faults)
	}
}
