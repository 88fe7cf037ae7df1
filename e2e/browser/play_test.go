package browser

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/protocol"
)

// openForm opens the form for new matches on a game's page, with all options.
func (b *browser) openForm() {
	b.t.Helper()
	b.click("#new summary")
	b.click("form.create summary")
}

// create creates a match against the game's bot, in which nobody is late, and takes a seat
// in it.
func (b *browser) create(h *host, game string, args map[string]string) {
	b.t.Helper()
	id, err := dial(b.t, h).Create(protocol.GameNew{
		Name: "test", Game: game, Args: args, Params: protocol.GameParams{Bots: 1, Timeout: new(600.0)},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.visit(h.url + "/match/" + id + "#play")
}

// over is true when the match on the page has ended.
const over = "document.querySelector('#after a')"

// givingUp matches the labels of buttons that end a match early.
const givingUp = `/resign|end the match|offer|draw/i`

// choices are the elements of a board that a person can click, except those that give up.
const choices = `[...document.querySelectorAll(".choice, button:not([disabled])")].filter((e) => !` + givingUp + `.test(e.textContent))`

// clickOnce clicks one of the choices on the board with the mouse.
func (b *browser) clickOnce(lot int) {
	b.t.Helper()
	b.enter()
	var found int
	b.eval(fmt.Sprintf(`(() => {
		const all = %s;
		document.querySelectorAll("[data-next]").forEach((e) => e.removeAttribute("data-next"));
		all[%d %% all.length]?.setAttribute("data-next", "");
		return all.length;
	})()`, choices, lot), &found)
	var element map[string]string
	if found > 0 && b.try("POST", "/element", map[string]string{"using": "css selector", "value": "[data-next]"}, &element) == nil {
		_ = b.try("POST", "/element/"+element[elementKey]+"/click", nil, nil) // fails if the board was drawn again
	}
	b.leave()
}

// clickOn has a script in the frame of the board click choices until the page lists some
// moves, or the match is over.
func (b *browser) clickOn(moves int) {
	b.t.Helper()
	b.enter()
	b.eval(`setInterval(() => {
		const all = `+choices+`;
		// In a fixed order it could select and unselect the same stones forever.
		const lot = (window.lot = (window.lot ?? 1) * 48271 % 2147483647) % all.length;
		all[lot]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	}, 20)`, nil)
	b.leave()
	b.await(fmt.Sprintf("%s || document.querySelectorAll('#moves button').length >= %d", over, moves))
}

// TestPersonPlaysByClicking clicks the first moves of each game with the mouse, saves the board
// as a picture, and plays on; the shortest games to their ends. Then the same address shows the
// replay. The tests of package site compare all choices of whole matches with the referee's.
func TestPersonPlaysByClicking(t *testing.T) {
	const all, some, few = 1000, 12, 2 // moves; TestPersonPlaysByDragging plays on
	tests := []struct {
		game   string
		scheme string
		moves  int
		args   map[string]string
	}{
		{"roshambo", "light", all, map[string]string{"rounds": "6"}},
		{"royalur", "dark", few, map[string]string{"bot": "random"}},
		{"dama", "light", few, map[string]string{"bot": "random"}},
		{"damath", "dark", few, map[string]string{"bot": "random"}},
		{"kamisado", "light", all, map[string]string{"bot": "random"}},
		{"taacoca", "dark", few, map[string]string{"bot": "random"}},
		{"liarsdice", "light", some, map[string]string{"bot": "random"}},
		{"chess", "light", 0, map[string]string{"bot": "random"}},
	}
	h := shared(t)
	window := open(t, 1200, 900)
	for _, tt := range tests {
		t.Run(tt.game, func(t *testing.T) {
			if tt.game != "roshambo" {
				long.Only(t, "one more game")
			}
			b := *window
			b.t = t
			b.scheme(tt.scheme)
			t.Cleanup(func() {
				if faults := b.console(); len(faults) > 0 {
					t.Errorf("got %q on the console, want nothing", faults)
				}
			})
			tt.args["pace"] = "0"
			b.create(h, tt.game, tt.args)
			lots := rand.New(rand.NewPCG(2, 2))
			const played = "document.querySelectorAll('#moves button').length >= 2"
			for range 20 { // taacoca has several clicks for a move
				b.await(over + " || document.querySelector('#caption.mine')")
				if b.text(played) == "true" || b.ended() {
					break
				}
				b.clickOnce(lots.IntN(1 << 16))
			}
			b.await(over + " || document.querySelector('#caption.mine')") // the bot has answered: the match does not go on
			b.shoot(tt.game + "-play")
			b.tellsPiecesApart(tt.game)
			b.savesPicture(tt.game, tt.scheme)
			if tt.moves == all { // a film has the pictures of the same board
				b.savesFilm()
			}

			if tt.moves == 0 {
				b.enter()
				b.click("#resign")
				b.leave()
				b.click("dialog[open] button.main")
				b.await("document.querySelector('#verdict').textContent === 'You lost: you resigned.'")
				if got := b.text("document.querySelector('#faults').textContent"); got != "" {
					t.Errorf("got %q after a resignation, want no fault", got)
				}
				return
			}
			b.clickOn(tt.moves)
			if forfeits := b.text("document.querySelectorAll('#players .tag.bad').length"); forfeits != "0" {
				t.Errorf("got %s forfeits, want 0: %s", forfeits, b.text("document.querySelector('#players').innerText"))
			}
			if tt.moves < all {
				return
			}
			b.await("/You won|You lost|Draw/.test(document.querySelector('#verdict').textContent)")
			b.shoot(tt.game + "-over")

			// The same address now shows the replay.
			b.click("#after a")
			b.await("document.querySelector('#share a[download]')")
			b.await("document.querySelectorAll('#moves button').length >= 3")
			b.click("[data-key=first]")
			b.await("document.querySelector('.timeline output').textContent.startsWith('0 of')")
			b.click("[data-key=next]")
			b.click("[data-key=next]")
			b.await("document.querySelectorAll('#moves button')[1].matches('.current')")
			b.shoot(tt.game + "-replay")
		})
	}
}
