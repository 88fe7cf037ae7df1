// The viewer of dama and damath. docs/viewers.md describes the exported functions. The
// streams differ, but read returns the same kind of state for both.

// kinds has the rules, as in rules.go. prefer has the criteria for captures: the most
// pieces, one by a king, the most kings, the earliest capture of a king.
const kinds = {
	classic: {},
	italian: { due: true, mayReturn: true, prefer: ["pieces", "byKing", "kings", "soonest"] },
	english: { due: true, mayReturn: true, menTakeKings: true },
	russian: { due: true, mayReturn: true, menTakeKings: true, flying: true, menTakeBack: true, crownInPassing: true },
	brazilian: { due: true, mayReturn: true, menTakeKings: true, flying: true, menTakeBack: true, prefer: ["pieces"] },
	spanish: { due: true, mayReturn: true, menTakeKings: true, flying: true, prefer: ["pieces", "kings"] },
	damath: { due: true, mayReturn: true, menTakeKings: true, flying: true, menTakeBack: true, prefer: ["pieces", "byKing"] },
};

// The board is an array of 64 squares: 8 times the row from the bottom plus the column
// from the left. A piece is {side, king, value}. The value is in tenths, for damath.

const far = (square, side) => Math.floor(square / 8) === (side ? 0 : 7);

// next returns the neighbour of a square in a direction, or null off the board.
function next(square, [up, right]) {
	const row = Math.floor(square / 8) + up, column = square % 8 + right;
	return row < 0 || row > 7 || column < 0 || column > 7 ? null : 8 * row + column;
}

// legal returns the moves of a side: {path, taken, crowned}. path has the square of the
// piece and its landings, taken the squares of the captured pieces.
function legal(board, side, kind) {
	const steps = [], captures = [];
	const forward = side ? -1 : 1;
	const ahead = [[forward, -1], [forward, 1]], all = [...ahead, [-forward, -1], [-forward, 1]];
	board.forEach((piece, from) => {
		if (piece?.side !== side) return;
		const empty = (s) => s !== null && (!board[s] || s === from && kind.mayReturn);
		for (const way of piece.king ? all : ahead) {
			for (let to = next(from, way); to !== null && !board[to]; to = next(to, way)) {
				steps.push({ path: [from, to], taken: [], crowned: !piece.king && far(to, side) });
				if (!piece.king || !kind.flying) break;
			}
		}
		const jump = (path, taken, king) => {
			let found = false;
			for (const way of king || kind.menTakeBack ? all : ahead) {
				let over = next(path[path.length - 1], way);
				while (king && kind.flying && empty(over)) over = next(over, way);
				const prey = over !== null && board[over];
				if (!prey || prey.side === side || taken.includes(over) || prey.king && !piece.king && !kind.menTakeKings) continue;
				const ends = [];
				let further = false;
				for (let to = next(over, way); empty(to); to = next(to, way)) {
					ends.push({ path: [...path, to], taken: [...taken, over], crowned: !piece.king && (king || far(to, side)) });
					further = jump([...path, to], [...taken, over], king || Boolean(kind.crownInPassing) && far(to, side)) || further;
					if (!king || !kind.flying) break;
				}
				if (ends.length) found = true;
				if (!further || !kind.due) captures.push(...ends);
			}
			return found;
		};
		jump([from], [], piece.king);
	});
	if (!kind.due) return [...captures, ...steps];
	return captures.length ? best(board, captures, kind.prefer || []) : steps;
}

// best returns the captures that the rules prefer.
function best(board, captures, prefer) {
	const worth = {
		pieces: (m) => m.taken.length,
		byKing: (m) => Number(board[m.path[0]].king),
		kings: (m) => m.taken.filter((s) => board[s].king).length,
		soonest: (m) => -m.taken.findIndex((s) => board[s].king),
	};
	for (const by of prefer) {
		const most = Math.max(...captures.map(worth[by]));
		captures = captures.filter((m) => worth[by](m) === most);
	}
	return captures;
}

