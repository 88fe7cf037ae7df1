// The viewer of liar's dice. docs/viewers.md describes the exported functions.

export const texts = {
	it: {
		"{n} one|{n} ones": "{n} uno|{n} uno", "{n} two|{n} twos": "{n} due|{n} due", "{n} three|{n} threes": "{n} tre|{n} tre",
		"{n} four|{n} fours": "{n} quattro|{n} quattro", "{n} five|{n} fives": "{n} cinque|{n} cinque", "{n} six|{n} sixes": "{n} sei|{n} sei",
		ones: "uno", twos: "due", threes: "tre", fours: "quattro", fives: "cinque", sixes: "sei",
		"Liar!": "Bugiardo!",
		forfeits: "perde per forfait",
		"{name} loses a die": "{name} perde un dado",
		"{name} loses the last die": "{name} perde l'ultimo dado",
		"{name} forfeited": "{name} ha perso per forfait",
		"{name} is the last player with dice": "{name} è l'unico che ha ancora dadi",
		"{n} die|{n} dice": "{n} dado|{n} dadi",
		out: "fuori", forfeited: "forfait",
		"Bid on a number of all dice": "Fai un'offerta sul numero di dadi in tutto",
		"{name} bid {bid}: bid more, or call it a lie": "{name} ha offerto {bid}: offri di più, o dagli del bugiardo",
		"{name} begins the round": "{name} comincia la mano",
		"{name} bid {bid}, and {other} is to answer": "{name} ha offerto {bid}, e ora risponde {other}",
		"{name} doubts {bid}": "{name} non crede a {bid}",
		"{bid} of {other}: {n} counts, and {name} loses a die|{bid} of {other}: {n} count, and {name} loses a die":
			"{bid} di {other}: ne conta {n}, e {name} perde un dado|{bid} di {other}: ne contano {n}, e {name} perde un dado",
		"Say how many of all dice show a face, although you see only your own, or call the last bid a lie. Then all dice are shown: if the bid was true, the one who doubted it loses a die, otherwise the one who made it. The last player with dice wins.":
			"Di' quanti dadi in tutto mostrano una faccia, anche se vedi solo i tuoi, o di' che l'ultima offerta è una bugia. Allora si scoprono tutti i dadi: se l'offerta era vera perde un dado chi ne ha dubitato, altrimenti chi l'ha fatta. Vince chi resta l'ultimo con dei dadi.",
		"Ones count as any face.": "Gli uno valgono per ogni faccia.",
		"The match has not begun": "La partita non è ancora iniziata",
		"Round {round}, {n} die|Round {round}, {n} dice": "Mano {round}, {n} dado|Mano {round}, {n} dadi",
		"ones are wild": "gli uno sono jolly",
		"no bid yet": "ancora nessuna offerta",
		"{n} counts|{n} count": "ne conta {n}|ne contano {n}",
		"{name}: {dice}": "{name}: {dice}",
		"{n} hidden die|{n} hidden dice": "{n} dado coperto|{n} dadi coperti",
		"Bids of this round": "Offerte di questa mano",
		"Face": "Faccia", "Number of dice": "Numero di dadi",
	},
};

const word = (face) => [t("ones"), t("twos"), t("threes"), t("fours"), t("fives"), t("sixes")][face - 1];

const say = ({ count: n, face }) => [
	() => t("{n} one|{n} ones", { n }), () => t("{n} two|{n} twos", { n }), () => t("{n} three|{n} threes", { n }),
	() => t("{n} four|{n} fours", { n }), () => t("{n} five|{n} fives", { n }), () => t("{n} six|{n} sixes", { n }),
][face - 1]();

export function start(match) {
	return {
		me: null, seats: match.seats, wild: true, names: [], most: 5, round: 0,
		dice: [], // by seat, the number at the start of the round
		hands: [], // by seat, the faces that are known
		gone: [], // by seat: "out", "retired", or nothing
		bids: [], turn: null, asked: false,
		doubter: null, count: null, loser: null, // after a challenge
		winner: null, end: "",
	};
}

