// The viewer of roshambo. docs/viewers.md describes the exported functions.

const beats = { ROCK: "SCISSORS", PAPER: "ROCK", SCISSORS: "PAPER" };
const words = () => ({ ROCK: t("Rock"), PAPER: t("Paper"), SCISSORS: t("Scissors"), RETIRE: t("Forfeit") });

export const texts = {
	it: {
		Rock: "Sasso", Paper: "Carta", Scissors: "Forbici", Forfeit: "Forfait",
		draw: "pareggio",
		"win|wins": "vinta|vinte",
		"{n} round played of {rounds}|{n} rounds played of {rounds}": "{n} mano giocata su {rounds}|{n} mani giocate su {rounds}",
		"Round {round} of {rounds}": "Mano {round} di {rounds}",
		"{name} forfeited": "{name} ha perso per forfait",
		"Both players forfeited": "Tutti e due hanno perso per forfait",
		"Rock beats scissors, scissors beat paper, paper beats rock. The player who wins more rounds wins the match.":
			"Il sasso batte le forbici, le forbici battono la carta, la carta batte il sasso. Vince la partita chi vince più mani.",
		thinking: "sta pensando", ready: "in attesa",
		"Your hand": "La tua mano",
		"The last round|The last {n} rounds": "L'ultima mano|Le ultime {n} mani",
		"No rounds yet": "Ancora nessuna mano",
		"Round {round}: {first}, {second}": "Mano {round}: {first}, {second}",
		"The match has not begun": "La partita non è ancora iniziata",
		"nothing yet": "ancora niente",
		"{name} wins the round.": "{name} vince la mano.",
	},
};

// Spectators receive both names, the number of rounds, and both hands of each round. A
// player receives its own name first, and only the opponent's hands.
export function start(match) {
	return { me: match.role === "player" ? 0 : null, names: [], rounds: 0, hands: [], played: [], wins: [0, 0] };
}

export function read(state, line) {
	if (state.names.length < 2) {
		state.names.push(line);
		return;
	}
	if (!state.rounds) {
		state.rounds = Number(line);
		return;
	}
	state.hands.push(line);
	if (state.hands.length < 2) return;
	const [a, b] = state.hands;
	const winner = b === "RETIRE" || beats[a] === b ? 0 : a === "RETIRE" || beats[b] === a ? 1 : null;
	if (a !== "RETIRE" && b !== "RETIRE" && winner !== null) state.wins[winner]++;
	state.played.push({ hands: [a, b], winner });
	state.hands = [];
	const outcome = winner === null ? t("draw") : state.names[winner];
	return { text: `${words()[a]} – ${words()[b]}: ${outcome}`, seat: winner };
}

const over = (state) => state.rounds > 0 && (state.played.length === state.rounds || state.played.some((r) => r.hands.includes("RETIRE")));

// ending returns why the match ended, or null if the points decide.
function ending(state) {
	const retired = state.played.flatMap((r) => [0, 1].filter((i) => r.hands[i] === "RETIRE"));
	return retired.length > 1 ? t("Both players forfeited") : retired.length ? t("{name} forfeited", { name: state.names[retired[0]] }) : null;
}

export function status(state) {
	const round = Math.min(state.played.length + 1, state.rounds);
	const mine = state.me !== null && state.rounds > 0 && !over(state) && state.hands.length === 0;
	return {
		players: [0, 1].map((i) => ({ name: state.names[i], score: state.wins[i], unit: t("win|wins", { n: state.wins[i] }) })),
		seat: state.me,
		turn: over(state) || !state.rounds ? [] : mine || state.me === null ? [0, 1] : [1],
		caption: !state.rounds ? "" : over(state) ? t("{n} round played of {rounds}|{n} rounds played of {rounds}", { n: state.played.length, rounds: state.rounds }) : t("Round {round} of {rounds}", { round, rounds: state.rounds }),
		end: ending(state),
		goal: t("Rock beats scissors, scissors beat paper, paper beats rock. The player who wins more rounds wins the match."),
		choices: mine ? Object.keys(beats).map((line) => ({ line, label: words()[line] })) : [],
	};
}

export function draw(state, page) {
	const { html, svg } = page;
	const waiting = state.hands.length === 1;
	const last = state.played.at(-1);
	const shown = waiting ? [state.hands[0], "?"] : last ? last.hands : ["?", "?"];
	const winner = waiting ? null : last?.winner ?? null;

	// The hands rest in front of the players, and come out together.
	const out = last && !waiting;
	const arm = (i) => svg("g", { transform: i ? "translate(640 0) scale(-1 1)" : null },
		svg("g", { class: page.fresh && out && "enter", style: "--from: -60px 0" },
			svg("g", { transform: `translate(${out && shown[i] !== "RETIRE" ? 138 : 112} 166) scale(1.15)` }, hand(svg, out ? shown[i] : "ROCK"), sleeve(page, i))));
	const word = (i, y, text) => svg("text", { class: "coordinate", x: i ? 616 : 24, y, "text-anchor": i ? "end" : "start", "font-size": 22 }, text);
	const board = svg("svg", { viewBox: "0 0 640 320", role: "img", "aria-label": describe(state, shown, winner) },
		page.tile("dark", { width: 640, height: 320, rx: 14 }), svg("svg", { width: 640, height: 320 }, arm(0), arm(1)),
		page.tile("rim", { d: "M14 44 V276 H626 V44 Z M0 14 Q0 0 14 0 H626 Q640 0 640 14 V306 Q640 320 626 320 H14 Q0 320 0 306 Z" }),
		[0, 1].map((i) => [
			word(i, 31, (state.names[i] ?? "").slice(0, 24)),
			word(i, 305, words()[shown[i]] ?? (waiting ? t("thinking") : t("ready"))),
			winner === i && svg("g", { transform: `translate(${i ? 560 : 10} 116)` }, page.note("won", { size: 110 })),
		]));

	const choices = page.playing ? status(state).choices : [];
	const side = html("div", { class: "roshambo" },
		state.me !== null && !over(state) && !page.ended && html("div", { class: "hands", role: "group", "aria-label": t("Your hand") },
			Object.keys(beats).map((line) => html("button", {
				id: line, disabled: choices.length === 0, onclick: () => page.send(line),
			}, svg("svg", { viewBox: "-56 -88 224 160", width: 84, height: 60, "aria-hidden": "true" }, hand(svg, line)), words()[line]))),
		history(state, page));
	return { board: html("div", { class: "roshambo" }, html("style", null, style), board), side };
}

