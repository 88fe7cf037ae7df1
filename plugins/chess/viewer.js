// The viewer of chess. docs/viewers.md describes the exported functions.

export const texts = {
	it: {
		White: "Bianco", Black: "Nero", white: "bianco", black: "nero",
		king: "re", queen: "donna", rook: "torre", bishop: "alfiere", knight: "cavallo", pawn: "pedone",
		"Choose a piece to move": "Scegli un pezzo da muovere",
		"You are in check: choose a piece": "Sei sotto scacco: scegli un pezzo da muovere",
		"Choose the piece for the pawn": "Scegli il pezzo per il pedone",
		"White to move": "Muove il bianco", "Black to move": "Muove il nero",
		"White to move, in check": "Muove il bianco, sotto scacco", "Black to move, in check": "Muove il nero, sotto scacco",
		"{name} offers a draw": "{name} propone la patta",
		"Your opponent offers a draw": "L'avversario propone la patta",
		"Checkmate the opponent's king: attack it so that it cannot escape. The page marks the squares to which a piece can move.":
			"Dai scacco matto al re avversario: attaccalo in modo che non possa sfuggire. La pagina segna le caselle su cui un pezzo può muovere.",
		"offers a draw": "propone la patta", "refuses the draw": "rifiuta la patta", "accepts the draw": "accetta la patta", forfeits: "perde per forfait",
		"Offer a draw": "Proponi la patta", "Offer a draw?": "Proporre la patta?", "Claim or offer a draw": "Richiedi o proponi la patta",
		Resign: "Abbandona", "Resign? Then you lose.": "Abbandonare? Così perdi.",
		"Accept the draw": "Accetta la patta", "Go on playing": "Continua a giocare",
		checkmate: "scacco matto", stalemate: "stallo", "draw by agreement": "patta per accordo",
		"repetition of the position": "ripetizione della posizione",
		"{n} moves without a capture or a pawn's move": "{n} mosse senza catture né mosse di pedone",
		"too few pieces for a checkmate": "troppo pochi pezzi per lo scacco matto",
		"{name} forfeited": "{name} ha perso per forfait",
		"{piece} on {square}": "{piece} in {square}",
		"{piece} on {square}, chosen": "{piece} in {square}, scelto",
		"{piece} {from} to {to}": "{piece} da {from} a {to}",
		"{piece} {from} takes {victim} on {to}": "{piece} da {from} cattura {victim} in {to}",
		"{piece} {from} to {to}, becomes {promoted}": "{piece} da {from} a {to}, diventa {promoted}",
		"{piece} {from} takes {victim} on {to}, becomes {promoted}": "{piece} da {from} cattura {victim} in {to}, diventa {promoted}",
		"castles on the king's side": "arrocca corto", "castles on the queen's side": "arrocca lungo",
		Cancel: "Annulla",
		"The match has not begun": "La partita non è ancora iniziata",
		"Last move: {move}.": "Ultima mossa: {move}.",
		"{piece} {square}": "{piece} {square}",
	},
};

const names = () => ({ K: t("king"), Q: t("queen"), R: t("rook"), B: t("bishop"), N: t("knight"), P: t("pawn") });
const words = { Q: "queen", R: "rook", B: "bishop", N: "knight" };

// A square is a number: 8 times its row counted from row 1, plus its column counted from a.
// A piece is its letter as in FEN, upper-case for White; "" is an empty square.
const name = (s) => "abcdefgh"[s % 8] + (1 + Math.floor(s / 8));
const square = (text) => "abcdefgh".indexOf(text[0]) + 8 * (Number(text[1]) - 1);
const sideOf = (piece) => (piece === piece.toUpperCase() ? 0 : 1);
const usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