// Everybody receives the same lines, except that a player receives only its own dice.
export function read(state, line, sent) {
	if (sent) {
		state.asked = false;
		return;
	}
	const [what, ...rest] = line.split(" ");
	const [seat, ...list] = rest.map(Number);
	const name = state.names[seat];
	switch (what) {
		case "GAME":
			[state.seats, state.most, state.wild] = [seat, list[0], rest[2] === "yes"];
			return;
		case "PLAYER":
			state.names[seat] = rest.slice(1).join(" ");
			return;
		case "YOU":
			state.me = seat;
			return;
		case "ROUND":
			Object.assign(state, { round: seat, dice: list, hands: [], bids: [], turn: null, doubter: null, count: null, loser: null });
			return;
		case "DICE":
		case "SHOW":
			state.hands[seat] = list;
			return;
		case "TURN":
			[state.turn, state.asked] = [seat, seat === state.me];
			return;
		case "BID": {
			const bid = { seat, count: list[0], face: list[1] };
			state.bids.push(bid);
			return { text: say(bid), seat };
		}
		case "LIAR":
			[state.doubter, state.turn] = [seat, null];
			return { text: t("Liar!"), seat };
		case "COUNT":
			state.count = seat;
			return;
		case "LOSES":
			state.loser = seat;
			return state.dice[seat] > 1 ? t("{name} loses a die", { name }) : t("{name} loses the last die", { name });
		case "OUT":
			state.gone[seat] = "out";
			return;
		case "RETIRE":
			state.gone[seat] = "retired";
			[state.turn, state.asked] = [null, false];
			state.end = t("{name} forfeited", { name });
			return { text: t("forfeits"), seat };
		case "WINS":
			if (state.doubter !== null) state.end = t("{name} is the last player with dice", { name });
			[state.winner, state.turn] = [seat, null];
	}
}

// rank puts the bids in order, as in the rules.
const rank = (state, { count, face }) => (state.wild && face === 1 ? 16 * count + 7 : 8 * count + face);

const total = (state) => state.dice.reduce((sum, n) => sum + n, 0);

// counts returns the numbers of dice that the user can bid now on a face.
function counts(state, face) {
	const last = state.bids.at(-1);
	if (!state.asked || !last && state.wild && face === 1) return [];
	return Array.from({ length: total(state) }, (_, i) => i + 1).filter((count) => !last || rank(state, { count, face }) > rank(state, last));
}

const faces = [1, 2, 3, 4, 5, 6];

// left returns how many dice a seat has, after the challenge.
const left = (state, seat) => (state.gone[seat] ? 0 : (state.dice[seat] ?? state.most) - (state.loser === seat ? 1 : 0));

function caption(state) {
	const last = state.bids.at(-1);
	const name = (seat) => state.names[seat];
	if (state.winner !== null) return state.end;
	if (state.count !== null && state.loser !== null) {
		return t("{bid} of {other}: {n} counts, and {name} loses a die|{bid} of {other}: {n} count, and {name} loses a die", { bid: say(last), other: name(last.seat), n: state.count, name: name(state.loser) });
	}
	if (state.doubter !== null) return t("{name} doubts {bid}", { name: name(state.doubter), bid: say(last) });
	if (state.turn === null) return state.round ? t("Round {round}, {n} die|Round {round}, {n} dice", { round: state.round, n: total(state) }) : "";
	if (state.turn === state.me) return last ? t("{name} bid {bid}: bid more, or call it a lie", { name: name(last.seat), bid: say(last) }) : t("Bid on a number of all dice");
	return last ? t("{name} bid {bid}, and {other} is to answer", { name: name(last.seat), bid: say(last), other: name(state.turn) }) : t("{name} begins the round", { name: name(state.turn) });
}

export function status(state) {
	const note = (seat) => (state.gone[seat] === "out" ? t("out") : state.gone[seat] ? t("forfeited") : t("{n} die|{n} dice", { n: left(state, seat) }));
	return {
		players: state.names.map((name, seat) => ({ name, note: note(seat) })),
		seat: state.me,
		turn: state.turn === null ? [] : state.turn,
		caption: caption(state),
		goal: t("Say how many of all dice show a face, although you see only your own, or call the last bid a lie. Then all dice are shown: if the bid was true, the one who doubted it loses a die, otherwise the one who made it. The last player with dice wins.") + (state.wild ? ` ${t("Ones count as any face.")}` : ""),
		end: state.winner === null ? "" : state.end,
		choices: [
			...state.asked && state.bids.length ? [{ line: "LIAR", label: t("Liar!") }] : [],
			...faces.flatMap((face) => counts(state, face).map((count) => ({ line: `${count} ${face}`, label: say({ count, face }) }))),
		],
	};
}

const width = 680;
const head = 92; // height of the current bid
const row = 92; // height of a player

export function draw(state, page) {
	const { svg, html } = page;
	const order = [...Array(state.seats).keys()].map((i) => (i + (state.me === null ? 0 : state.me + 1)) % state.seats); // the user at the bottom
	const height = head + row * state.seats;
	const board = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": describe(state, order) },
		bidNow(state, page), order.map((seat, i) => svg("g", { transform: `translate(0 ${head + row * i})` }, player(state, page, seat))));
	return {
		board: html("div", { class: "liarsdice" }, html("style", null, style), board),
		side: html("div", { class: "liarsdice" }, state.me !== null && state.winner === null && !page.ended && pickers(state, page), history(state, page)),
	};
}

