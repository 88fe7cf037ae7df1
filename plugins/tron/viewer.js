// The viewer of tron. docs/viewers.md describes the exported functions.

const steps = { U: [0, -1], D: [0, 1], L: [-1, 0], R: [1, 0] };
const opposite = { U: "D", D: "U", L: "R", R: "L" };

export const texts = {
	it: {
		"team {n}": "squadra {n}",
		"crashed at tick {n}": "fuori al tick {n}",
		"{name} crashed": "{name} si è schiantato",
		"All others crashed": "Tutti gli altri si sono schiantati",
		"Both cycles of the other team crashed": "Si sono schiantate tutte e due le moto dell'altra squadra",
		"The last cycles crashed in the same tick": "Le ultime moto si sono schiantate insieme",
		"Get ready: turn with arrow keys, W A S D, the buttons, or strokes on the board": "Si parte: svolta con le frecce, W A S D, i pulsanti o un dito sul campo",
		"Your cycle moves by itself: turn it with arrow keys, W A S D, the buttons, or strokes on the board": "La tua moto va da sola: svolta con le frecce, W A S D, i pulsanti o un dito sul campo",
		"Your cycle has crashed": "La tua moto si è schiantata",
		"The match has not begun": "La partita non è ancora iniziata",
		"Tick {n}": "Tick {n}",
		"All cycles move by one cell at each tick, and leave a wall. Whoever hits a wall is out; the last one wins.":
			"A ogni tick tutte le moto avanzano di una casella e lasciano un muro. Chi urta un muro è fuori; vince l'ultimo.",
		"All cycles move by one cell at each tick, and leave a wall. Whoever hits a wall is out; the team of the last one wins.":
			"A ogni tick tutte le moto avanzano di una casella e lasciano un muro. Chi urta un muro è fuori; vince la squadra dell'ultimo.",
		Up: "Su", Down: "Giù", Left: "Sinistra", Right: "Destra",
		Turn: "Svolta",
		"{name}, column {column}, row {row}": "{name}, colonna {column}, riga {row}",
		"{name} has crashed": "{name} si è schiantato",
	},
};

export function start(match) {
	return {
		player: match.role === "player", me: null, teams: match.params?.teams === "yes",
		width: 0, height: 0, seats: 0,
		cycles: [], // {name, team, way, corners: places of the trail's bends, the last is the head, crashed: tick or 0}
		ticks: 0,
		sent: null, // the user's line of this tick
	};
}

export function read(state, line, sent) {
	if (sent) {
		state.sent = line;
		return;
	}
	const fields = line.split(" ");
	const numbers = fields.map(Number);
	if (!state.seats) {
		[state.width, state.height, , state.seats] = numbers;
		return;
	}
	if (state.cycles.length < state.seats) {
		const [x, y] = numbers;
		state.cycles.push({ name: fields.slice(4).join(" "), team: numbers[3], way: fields[2], corners: [[x, y], [x, y]], crashed: 0 });
		return;
	}
	if (state.player && state.me === null) {
		state.me = Number(line);
		return;
	}
	state.ticks++;
	state.sent = null;
	for (const [seat, c] of state.cycles.entries()) {
		const [x, y] = numbers.slice(2 * seat);
		if (x < 0) c.crashed ||= state.ticks;
		else move(c, x, y);
	}
}

// move moves a cycle to the next cell.
function move(c, x, y) {
	const [hx, hy] = c.corners.at(-1);
	const way = Object.keys(steps).find((w) => hx + steps[w][0] === x && hy + steps[w][1] === y);
	if (way === c.way) c.corners.pop();
	c.corners.push([x, y]);
	c.way = way;
}

const begun = (state) => state.seats > 0 && state.cycles.length === state.seats && (!state.player || state.me !== null);
const living = (state) => state.cycles.filter((c) => !c.crashed);
const over = (state) => begun(state) && new Set(living(state).map((c) => c.team)).size < 2;
const steers = (state) => state.me !== null && begun(state) && !over(state) && !state.cycles[state.me].crashed;