function after(board, move) {
	const changed = [...board];
	const [from, to] = [move.path[0], move.path[move.path.length - 1]];
	changed[from] = null;
	changed[to] = { ...board[from], king: board[from].king || move.crowned };
	for (const s of move.taken) changed[s] = null;
	return changed;
}

const amount = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

// Damath: the operations of the rows from 1 to 8, the squares of the first player's chips,
// and their values in tenths. The second player's chips are the same after half a turn.
const operations = [" + - / *", "- + * / ", " / * + -", "* / - + "].join("").repeat(2);
const signs = { "+": "+", "-": "−", "*": "×", "/": "÷" };
const homes = [17, 19, 21, 23, 8, 10, 12, 14, 1, 3, 5, 7]; // b3 to h3, a2 to g2, b1 to h1
const counting = [10, 7, 2, 5, 1, 4, 11, 8, 12, 9, 6, 3];
const integer = [-9, 6, -1, 4, 0, -3, 10, -7, -11, 8, -5, 2];
const chipSets = {
	whole: counting.map((v) => 10 * (v - 1)), counting: counting.map((v) => 10 * v), integer: integer.map((v) => 10 * v), fraction: counting, rational: integer,
};

// Points are fractions [numerator, denominator] in lowest terms.
function fraction(n, d) {
	let [a, b] = [Math.abs(n), Math.abs(d)];
	while (b) [a, b] = [b, a % b];
	return [Math.sign(d) * n / a, Math.abs(d) / a];
}
const add = ([a, b], [c, d]) => fraction(a * d + c * b, b * d);
const minus = (text) => String(text).replace(/-/g, "−");
const pointsText = ([n, d]) => minus(d === 1 ? n : `${n}/${d}`);
const tenths = (v) => fraction(v, 10);

// sums returns the score of each jump of a capture: {text, points}.
function sums(board, move) {
	const piece = board[move.path[0]];
	return move.taken.map((s, i) => {
		const operation = operations[move.path[i + 1]];
		const [a, b] = [piece.value, board[s].value];
		const times = (piece.king ? 2 : 1) * (board[s].king ? 2 : 1);
		const points = { "+": () => fraction(a + b, 10), "-": () => fraction(a - b, 10), "*": () => fraction(a * b, 100), "/": () => (b ? fraction(a, b) : [0, 1]) }[operation]();
		const value = (v) => (v < 0 ? `(${pointsText(tenths(v))})` : pointsText(tenths(v)));
		const sum = `${value(a)} ${signs[operation]} ${value(b)}`;
		return { text: times > 1 ? `${times} × (${sum})` : sum, points: fraction(times * points[0], points[1]) };
	});
}

// sumText returns the score of a capture as an equation: 9 ÷ 7 + 9 × 5 = 324/7.
function sumText(board, move) {
	const jumps = sums(board, move);
	const total = jumps.map((j) => j.points).reduce(add, [0, 1]);
	return `${jumps.map((j) => (jumps.length > 1 && !j.text.includes("(") ? `(${j.text})` : j.text)).join(" + ")} = ${pointsText(total)}`;
}

export function start(match) {
	const damath = match.params.rules === "damath";
	const board = Array(64).fill(null);
	for (let i = 0; i < 12; i++) {
		const s = damath ? homes[i] : homes[i] ^ 1;
		for (const side of [0, 1]) board[side ? 63 - s : s] = { side, king: false, value: damath ? chipSets[match.params.chips][i] : 0 };
	}
	return {
		damath, kind: kinds[match.params.rules] || kinds.classic, left: Number(match.params.dama_left) || 1,
		player: match.role === "player", me: null, names: [], board, side: 0, last: null, end: "",
		said: "", // the path sent or read last
		rows: [], asked: false, refusal: [], why: "", begun: false, // dama
		chips: "", scores: ["0", "0"], mover: 0, offer: null, offered: false, late: [0, 0], // damath
	};
}

export function read(state, line, sent) {
	if (state.names.length < 2) {
		state.names.push(line);
		return;
	}
	return state.damath ? readDamath(state, line, sent) : readDama(state, line, sent);
}

