package browser

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/internal/test/sight"
)

// drawn returns how the board looks: the colours of its rim and of a dark square.
func (b *browser) drawn() string {
	b.t.Helper()
	b.enter()
	defer b.leave()
	return b.text(`["rim", "dark"].map((kind) => getComputedStyle(document.querySelector("#board .tile." + kind)).fill).join(" ")`)
}

// awaitLook waits until the board has a look.
func (b *browser) awaitLook(name string) {
	b.t.Helper()
	b.enter()
	b.await(fmt.Sprintf("document.documentElement.dataset.look === %q", name))
	b.leave()
}

// point moves the mouse to the middle of an element. The driver sends no events to a frame that
// the mouse leaves.
func (b *browser) point(selector string) {
	b.t.Helper()
	b.call("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "pointer", "id": "mouse", "actions": []any{
		map[string]any{"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": map[string]string{elementKey: b.find(selector)}},
	}}}}, nil)
}

// tellsPiecesApart compares the pieces of different players on the board in all looks: their
// upper faces differ by 20 in L*, as everybody sees them, or in their outlines.
func (b *browser) tellsPiecesApart(game string) {
	b.t.Helper()
	var looks map[string][]struct {
		Owner, Outline string
		Fills          []string // the colour, or those of a gradient
	}
	b.enter()
	b.eval(`(() => {
		const root = document.documentElement, chosen = root.dataset.look, seen = {};
		for (const look of ["wood", "slate", "paper"]) {
			root.dataset.look = look;
			const kinds = [...document.querySelectorAll("#board [piece]")].map((piece) => {
				const face = [...piece.querySelectorAll(".face, .turned")].at(-1);
				const { fill } = getComputedStyle(face), gradient = /^url\("#(.+)"\)$/.exec(fill);
				return JSON.stringify({
					owner: ["white", "black", "first", "second"].find((owner) => face.classList.contains(owner)) ?? "",
					outline: face.localName + (face.getAttribute("d") ?? ""),
					fills: gradient ? [...document.getElementById(gradient[1]).querySelectorAll("stop")].map((stop) => getComputedStyle(stop).stopColor) : [fill],
				});
			});
			seen[look] = [...new Set(kinds)].map((kind) => JSON.parse(kind));
		}
		root.dataset.look = chosen;
		return seen;
	})()`, &looks)
	b.leave()
	for look, pieces := range looks {
		for i, one := range pieces {
			for _, other := range pieces[:i] {
				if one.Owner == other.Owner || one.Outline != other.Outline {
					continue
				}
				for _, fill := range one.Fills {
					for _, against := range other.Fills {
						c, err := sight.Parse(fill)
						d, wrong := sight.Parse(against)
						if err != nil || wrong != nil {
							b.fatal("%s, %s: got the fills %s and %s, want colours", game, look, fill, against)
						}
						if got, kind := sight.Difference(c, d); got < 20 {
							b.t.Errorf("%s, %s: got %s of %s and %s of %s with the same outline and a difference of %.1f in L* with %s, want 20", game, look, fill, one.Owner, against, other.Owner, got, kind)
						}
					}
				}
			}
		}
		owners := map[string]bool{}
		for _, piece := range pieces {
			owners[piece.Owner] = true
		}
		if want := map[bool]int{true: 2}[withPieces[game]]; len(owners) != want || owners[""] {
			b.t.Errorf("%s, %s: got pieces of the owners %v, want those of %d players", game, look, owners, want)
		}
	}
}

// withPieces are the games with pieces on a board.
var withPieces = map[string]bool{"chess": true, "dama": true, "damath": true, "kamisado": true, "royalur": true, "taacoca": true}