// history draws the letters of the last rounds, the newest on the right, with that of the winner filled.
function history(state, { html, svg }) {
	const from = Math.max(0, state.played.length - 20);
	const rounds = state.played.slice(from);
	const letter = (h) => (h === "RETIRE" ? "–" : words()[h]?.[0] ?? "?");
	return html("div", { class: "history" }, svg("svg", { viewBox: "0 0 470 86", role: "img", "aria-label": rounds.length ? t("The last round|The last {n} rounds", { n: rounds.length }) : t("No rounds yet") },
		rounds.map((r, i) => svg("g", { transform: `translate(${5 + i * 23} 0)` },
			svg("title", null, t("Round {round}: {first}, {second}", { round: from + i + 1, first: words()[r.hands[0]], second: words()[r.hands[1]] })),
			[0, 1].map((s) => [
				svg("rect", { y: s * 32, width: 20, height: 28, rx: 4, stroke: colour(s), fill: r.winner === s ? colour(s) : "none" }),
				svg("text", { x: 10, y: s * 32 + 20, "text-anchor": "middle", "font-size": 16, fill: r.winner === s ? "var(--on)" : "var(--ink)" }, letter(r.hands[s])),
			]),
			(from + i + 1) % 5 === 0 && svg("text", { x: 10, y: 80, "text-anchor": "middle", "font-size": 16, fill: "var(--soft)" }, String(from + i + 1))))));
}

const colour = (seat) => (seat === 0 ? "var(--first)" : "var(--second)");

function describe(state, shown, winner) {
	if (!state.names[1]) return t("The match has not begun");
	const [a, b] = shown.map((h) => words()[h] || t("nothing yet"));
	return `${state.names[0]}: ${a}. ${state.names[1]}: ${b}.${winner === null ? "" : ` ${t("{name} wins the round.", { name: state.names[winner] })}`}`;
}

// hands has the layers of each hand, which points to the right: lines, or closed shapes, and
// the width of their stroke. A layer has one outline, without the parts marked by true.
const palm = ["M-30 -9 L24 -23 V25 L-30 9 Z", 36];
const curled = [[["M40 34 H60", 21]], [["M42 13 H68", 24]]];
const thumb = (d) => [[d, 22], ["M-14 -16 L6 -24", 26, true]];
const hands = {
	ROCK: [[palm], ...curled, [["M42 -10 H70", 24]], [["M40 -32 H64", 23]], thumb("M0 -28 C20 -34 44 -32 48 10")],
	PAPER: [[palm, ["M2 -22 C22 -34 30 -62 56 -68", 24], ["M30 32 L72 38 L104 48", 20], ["M30 16 L84 17 L130 22", 23], ["M30 -8 L84 -9 L142 -12", 24], ["M30 -26 L76 -33 L124 -46", 23]]],
	SCISSORS: [[palm, ["M30 -4 L84 0 L140 12", 24], ["M28 -26 L76 -40 L130 -62", 23]], ...curled, thumb("M0 -28 C20 -34 40 -22 46 22")],
};

function hand(svg, name) {
	const layers = hands[name] ?? hands.ROCK;
	const lines = (parts, more, colour, dy) => parts.map(([d, width]) => svg("path", { d, fill: d.endsWith("Z") ? colour : "none", stroke: colour, "stroke-width": width + more, transform: dy && `translate(0 ${dy})` }));
	return svg("g", { "stroke-linecap": "round", "stroke-linejoin": "round" },
		svg("g", { opacity: "var(--shade)", transform: "translate(3 11)" }, lines(layers.flat(), 3, "#000")),
		layers.map((parts) => [lines(parts.filter((p) => !p[2]), 5, "var(--white-line)"), lines(parts, 0, "var(--white-side)"), lines(parts, -5, "var(--white)", -2)]));
}

// sleeve is in the colour of the player, with a button as the page marks the player.
function sleeve({ svg, disc }, seat) {
	const cloth = (kind, x, y, width) => svg("g", { class: kind }, [["side", 8], ["face", 0]].map(([name, more]) => svg("rect", { class: name, x, y, width, height: 2 * -y + more, rx: 8 })));
	const kind = seat ? "second" : "first";
	return [cloth("white", -60, -38, 28), cloth(kind, -170, -44, 128), svg("g", { transform: "translate(-68 0)" }, svg("circle", { class: "face white", r: 21 }), disc(kind, { r: 13 }))];
}

const style = `
.roshambo { display: grid; gap: .75rem; max-width: 40rem; margin: 0 auto; }
.roshambo .hands { display: grid; grid-template-columns: repeat(3, 1fr); gap: .5rem; }
.roshambo .hands button { display: flex; flex-direction: column; align-items: center; border: 2px solid var(--accent); }
`;