const name = (state, s) => (state.damath ? "abcdefgh"[s % 8] + (1 + Math.floor(s / 8)) : (8 - Math.floor(s / 8)) + "ABCDEFGH"[s % 8]);
const pathText = (state, move) => move.path.map((s) => name(state, s)).join(state.damath ? "" : " ");
const colours = (state) => (state.damath ? ["First", "Second"] : ["White", "Black"]);

// play makes a move and returns it for the list of moves.
function play(state, move, chooser) {
	state.last = { ...move, side: state.side, sum: state.damath && move.taken.length ? sumText(state.board, move) : "" };
	state.board = after(state.board, move);
	state.side = 1 - state.side;
	state.mover = state.side;
	state.offered = false;
	return { text: move.path.map((s) => name(state, s)).join(move.taken.length ? "×" : "–") + (move.crowned ? " crowned" : "") + (state.last.sum ? `: ${state.last.sum}` : ""), seat: chooser };
}

// Damath: both names; for a player its index; the set of chips; then moves, and after each
// move a line with the points. A move counts only with the points: a player can have sent
// its own too late.
function readDamath(state, line, sent) {
	if (state.player && state.me === null) {
		state.me = Number(line);
	} else if (!state.chips) {
		state.chips = line;
	} else if (/^-?\d+(\/\d+)? -?\d+(\/\d+)?$/.test(line)) {
		state.scores = line.split(" ");
		const move = legal(state.board, state.side, state.kind).find((m) => pathText(state, m) === state.said);
		state.said = "";
		if (move) return play(state, move, state.side);
	} else if (line.startsWith("END ")) {
		const [, why, ...totals] = line.split(" ");
		state.scores = totals;
		const side = colours(state)[state.side].toLowerCase();
		state.end = {
			chips: `The ${side} player has no chips left`, moves: `The ${side} player has no moves left`, repeat: "The last chip went to and fro",
			time: "The time is up", resign: `The ${side} player has resigned`, draw: "Both agreed to end the match", quiet: "Only damas moved for long",
		}[why] || "The match is over";
		return { text: `${state.end}: ${minus(totals.join(" to "))}` };
	} else if (line === "RETIRE") {
		state.end = "A player has retired";
		return { text: "retires", seat: state.mover };
	} else if (line === "LATE" && sent) {
		state.late[state.me]--;
	} else if (line.startsWith("LATE ")) {
		const seat = Number(line[5]);
		state.late[seat]++;
		state.said = "";
		if (state.offer !== null) state.offer = null;
		else state.mover = 1 - state.mover;
		return { text: "is late", seat };
	} else if (line === "draw" && state.offer === null) {
		state.offer = state.side;
		state.offered = true;
		return { text: "offers to end the match", seat: state.side };
	} else if (line === "no" && state.offer !== null) {
		state.offer = null;
		return { text: "declines", seat: 1 - state.side };
	} else {
		state.said = line;
	}
}