// TestALookIsChosenForAllBoards chooses a look and letters with the menu, by mouse and keys. All
// boards have it, also in another tab, after a reload, in another game and in a saved picture.
func TestALookIsChosenForAllBoards(t *testing.T) {
	long.Only(t, "it opens boards of two games")
	h := shared(t)
	b := open(t, 375, 667)
	b.phone(375, 667)
	b.scheme("light")
	b.create(h, "dama", map[string]string{"bot": "random", "pace": "0"})
	b.await("document.querySelector('#caption.mine')")
	b.settled()
	wood := b.drawn()

	// A piece shows where it can go while it is touched.
	const goes = "document.querySelectorAll('#board .goes .dot').length"
	b.enter()
	b.point("[data-goes]")
	b.await(goes + " > 0")
	b.point(".coordinate")
	b.await("!document.querySelector('#board .goes')")
	b.leave()

	const menu = "document.querySelector('.looks').open"
	b.click(".looks summary")
	b.faults("the open menu, light", false)
	b.scheme("dark")
	b.faults("the open menu, dark", true)
	b.scheme("light")
	if got := b.text(`[...document.querySelectorAll(".looks label")].filter((e) => {
		const r = e.getBoundingClientRect();
		return r.height < 43.9 || r.left < 0 || r.right > innerWidth || r.top < 0 || r.bottom > innerHeight || !e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2));
	}).map((e) => e.textContent).join()`); got != "" {
		t.Errorf("got the choices %s of the menu cut off or too small, want all of them in the window", got)
	}
	b.shoot("looks-menu-375")
	b.click(".looks .slate")
	b.awaitLook("slate")
	slate := b.drawn()
	b.press("\ue015") // arrow down
	b.awaitLook("paper")
	if paper := b.drawn(); wood == slate || slate == paper || paper == wood {
		t.Errorf("got the colours %s of wood, %s of slate and %s of paper, want different ones", wood, slate, paper)
	}
	b.press("\ue004") // Tab
	const texts = "document.querySelectorAll('#board svg text').length"
	b.enter()
	before := b.text(texts)
	b.leave()
	b.press(" ")
	b.enter()
	b.await(texts + " > " + before)
	b.leave()
	b.press("\ue00c") // Escape
	b.await("!" + menu + " && document.activeElement.matches('.looks summary')")
	b.press(" ")
	b.await(menu)
	b.click("#title")
	b.await("!" + menu)

	// Another tab, with another game.
	var first, second struct{ Handle string }
	b.call("GET", "/window", nil, &first.Handle)
	b.call("POST", "/window/new", map[string]string{"type": "tab"}, &second)
	b.call("POST", "/window", map[string]string{"handle": second.Handle}, nil)
	b.forbear()
	b.create(h, "chess", map[string]string{"bot": "random", "pace": "0"})
	b.awaitLook("paper")
	b.click(".looks summary")
	b.click(".looks .slate")
	b.awaitLook("slate")
	if got := b.drawn(); got != slate {
		t.Errorf("got the colours %s of slate in chess, want %s as in dama", got, slate)
	}
	b.call("DELETE", "/window", nil, nil)
	b.call("POST", "/window", map[string]string{"handle": first.Handle}, nil)
	b.awaitLook("slate")
	b.call("POST", "/refresh", nil, nil)
	b.await("document.querySelector('#caption.mine')")
	b.settled()
	if got := b.drawn(); got != slate || b.text("document.querySelector('.looks :checked').value") != "slate" {
		t.Errorf("got the colours %s after a reload, want those of slate, %s, and its choice in the menu", got, slate)
	}

	// Pieces have the colours of the look in a saved picture: without their gradients they are black.
	b.enter()
	var at []float64
	b.eval(`(() => {
		const picture = document.querySelector("#board svg").getBoundingClientRect(), r = document.querySelector(".face.white").getBoundingClientRect();
		return [(r.x + r.width / 2 - picture.x) / picture.width, (r.y + r.height / 2 - picture.y) / picture.width];
	})()`, &at)
	b.leave()
	b.click("#share summary")
	name, file := b.saved("[data-key=share-png]")
	keep(t, "slate-"+name, file)
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, blue, _ := picture.At(int(at[0]*960), int(at[1]*960)).RGBA(); min(r, g, blue) < 0xb000 {
		t.Errorf("got the colour %x %x %x of a white piece in the picture, want a light one", r, g, blue)
	}
}
