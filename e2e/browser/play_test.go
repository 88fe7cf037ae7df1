package browser

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"colosseum/internal/test/long"
)

// openForm opens the form for new matches on a game's page, with all options.
func (b *browser) openForm() {
	b.t.Helper()
	b.click("#new summary")
	b.click("form.create summary")
}

// create creates a match with the form of a game, and takes a seat in it.
func (b *browser) create(h *host, game string, params map[string]string) {
	b.t.Helper()
	b.visit(h.url + "/games/" + game)
	b.openForm()
	for name, value := range params {
		selector := "#param-" + name
		var choice bool
		b.await("document.querySelector(" + quote(selector) + ")")
		b.eval("document.querySelector("+quote(selector)+").tagName === 'SELECT'", &choice)
		if choice {
			b.click(selector + " option[value=" + quote(value) + "]")
		} else {
			b.write(selector, value)
		}
	}
	b.write("#timeout", "600")
	b.click("form.create button.main")
	b.await("location.pathname.startsWith('/match/')")
}

// over is true when the match on the page has ended.
const over = "document.querySelector('#after a')"

// givingUp matches the labels of buttons that end a match early.
const givingUp = `/resign|end the match|offer|draw/i`

// clickThrough plays the match on the page to its end with random clicks on the
// board, the first few with the mouse. After some clicks it uses the list of choices
// instead, if the game has one. It calls each before a click, and returns the number
// of clicks.
func (b *browser) clickThrough(each func(click int)) int {
	b.t.Helper()
	lots := rand.New(rand.NewPCG(1, 1)) // a fixed order could select and unselect the same stones forever
	const onBoard = 15
	for clicks := 0; ; clicks++ {
		lot := lots.IntN(1 << 16)
		b.await(over + " || document.querySelector('#caption.mine')")
		var ended bool
		if b.eval("Boolean("+over+")", &ended); ended {
			return clicks
		}
		if each != nil {
			each(clicks)
		}
		if clicks >= onBoard {
			if n := b.choose(lots); n > 0 {
				clicks += n - 1
				continue
			}
		}
		b.enter()
		var choices int
		b.eval(fmt.Sprintf(`(() => {
			const all = [...document.querySelectorAll(".choice, button:not([disabled])")].filter((e) => !%s.test(e.textContent));
			document.querySelectorAll("[data-next]").forEach((e) => e.removeAttribute("data-next"));
			const next = all[%d %% all.length];
			if (next && %t) next.dispatchEvent(new MouseEvent("click", { bubbles: true }));
			else next?.setAttribute("data-next", "");
			return all.length;
		})()`, givingUp, lot, clicks >= 5), &choices)
		if clicks < 5 && choices > 0 {
			var element map[string]string
			if b.try("POST", "/element", map[string]string{"using": "css selector", "value": "[data-next]"}, &element) == nil {
				_ = b.try("POST", "/element/"+element[elementKey]+"/click", nil, nil) // fails if the board was drawn again
			}
		}
		b.leave()
	}
}

// choose clicks choices of the list, one in each turn, until there is no list, the
// match is over, or 5 s have passed. It returns the number of clicks. It needs only one
// call of the browser, because a call takes far longer than a click.
func (b *browser) choose(lots *rand.Rand) (clicks int) {
	b.t.Helper()
	const script = `const done = arguments[arguments.length - 1], end = performance.now() + 5000;
		let clicks = 0;
		const numbers = arguments[0], next = () => {
			if (%s || performance.now() > end) return done(clicks);
			if (document.querySelector("#caption.mine")) {
				const all = [...document.querySelectorAll("#choices details button")].filter((e) => !%s.test(e.textContent));
				if (all.length === 0 || clicks === numbers.length) return done(clicks);
				all[numbers[clicks++] %% all.length].click();
			}
			setTimeout(next, 20);
		};
		next();`
	numbers := make([]int, 200)
	for i := range numbers {
		numbers[i] = lots.IntN(1 << 16)
	}
	b.call("POST", "/execute/async", map[string]any{"script": fmt.Sprintf(script, over, givingUp), "args": []any{numbers}}, &clicks)
	return clicks
}

func TestPersonPlaysAWholeMatchByClicking(t *testing.T) {
	long.Only(t, "it clicks through whole matches")
	tests := []struct {
		game   string
		params map[string]string
	}{
		{game: "roshambo", params: map[string]string{"rounds": "5", "pace": "0"}},
		{game: "royalur", params: map[string]string{"pace": "0", "bot": "random"}},
		{game: "dama", params: map[string]string{"pace": "0", "bot": "random", "draw_after": "3"}},
		{game: "damath", params: map[string]string{"pace": "0", "bot": "random"}},
		{game: "kamisado", params: map[string]string{"pace": "0", "bot": "random"}},
		{game: "taacoca", params: map[string]string{"pace": "0", "bot": "random"}},
	}
	for _, tt := range tests {
		t.Run(tt.game, func(t *testing.T) {
			plugin := map[string]string{"damath": "dama"}[tt.game]
			if plugin == "" {
				plugin = tt.game
			}
			h := start(t, plugin)
			b := open(t, 1200, 900)
			b.create(h, tt.game, tt.params)
			clicks := b.clickThrough(func(click int) {
				if click == 4 {
					b.shoot(tt.game + "-play")
				}
			})
			b.await("/You won|You lost|Draw/.test(document.querySelector('#verdict').textContent)")
			b.shoot(tt.game + "-over")
			t.Logf("%d clicks", clicks)
			if forfeits := b.text("document.querySelectorAll('#players .tag.bad').length"); forfeits != "0" {
				t.Errorf("got %s forfeits, want 0: %s", forfeits, b.text("document.querySelector('#players').innerText"))
			}

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
			if faults := b.console(); len(faults) > 0 {
				t.Errorf("got %q on the console, want nothing", faults)
			}
		})
	}
}

func TestResignationIsNotShownAsARefusedLine(t *testing.T) {
	long.Only(t, "it clicks through whole matches")
	h := start(t, "chess")
	b := open(t, 1200, 900)
	b.create(h, "chess", map[string]string{"pace": "0", "bot": "random"})
	b.await("document.querySelector('#caption.mine')")
	b.enter()
	b.click("#resign")
	b.leave()
	b.click("dialog[open] button.main")
	b.await(over)
	b.await("document.querySelector('#verdict').textContent === 'You lost: you resigned.'")
	if got := b.text("document.querySelector('#faults').textContent"); got != "" {
		t.Errorf("got %q after a resignation, want no fault", got)
	}
}