// Dama: Italian text with the board after each move. rules.md describes it.
function readDama(state, line, sent) {
	if (sent) {
		state.said = line.toUpperCase().split(" ").filter(Boolean).join(" ");
		state.asked = false;
		state.refusal = [];
		return;
	}
	const row = /^([1-8]) \[(.)\]\[(.)\]\[(.)\]\[(.)\]\[(.)\]\[(.)\]\[(.)\]\[(.)\] [1-8]$/.exec(line);
	if (row) {
		state.rows[8 - row[1]] = row.slice(2).map((letter) => (letter === " " ? null : { side: "bB".includes(letter) ? 0 : 1, king: "BN".includes(letter), value: 0 }));
		return row[1] === "8" ? readBoard(state) : undefined;
	}
	const text = line.trim();
	const side = text.includes("bianchi") ? 0 : 1;
	if (/^([1-8][A-H] ?){2,}$/.test(line)) state.said = text;
	else if (text.startsWith("Sei i ")) state.me = text === "Sei i Bianchi" ? 0 : 1;
	else if (text.startsWith("Turno ")) state.side = text === "Turno bianco!" ? 0 : 1;
	else if (text === "Attendi il tuo turno!") state.side = 1 - state.me;
	else if (text.startsWith("Es > ")) state.asked = true;
	else if (text === "Game Over ;)") state.end ||= "The match is over";
	else if (text.endsWith("vincono la partita!")) state.end = `${state.why}${["White", "Black"][side]} wins`;
	else if (text === "La partita è patta!") state.end = `${state.why}A draw`;
	else if (text.startsWith("Non hai più")) state.why = `You have no ${text.includes("mosse") ? "moves" : "pieces"} left. `;
	else if (text.endsWith("più mosse disponibili.")) state.why = `${["White", "Black"][side]} has no moves left. `;
	else if (text.endsWith("hanno abbandonato la partita.")) state.why = `${["White", "Black"][side]} has left. `;
	else if (text.startsWith("La stessa posizione")) state.why = "The same position for the third time. ";
	else if (text.startsWith("Nessuna presa")) state.why = "Too many moves without a capture or a man's move. ";
	else if (text.startsWith("Tempo scaduto")) state.end = "You were too late";
	else if (state.said && !state.asked && state.me === state.side && text && !text.startsWith("A  B") && !text.startsWith("Inserisci")) state.refusal.push(text);
}

// readBoard finds the move that leads to the board just read, because spectators do not
// receive moves.
function readBoard(state) {
	const board = state.rows.flat();
	const said = state.said;
	state.said = "";
	state.refusal = [];
	if (!state.begun) {
		state.begun = true;
		state.board = board;
		return;
	}
	const text = (b) => b.map((p) => (p ? "bBnN"[2 * p.side + Number(p.king)] : ".")).join("");
	const moves = legal(state.board, state.side, state.kind).filter((m) => text(after(state.board, m)) === text(board));
	const move = moves.find((m) => pathText(state, m) === said) || moves[0];
	if (move) return play(state, move, state.side);
	state.board = board;
	state.last = null;
}

const refusals = {
	"Mossa non valida riprova!": "name two squares or more",
	"Non hai selezionato una tua pedina!": "there is no piece of yours on the first square",
	"Puoi muoverti solo in diagonale.": "pieces move diagonally",
	"Le righe sono troppo distanti o ti stai muovendo nel verso sbagliato.": "too far, or backward",
	"Le righe sono troppo distanti.": "too far",
	"La posizione scelta è gia occupata.": "the square is not free",
	"Non ti stai spostando in diagonale o ti sei mosso di troppe colonne.": "not along a diagonal, or nothing to capture there",
	"Presa obbligatoria!": "another capture is forced",
};

// mine returns the moves that the user can send now.
function mine(state) {
	const asked = state.damath ? state.chips && state.me === state.mover && state.offer === null && state.late[state.me] === 0 && !state.said : state.asked && state.me === state.side;
	return asked && !state.end ? legal(state.board, state.side, state.kind) : [];
}

const label = (state, m) => m.path.map((s) => name(state, s)).join(" to ") + (state.damath ? (m.taken.length ? `: ${m.sum ?? sumText(state.board, m)}` : "") : m.taken.length ? `, captures ${m.taken.length}` : "");
const asksMe = (state) => state.offer !== null && state.me === 1 - state.offer && !state.end;

