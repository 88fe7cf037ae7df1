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
const head = 88; // height of the current bid
const row = 78; // height of a player

export function draw(state, page) {
	const { svg, html } = page;
	const order = [...Array(state.seats).keys()].map((i) => (i + (state.me === null ? 0 : state.me + 1)) % state.seats); // the user at the bottom
	const height = head + row * state.seats + 12;
	const board = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": describe(state, order) }, page.tile("rim", { width, height, rx: 14 }),
		bidNow(state, page), order.map((seat, i) => svg("g", { transform: `translate(0 ${head + row * i})` }, player(state, page, seat))));
	return {
		board: html("div", { class: "liarsdice" }, html("style", null, style), board),
		side: html("div", { class: "liarsdice" }, state.me !== null && state.winner === null && !page.ended && pickers(state, page), history(state, page)),
	};
}

const text = (svg, x, y, size, value, more) => svg("text", { class: "coordinate", x, y, "font-size": size, ...more }, value);
const bold = { "font-weight": 700 }, end = { "text-anchor": "end" };

// bidNow draws the bid that counts, and what is known of it.
function bidNow(state, { svg, fresh }) {
	const last = state.bids.at(-1);
	const counted = state.count !== null;
	return [
		last ? svg("g", { class: fresh && state.doubter === null && "enter" },
			text(svg, 80, 64, 54, String(last.count), { ...bold, ...end }), text(svg, 90, 58, 30, "×"), svg("g", { transform: "translate(122 14)" }, die(svg, last.face)))
			: text(svg, 24, 54, 26, t("no bid yet")),
		last && text(svg, 206, 40, 24, cut(state.names[last.seat])),
		last && state.doubter !== null && text(svg, 206, 70, 22, `${cut(state.names[state.doubter])}: ${t("Liar!")}`, bold),
		state.round > 0 && text(svg, 656, 40, 24, t("{n} die|{n} dice", { n: total(state) }), end),
		counted ? text(svg, 656, 70, 22, t("{n} counts|{n} count", { n: state.count }), { ...bold, ...end }) : state.wild && [text(svg, 618, 70, 22, t("ones are wild"), end), svg("g", { transform: "translate(626 47) scale(.5)" }, die(svg, 1))],
	];
}

// player draws the row of a seat: its name, its dice, and its last bid.
function player(state, page, seat) {
	const { svg, fresh } = page;
	const own = state.bids.filter((b) => b.seat === seat).at(-1);
	const last = state.bids.at(-1);
	const due = state.turn === seat;
	const has = state.gone[seat] && state.loser !== seat ? 0 : state.dice[seat] ?? state.most;
	const known = state.hands[seat];
	const counts = (face) => state.doubter !== null && last && (face === last.face || state.wild && face === 1);
	const note = state.gone[seat] === "out" ? t("out") : state.gone[seat] ? t("forfeited") : state.loser === seat ? "−1" : "";
	return [
		due && svg("path", { d: "M16 29 L30 39 L16 49 Z", fill: "var(--rim-ink)" }),
		text(svg, 40, note ? 33 : 47, 23, cut(state.names[seat] ?? ""), (seat === state.me || due) && bold),
		text(svg, 40, 60, 22, note),
		page.tile("dark", { x: 212, y: 3, width: 346, height: 72, rx: 10 }),
		known?.slice(0, has).map((face, i) => svg("g", { transform: `translate(${222 + 66 * i} 9)` }, counts(face) && svg("g", { transform: "translate(-2 -3)" }, page.played(64)), die(svg, face))),
		!known && has > 0 && svg("g", { transform: "translate(226 6)" }, cup(page, has)),
		own && svg("g", { class: fresh && own === last && state.doubter === null && "enter" },
			text(svg, 608, 49, 28, String(own.count), { ...end, ...own === last && bold }),
			svg("g", { transform: "translate(614 13)" }, own === last && page.played(54), svg("g", { transform: "translate(4 4) scale(.76)" }, die(svg, own.face)))),
		state.winner === seat && svg("g", { transform: "translate(500 65)" }, page.note("won")),
	];
}

const cut = (name) => (name.length > 14 ? `${name.slice(0, 13)}…` : name);

// pips has the places of the pips of each face, in three rows of three.
const pips = ["", "4", "08", "048", "0268", "02468", "023568"];

// die draws a die into a square of 60.
const die = (svg, face) => svg("g", { class: "white" }, ["side", "face"].map((name, i) => svg("rect", { class: `${name} white`, x: 3, y: 6 - 5 * i, width: 54, height: 53, rx: 12 })),
	[...pips[face]].map((at) => svg("circle", { cx: 15 + 15 * (at % 3), cy: 12.5 + 15 * Math.floor(at / 3), r: face === 1 ? 8 : 5.5, fill: face === 1 ? "var(--inlay-two)" : "var(--body-ink)" })));

// cup draws a cup over some dice.
const cup = ({ svg, tile }, n) => [
	svg("ellipse", { class: "shade", cx: 46, cy: 58, rx: 50, ry: 11 }),
	tile("rim", { d: "M4 58 L14 8 Q42 -2 70 8 L80 58 Q42 72 4 58 Z" }), tile("rim", { d: "M6 46 L4 58 Q42 72 80 58 L78 46 Q42 60 6 46 Z" }), tile("rim", { d: "M14 8 Q42 -2 70 8 Q42 18 14 8 Z" }),
	text(svg, 42, 43, 28, String(n), { "text-anchor": "middle", ...bold })];

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
		}, svg("svg", { viewBox: "0 0 60 60", width: 32, height: 32, "aria-hidden": "true" }, die(svg, f))))),
		html("div", { class: "counts", role: "group", "aria-label": t("Number of dice") }, face
			? counts(state, face).map((count) => html("button", { id: `to-${count}`, "aria-label": say({ count, face }), onclick: () => page.send(`${count} ${face}`) }, String(count)))
			: html("button", { disabled: true }, "–")),
		html("button", { id: "liar", disabled: !asked || !state.bids.length, onclick: () => page.send("LIAR") }, t("Liar!")));
}

// history draws the bids of the round in their order.
function history(state, { html, svg }) {
	return html("ol", { class: "bids", "aria-label": t("Bids of this round") }, state.bids.map((bid) => html("li", { "aria-label": t("{name}: {dice}", { name: state.names[bid.seat], dice: say(bid) }) },
		html("span", null, cut(state.names[bid.seat])), html("b", null, String(bid.count)), svg("svg", { viewBox: "0 0 60 60", width: 22, height: 22, "aria-hidden": "true" }, die(svg, bid.face)))));
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