function position(fen) {
	const [rows, turn, castling, passed, quiet, number] = fen.split(" ");
	const board = Array(64).fill("");
	rows.split("/").forEach((row, i) => {
		let column = 0;
		for (const c of row) {
			if (c > "0" && c < "9") column += Number(c);
			else board[8 * (7 - i) + column++] = c;
		}
	});
	const ids = board.map((piece, s) => piece && piece + name(s)); // of the pieces, for all of the match
	return { board, ids, side: turn === "b" ? 1 : 0, castling, passed: passed === "-" ? -1 : square(passed), quiet: Number(quiet), number: Number(number) };
}

const lines = { R: [[1, 0], [-1, 0], [0, 1], [0, -1]], B: [[1, 1], [1, -1], [-1, 1], [-1, -1]], N: [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]] };
lines.Q = lines.K = [...lines.R, ...lines.B];

const step = (s, row, column) => {
	const r = Math.floor(s / 8) + row, c = s % 8 + column;
	return r < 0 || r > 7 || c < 0 || c > 7 ? -1 : 8 * r + c;
};

// reach returns the squares that a piece attacks.
function reach(board, s) {
	const piece = board[s].toUpperCase(), list = [];
	if (piece === "P") return [-1, 1].map((column) => step(s, sideOf(board[s]) ? -1 : 1, column)).filter((to) => to >= 0);
	for (const [row, column] of lines[piece]) {
		for (let to = step(s, row, column); to >= 0; to = step(to, row, column)) {
			list.push(to);
			if (board[to] || "KN".includes(piece)) break;
		}
	}
	return list;
}

// attacked reports whether a piece of a side attacks a square: it looks from there.
function attacked(board, s, by) {
	const is = (at, kinds) => at >= 0 && board[at] && sideOf(board[at]) === by && kinds.includes(board[at].toUpperCase());
	if ([-1, 1].some((column) => is(step(s, by ? 1 : -1, column), "P"))) return true;
	if (lines.N.some(([row, column]) => is(step(s, row, column), "N"))) return true;
	return [["R", "RQ"], ["B", "BQ"]].some(([way, kinds]) => lines[way].some(([row, column]) => {
		let at = step(s, row, column);
		if (is(at, "K")) return true;
		while (at >= 0 && !board[at]) at = step(at, row, column);
		return is(at, kinds);
	}));
}

const inCheck = (board, side) => attacked(board, board.indexOf(side ? "k" : "K"), 1 - side);

// apply returns the position after a move {from, to, into}.
function apply(p, m) {
	const board = [...p.board], ids = [...p.ids], kind = board[m.from].toUpperCase();
	const captured = board[m.to];
	const put = (from, to) => [board, ids].forEach((list) => ([list[to], list[from]] = [list[from], ""]));
	put(m.from, m.to);
	if (m.into) board[m.to] = p.side ? m.into.toLowerCase() : m.into;
	if (kind === "P" && m.to === p.passed) board[m.to + (p.side ? 8 : -8)] = "";
	if (kind === "K" && Math.abs(m.to - m.from) === 2) put(...m.to > m.from ? [m.from + 3, m.from + 1] : [m.from - 4, m.from - 1]);
	const spent = { 4: "KQ", 7: "K", 0: "Q", 60: "kq", 63: "k", 56: "q" };
	const castling = [...p.castling].filter((c) => ![m.from, m.to].some((s) => spent[s]?.includes(c))).join("") || "-";
	return {
		board, ids, side: 1 - p.side, castling, passed: kind === "P" && Math.abs(m.to - m.from) === 16 ? (m.from + m.to) / 2 : -1,
		quiet: kind === "P" || captured ? 0 : p.quiet + 1, number: p.number + p.side,
	};
}

