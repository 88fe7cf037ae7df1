package site_test

import "testing"

// rail is the viewer of a row of four squares, with the pieces a, b and h. A line moves a piece
// along squares, and takes what is on the last. The user plays a by clicks, and h with onhold.
const rail = `
export const start = () => ({ at: { a: "s0", b: "s2", h: "s1" } });
export function read(state, line) {
	const [piece, ...path] = line.split(" ");
	for (const p in state.at) if (state.at[p] === path.at(-1)) delete state.at[p];
	state.at[piece] = path.at(-1);
	return { text: line, path };
}
export const path = (state, line) => line.split(" ").slice(1);
const x = (s) => 50 + 100 * Number(s[1]);
export function draw(state, page) {
	const { svg, ui } = page;
	const man = ([piece, s]) => svg("g", {
		id: piece, piece: NAMED && piece, transform: "translate(" + x(s) + " 50)", "aria-pressed": String(ui.from === piece),
		onclick: page.playing && (() => { if (piece === "h") return page.send("clicked"); ui.from = ui.from === piece ? null : piece; page.redraw(); }),
		onhold: page.playing && piece === "h" && (({ end }) => { ui.from = end ? null : piece; ui.told = (ui.told ?? "") + (end ? "end" : "hold"); page.redraw(); }),
	}, svg("circle", { r: 30 }));
	return svg("svg", { viewBox: "0 0 400 100" }, [0, 1, 2, 3].map((i) => svg("rect", { id: "s" + i, square: "s" + i, x: 100 * i, width: 100, height: 100, fill: "#eee" })),
		Object.entries(state.at).map(man), ui.from && svg("rect", { id: "to", x: 300, width: 100, height: 100, fill: "transparent", onclick: () => page.send(ui.from + " " + state.at[ui.from] + " s3") }),
		svg("desc", { id: "told" }, ui.told ?? ""));
}`

// onRail are functions for the tests of rail. Time passes in steps alone, and motion does not
// end by itself, however slow the machine is.
const onRail = `
	let now = 0; // milliseconds
	const begin = async (named, lines, view) => {
		await open(rail.replace("NAMED", String(named)), { role: "player", me: "a", params: {} });
		const { performance, Element } = frame.contentWindow, animate = Element.prototype.animate;
		performance.now = () => now;
		Element.prototype.animate = function (...args) {
			return Object.assign(animate.apply(this, args), { playbackRate: 1e-9 });
		};
		frame.hidden = false;
		frame.width = 400;
		append(lines.map((text) => ({ text, sent: false })));
		await show(0, view);
	};
	const step = async (n, view, ms = 300) => {
		now += ms;
		await show(n, { fresh: true, ...view });
		await sent();
	};
	const at = (id) => frame.contentDocument.getElementById(id);
	// motion returns where a piece comes from, in units of the picture: one number for each stop before the last.
	const motion = (id) => frame.contentDocument.getAnimations().filter((a) => a.effect.target.id === id).map((a) => a.effect.getKeyframes().map((k) => (k.translate ? parseFloat(k.translate) : "o" + (k.opacity ?? ""))).join()).join(";");
	const pointer = (type, x, more) => {
		const target = frame.contentDocument.elementFromPoint(x, 50);
		target.dispatchEvent(new frame.contentWindow.PointerEvent(type, { bubbles: true, cancelable: true, clientX: x, clientY: 50, pointerId: 3, pointerType: "mouse", isPrimary: true, button: 0, buttons: 1, ...more }));
	};
	const hold = async (from) => {
		pointer("pointerdown", from);
		pointer("pointermove", from + 20);
		await sent();
	};
`

func piecesMove(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, onRail+`
		await begin(true, ["a s0 s1 s2", "h s1 s3", "h s3 s0", "h s0 s1", "h s1 s0", "h s0 s1", "h s1 s0"], {});
		check(motion("a"), "", "the first drawing");
		await step(1);
		check(motion("a"), "-200,-100,0", "a move along its squares");
		check(String(board().querySelectorAll("[aria-hidden] > circle, [aria-hidden] > g").length), "1", "what is taken fades");
		await show(1);
		await sent();
		check(motion("a"), "-200,-100,0", "the same moment, drawn again");
		pointer("pointerdown", 350);
		check(motion("a"), "", "after an answer");
		check(String(board().querySelectorAll("[aria-hidden]").length), "0", "what has faded after an answer");
		await step(0);
		check(motion("a"), "200,100,0", "a step back");
		check(motion("b"), "o0,o", "what is new appears");
		await step(1, { still: true });
		check(motion("a"), "", "among many boards");
		await step(2, { flipped: true });
		check(motion("h"), "", "with the board turned");
		for (const n of [3, 4, 5, 6]) await step(n, { flipped: true }, 250);
		check(motion("h"), "-100,0", "four moments a second");
		await step(7, { flipped: true }, 249);
		check(motion("h"), "", "more than four moments a second");
		await begin(false, ["a s0 s1 s2"], {});
		await step(1);
		check(String(frame.contentDocument.getAnimations().length), "0", "a viewer that names no pieces");`,
		map[string]any{"rail": rail})))
}

