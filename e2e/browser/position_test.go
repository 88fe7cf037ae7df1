package browser

import (
	"fmt"
	"testing"

	"colosseum/internal/test/long"
)

// at waits until a page shows the position after move n of all.
func (b *browser) at(n, all int) {
	b.t.Helper()
	b.await(fmt.Sprintf("document.querySelector('.timeline output').textContent === '%d of %d'", n, all))
	if n > 0 {
		b.await(fmt.Sprintf("document.querySelector('#moves [data-key=\"move %d\"].current')", n-1))
	}
}

// hash waits until the address has a hash.
func (b *browser) hash(want string) {
	b.t.Helper()
	b.await("location.hash === " + quote(want))
}

const (
	keyHome, keyEnd, keyLeft, keyRight, keySpace = "\ue011", "\ue010", "\ue012", "\ue014", " "
)

func TestPositionsOfAMatchHaveAddresses(t *testing.T) {
	long.Only(t, "one more way into a replay")
	h := shared(t)
	alice := dial(t, h)
	id := alice.create("positions", 14, 1)
	alice.join(id, "alice")
	for range 10 {
		alice.play("ROCK")
	}
	b := open(t, 1200, 900)

	// While the match runs, the page stays at the position until the person follows.
	b.visit(h.url + "/match/" + id + "#4")
	b.at(4, 10)
	alice.play("ROCK")
	b.at(4, 11)
	if got := b.text("document.querySelector('#past').hidden"); got != "false" {
		t.Errorf("got the note about an earlier moment hidden: %s, want it shown", got)
	}
	b.click("#now")
	b.at(11, 11)
	b.hash("")
	alice.play("ROCK", "ROCK")
	b.at(13, 13)
	b.visit(h.url + "/match/" + id + "#13") // the newest move, without following
	b.at(13, 13)
	b.hash("#13")
	alice.play("ROCK")
	alice.AwaitEnd(t)
	b.await("document.querySelector('#share a[download]')")
	b.at(13, 14)

	// A replay: the address changes with the position, and the other way.
	b.visit(h.url + "/match/" + id)
	b.at(14, 14)
	if got := b.text("document.querySelector('#share a[download$=txt]').getAttribute('href')"); got != "/api/matches/"+id+"/stream" {
		t.Errorf("got the stream at %s, want it at its address in the API", got)
	}
	if got := b.text("document.querySelector('#analysis').textContent"); got != "" {
		t.Errorf("got %q for a game that cannot judge, want no analysis", got)
	}
	b.click("[data-key=back]")
	b.at(13, 14)
	b.hash("#13")
	b.click("[data-key=first]")
	b.at(0, 14)
	b.hash("#0")
	b.click("[data-key=next]")
	b.at(1, 14)
	b.click("#moves li:nth-child(10) button")
	b.at(10, 14)
	b.eval("(location.hash = '#7', 1)", new(int))
	b.at(7, 14)
	b.eval("(location.hash = '', 1)", new(int))
	b.at(14, 14)
	// The page can write the moment that it shows before it hears of a new address.
	b.eval("(location.hash = '#5', history.replaceState(null, '', location.pathname), 1)", new(int))
	b.at(5, 14)
	b.hash("#5")
	b.visit("about:blank")
	b.visit(h.url + "/match/" + id + "#99") // there is no such move
	b.at(14, 14)

	// The keys of the timeline also work after a click on the board.
	b.enter()
	b.click("#board svg")
	for _, step := range []struct {
		key  string
		want int
	}{{keyLeft, 13}, {keyLeft, 12}, {keyRight, 13}, {keyHome, 0}, {keyEnd, 14}, {keyHome, 0}} {
		b.enter()
		b.press(step.key)
		b.leave()
		b.at(step.want, 14)
	}
	b.eval("document.querySelector('[aria-label=Speed]').value = '0.5'", nil) // so that the replay lasts
	b.enter()
	b.press(keySpace)
	b.leave()
	b.await("document.querySelector('[data-key=play]').textContent === 'Pause'")
	b.press(keySpace)
	b.await("document.querySelector('[data-key=play]').textContent === 'Replay'")
	b.click("[aria-label=Speed] option[value='10']")
	b.click("[data-key=play]")
	b.at(14, 14)
	b.await("document.querySelector('[data-key=play]').textContent === 'Replay'")
}

// TestStepsOfALongReplayChangeLittle steps through a replay, and counts the elements that
// each step adds to the page, outside of the board.
func TestStepsOfALongReplayChangeLittle(t *testing.T) {
	long.Only(t, "one more way into a replay")
	const rounds, steps = 200, 25 // what is drawn once, such as the stream, counts little
	h := shared(t)
	alice := dial(t, h)
	id := alice.create("long", rounds, 1)
	alice.join(id, "alice")
	for i := range rounds {
		alice.play([]string{"ROCK", "PAPER", "SCISSORS"}[i*i%7%3])
	}
	alice.AwaitEnd(t)
	b := open(t, 1200, 900)
	b.visit(h.url + "/match/" + id + "#150")
	b.at(150, rounds)
	b.click("#stream-box summary")
	const script = `const done = arguments[arguments.length - 1], [way, wanted] = arguments;
		let added = 0, steps = 0;
		const count = (n) => n.nodeType === 1 ? 1 + n.querySelectorAll("*").length : 1;
		const seen = new MutationObserver((list) => { for (const m of list) for (const n of m.addedNodes) added += count(n); });
		seen.observe(document.querySelector("main"), { childList: true, subtree: true });
		const next = () => {
			document.querySelector(way).click();
			// The board answers, and then the lists are drawn before the next picture.
			setTimeout(() => requestAnimationFrame(() => setTimeout(() => {
				if (++steps < wanted) next(); else { seen.disconnect(); done(added / steps); }
			})), 20);
		};
		next();`
	for _, way := range []string{"back", "next"} {
		var added float64
		b.call("POST", "/execute/async", map[string]any{"script": script, "args": []any{"[data-key=" + way + "]", steps}}, &added)
		if t.Logf("%s: %.1f nodes added in a step", way, added); added > 60 {
			t.Errorf("%s: got %.1f nodes added in a step, want at most 60: two players and the timeline", way, added)
		}
	}
}
