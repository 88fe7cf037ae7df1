package browser

import (
	"fmt"
	"testing"
	"time"

	"colosseum/internal/test/long"
)

// dragging has the functions of a person who drags pieces: grab and targets return what can be
// taken and where it can be dropped, as points.
const dragging = `
	const middle = (e) => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
	const lot = (n) => (window.lot = (window.lot ?? 7) * 48271 % 2147483647) % n;
	const pick = (all) => all[lot(all.length)];
	const targets = () => [...document.querySelectorAll("svg .choice:not([piece]), svg [tabindex='-1']")];
	const other = () => [...document.querySelectorAll(".choice, button:not([disabled])")].filter((e) => !` + givingUp + `.test(e.textContent) && !e.classList.contains("grab"));
`

// dragOn has a script in the frame of the board drag pieces, with the events of a pointer,
// until the page lists some moves, or the match is over. What cannot be dragged is clicked.
func (b *browser) dragOn(kind string, moves int) {
	b.t.Helper()
	b.enter()
	b.eval(`(() => { `+dragging+`
		clearInterval(window.player);
		let busy = false;
		const send = (type, [x, y], buttons) => (document.elementFromPoint(x, y) ?? document.body).dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, clientX: x, clientY: y, pointerId: 5, pointerType: `+quote(kind)+`, isPrimary: true, button: type === "pointermove" ? -1 : 0, buttons }));
		// shown waits until the viewer has drawn the targets of the piece. It draws nothing anew if it
		// shows them already.
		const shown = () => new Promise((done) => {
			const held = document.querySelector(".held");
			const look = (looks) => {
				const now = document.querySelector(".held");
				if (!now || now !== held && targets().length || looks > 40 && targets().length || looks > 200) done();
				else setTimeout(() => look(looks + 1), 5);
			};
			look(0);
		});
		const drag = async () => {
			const piece = pick([...document.querySelectorAll(".grab")]);
			if (!piece) return pick(other())?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
			const from = middle(piece);
			send("pointerdown", from, 1);
			send("pointermove", [from[0] + 12, from[1]], 1);
			await shown();
			const to = pick(targets());
			window.dropped = (window.dropped ?? 0) + (to ? 1 : 0);
			send("pointermove", to ? middle(to) : [1, 1], 1);
			send("pointerup", to ? middle(to) : [1, 1], 0);
		};
		window.player = setInterval(async () => {
			if (busy) return;
			busy = true;
			await drag();
			busy = false;
		}, 15);
	})()`, nil)
	b.leave()
	b.await(fmt.Sprintf("%s || document.querySelectorAll('#moves button').length >= %d", over, moves))
	b.enter()
	b.eval("clearInterval(window.player)", nil)
	b.leave()
}