func piecesAreDragged(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, onRail+`
		await begin(true, ["b s2 s1", "a s0 s2"], { playing: true });
		append([]);
		const turn = async (n) => {
			await show(n, { playing: true });
			await sent();
		};
		await turn(2);
		await hold(250);
		check(at("a").getAttribute("aria-pressed"), "true", "chosen by the drag");
		check(String(at("a").classList.contains("held") && at("a").style.transform.startsWith("translate(20px")), "true", "it follows the pointer: " + at("a").style.transform);
		pointer("pointermove", 350);
		check(String(at("to").classList.contains("over")), "true", "the target below the pointer");
		pointer("pointerup", 350);
		check((await sent()).join(), "a s2 s3", "dropped on the target");

		await begin(true, ["b s2 s1"], { playing: true });
		await turn(1);
		await hold(50);
		pointer("pointermove", 250);
		pointer("pointerup", 250);
		await sent();
		check(at("a").getAttribute("aria-pressed") + at("a").style.transform, "false", "dropped on nothing");
		await hold(50);
		pointer("pointermove", 55);
		pointer("pointerup", 55);
		await sent();
		check(at("a").getAttribute("aria-pressed"), "true", "dropped on its own square");
		await hold(50);
		pointer("pointerdown", 350, { pointerId: 4, isPrimary: false });
		await sent();
		check(String(at("a").classList.contains("held")), "false", "with a second finger");
		await hold(50);
		append([{ text: "b s1 s2", sent: false }]);
		await turn(2);
		check(at("a").getAttribute("aria-pressed") + at("a").classList.contains("held"), "truetrue", "held while a line comes");
		append([{ text: "b s2 s0", sent: false }]);
		await turn(3);
		check(String(at("a")), "null", "taken while it is held");
		pointer("pointerup", 350);
		check((await sent()).join(), "", "sent after that");

		await begin(true, ["b s2 s3"], { playing: true });
		await turn(1);
		await hold(150);
		pointer("pointermove", 220);
		pointer("pointerup", 220);
		await sent();
		check(at("told").textContent + (await sent()).join(), "holdend", "a piece with onhold, dropped on nothing");
		await hold(150);
		pointer("pointermove", 350);
		pointer("pointerup", 350);
		check((await sent()).join(), "h s1 s3", "a piece with onhold, dropped on its target");`,
		map[string]any{"rail": rail})))
}

func squaresAreMarked(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, onRail+`
		await begin(true, ["b s2 s3"], {});
		const marks = () => [...board().querySelectorAll(".marks > g")].map((e) => e.getAttribute("class") + e.childElementCount).join(" ");
		const draw = (from, to, more) => {
			pointer("pointerdown", from, { button: 2, buttons: 2, ...more });
			pointer("pointerup", to, { button: 2, buttons: 0, ...more });
		};
		draw(50, 150);
		draw(250, 250, { shiftKey: true });
		draw(350, 350, { altKey: true });
		check(marks(), "green4 red2 blue2", "an arrow and two circles");
		draw(50, 150);
		check(marks(), "red2 blue2", "the same arrow again");
		port.postMessage({ marks: [{ squares: ["s0", "s1", "s3"], kind: "best" }, { line: "a s0 s2", kind: "planned" }, { squares: ["nowhere"] }, { squares: [7, null], kind: "evil" }, { line: 7 }] });
		await sent();
		check(marks(), "best4 planned4 red2 blue2", "with those of the page");
		pointer("pointerdown", 50);
		check(marks(), "best4 planned4", "after a click");
		await step(1);
		check(marks(), "", "after the next move");`,
		map[string]any{"rail": rail})))
}