export function status(state) {
	const count = (side, king) => state.board.filter((p) => p?.side === side && p.king === king).length;
	const moves = mine(state);
	const due = moves.length > 0 && moves[0].taken.length > 0 && state.kind.due;
	const choices = moves.map((m) => ({ line: pathText(state, m), label: label(state, m) }));
	if (asksMe(state)) choices.push({ line: "draw", label: "Agree to end the match" }, { line: "no", label: "Go on" });
	else if (moves.length && state.damath && state.mover === state.side) {
		if (!state.offered) choices.push({ line: "draw", label: "Offer to end the match" });
		choices.push({ line: "resign", label: "Resign" });
	}
	const side = colours(state)[state.side];
	const unasked = state.player && !state.damath && state.me === state.side && !state.asked; // the referee has not accepted the last move yet
	return {
		players: colours(state).map((colour, i) => {
			const kings = count(i, true);
			const note = amount(count(i, false) + kings, state.damath ? "chip" : "piece") + (kings ? `, ${amount(kings, state.damath ? "dama" : "king")}` : "");
			return { name: state.names[i], marker: state.damath ? null : colour.toLowerCase(), note, score: state.damath ? minus(state.scores[i]) : null };
		}),
		seat: state.me,
		turn: state.end || state.names.length < 2 || unasked ? [] : state.offer !== null ? 1 - state.offer : state.damath ? state.mover : state.side,
		caption: state.end || (state.names.length < 2 || unasked ? "" : asksMe(state) ? "End the match now? Then the points decide" : state.offer !== null ? "The end of the match is offered"
			: due ? "You must capture" : moves.length ? (state.mover === state.side || !state.damath ? `Choose a ${state.damath ? "chip" : "piece"} to move` : "Your opponent was late: move for it")
			: !state.damath ? `${side} to move` : state.mover !== state.side ? `${state.names[state.side]} was late, ${state.names[state.mover]} moves for it` : `${state.names[state.side]} to move`),
		goal: state.damath
			? "The player with more points wins. A capture scores the value of the jumping chip, the sign of the landing square, the value of the captured chip; each dama doubles the score. Chips left at the end count, too. Captures are forced."
			: `Capture all pieces of the other side, or leave it without a move. A piece captures by jumping over another onto the free square behind it, ${state.kind.due ? "and must capture if it can" : "but never has to capture"}. On the far row it becomes a king.`,
		choices,
	};
}

const cell = 80; // side of a square
const edge = 26;