// legal returns the legal moves.
function legal(p) {
	const { board, side } = p, list = [];
	const pawn = (from, to) => ([0, 7].includes(Math.floor(to / 8)) ? [..."QNRB"].forEach((into) => list.push({ from, to, into })) : list.push({ from, to }));
	board.forEach((piece, from) => {
		if (!piece || sideOf(piece) !== side) return;
		if (piece.toUpperCase() !== "P") {
			for (const to of reach(board, from)) if (!board[to] || sideOf(board[to]) !== side) list.push({ from, to });
			return;
		}
		for (const to of reach(board, from)) if (board[to] ? sideOf(board[to]) !== side : to === p.passed) pawn(from, to);
		const on = step(from, side ? -1 : 1, 0);
		if (board[on]) return;
		pawn(from, on);
		const far = step(on, side ? -1 : 1, 0);
		if (Math.floor(from / 8) === (side ? 6 : 1) && !board[far]) list.push({ from, to: far });
	});
	const home = 56 * side, free = (...columns) => columns.every((c) => !board[home + c]), safe = (...columns) => columns.every((c) => !attacked(board, home + c, 1 - side));
	if (p.castling.includes(side ? "k" : "K") && free(5, 6) && safe(4, 5)) list.push({ from: home + 4, to: home + 6 });
	if (p.castling.includes(side ? "q" : "Q") && free(1, 2, 3) && safe(4, 3)) list.push({ from: home + 4, to: home + 2 });
	return list.filter((m) => !inCheck(apply(p, m).board, side));
}

// plans returns the moves that the user can plan in the opponent's turn, and the position with
// the user to move. Their pieces can still leave the way or come into it, so only the user's own
// pieces are in the way of others, and pawns can take on empty squares.
function plans(state) {
	const p = { ...now(state).p, side: state.me, passed: -1 }, list = [];
	if (state.me === null || state.end) return { p, list };
	const own = p.board.map((piece) => (piece && sideOf(piece) === p.side ? piece : ""));
	const on = (from, to) => ([0, 7].includes(Math.floor(to / 8)) && own[from].toUpperCase() === "P" ? [..."QNRB"].forEach((into) => list.push({ from, to, into })) : list.push({ from, to }));
	const home = 56 * p.side, up = p.side ? -1 : 1;
	own.forEach((piece, from) => {
		if (!piece) return;
		for (const to of reach(own, from)) if (!own[to]) on(from, to);
		if (piece.toUpperCase() !== "P") return;
		const near = step(from, up, 0), far = step(near, up, 0);
		if (!own[near]) on(from, near);
		if (!own[near] && !own[far] && Math.floor(from / 8) === (p.side ? 6 : 1)) on(from, far);
	});
	for (const [right, to, ...between] of [["k", 6, 5], ["q", 2, 1, 3]]) {
		if (p.castling.includes(p.side ? right : right.toUpperCase()) && [to, ...between].every((column) => !own[home + column])) list.push({ from: home + 4, to: home + to });
	}
	return { p, list };
}

const castles = (p, m) => p.board[m.from].toUpperCase() === "K" && Math.abs(m.to - m.from) === 2;
const passes = (p, m) => p.board[m.from].toUpperCase() === "P" && m.to === p.passed;

// sent returns the line of a move.
function sent(p, m) {
	const squares = `${name(m.from)} ${name(m.to)}`, row = name(m.from)[1];
	if (castles(p, m)) return `castle ${squares} ${m.to > m.from ? `h${row} f${row}` : `a${row} d${row}`}`;
	if (passes(p, m)) return `enpassant ${squares}`;
	return m.into ? `promote ${squares} ${words[m.into]}` : squares;
}

// algebraic returns a move in standard algebraic notation.
function algebraic(p, m, all, next) {
	const kind = p.board[m.from].toUpperCase();
	const takes = p.board[m.to] || passes(p, m) ? "x" : "";
	let text = "";
	if (castles(p, m)) text = m.to > m.from ? "O-O" : "O-O-O";
	else if (kind === "P") text = (takes && name(m.from)[0] + takes) + name(m.to) + (m.into ? `=${m.into}` : "");
	else {
		const like = all.filter((o) => o.to === m.to && o.from !== m.from && p.board[o.from] === p.board[m.from]);
		const column = like.some((o) => o.from % 8 === m.from % 8), row = like.some((o) => o.from >> 3 === m.from >> 3);
		text = kind + (like.length && (!column || row) ? name(m.from)[0] : "") + (column ? name(m.from)[1] : "") + takes + name(m.to);
	}
	return text + (inCheck(next.board, next.side) ? (legal(next).length ? "+" : "#") : "");
}