// bidNow draws the bid that counts, and what is known of it.
function bidNow(state, { svg, fresh }) {
	const last = state.bids.at(-1);
	const text = (x, y, size, fill, value, more) => svg("text", { x, y, "font-size": size, fill, ...more }, value);
	const right = state.count !== null ? t("{n} counts|{n} count", { n: state.count }) : state.wild ? t("ones are wild") : "";
	return [
		svg("rect", { x: 4, y: 4, width: width - 8, height: head - 12, rx: 14, fill: "var(--field)", stroke: "var(--line)", "stroke-width": 2 }),
		last ? svg("g", { class: fresh && state.doubter === null && "enter" },
			text(24, 62, 50, "var(--ink)", String(last.count), { "font-weight": 700 }), text(88, 58, 34, "var(--soft)", "×"), svg("g", { transform: "translate(120 15) scale(.58)" }, die(svg, last.face)))
			: text(24, 54, 26, "var(--soft)", t("no bid yet")),
		last && text(200, 42, 24, "var(--ink)", state.names[last.seat]),
		last && state.doubter !== null && text(200, 70, 22, "var(--bad)", `${state.names[state.doubter]}: ${t("Liar!")}`, { "font-weight": 700 }),
		text(width - 24, 42, 24, "var(--ink)", state.round ? t("{n} die|{n} dice", { n: total(state) }) : "", { "text-anchor": "end" }),
		text(width - 24, 70, 22, state.count !== null ? "var(--accent)" : "var(--soft)", right, { "text-anchor": "end", "font-weight": state.count !== null ? 700 : 400 }),
	];
}

// player draws the row of a seat: its name, its dice, and its last bid.
function player(state, { svg, fresh }, seat) {
	const own = state.bids.filter((b) => b.seat === seat).at(-1);
	const last = state.bids.at(-1);
	const due = state.turn === seat;
	const counting = state.doubter !== null && last;
	const has = state.gone[seat] && state.loser !== seat ? 0 : state.dice[seat] ?? state.most;
	const known = state.hands[seat] ?? [];
	const matches = (face) => face === last.face || state.wild && face === 1;
	const note = state.winner === seat ? "★" : state.gone[seat] === "out" ? t("out") : state.gone[seat] ? t("forfeited") : state.loser === seat ? "−1" : "";
	return [
		svg("rect", {
			x: 4, y: 2, width: width - 8, height: row - 8, rx: 12, fill: due ? "var(--field)" : "none",
			stroke: due ? "var(--accent)" : state.loser === seat ? "var(--bad)" : "var(--line)", "stroke-width": due || state.loser === seat ? 4 : 1.5,
		}),
		due && svg("path", { d: "M16 32 L30 42 L16 52 Z", fill: "var(--accent)" }),
		svg("text", { x: 40, y: note ? 40 : 51, "font-size": 23, fill: state.gone[seat] ? "var(--soft)" : "var(--ink)", "font-weight": seat === state.me || due ? 700 : 400 }, cut(state.names[seat] ?? "")),
		note && svg("text", { x: 40, y: 68, "font-size": 22, fill: state.loser === seat ? "var(--bad)" : "var(--soft)" }, note),
		Array.from({ length: state.most }, (_, i) => {
			const face = i < has ? known[i] ?? 0 : -1;
			const lit = counting && face > 0 && matches(face);
			return svg("g", { transform: `translate(${232 + 64 * i} 13) scale(.58)`, opacity: counting && face > 0 && !lit ? 0.45 : 1 },
				die(svg, face), lit && svg("rect", { x: -3, y: -3, width: 106, height: 106, rx: 22, fill: "none", stroke: "var(--accent)", "stroke-width": 10 }));
		}),
		own && svg("g", { class: fresh && own === last && !counting && "enter" },
			svg("text", { x: 612, y: 52, "text-anchor": "end", "font-size": 28, fill: own === last ? "var(--ink)" : "var(--soft)", "font-weight": own === last ? 700 : 400 }, String(own.count)),
			svg("g", { transform: "translate(620 22) scale(.4)", opacity: own === last ? 1 : 0.6 }, die(svg, own.face))),
	];
}

const cut = (name) => (name.length > 16 ? `${name.slice(0, 15)}…` : name);

// pips has the places of the pips of each face, on a die of 100.
const pips = [[], [[50, 50]], [[27, 27], [73, 73]], [[25, 25], [50, 50], [75, 75]], [[27, 27], [73, 27], [27, 73], [73, 73]],
	[[26, 26], [74, 26], [50, 50], [26, 74], [74, 74]], [[28, 23], [72, 23], [28, 50], [72, 50], [28, 77], [72, 77]]];