export function draw(state, page) {
	const { svg, html, ui, wishes } = page;
	if (page.playing && state.me !== null && state.late[state.me] > 0) queueMicrotask(() => page.send("LATE"));
	const flipped = state.me === 1;
	const at = (s) => ({ x: edge + cell * (flipped ? 7 - s % 8 : s % 8) + cell / 2, y: edge + cell * (flipped ? Math.floor(s / 8) : 7 - Math.floor(s / 8)) + cell / 2 });
	const moves = page.playing ? mine(state) : [];
	const path = (ui.path ??= []);
	const n = path.length;
	const touched = Boolean(wishes.touchMove) && state.damath && n > 0; // a touched chip must move
	const fit = moves.filter((m) => path.every((s, i) => m.path[i] === s));
	const done = n > 1 && fit.find((m) => m.path.length === n);
	const onward = new Map(fit.filter((m) => n > 0 && m.path.length > n).map((m) => [m.path[n], m]));

	const go = (to) => {
		const left = moves.filter((m) => [...path, to].every((s, i) => m.path[i] === s));
		if (left.length === 0) return; // the move has been sent before
		path.push(to);
		if (path.length > 1 && left.length === 1 && left[0].path.length === path.length) page.send(pathText(state, left[0]));
		else page.redraw();
	};
	const choose = (...squares) => {
		ui.path = squares;
		page.redraw();
	};

	const square = (s) => {
		const { x, y } = at(s);
		const used = (s + Math.floor(s / 8)) % 2 === (state.damath ? 1 : 0);
		const bare = !state.board[s];
		return svg("g", { transform: `translate(${x - cell / 2} ${y - cell / 2})` },
			svg("rect", { width: cell, height: cell, fill: used ? "var(--dark)" : "var(--light)" }),
			state.damath && used && svg("text", { x: bare ? 40 : 11, y: bare ? 56 : 21, "text-anchor": "middle", "font-size": bare ? 48 : 28, fill: "var(--soft)" }, signs[operations[s]]));
	};

	const { last } = state;
	const piece = (p, s) => {
		const from = n > 1 && s === path[0];
		const { x, y } = at(from ? path[n - 1] : s);
		const moved = page.fresh && last && last.path[last.path.length - 1] === s && last.side === p.side;
		const was = moved && at(last.path[0]);
		const chosen = s === path[0];
		const free = moves.some((m) => m.path[0] === s) && (n < 2 && !touched || chosen) && !onward.has(s);
		const kind = p.king ? (state.damath ? "dama" : "king") : state.damath ? "chip" : "man";
		const value = state.damath ? ` ${pointsText(tenths(p.value))}` : "";
		const stop = chosen && done;
		return svg("g", {
			id: `piece-${name(state, s)}`, transform: `translate(${x} ${y})`,
			onclick: stop ? () => page.send(pathText(state, done)) : free && !touched && (() => (chosen ? choose() : choose(s))),
			label: stop ? "Stop here" : free && `${kind}${value} on ${name(state, s)}${chosen ? ", chosen" : ""}`,
		}, svg("g", { class: moved && "moved", style: moved && `--dx: ${was.x - x}px; --dy: ${was.y - y}px` },
			shape(svg, p),
			free && svg("circle", { r: 36, fill: "none", stroke: "var(--accent)", "stroke-width": chosen ? 7 : 4, "stroke-dasharray": chosen ? null : "9 6" }),
			state.damath && number(svg, p.value),
			p.king && crown(svg, state.damath),
			stop && svg("text", { y: 11, "text-anchor": "middle", "font-size": 32, fill: p.side ? "var(--on1)" : "var(--on0)" }, "✓")));
	};

	// A target shows the score of the jump onto it.
	const target = ([to, m]) => {
		const { x, y } = at(to);
		const points = state.damath && m.taken.length > 0 && pointsText(sums(state.board, m)[n - 1].points);
		return svg("g", { id: `to-${name(state, to)}`, onclick: () => go(to), label: label(state, { ...m, path: m.path.slice(0, n + 1), taken: m.taken.slice(0, n) }) },
			svg("rect", { x: x - 38, y: y - 38, width: 76, height: 76, rx: 8, fill: "transparent", stroke: "var(--accent)", "stroke-width": 4, "stroke-dasharray": "9 6" }),
			(points || !state.damath) && svg("circle", { cx: x, cy: y + (points ? 22 : 0), r: points ? 7 : 13, fill: "var(--accent)" }), // otherwise the sign is visible
			points && svg("text", { x, y: y - 12, class: "points", "text-anchor": "middle", "font-size": 25, "font-weight": 700, fill: "var(--accent)" }, points.startsWith("−") ? points : `+${points}`));
	};

	const coordinates = [...Array(8).keys()].flatMap((i) => {
		const column = (state.damath ? "abcdefgh" : "ABCDEFGH")[i], row = String(state.damath ? i + 1 : 8 - i);
		return [[at(i).x, edge - 7, column], [at(i).x, edge + 8 * cell + 20, column], [edge / 2, at(8 * i).y + 7, row], [edge * 1.5 + 8 * cell, at(8 * i).y + 7, row]];
	}).map(([x, y, text]) => svg("text", { x, y, "text-anchor": "middle", "font-size": 20, fill: "var(--soft)" }, text));

	const size = 8 * cell + 2 * edge;
	const line = (points, attributes) => svg("polyline", { points: points.map((s) => `${at(s).x},${at(s).y}`).join(" "), fill: "none", "stroke-linejoin": "round", "stroke-linecap": "round", ...attributes });
	const cross = (s) => svg("path", { transform: `translate(${at(s).x} ${at(s).y})`, d: "M-18 -18 L18 18 M18 -18 L-18 18", stroke: "var(--bad)", "stroke-width": 6, "stroke-linecap": "round" });
	return html("div", { class: `dama ${state.damath ? "damath" : ""}` }, html("style", null, style),
		svg("svg", { viewBox: `0 0 ${size} ${size}`, id: "dama", role: moves.length ? "group" : "img", tabindex: state.player && "0", label: describe(state) },
			coordinates,
			svg("g", { "aria-hidden": "true" }, [...state.board.keys()].map(square),
				svg("rect", { x: edge, y: edge, width: 8 * cell, height: 8 * cell, fill: "none", stroke: "var(--soft)", "stroke-width": 2 }),
				last && [
					svg("rect", { x: at(last.path[0]).x - 36, y: at(last.path[0]).y - 36, width: 72, height: 72, rx: 8, fill: "none", stroke: "var(--trail)", "stroke-width": 4, "stroke-dasharray": "9 7" }),
					line(last.path, { stroke: "var(--trail)", "stroke-width": 6, "stroke-dasharray": "1 13" }),
					last.taken.map(cross),
				]),
			state.board.map((p, s) => p && piece(p, s)),
			n > 1 && fit[0].taken.slice(0, n - 1).map(cross),
			n > 1 && line(path, { stroke: "var(--accent)", "stroke-width": 4, "pointer-events": "none" }),
			[...onward].map(target)),
		below(state, page, touched, n > 1 && !touched && (() => choose())));
}

