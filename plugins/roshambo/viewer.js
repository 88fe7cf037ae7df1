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
		"{hand} wins|{hand} win": "{hand} vince|{hand} vincono",
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
	const last = state.played[state.played.length - 1];
	const waiting = state.hands.length === 1;
	const shown = waiting ? [state.hands[0], "?"] : last ? last.hands : ["?", "?"];
	const winner = waiting ? null : last?.winner;

	const card = (i) => svg("g", { transform: `translate(${i * 250} 0)` },
		svg("rect", {
			x: 8, y: 8, width: 204, height: 224, rx: 18, fill: "var(--field)",
			stroke: winner === i ? colour(i) : "var(--line)", "stroke-width": winner === i ? 6 : 2,
		}),
		svg("g", { transform: "translate(28 34)" }, shape(svg, i, 9)),
		svg("text", { x: 44, y: 40, "font-size": 18, fill: "var(--ink)" }, state.names[i] ?? ""),
		svg("g", { class: page.fresh && !waiting && "enter", style: `--from: ${i ? 60 : -60}px 0`, transform: `translate(${i ? 184 : 36} 42) scale(${i ? -1.5 : 1.5} 1.5)` }, hand(svg, shown[i], colour(i))),
		svg("text", { x: 110, y: 214, "text-anchor": "middle", "font-size": 22, fill: "var(--ink)", "font-weight": winner === i ? 700 : 400 },
			winner === i ? t("{hand} wins|{hand} win", { hand: words()[shown[i]], n: shown[i] === "SCISSORS" ? 2 : 1 }) : words()[shown[i]] || (waiting ? t("thinking") : t("ready"))));

	const board = svg("svg", { viewBox: "0 0 470 240", role: "img", "aria-label": describe(state, shown, winner) },
		card(0), card(1),
		svg("text", { x: 235, y: 128, "text-anchor": "middle", "font-size": 30, "font-weight": 700, fill: "var(--ink)" },
			winner === 0 ? "›" : winner === 1 ? "‹" : last && !waiting ? "=" : "·"));

	const choices = page.playing ? status(state).choices : [];
	const side = html("div", { class: "roshambo" },
		state.me !== null && !over(state) && !page.ended && html("div", { class: "hands", role: "group", "aria-label": t("Your hand") },
			Object.keys(beats).map((line) => html("button", {
				id: line, disabled: choices.length === 0, onclick: () => page.send(line),
			}, svg("svg", { viewBox: "0 0 100 100", width: 56, height: 56, "aria-hidden": "true" }, hand(svg, line, "var(--ink)")), words()[line]))),
		history(state, page));
	return { board: html("div", { class: "roshambo" }, html("style", null, style), board), side };
}

// history draws the last rounds, the newest on the right: letters, and a bar on the side
// of the winner.
function history(state, { html, svg }) {
	const from = Math.max(0, state.played.length - 20);
	const rounds = state.played.slice(from);
	const letter = (h) => (h === "RETIRE" ? "–" : words()[h]?.[0] ?? "?");
	return html("div", { class: "history" }, svg("svg", { viewBox: "0 0 470 86", role: "img", "aria-label": rounds.length ? t("The last round|The last {n} rounds", { n: rounds.length }) : t("No rounds yet") },
		rounds.map((r, i) => svg("g", { transform: `translate(${5 + i * 23} 0)` },
			svg("title", null, t("Round {round}: {first}, {second}", { round: from + i + 1, first: words()[r.hands[0]], second: words()[r.hands[1]] })),
			[0, 1].map((s) => [
				svg("rect", {
					x: 0, y: s * 32, width: 20, height: 28, rx: 4, "stroke-width": 1.5, stroke: colour(s),
					fill: r.winner === s ? colour(s) : "none", "stroke-opacity": r.winner === s ? 1 : 0.35,
				}),
				svg("text", {
					x: 10, y: s * 32 + 20, "text-anchor": "middle", "font-size": 16, "font-weight": r.winner === s ? 700 : 400,
					fill: r.winner === s ? "var(--on)" : "var(--ink)",
				}, letter(r.hands[s])),
			]),
			(from + i + 1) % 5 === 0 && svg("text", { x: 10, y: 80, "text-anchor": "middle", "font-size": 16, fill: "var(--soft)" }, String(from + i + 1))))));
}

// shape draws the mark of a player: a disc for the first, an octagon for the second.
const shape = (svg, seat, r) => (seat === 0 ? svg("circle", { r, fill: colour(0) }) : svg("path", { d: "M-5 -12 H5 L12 -5 V5 L5 12 H-5 L-12 5 V-5 Z", transform: `scale(${r / 12})`, fill: colour(1) }));

const colour = (seat) => (seat === 0 ? "var(--first)" : "var(--second)");

function describe(state, shown, winner) {
	if (!state.names[1]) return t("The match has not begun");
	const [a, b] = shown.map((h) => words()[h] || t("nothing yet"));
	return `${state.names[0]}: ${a}. ${state.names[1]}: ${b}.` + (winner === 0 || winner === 1 ? ` ${t("{name} wins the round.", { name: state.names[winner] })}` : "");
}

// hand draws a hand into a square of 100.
function hand(svg, name, ink) {
	const line = { fill: "none", stroke: ink, "stroke-width": 6, "stroke-linecap": "round", "stroke-linejoin": "round" };
	const solid = { ...line, fill: ink, "fill-opacity": 0.22 };
	switch (name) {
		case "ROCK":
			return [svg("path", { ...solid, d: "M14 62 L26 34 L50 18 L76 26 L88 52 L78 80 L44 86 L20 80 Z" }), svg("path", { ...line, d: "M50 18 L46 44 L26 34 M46 44 L64 58 L88 52 M64 58 L60 84" })];
		case "PAPER":
			return [svg("path", { ...solid, d: "M24 10 H62 L80 28 V90 H24 Z" }), svg("path", { ...line, d: "M62 10 V28 H80 M38 46 H66 M38 60 H66 M38 74 H56" })];
		case "SCISSORS":
			return [svg("circle", { ...solid, cx: 24, cy: 28, r: 14 }), svg("circle", { ...solid, cx: 24, cy: 72, r: 14 }), svg("path", { ...line, d: "M36 36 L90 74 M36 64 L90 26" })];
		case "RETIRE":
			return [svg("path", { ...line, d: "M30 90 V12 H78 L68 28 L78 44 H30" })];
		default:
			return [svg("circle", { ...line, cx: 50, cy: 50, r: 30, "stroke-dasharray": "4 12" })];
	}
}

const style = `
.roshambo { display: grid; gap: .75rem; max-width: 40rem; margin: 0 auto; }
.roshambo .hands { display: grid; grid-template-columns: repeat(3, 1fr); gap: .5rem; }
.roshambo .hands button { display: flex; flex-direction: column; align-items: center; border: 2px solid var(--accent); }
`;