// die draws a die into a square of 100. The face 0 is hidden, and -1 a die that is lost.
function die(svg, face) {
	if (face < 0) return svg("rect", { x: 6, y: 6, width: 88, height: 88, rx: 18, fill: "none", stroke: "var(--line)", "stroke-width": 3, "stroke-dasharray": "9 9" });
	if (face === 0) {
		return [svg("rect", { x: 2, y: 2, width: 96, height: 96, rx: 20, fill: "var(--soft)", stroke: "var(--ink)", "stroke-width": 3 }),
			svg("path", { d: "M34 38 a16 16 0 1 1 24 14 q-8 5 -8 14", fill: "none", stroke: "var(--paper)", "stroke-width": 9, "stroke-linecap": "round" }), svg("circle", { cx: 50, cy: 82, r: 6, fill: "var(--paper)" })];
	}
	return [svg("rect", { x: 2, y: 2, width: 96, height: 96, rx: 20, fill: "#fdfdfb", stroke: "#15181e", "stroke-width": 4 }),
		pips[face].map(([cx, cy]) => svg("circle", { cx, cy, r: 10, fill: face === 1 ? "#b3261e" : "#15181e" }))];
}

// pickers draws the buttons of a player: the faces, the numbers for the chosen face, and the
// challenge. Those that are not legal are disabled.
function pickers(state, page) {
	const { html, svg, ui } = page;
	const asked = page.playing && state.asked;
	const possible = faces.filter((face) => asked && counts(state, face).length);
	const hand = state.hands[state.me] ?? [];
	const usual = [...possible].sort((a, b) => hand.filter((d) => d === b).length - hand.filter((d) => d === a).length)[0];
	const face = possible.includes(ui.face) ? ui.face : usual;
	return html("div", { class: "pickers" },
		html("div", { class: "faces", role: "group", "aria-label": t("Face") }, faces.map((f) => html("button", {
			id: `face-${f}`, disabled: !possible.includes(f), "aria-label": word(f), "aria-pressed": f === face ? "true" : "false",
			onclick: () => {
				ui.face = f;
				page.redraw();
			},
		}, svg("svg", { viewBox: "0 0 100 100", width: 30, height: 30, "aria-hidden": "true" }, die(svg, f))))),
		html("div", { class: "counts", role: "group", "aria-label": t("Number of dice") }, face
			? counts(state, face).map((count) => html("button", { id: `to-${count}`, "aria-label": say({ count, face }), onclick: () => page.send(`${count} ${face}`) }, String(count)))
			: html("button", { disabled: true }, "–")),
		html("button", { id: "liar", disabled: !asked || !state.bids.length, onclick: () => page.send("LIAR") }, t("Liar!")));
}

// history draws the bids of the round in their order.
function history(state, { html, svg }) {
	return html("ol", { class: "bids", "aria-label": t("Bids of this round") }, state.bids.map((bid) => html("li", { "aria-label": t("{name}: {dice}", { name: state.names[bid.seat], dice: say(bid) }) },
		html("span", null, cut(state.names[bid.seat])), html("b", null, String(bid.count)), svg("svg", { viewBox: "0 0 100 100", width: 20, height: 20, "aria-hidden": "true" }, die(svg, bid.face)))));
}

function describe(state, order) {
	if (!state.round) return t("The match has not begun");
	const dice = (seat) => {
		const known = state.hands[seat];
		if (state.gone[seat]) return state.gone[seat] === "out" ? t("out") : t("forfeited");
		return known ? known.join(" ") : t("{n} hidden die|{n} hidden dice", { n: state.dice[seat] });
	};
	return `${caption(state)}. ${order.map((seat) => t("{name}: {dice}", { name: state.names[seat], dice: dice(seat) })).join("; ")}`;
}

const style = `
.liarsdice .pickers { display: grid; gap: .5rem; }
.liarsdice .faces { display: grid; grid-template-columns: repeat(6, minmax(44px, 1fr)); gap: .25rem; }
.liarsdice .faces button { display: flex; justify-content: center; align-items: center; padding: .3rem; }
.liarsdice .faces [aria-pressed=true] { border: 3px solid var(--accent); background: var(--paper); }
.liarsdice .counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(44px, 1fr)); gap: .25rem; }
.liarsdice .counts button { padding: .3rem; min-width: 44px; font-weight: 700; border-color: var(--accent); }
.liarsdice #liar { border: 2px solid var(--bad); color: var(--bad); font-weight: 700; }
.liarsdice .bids { display: flex; flex-wrap: wrap; gap: .3rem .8rem; margin: .6rem 0 0; padding: 0; list-style: none; color: var(--soft); }
.liarsdice .bids li { display: flex; align-items: center; gap: .3rem; }
.liarsdice .bids b { color: var(--ink); }
@container (max-width: 18.5rem) { .liarsdice .faces { grid-template-columns: repeat(3, minmax(44px, 1fr)); } }
`;