// dragOnce drags a piece to one of its targets with a real pointer, "mouse" or "touch".
func (b *browser) dragOnce(kind string) bool {
	b.t.Helper()
	var frame, from, to []float64 // the pointer has the page's coordinates
	// steady waits until the page or the frame has found the size of an element.
	steady := func(e string) {
		b.t.Helper()
		b.await(`(() => {
			const r = document.querySelector("` + e + `").getBoundingClientRect(), now = [r.x, r.y, r.width, r.height, innerWidth].join();
			const same = window.placed === now;
			window.placed = now;
			return same;
		})()`)
	}
	b.enter()
	steady("#board svg")
	b.leave()
	steady("iframe.viewer")
	b.eval("(() => { const r = document.querySelector('iframe.viewer').getBoundingClientRect(); return [r.x, r.y]; })()", &frame)
	point := func(event string, p []float64) {
		x, y := p[0]+frame[0], p[1]+frame[1]
		switch {
		case kind == "mouse":
			b.cdp("Input.dispatchMouseEvent", map[string]any{"type": "mouse" + event, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1})
		case event == "Released":
			b.cdp("Input.dispatchTouchEvent", map[string]any{"type": "touchEnd", "touchPoints": []any{}})
		default:
			b.cdp("Input.dispatchTouchEvent", map[string]any{"type": map[string]string{"Pressed": "touchStart", "Moved": "touchMove"}[event], "touchPoints": []any{map[string]float64{"x": x, "y": y}}})
		}
	}
	b.enter()
	defer b.leave()
	b.eval("(() => { "+dragging+" const e = pick([...document.querySelectorAll('.grab')]); return e ? middle(e) : null; })()", &from)
	if from == nil {
		return false
	}
	point("Pressed", from)
	point("Moved", []float64{from[0] + 14, from[1] + 3})
	held := func() bool { return b.text("document.querySelector('.held') !== null") == "true" }
	for looks := 0; !held(); looks++ {
		if looks == 200 { // the board has moved since: the caller tries again
			point("Released", from)
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.shoot("drag-" + kind)
	b.eval("(() => { "+dragging+" const e = pick(targets()); return e ? middle(e) : null; })()", &to)
	if to == nil {
		point("Moved", []float64{2, 2})
		point("Released", []float64{2, 2})
		return false
	}
	point("Moved", to)
	point("Released", to)
	return true
}

// sized makes the window a phone for "touch", or else a desktop.
func (b *browser) sized(kind string) {
	b.t.Helper()
	on, width, height := kind == "touch", 1280, 900
	if on {
		width, height = 375, 720
	}
	b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": on})
	b.cdp("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": on})
}

// dragMatch plays a number of moves of a match by dragging: with the mouse on a wide window, and then
// with a finger on a phone. In both, a real pointer drags the first piece. It adds to drops how many
// pieces were dropped on a target: by the mouse, by the finger, and by the script.
func (b *browser) dragMatch(h *host, game string, args map[string]string, moves int, drops map[string]int) {
	b.t.Helper()
	b.create(h, game, args)
	for _, kind := range []string{"mouse", "touch"} {
		b.sized(kind)
		b.await(over + " || document.querySelector('#caption.mine')")
		for range 5 {
			if b.ended() {
				break
			}
			if b.dragOnce(kind) {
				drops[kind]++
				break
			}
		}
		b.await(over + " || document.querySelector('#caption.mine')")
		if kind == "mouse" {
			b.dragOn(kind, 4)
		}
	}
	b.dragOn("touch", moves)
	b.sized("mouse")
	if faults := b.console(); len(faults) > 0 {
		b.t.Errorf("got %q on the console, want nothing", faults)
	}
	if forfeits := b.text("document.querySelectorAll('#players .tag.bad').length"); forfeits != "0" {
		b.t.Errorf("got %s forfeits, want 0: %s", forfeits, b.text("document.querySelector('#players').innerText"))
	}
	b.enter()
	var dropped int
	b.eval("window.dropped ?? 0", &dropped)
	drops["script"] += dropped
	b.leave()
}

// TestPersonPlaysByDragging drags the pieces of each game, in the shortest one to the end of the
// match. The tests of package site compare the choices of whole matches with the referee's.
func TestPersonPlaysByDragging(t *testing.T) {
	const all, some, few = 1000, 12, 8 // moves
	tests := []struct {
		game  string
		moves int
		args  map[string]string
	}{
		{"kamisado", all, nil},
		{"taacoca", few, nil}, // each of its moves takes several drags
		{"dama", some, map[string]string{"rules": "english"}},
		{"damath", some, nil},
		{"royalur", some, nil},
		{"chess", some, map[string]string{"start": "7k/P7/8/8/8/8/p7/K7 w - - 0 1"}},
	}
	h := shared(t)
	window := open(t, 1280, 900)
	for _, tt := range tests {
		t.Run(tt.game, func(t *testing.T) {
			if tt.game != "kamisado" {
				long.Only(t, "one more game")
			}
			b := *window
			b.t = t
			args := map[string]string{"bot": "random", "pace": "0"}
			for name, value := range tt.args {
				args[name] = value
			}
			// The bot plays by chance and can end a match before everything was dragged.
			drops := map[string]int{}
			for matches := 1; ; matches++ {
				b.dragMatch(h, tt.game, args, tt.moves, drops)
				if t.Failed() || drops["mouse"] > 0 && drops["touch"] > 0 && drops["script"] > 0 {
					break
				}
				if matches == 10 {
					t.Fatalf("got the drops %v in ten matches, want one of each kind", drops)
				}
			}
			t.Logf("pieces were dropped: %v", drops)
		})
	}
}