// shape draws a disc for the first side and an octagon for the second.
function shape(svg, p) {
	const fill = `var(--piece${p.side})`, stroke = `var(--on${p.side})`;
	return p.side
		? [svg("path", { d: "M-12 -29 H12 L29 -12 V12 L12 29 H-12 L-29 12 V-12 Z", fill, stroke, "stroke-width": 2.5 }), svg("path", { class: "inner", d: "M-9 -22 H9 L22 -9 V9 L9 22 H-9 L-22 9 V-9 Z", fill: "none", stroke, "stroke-width": 1.5 })]
		: [svg("circle", { r: 30, fill, stroke, "stroke-width": 2.5 }), svg("circle", { class: "inner", r: 22, fill: "none", stroke, "stroke-width": 1.5 })];
}

// number draws the value of a chip, with a bar if it is a fraction.
function number(svg, value) {
	const [a, b] = tenths(value);
	const text = (t, x, y, size) => svg("text", { x, y, "text-anchor": "middle", "font-size": size, "font-weight": 700, fill: "inherit" }, minus(t));
	if (b === 1) return svg("g", { class: "value" }, a > -10 ? text(a, a < 0 ? -3 : 0, 11, 32) : text(a, -2, 9, 26));
	const shift = a < 0 ? 6 : 0;
	return svg("g", { class: "value" }, text(Math.abs(a), shift, -3, 24), a < 0 && text("−", -18, 8, 22),
		svg("rect", { x: shift - 14, y: -1, width: 28, height: 2.5 }), text(b, shift, 21, 24));
}

function crown(svg, small) {
	return svg("g", { class: "crown", transform: small ? "translate(23 -24) scale(.8)" : "translate(0 2) scale(1.25)" },
		small && svg("circle", { r: 17, class: "badge" }),
		svg("path", { d: "M-12 9 L-14 -7 L-6 0 L0 -11 L6 0 L14 -7 L12 9 Z" }));
}

// below draws the refusals, the last sum, the totals and the buttons below the board.
function below(state, page, touched, cancel) {
	const { html, ui } = page;
	const button = (id, text, onclick, more) => html("button", { id, onclick, ...more }, text);
	const sends = (line) => () => page.send(line);
	const list = [];
	if (state.refusal.length) {
		const where = / (\S+) -> (\S+) /.exec(state.refusal[0]);
		const why = state.refusal.map((t) => refusals[t]).filter(Boolean).join("; ");
		list.push(html("p", { class: "refusal", role: "alert" }, html("b", null, `Refused${where ? `, ${where[1]} to ${where[2]}` : ""}: ${why}. `), html("i", { lang: "it" }, state.refusal.join(" "))));
	}
	if (state.damath) {
		const { last } = state;
		list.push(html("p", { class: "sum" }, !last ? "\u00a0" : last.sum ? [`${state.names[last.side] ?? ""} captured: `, html("b", null, last.sum)] : `${state.names[last.side] ?? ""} moved ${last.path.map((s) => name(state, s)).join(" to ")}`));
		if (!state.end) list.push(html("p", { class: "left" }, `With the chips left on the board: ${[0, 1].map((side) => pointsText(total(state, side))).join(" to ")}`));
		const moves = page.playing ? mine(state) : [];
		const answering = page.playing && asksMe(state);
		const buttons = answering ? [button("agree", "End the match", sends("draw")), button("no", "Go on", sends("no"))]
			: ui.resign ? [button("resign", "Yes, resign", sends("resign")), button("stay", "No", () => {
				ui.resign = false;
				page.redraw();
			})]
			: moves.length && state.mover === state.side && !touched ? [!state.offered && button("draw", "Offer to end", sends("draw")), button("resign", "Resign…", () => {
				ui.resign = true;
				page.redraw();
			})] : [];
		if (state.player && !state.end) {
			list.push(html("div", { class: "buttons" }, buttons, html("label", null, html("input", {
				id: "touch", type: "checkbox", checked: Boolean(page.wishes.touchMove), disabled: touched, onclick: () => {
					page.wishes.touchMove = !page.wishes.touchMove;
					page.redraw();
				},
			}), "Touch-move: a touched chip must move")));
		}
	}
	if (cancel) list.push(html("div", { class: "buttons" }, button("cancel", "Begin again", cancel)));
	return list;
}