export function start(match) {
	return { player: match.role === "player", me: null, names: [], start: usual, p: position(usual), moves: [], last: null, said: null, offer: null, offers: 0, gaveUp: false, end: "", score: "*", claims: match.params.draws === "claimed" };
}

const over = (state, text, score) => {
	state.end ||= text;
	if (score) state.score = score;
};

export function read(state, line, isSent) {
	if (isSent) return readSent(state, line.trim());
	if (state.names.length < 2) {
		state.names.push(line);
		return;
	}
	if (line.startsWith("START <")) {
		state.start = line.slice(7, -1);
		state.p = position(state.start);
		return;
	}
	if (state.player && state.me === null) {
		state.me = Number(line);
		return;
	}
	if (line.startsWith("OK <")) return readMove(state, line.slice(4, -1).split("> <").join(" "));
	const { side } = state.p;
	switch (line) {
	case "DRAW <PROPOSED>":
		state.offer = side;
		state.offers++;
		return { text: t("offers a draw"), seat: side };
	case "DRAW <REFUSED>":
		state.offer = null;
		return { text: t("refuses the draw"), seat: 1 - side };
	case "DRAW <ACCEPTED>":
		over(state, t("draw by agreement"), "1/2-1/2");
		return { text: t("accepts the draw"), seat: 1 - side };
	case "DRAW <STALEMATE>":
		return over(state, t("stalemate"), "1/2-1/2");
	case "DRAW <REPETITION>":
		return over(state, t("repetition of the position"), "1/2-1/2");
	case "DRAW <MOVES>":
		return over(state, t("{n} moves without a capture or a pawn's move", { n: state.p.quiet < 150 ? 50 : 75 }), "1/2-1/2");
	case "DRAW <MATERIAL>":
		return over(state, t("too few pieces for a checkmate"), "1/2-1/2");
	case "RETIRE": {
		const seat = state.offer === null ? side : 1 - state.offer;
		over(state, t("{name} forfeited", { name: state.names[seat] }), seat ? "1-0" : "0-1");
		return { text: t("forfeits"), seat };
	}
	case "WINNER <WHITE>":
	case "WINNER <BLACK>": {
		const loser = line === "WINNER <WHITE>" ? 1 : 0;
		over(state, legal(state.p).length ? t("{name} forfeited", { name: state.names[loser] }) : t("checkmate"), loser ? "1-0" : "0-1");
	}
	}
}

// readSent reads a line of the player. The host can confirm it seconds later, because of the
// pace; until then the player must not send another one. Its answer to an offer comes back to
// nobody but the opponent.
function readSent(state, line) {
	const move = mine(state).find((m) => sent(state.p, m) === line);
	if (move) {
		state.said = { next: apply(state.p, move), last: { ...move, label: label(state.p, move) } };
		return;
	}
	if (line === "DRAW" && mine(state).length) {
		state.offer = state.me;
		return;
	}
	if (state.offer === null && line === "RETIRE" && state.me === state.p.side && !state.end) return { text: t("forfeits"), seat: state.me };
	if (state.offer === null || state.offer === state.me) return;
	state.offer = null;
	if (line === "DRAW") {
		over(state, t("draw by agreement"), "1/2-1/2");
		return { text: t("accepts the draw"), seat: state.me };
	}
	if (line) return { text: t("refuses the draw"), seat: state.me };
}