// ending returns why the match ended, or "".
function ending(state) {
	if (!over(state)) return "";
	if (living(state).length === 0) return t("The last cycles crashed in the same tick");
	if (state.teams) return t("Both cycles of the other team crashed");
	return state.seats > 2 ? t("All others crashed") : t("{name} crashed", { name: state.cycles.find((c) => c.crashed).name });
}

export function status(state) {
	const note = (c) => [state.teams && t("team {n}", { n: c.team + 1 }), c.crashed && t("crashed at tick {n}", { n: c.crashed })].filter(Boolean).join(", ");
	return {
		players: state.cycles.map((c) => ({ name: c.name, note: note(c) })),
		seat: state.me,
		turn: begun(state) && !over(state) ? state.cycles.flatMap((c, seat) => (c.crashed ? [] : [seat])) : [],
		caption: !begun(state) ? "" : ending(state)
			|| (state.me === null ? t("Tick {n}", { n: state.ticks })
				: !steers(state) ? t("Your cycle has crashed")
					: state.ticks === 0 ? t("Get ready: turn with arrow keys, W A S D, the buttons, or strokes on the board")
						: t("Your cycle moves by itself: turn it with arrow keys, W A S D, the buttons, or strokes on the board")),
		end: ending(state),
		goal: state.teams ? t("All cycles move by one cell at each tick, and leave a wall. Whoever hits a wall is out; the team of the last one wins.")
			: t("All cycles move by one cell at each tick, and leave a wall. Whoever hits a wall is out; the last one wins."),
	};
}

// turn takes a turn of the user. Two turns can come within a tick: the second waits for the next one,
// because only the last line of a tick counts.
function turn(state, page, line) {
	const turns = (page.wishes.turns ??= []);
	const last = turns.at(-1) ?? state.sent;
	if (turns.length > 2 || last !== null && (line === last || line === opposite[last])) return;
	turns.push(line);
	steer(state, page);
}

// steer sends the next turn, if none has been sent in this tick.
function steer(state, page) {
	const turns = (page.wishes.turns ??= []);
	if (!page.playing || !steers(state)) return;
	if (state.sent === null && turns.length > 0) page.send(turns[0]);
}

// A cell is 10 units wide.
const middle = ([x, y]) => [10 * x + 15, 10 * y + 15];
const colours = ["var(--first)", "var(--second)", "var(--third)", "var(--fourth)"];
const dashes = [null, "0 10", "12 8", "4 6"]; // of the bright line in the trail of each seat
const angles = { R: 0, D: 90, L: 180, U: 270 };