// total returns the points of a side of damath if the match ends here.
function total(state, side) {
	const [n, d = 1] = state.scores[side].split("/").map(Number);
	return state.board.reduce((sum, p) => (p?.side === side ? add(sum, tenths(p.value * (p.king ? state.left : 1))) : sum), [n, d]);
}

function describe(state) {
	if (state.names.length < 2) return "The match has not begun";
	const where = (side) => `${colours(state)[side]}: ${state.board.flatMap((p, s) => (p?.side === side ? `${p.king ? (state.damath ? "dama " : "king ") : ""}${state.damath ? `${pointsText(tenths(p.value))} on ` : ""}${name(state, s)}` : [])).join(", ") || "nothing"}.`;
	return `${status(state).caption}. ${state.last ? `Last move: ${label(state, state.last)}. ` : ""}${where(0)} ${where(1)}`;
}

const style = `
.dama { --light: #f1e3c8; --dark: #bd9163; --trail: #2b1d10; --piece0: #fff9ec; --on0: #2b1d10; --piece1: #2a211d; --on1: #fff9ec; --accent: #5b21c9; --bad: #a3140c; }
.damath { --light: var(--paper); --dark: color-mix(in srgb, var(--ink) 13%, var(--paper)); --trail: var(--ink); --piece0: var(--first); --piece1: var(--second); --on0: var(--on); --on1: var(--on); }
@media (prefers-color-scheme: dark) {
	.dama { --light: #8d7a60; --dark: #584431; --trail: #f4e7d2; --piece1: #17120f; --accent: #dcc8ff; --bad: #ffb4ac; }
	.damath { --light: var(--paper); --dark: color-mix(in srgb, var(--ink) 13%, var(--paper)); --trail: var(--ink); --piece1: var(--second); }
}
.damath .inner { display: none; }
.damath .value { fill: var(--on); }
.damath .points { paint-order: stroke; stroke: var(--dark); stroke-width: 6px; }
.crown path { fill: #f3b71b; stroke: #2b1d10; stroke-width: 1.5; }
.crown .badge { fill: #2b1d10; stroke: #fff; stroke-width: 1.5; }
.dama .choice:focus-visible { outline: 5px solid var(--accent); outline-offset: -2px; }
.dama .choice:hover circle, .dama .choice:hover rect { stroke-dasharray: none; }
.dama p { margin: .4rem 0 0; text-align: center; }
.dama .refusal { color: var(--bad); }
.dama .left, .dama .refusal i { color: var(--soft); font-size: .9rem; }
.dama .buttons { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: center; align-items: center; margin-top: .5rem; }
.dama .buttons label { display: flex; gap: .4rem; align-items: center; font-size: .9rem; min-height: 44px; }
.dama .moved { animation: moved .3s ease-out; }
@keyframes moved { from { transform: translate(var(--dx), var(--dy)); } }
`;