function readMove(state, line) {
	const { p } = state;
	const all = legal(p), move = all.find((m) => sent(p, m) === line);
	if (!move) return;
	const next = apply(p, move);
	const text = algebraic(p, move, all, next);
	state.last = { ...move, label: label(p, move) };
	state.said = null;
	state.moves.push(text);
	state.offers = 0;
	state.p = next;
	return { text, seat: p.side, path: squares(move), sound: /[+#]/.test(text) ? "check" : move.into ? "promote" : text.includes("x") ? "capture" : "move" };
}

const squares = (m) => [name(m.from), name(m.to)];

// path returns the squares of a line that the player could send or plan.
export function path(state, line) {
	const { p, list } = plans(state);
	const move = meant(state.p, legal(state.p), line) ?? meant(p, list, line);
	return move ? squares(move) : null;
}

// say returns the text of a line in the list of moves.
export function say(state, line) {
	const { p } = state, all = legal(p), move = meant(p, all, line);
	return move && algebraic(p, move, all, apply(p, move));
}

// meant returns the one of some moves that a line means, which can also be one of UCI.
const meant = (p, moves, line) => moves.find((m) => sent(p, m) === line || squares(m).join("") + (m.into ?? "").toLowerCase() === line);

function label(p, m) {
	if (castles(p, m)) return m.to > m.from ? t("castles on the king's side") : t("castles on the queen's side");
	const all = names();
	const victim = passes(p, m) ? all.P : all[p.board[m.to].toUpperCase()];
	const values = { piece: all[p.board[m.from].toUpperCase()], from: name(m.from), to: name(m.to), victim, promoted: all[m.into] };
	if (m.into) return victim ? t("{piece} {from} takes {victim} on {to}, becomes {promoted}", values) : t("{piece} {from} to {to}, becomes {promoted}", values);
	return victim ? t("{piece} {from} takes {victim} on {to}", values) : t("{piece} {from} to {to}", values);
}

const asked = (state) => state.me !== null && !state.end && state.offer !== null && state.offer !== state.me;
const mine = (state) => (state.me === state.p.side && !state.end && !state.said && state.offer === null ? legal(state.p) : []);

// now returns the position and the last move to be shown: with a move that the host has not
// confirmed yet.
const now = (state) => (state.said && !state.end ? { p: state.said.next, last: state.said.last } : state);

export function status(state) {
	const { p } = now(state), begun = state.names.length === 2;
	const check = begun && inCheck(p.board, p.side);
	const moves = mine(state);
	const choices = moves.map((m) => ({ line: sent(p, m), label: label(p, m) }));
	if (asked(state)) choices.push({ line: "DRAW", label: t("Accept the draw") }, { line: "NO", label: t("Go on playing") });
	else if (moves.length) {
		if (state.offers < 3) choices.push({ line: "DRAW", label: state.claims ? t("Claim or offer a draw") : t("Offer a draw"), confirm: t("Offer a draw?") });
		choices.push({ line: "RETIRE", label: t("Resign"), confirm: t("Resign? Then you lose.") });
	}
	return {
		players: [0, 1].map((side) => ({ name: state.names[side], marker: side ? "black" : "white", note: side ? t("black") : t("white") })),
		seat: state.me,
		turn: state.end || !begun || !legal(p).length && state.offer === null ? [] : state.offer === null ? p.side : 1 - state.offer,
		caption: state.end || (!begun ? "" : asked(state) ? t("Your opponent offers a draw") : state.offer !== null ? t("{name} offers a draw", { name: state.names[state.offer] })
			: moves.length ? (check ? t("You are in check: choose a piece") : t("Choose a piece to move"))
			: p.side ? (check ? t("Black to move, in check") : t("Black to move")) : check ? t("White to move, in check") : t("White to move")),
		end: state.end,
		goal: t("Checkmate the opponent's king: attack it so that it cannot escape. The page marks the squares to which a piece can move."),
		choices,
	};
}

// files returns the match in Portable Game Notation.
export function files(state, about) {
	if (state.names.length < 2) return [];
	const quoted = (text) => `"${String(text).replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&")}"`;
	const tags = { Event: "Colosseum", Site: about.address, Date: about.started.slice(0, 10).replaceAll("-", "."), Round: "-", White: state.names[0], Black: state.names[1], Result: state.score };
	if (state.start !== usual) Object.assign(tags, { SetUp: "1", FEN: state.start });
	const first = position(state.start);
	const parts = state.moves.flatMap((move, i) => {
		const ply = i + first.side, number = first.number + (ply >> 1);
		return ply % 2 ? (i ? [move] : [`${number}...`, move]) : [`${number}.`, move];
	});
	const rows = [""];
	for (const part of [...parts, state.score]) {
		const row = rows[rows.length - 1];
		if (row.length + 1 + part.length > 79) rows.push(part);
		else rows[rows.length - 1] = row ? `${row} ${part}` : part;
	}
	return [{ name: "PGN", text: `${Object.entries(tags).map(([tag, text]) => `[${tag} ${quoted(text)}]\n`).join("")}\n${rows.join("\n")}\n` }];
}

const cell = 80; // side of a square
const edge = 20;

// shapes are the pieces, around their middle.
const shapes = {
	P: "M0 -21 A8.5 8.5 0 0 1 5.5 -6 H9 V-2 H5 C5 8 9 13 15 18 V26 H-15 V18 C-9 13 -5 8 -5 -2 H-9 V-6 H-5.5 A8.5 8.5 0 0 1 0 -21 Z",
	R: "M-19 26 V19 H-14 L-11 -7 H-17 V-25 H-9 V-19 H-4 V-25 H4 V-19 H9 V-25 H17 V-7 H11 L14 19 H19 V26 Z",
	N: "M-16 26 C-15 13 -5 10 -2 0 C-6 5 -11 5 -14 8 C-16 11 -22 9 -22 3 C-19 -4 -17 -10 -13 -15 L-13 -27 L-5 -21 C8 -24 18 -12 18 6 C18 14 18 20 17 26 Z",
	B: "M0 -31 A4.5 4.5 0 0 1 3 -23 C11 -17 13 -7 8 2 H11 V7 H7 C7 13 11 17 18 19 V26 H-18 V19 C-11 17 -7 13 -7 7 H-11 V2 H-8 C-13 -7 -11 -17 -3 -23 A4.5 4.5 0 0 1 0 -31 Z",
	Q: "M-17 26 V19 C-12 16 -11 12 -13 6 L-25 -17 L-14 -6 L-13 -25 L-5 -8 L0 -29 L5 -8 L13 -25 L14 -6 L25 -17 L13 6 C11 12 12 16 17 19 V26 Z",
	K: "M-3 -32 H3 V-27 H8 V-21 H3 V-15 C14 -20 25 -14 23 -4 C22 3 15 7 13 12 C13 15 14 17 17 19 V26 H-17 V19 C-14 17 -13 15 -13 12 C-15 7 -22 3 -23 -4 C-25 -14 -14 -20 -3 -15 V-21 H-8 V-27 H-3 Z",
};
const details = { N: "M-8 -13 h.1", B: "M0 -16 V-6 M-5 -11 H5", K: "M-13 12 H13 M0 -15 V12", Q: "M-13 6 H13", R: "M-11 -7 H11 M-14 19 H14", P: "" };

const figure = (svg, piece) => {
	const [fill, stroke] = sideOf(piece) ? ["#1c1a19", "#f7f1e5"] : ["#fffdf8", "#1c1a19"];
	const kind = piece.toUpperCase();
	return [svg("path", { d: shapes[kind], fill, stroke, "stroke-width": 2.5, "stroke-linejoin": "round" }), details[kind] && svg("path", { d: details[kind], fill: "none", stroke, "stroke-width": kind === "N" ? 5 : 2.5, "stroke-linecap": "round" })];
};

export function draw(state, page) {
	const { svg, html, ui } = page;
	const flipped = (state.me === 1) !== page.flipped;
	const at = (s) => ({ x: edge + cell * (flipped ? 7 - s % 8 : s % 8) + cell / 2, y: edge + cell * (flipped ? Math.floor(s / 8) : 7 - Math.floor(s / 8)) + cell / 2 });
	const { p, last } = now(state), all = [...Array(64).keys()];
	const { p: hoped, list: moves } = page.premove ? plans(state) : { p, list: page.playing ? mine(state) : [] };
	const targets = ui.from === undefined ? [] : moves.filter((m) => m.from === ui.from && (!m.into || m.into === "Q"));
	const king = state.names.length === 2 && inCheck(p.board, p.side) ? p.board.indexOf(p.side ? "k" : "K") : -1;
	const set = (values) => () => {
		for (const key of Object.keys(ui)) delete ui[key];
		Object.assign(ui, values);
		page.redraw();
	};
	const box = (s, attributes) => svg("rect", { x: at(s).x - cell / 2, y: at(s).y - cell / 2, width: cell, height: cell, ...attributes });

	const man = (s) => {
		const { x, y } = at(ui.from === s ? ui.promoting ?? s : s), piece = p.board[s];
		const free = !ui.promoting && moves.some((m) => m.from === s);
		const values = { piece: names()[piece.toUpperCase()], square: name(s) };
		return svg("g", {
			id: `piece-${name(s)}`, piece: p.ids[s], transform: `translate(${x} ${y})`, "aria-pressed": free && String(ui.from === s),
			onclick: free && set(ui.from === s ? {} : { from: s }),
			label: free && (ui.from === s ? t("{piece} on {square}, chosen", values) : t("{piece} on {square}", values)),
		}, free && svg("rect", { x: -cell / 2, y: -cell / 2, width: cell, height: cell, fill: "transparent" }),
		figure(svg, piece));
	};

	const target = (m) => {
		const { x, y } = at(m.to);
		return svg("g", { id: `to-${name(m.to)}`, onclick: m.into ? set({ from: m.from, promoting: m.to }) : () => page.send(sent(hoped, m)), label: label(p, m.into ? { ...m, into: undefined } : m) },
			box(m.to, { fill: "transparent" }),
			p.board[m.to] ? svg("circle", { class: "ring", cx: x, cy: y, r: 35, fill: "none", stroke: "var(--mark)", "stroke-width": 6 }) : svg("circle", { class: "dot", cx: x, cy: y, r: 12, fill: "var(--mark)", stroke: "#fff", "stroke-width": 2 }));
	};

	// The four pieces for a pawn lie over the squares from the last row towards the middle.
	const offers = () => {
		const far = ui.promoting, inward = state.me ? 8 : -8;
		return [svg("rect", { x: edge, y: edge, width: 8 * cell, height: 8 * cell, fill: "#0007" }), [..."QNRB"].map((into, i) => {
			const s = far + i * inward, m = { from: ui.from, to: far, into };
			return svg("g", { id: `to-${into}`, onclick: () => page.send(sent(hoped, m)), label: label(p, m) },
				box(s, { fill: "var(--light)", stroke: "var(--mark)", "stroke-width": 4 }),
				svg("g", { transform: `translate(${at(s).x} ${at(s).y})` }, figure(svg, state.me ? into.toLowerCase() : into)));
		})];
	};

	const coordinates = [...Array(8).keys()].flatMap((i) => [
		[at(i).x, edge - 3, "abcdefgh"[i]], [at(i).x, edge + 8 * cell + 16, "abcdefgh"[i]],
		[edge / 2, at(8 * i).y + 8, i + 1], [edge * 1.5 + 8 * cell, at(8 * i).y + 8, i + 1],
	]).map(([x, y, text]) => svg("text", { x, y, "text-anchor": "middle", "font-size": 22, fill: "var(--soft)" }, String(text)));

	const size = 8 * cell + 2 * edge;
	const promoting = page.playing && ui.promoting !== undefined;
	const board = html("div", { class: "chess" }, html("style", null, style),
		svg("svg", { viewBox: `0 0 ${size} ${size}`, id: "chess", role: moves.length ? "group" : "img", tabindex: state.player && "0", label: describe(state) },
			coordinates,
			svg("g", { "aria-hidden": "true" },
				all.map((s) => box(s, { square: name(s), fill: (s % 8 + Math.floor(s / 8)) % 2 ? "var(--light)" : "var(--dark)" })),
				last && [last.from, last.to].map((s) => box(s, { fill: "var(--trail)", "fill-opacity": .5 })),
				last && box(last.from, { x: at(last.from).x - 33, y: at(last.from).y - 33, width: 66, height: 66, rx: 8, fill: "none", stroke: "var(--edge)", "stroke-width": 3, "stroke-dasharray": "9 7" }),
				ui.from !== undefined && box(ui.from, { fill: "none", stroke: "var(--mark)", "stroke-width": 6 }),
				king >= 0 && svg("path", { transform: `translate(${at(king).x} ${at(king).y})`, d: "M0 -38 L11 -27 L27 -27 L27 -11 L38 0 L27 11 L27 27 L11 27 L0 38 L-11 27 L-27 27 L-27 11 L-38 0 L-27 -11 L-27 -27 L-11 -27 Z", fill: "#d2382b", stroke: "#fff", "stroke-width": 2 })),
			all.filter((s) => p.board[s]).map(man),
			promoting ? offers() : targets.map(target)));
	return { board, side: state.player && html("div", { class: "chess" }, buttons(state, page, promoting && set({}))) };
}

function buttons(state, page, cancel) {
	const { html } = page;
	const button = (id, text, onclick) => html("button", { id, onclick }, text);
	if (!page.playing) return [];
	if (cancel) return [html("p", null, t("Choose the piece for the pawn")), html("div", { class: "buttons" }, button("cancel", t("Cancel"), cancel))];
	if (asked(state)) return [html("div", { class: "buttons" }, button("accept", t("Accept the draw"), () => page.send("DRAW")), button("refuse", t("Go on playing"), () => page.send("NO")))];
	if (!mine(state).length) return [];
	return [html("div", { class: "buttons" },
		state.offers < 3 && button("offer", state.claims ? t("Claim or offer a draw") : t("Offer a draw"), () => page.send("DRAW")), button("resign", t("Resign"), () => page.send("RETIRE")))];
}

function describe(state) {
	if (state.names.length < 2) return t("The match has not begun");
	const all = names(), { p: { board }, last } = now(state);
	const where = (side) => [..."KQRBNP"].flatMap((kind) => board.flatMap((piece, s) => (piece && sideOf(piece) === side && piece.toUpperCase() === kind ? t("{piece} {square}", { piece: all[kind], square: name(s) }) : []))).join(", ");
	return [`${status(state).caption}.`, ...last ? [t("Last move: {move}.", { move: last.label })] : [], `${t("White")}: ${where(0)}.`, `${t("Black")}: ${where(1)}.`].join(" ");
}

const style = `
.chess { --light: #eddcc0; --dark: #b58b63; --trail: #e8c547; --edge: #2b1d10; --mark: #14507a; }
@media (prefers-color-scheme: dark) {
	.chess { --light: #b9a68a; --dark: #75593f; --trail: #d9b53a; --edge: #15100b; --mark: #0b3a5b; }
}
.chess .choice:focus-visible { outline: 5px solid var(--mark); outline-offset: -3px; }
.chess .choice:hover .dot, .chess .choice:focus-visible .dot { fill: #fff; stroke: var(--mark); stroke-width: 6; }
.chess p { margin: .4rem 0 0; text-align: center; }
.chess .buttons { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: center; margin-top: .5rem; }
`;
