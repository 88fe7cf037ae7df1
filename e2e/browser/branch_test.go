package browser

import (
	"fmt"
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// listed are the texts of the moves on a page, without their times, as one text.
const listed = "[...document.querySelectorAll('#moves button .line')].map((b) => b.textContent).join()"

// A person who plays the bot sees a hint, takes back a move twice, and later plays on from a
// moment of the replay, on the other side.
func TestPersonTakesBackMovesAndPlaysFromAReplay(t *testing.T) {
	long.Only(t, "one match")
	h := shared(t)
	b := open(t, 1280, 900)
	args := map[string]string{"bot": "newcomer", "pace": "0"}
	b.create(h, "kamisado", args)
	const mine = "document.querySelector('#caption.mine')"
	b.await(mine + " && document.querySelector('[data-key=hint]:not([disabled])')")
	b.await("document.querySelector('[data-key=takeback]').disabled === (document.querySelectorAll('#moves button').length <= 1)")

	b.click("[data-key=hint]")
	b.await("/^Hint: \\S+ .*[a-h][1-8]–[a-h][1-8]$/.test(document.querySelector('#aids [role=status]').textContent)")
	b.enter()
	b.await("document.querySelector('.marks .best')")
	b.leave()
	b.shoot("aids-1280")

	// taken takes back a move, and reports whether the match goes on: the bot can win at once.
	taken := func() (from string, ok bool) {
		t.Helper()
		before, at := b.text(listed), b.text("location.pathname")
		b.click("[data-key=takeback]")
		b.await(fmt.Sprintf("location.pathname !== %q && (%s || %s)", at, mine, over))
		if b.ended() {
			return at, false
		}
		b.await(listed + ".length < " + fmt.Sprint(len(before)))
		if after := b.text(listed); !strings.HasPrefix(before, after) {
			t.Errorf("got the moves %s after the takeback, want the first ones of %s", after, before)
		}
		return at, true
	}
	// Two moves of the person. A choice that comes too early is not sent. The bot plays by chance
	// and can win this early.
	played := func() (first, second string, ok bool) {
		t.Helper()
		b.await(over + ` || (() => {
			const choice = [...document.querySelectorAll("#choices button")].find((b) => !` + givingUp + `.test(b.textContent));
			if (choice && document.querySelectorAll("#moves button").length >= 4) return true;
			choice?.click();
			return false;
		})()`)
		if b.ended() {
			return "", "", false
		}
		if first, ok = taken(); !ok {
			return "", "", false
		}
		b.call("POST", "/refresh", nil, nil) // the page still knows what its seat has sent
		b.await(mine)
		b.await("document.querySelector('#about').textContent.includes('goes on from another match')")
		second, ok = taken()
		return first, second, ok
	}
	first, second, ok := played()
	for tries := 1; !ok; tries++ {
		if tries == 10 {
			t.Fatal("the bot won ten matches within four moves; choose other ones")
		}
		b.console() // a match that has just ended has no clocks any more
		b.create(h, "kamisado", args)
		b.await(mine)
		first, second, ok = played()
	}
	b.await("document.querySelector('[data-key=takeback]').disabled === (document.querySelectorAll('#moves button').length <= 1)")

	// The match that was taken back has no winner, and its replay can be played on.
	b.visit(h.url + first)
	b.await("/was taken back/.test(document.body.textContent) && document.querySelector('[data-key=from]')")
	b.await("document.querySelectorAll('#moves button').length >= 4")
	b.click("[data-key='move 1']")
	b.await("document.querySelector('#moves .current')?.dataset.key === 'move 1'")
	b.shoot("from-1280")
	before := b.text(listed)
	b.eval("document.querySelector('#from-side').value = '1'", nil)
	b.click("[data-key=from]")
	b.await(fmt.Sprintf("location.pathname !== %q && %s", first, mine))
	after := strings.Split(b.text(listed), ",")
	for i, move := range strings.Split(before, ",")[:2] {
		if i >= len(after) || !strings.HasPrefix(move, after[i]) { // the replay has notes, too
			t.Errorf("got the moves %q, want those before the moment of %s first", after, before)
		}
	}
	if second == first {
		t.Error("both takebacks left the same match")
	}
	b.resize(375, 812)
	b.await("innerWidth === 375")
	b.fits("a match with aids at 375")
	b.shoot("aids-375")
	if faults := b.console(); len(faults) > 0 {
		t.Errorf("got %q on the console, want nothing", faults)
	}
}