export function draw(state, page) {
	const { svg, html } = page;
	const width = 10 * (state.width || 30) + 20;
	const height = 10 * (state.height || 20) + 20;
	const large = Math.max(1, width / 420); // heads can be seen on a phone, too
	if (page.last && state.sent !== null && page.wishes.turns?.[0] === state.sent) page.wishes.turns.shift(); // it has arrived

	const trail = (c, seat) => {
		const points = c.corners.map((p) => middle(p).join(" ")).join(" ");
		return svg("g", { class: "trail" },
			svg("polyline", { class: "foot", points, style: `--body: ${colours[seat]}` }),
			svg("polyline", { points, stroke: colours[seat], "stroke-width": 7 }),
			seat > 0 && svg("polyline", { points, stroke: "var(--on)", "stroke-width": seat === 1 ? 3.5 : 2.2, "stroke-dasharray": dashes[seat] }));
	};
	const head = (c, seat) => {
		const [x, y] = middle(c.corners.at(-1));
		return svg("g", { id: `cycle-${seat}`, transform: `translate(${x} ${y}) scale(${large})` },
			c.crashed ? svg("path", { class: page.fresh && c.crashed === state.ticks && "enter", d: "M0 -11 L3 -4 L10 -6 L5 0 L10 7 L3 4 L0 11 L-3 4 L-10 7 L-5 0 L-10 -6 L-3 -4 Z", fill: "var(--bad)", stroke: "var(--paper)", "stroke-width": 1.5 }) : [
				seat === state.me && svg("circle", { class: "me", r: 17 }),
				svg("path", { class: "wheels", transform: `rotate(${angles[c.way]})`, d: "M-15 0h5M11 0h5M7-7.5 4.5 0 7 7.5" }),
				svg("path", { class: "cycle", transform: `rotate(${angles[c.way]})`, fill: colours[seat], d: "M-12-3Q-10-7-2-7 8-7 13 0 8 7-2 7-10 7-12 3Z" }),
				svg("path", { d: marks[seat], fill: "var(--on)" }),
			]);
	};
	const floor = { x: 10, y: 10, width: width - 20, height: height - 20 };
	const board = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "tron", id: "tron", role: "img", tabindex: state.player && "0", label: describe(state) },
		svg("defs", null, svg("pattern", { id: "cells", x: 10, y: 10, width: 10, height: 10, patternUnits: "userSpaceOnUse" }, svg("path", { class: "cell", d: "M10 0 H0 V10" }))),
		page.tile("rim", { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 5 }),
		page.tile("floor", floor), svg("rect", { class: "grain", ...floor }), svg("rect", { class: "inset", ...floor, style: "fill: url(#cells)" }),
		begun(state) && [state.cycles.map(trail), state.cycles.map(head)]);
	const pad = state.player && html("div", { class: "tron pad", role: "group", "aria-label": t("Turn") },
		[["U", "▲", t("Up"), "ArrowUp w"], ["L", "◀", t("Left"), "ArrowLeft a"], ["D", "▼", t("Down"), "ArrowDown s"], ["R", "▶", t("Right"), "ArrowRight d"]].map(([line, sign, label, keys]) => {
			const on = steers(state) && page.last && !page.ended;
			return html("button", { id: `turn-${line}`, label, disabled: !on, keys: on && keys, onclick: on && (() => turn(state, page, line)) }, sign);
		}));
	steer(state, page);
	return { board: html("div", { class: "tron" }, html("style", null, style), board), side: pad || html("div") };
}

// marks are those of the seats, as the page has them.
const marks = ["M-4.5 0a4.5 4.5 0 0 1 9 0 4.5 4.5 0 0 1-9 0Z", "M-2-5H2L5-2V2L2 5H-2L-5 2V-2Z", "M0-5.5 5.5 4H-5.5Z", "M-4-4H4V4H-4Z"];

function describe(state) {
	if (!begun(state)) return t("The match has not begun");
	return state.cycles.map((c) => {
		const [column, row] = c.corners.at(-1);
		return c.crashed ? t("{name} has crashed", { name: c.name }) : t("{name}, column {column}, row {row}", { name: c.name, column, row });
	}).join(". ");
}

const style = `
.tron.pad { display: grid; grid-template: "a up b" 3.5rem "left down right" 3.5rem / 1fr 1fr 1fr; gap: .4rem; max-width: 16rem; margin: 0 auto; }
.tron.pad #turn-U { grid-area: up; }
.tron.pad #turn-L { grid-area: left; }
.tron.pad #turn-D { grid-area: down; }
.tron.pad #turn-R { grid-area: right; }
.tron .floor { fill: var(--light); }
@media (prefers-color-scheme: dark) { .tron .floor { fill: color-mix(in srgb, var(--rim-line), var(--rim) 20%); } }
.tron .cell { fill: none; stroke: var(--ink); stroke-opacity: .16; stroke-width: .6; }
.tron .trail { fill: none; stroke-linejoin: round; stroke-linecap: round; }
.tron .foot { translate: 0 2px; stroke: color-mix(in srgb, var(--body) 50%, #000); stroke-width: 7.5; }
.tron .cycle { stroke: var(--on); stroke-width: 1.5; stroke-linejoin: round; }
.tron .wheels { fill: none; stroke: var(--ink); stroke-width: 4; stroke-linejoin: round; stroke-linecap: round; }
.tron .me { fill: none; stroke: var(--ink); stroke-width: 2; }
.tron .enter { --from: 0 0; }
`;
