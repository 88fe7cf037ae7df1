package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/protocol"
)

// missed is a match of kamisado in which each side misses a win several times.
const missed = "g1g5 f8g7 a1b2 h8h7 f1f7 e8b5 f7f8"

// playMissed plays the match between two programs and returns its ID.
func playMissed(t *testing.T, h *host) string {
	t.Helper()
	ann, bob := dial(t, h), dial(t, h)
	id, err := ann.Create(protocol.GameNew{Name: "many wins", Game: "kamisado", Args: map[string]string{"pace": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	ann.join(id, "ann")
	bob.join(id, "bob")
	for _, p := range []*program{ann, bob} {
		stream := ""
		for !strings.Contains(stream, "\n0\n") && !strings.Contains(stream, "\n1\n") {
			name, body, err := p.Next()
			if err != nil {
				t.Fatal(err)
			}
			if name == "" {
				stream += string(body)
			}
		}
		seat := strings.Count(strings.SplitAfter(stream, "\n")[2], "1")
		moves := strings.Fields(missed)
		for i := seat; i < len(moves); i += 2 { // in advance: the host keeps them
			if err := p.SendLine(moves[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	ann.AwaitEnd(t)
	return id
}

func TestAnalysisShowsTheChancesAndTheMistakes(t *testing.T) {
	long.Only(t, "one more detail of a replay")
	h := shared(t)
	id := playMissed(t, h)
	b := open(t, 1280, 900)
	b.visit(h.url + "/match/" + id)
	b.await(moves(7))
	b.click("[data-key=analyse]")
	b.await("document.querySelector('#analysis polyline')?.getAttribute('points').split(' ').length === 8")

	// The curve has marks, and the same mistakes are in both lists.
	const listed = "[...document.querySelectorAll('#analysis .mistakes button')].map((b) => b.textContent)"
	var mistakes []string
	b.eval(listed, &mistakes)
	for _, move := range []string{"Move 3, ", "Move 4, ", "Move 5, ", "Move 6, "} {
		if !slices.ContainsFunc(mistakes, func(m string) bool {
			return strings.Contains(m, move) && strings.Contains(m, ": blunder, ") && strings.Contains(m, " → 0\u00a0%")
		}) {
			t.Errorf("got mistakes %q, want the blunder of %s", mistakes, move)
		}
	}
	b.await("[2, 3, 4, 5].every((i) => document.querySelector(`[data-key='move ${i}'] .sign`)?.textContent === '??')")
	b.await("!document.querySelector('[data-key=\"move 6\"] .sign')")
	b.eval("document.querySelector('#analysis').scrollIntoView()", nil)
	b.shoot("analysis-1280")

	// A mistake is a link to its position.
	b.eval("[...document.querySelectorAll('#analysis .mistakes button')].find((b) => b.textContent.includes('Move 4')).click()", nil)
	b.await("document.querySelector('#moves .current')?.dataset.key === 'move 3'")
	b.await("/ 100 %.* 0 %/.test(document.querySelector('#analysis .now').textContent)")

	// A click on the curve and the keys of the timeline go on from there.
	b.await("(() => { const a = document.querySelector('#analysis .cursor').getAttribute('transform'); document.querySelector('[data-key=next]').click(); return a !== document.querySelector('#analysis .cursor').getAttribute('transform'); })()")
	b.await("document.querySelector('#moves .current')?.dataset.key === 'move 4'")
	b.eval("(() => { const c = document.querySelector('#analysis svg'), r = c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent('click', { clientX: r.left + 2, clientY: r.top + 5 })); })()", nil)
	b.await("!document.querySelector('#moves .current')")

	b.call("POST", "/refresh", nil, nil)
	b.await(moves(7))
	b.click("[data-key=analyse]")
	b.await("document.querySelector('#analysis polyline')") // at once: the host keeps it
	for _, size := range [][2]int{{375, 812}, {768, 1024}} {
		b.resize(size[0], size[1])
		b.await(fmt.Sprintf("innerWidth === %d", size[0]))
		b.fits(fmt.Sprint("the analysis at ", size[0]))
		b.eval("document.querySelector('#analysis').scrollIntoView()", nil)
		b.shoot(fmt.Sprint("analysis-", size[0]))
	}
}
