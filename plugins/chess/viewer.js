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
		"Captured by White": "Catturati dal bianco", "Captured by Black": "Catturati dal nero",
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
const name = (s) => "abcdefgh"[s % 8] + (1 + (s >> 3));
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
	return { board, ids, side: turn === "b" ? 1 : 0, castling, passed: passed === "-" ? -1 : square(passed), taken: "", quiet: Number(quiet), number: Number(number) };
}

const lines = { R: [[1, 0], [-1, 0], [0, 1], [0, -1]], B: [[1, 1], [1, -1], [-1, 1], [-1, -1]], N: [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]] };
lines.Q = lines.K = [...lines.R, ...lines.B];

const step = (s, row, column) => {
	const r = (s >> 3) + row, c = s % 8 + column;
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
	return [-1, 1].some((column) => is(step(s, by ? 1 : -1, column), "P")) || lines.N.some(([row, column]) => is(step(s, row, column), "N")) || lines.Q.some(([row, column], i) => {
		let at = step(s, row, column);
		if (is(at, "K")) return true;
		while (at >= 0 && !board[at]) at = step(at, row, column);
		return is(at, i < 4 ? "RQ" : "BQ");
	});
}

const king = (board, side) => board.indexOf(side ? "k" : "K");
const inCheck = (board, side) => attacked(board, king(board, side), 1 - side);

// moved returns the board of a position, or its ids, after a move. A pawn remains one.
function moved(p, m, list) {
	const after = [...list];
	const put = (from, to) => {
		after[to] = after[from];
		after[from] = "";
	};
	put(m.from, m.to);
	if (passes(p, m)) after[m.to + (p.side ? 8 : -8)] = "";
	if (castles(p, m)) put(...m.to > m.from ? [m.from + 3, m.from + 1] : [m.from - 4, m.from - 1]);
	return after;
}

// apply returns the position after a move {from, to, into}.
function apply(p, m) {
	const board = moved(p, m, p.board), ids = moved(p, m, p.ids), kind = p.board[m.from].toUpperCase();
	const took = p.board[m.to] || (passes(p, m) ? p.board[m.to + (p.side ? 8 : -8)] : "");
	if (m.into) board[m.to] = p.side ? m.into.toLowerCase() : m.into;
	const spent = { 4: "KQ", 7: "K", 0: "Q", 60: "kq", 63: "k", 56: "q" };
	const castling = [...p.castling].filter((c) => ![m.from, m.to].some((s) => spent[s]?.includes(c))).join("") || "-";
	return {
		board, ids, took, taken: p.taken + took, side: 1 - p.side, castling, passed: kind === "P" && Math.abs(m.to - m.from) === 16 ? (m.from + m.to) / 2 : -1,
		quiet: kind === "P" || took ? 0 : p.quiet + 1, number: p.number + p.side,
	};
}

// reachable returns the moves of a side without castling, whether or not its king is safe then.
// takes reports whether a pawn can take on an empty square.
function reachable(board, side, takes) {
	const up = side ? -1 : 1;
	return board.flatMap((piece, from) => {
		if (!piece || sideOf(piece) !== side) return [];
		const pawn = piece.toUpperCase() === "P", near = step(from, up, 0), far = step(near, up, 0);
		const all = reach(board, from).filter((to) => (board[to] ? sideOf(board[to]) !== side : !pawn || takes(to)));
		if (pawn && !board[near]) all.push(near);
		if (pawn && !board[near] && !board[far] && from >> 3 === (side ? 6 : 1)) all.push(far);
		return all.flatMap((to) => (pawn && [0, 7].includes(to >> 3) ? [..."QNRB"].map((into) => ({ from, to, into })) : { from, to }));
	});
}

// castlings returns the moves of castling for which the squares on a board are free.
function castlings(p, board) {
	const home = 56 * p.side;
	return [["K", 6, 5], ["Q", 2, 1, 3]].filter(([right, ...free]) => p.castling.includes(p.side ? right.toLowerCase() : right) && free.every((column) => !board[home + column]))
		.map(([, to]) => ({ from: home + 4, to: home + to }));
}

// legal returns the legal moves.
function legal(p) {
	const safe = (m) => [m.from, (m.from + m.to) / 2].every((s) => !attacked(p.board, s, 1 - p.side));
	return [...reachable(p.board, p.side, (to) => to === p.passed), ...castlings(p, p.board).filter(safe)].filter((m) => !inCheck(moved(p, m, p.board), p.side));
}

// plans returns the moves that the user can plan in the opponent's turn, and the position with
// the user to move. Their pieces can still leave the way or come into it, so only the user's own
// pieces are in the way of others, and pawns can take on empty squares.
function plans(state) {
	const p = { ...now(state).p, side: state.me, passed: -1 };
	if (state.me === null || state.end) return { p, list: [] };
	const own = p.board.map((piece) => (piece && sideOf(piece) === p.side ? piece : ""));
	return { p, list: [...reachable(own, p.side, () => true), ...castlings(p, own)] };
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
	return { player: match.role === "player", me: null, names: [], start: usual, p: position(usual), moves: [], last: null, said: null, offer: null, offers: 0, end: "", score: "*", claims: match.params.draws === "claimed" };
}

const over = (state, text, score = "1/2-1/2") => {
	state.end ||= text;
	state.score = score;
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
		over(state, t("draw by agreement"));
		return { text: t("accepts the draw"), seat: 1 - side };
	case "DRAW <STALEMATE>":
		return over(state, t("stalemate"));
	case "DRAW <REPETITION>":
		return over(state, t("repetition of the position"));
	case "DRAW <MOVES>":
		return over(state, t("{n} moves without a capture or a pawn's move", { n: state.p.quiet < 150 ? 50 : 75 }));
	case "DRAW <MATERIAL>":
		return over(state, t("too few pieces for a checkmate"));
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
		over(state, t("draw by agreement"));
		return { text: t("accepts the draw"), seat: state.me };
	}
	if (line) return { text: t("refuses the draw"), seat: state.me };
}

function readMove(state, line) {
	const { p } = state;
	const all = legal(p), move = all.find((m) => sent(p, m) === line);
	if (!move) return;
	const next = apply(p, move), text = algebraic(p, move, all, next);
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

const offering = (state) => (state.claims ? t("Claim or offer a draw") : t("Offer a draw"));
const asked = (state) => state.me !== null && !state.end && state.offer !== null && state.offer !== state.me;
const mine = (state) => (state.me === state.p.side && !state.end && !state.said && state.offer === null ? legal(state.p) : []);

// now returns the position and the last move to be shown: with a move that the host has not
// confirmed yet.
const now = (state) => (state.said && !state.end ? { p: state.said.next, last: state.said.last } : state);

export function status(state) {
	const { p } = now(state), begun = state.names.length === 2;
	const check = inCheck(p.board, p.side), moves = mine(state), choices = moves.map((m) => ({ line: sent(p, m), label: label(p, m) }));
	if (asked(state)) choices.push({ line: "DRAW", label: t("Accept the draw") }, { line: "NO", label: t("Go on playing") });
	else if (moves.length) {
		if (state.offers < 3) choices.push({ line: "DRAW", label: offering(state), confirm: t("Offer a draw?") });
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
	const rows = [...parts, state.score].join(" ").replace(/(.{1,79})(?: |$)/g, "$1\n");
	return [{ name: "PGN", text: `${Object.entries(tags).map(([tag, text]) => `[${tag} ${quoted(text)}]\n`).join("")}\n${rows}` }];
}

const cell = 80; // side of a square
const edge = 20; // width of the rim

// shapes are the pieces, around the middle of their square: their outline, and the lines on it.
const foot = "C19 18.5 20.5 21.5 21 25V31H-21V25C-20.5 21.5-19 18.5-15.5 16";
const body = `H14A2.7 2.7 0 0 1 14 5.4H9.5C10 10 12 14 15.5 16${foot}C-12 14-10 10-9.5 5.4H-14A2.7 2.7 0 0 1-14 0`;
const rings = "M-20 25H20M-9 5.4H9M-9 0H9";
const shapes = {
	K: [`M10.5 0${body}H-10.5C-12-6-15-11-17-17C-14.5-21-9-22.5-2.7-23V-27.6H-7.5V-33H-2.7V-37.5H2.7V-33H7.5V-27.6H2.7V-23C9-22.5 14.5-21 17-17C15-11 12-6 10.5 0Z`, `${rings}M-15.5-16.7C-8-13.5 8-13.5 15.5-16.7`],
	Q: [`M10.5 0${body}H-10.5C-12.5-8-17-14-20.5-22L-13-18L-12.5-27L-6-19.5L-3.2-27A4.2 4.2 0 1 1 3.2-27L6-19.5L12.5-27L13-18L20.5-22C17-14 12.5-8 10.5 0Z`, `${rings}M-13.5-9.5C-5-6.5 5-6.5 13.5-9.5`],
	B: [`M8 0${body}H-8C-15.5-8-13-19-2.5-26.5A4.2 4.2 0 1 1 2.5-26.5C5.5-24.5 8-22 9.5-19.5L2-10.5L5-8L12-16C14-10 12-4.5 8 0Z`, rings],
	N: [`M15.5 16${foot}C-15 9-7 6-4-1C-7.5 2.5-10.5 2-12.5 6C-15 11-23.5 10.5-24 4.5C-24.2 1-21.5-2-20-5.5C-18-11-17-15-13-19.5L-9-23.5L-10.5-34C-5.5-32-2-29.5 0-26.5C6.5-28 12.5-26 15.5-19.5L11.5-20C16.5-18 20.5-13 21.5-6.5L17.5-8.5C21-4 22.5 2 21 8.5L17.5 5C18 9 17 13 15.5 16Z`,
		"M-20 25H20M-14.5 16H14.5M-11-14a1.1.9 0 1 1 0 .1M-20.5 2v.1M-22 6.5C-19.5 7.5-17.5 6.5-16.5 4.5M-4-1C-1.5-3-1-6-1.5-9M1-21.5C9-18 12.5-9 12.5 0C12.5 5 11.5 8 10 11M11.5-20L7-19M17.5-8.5C16-9 14-8.5 12.5-7M17.5 5C16 4.5 14.5 5 13 6"],
	R: [`M15.5 16${foot}C-13.5 9-12.5 2-12.5-10L-18-15V-28H-10V-22H-5V-28H5V-22H10V-28H18V-15L12.5-10C12.5 2 13.5 9 15.5 16Z`, "M-20 25H20M-14.5 16H14.5M-11.5-10H11.5M-17-15.5H17"],
	P: ["M6.5-4H10.5A2.7 2.7 0 0 1 10.5 1.4H6.5C7 9.5 10 14 14.5 17.5C17.5 20 19 22 19.5 25V31H-19.5V25C-19 22-17.5 20-14.5 17.5C-10 14-7 9.5-6.5 1.4H-10.5A2.7 2.7 0 0 1-10.5-4H-6.5A12.5 12.5 0 1 1 6.5-4Z", "M-18.5 25H18.5M-6 1.4H6M-6-4H6"],
};

const figure = (svg, piece) => {
	const colour = sideOf(piece) ? "black" : "white", [outline, lines] = shapes[piece.toUpperCase()];
	return [svg("ellipse", { class: "shade", cx: 2, cy: 29, rx: 25, ry: 6 }), svg("path", { class: `turned ${colour}`, d: outline }), svg("path", { class: `groove ${colour}`, d: lines })];
};

export function draw(state, page) {
	const { svg, html, ui } = page;
	const flipped = (state.me === 1) !== page.flipped, promoting = page.playing && ui.promoting !== undefined;
	const turned = (s) => (flipped ? 63 - s : s), along = (names) => (flipped ? [...names].reverse() : [...names]);
	const to = (s) => `translate(${edge + cell * (turned(s) % 8 + .5)} ${edge + cell * (7.5 - (turned(s) >> 3))})`;
	const { p, last } = now(state);
	const { p: hoped, list: moves } = page.premove ? plans(state) : { p, list: page.playing ? mine(state) : [] };
	const ways = (from) => moves.filter((m) => m.from === from && (!m.into || m.into === "Q"));
	const won = { "1-0": king(p.board, 0), "0-1": king(p.board, 1) }[state.score];
	const set = (values) => () => {
		Object.assign(ui, { from: undefined, promoting: undefined }, values);
		page.redraw();
	};
	const send = (m) => () => page.send(sent(hoped, m));
	const area = { size: cell, x: -cell / 2, y: -cell / 2 };
	const on = (s, child) => svg("g", { transform: to(s) }, child);

	const man = (s) => {
		const piece = p.board[s], chosen = ui.from === s, goes = promoting ? [] : ways(s);
		const free = goes.length > 0, values = { piece: names()[piece.toUpperCase()], square: name(s) };
		return svg("g", {
			id: `piece-${name(s)}`, piece: p.ids[s], transform: to(chosen ? ui.promoting ?? s : s), "aria-pressed": free && String(chosen),
			onclick: free && set(chosen ? {} : { from: s }), goes: free && goes.map((m) => name(m.to)),
			label: free && (chosen ? t("{piece} on {square}, chosen", values) : t("{piece} on {square}", values)),
		}, free && page.tile("light", { ...area, opacity: 0 }),
		figure(svg, piece), s === won ? page.note("won") : last?.into && s === last.to && page.note("promoted"));
	};

	const target = (m) => svg("g", { id: `to-${name(m.to)}`, transform: to(m.to), onclick: m.into ? set({ from: m.from, promoting: m.to }) : send(m), label: label(p, { ...m, into: undefined }) },
		page.target({ capture: p.board[m.to] || passes(hoped, m) }));

	// The four pieces for a pawn lie over the squares from the last row towards the middle.
	const offers = () => [page.tile("rim", { x: edge, y: edge, size: 8 * cell, opacity: .6 }), [..."QNRB"].map((into, i) => {
		const s = ui.promoting + i * (state.me ? 8 : -8), m = { from: ui.from, to: ui.promoting, into };
		return svg("g", { id: `to-${into}`, transform: to(s), onclick: send(m), label: label(p, m) },
			page.tile("light", area), page.ring(), figure(svg, state.me ? into.toLowerCase() : into));
	})];

	const size = 8 * cell + 2 * edge;
	const board = html("div", { class: "chess" }, html("style", null, style),
		svg("svg", { viewBox: `0 0 ${size} ${size}`, id: "chess", role: moves.length ? "group" : "img", tabindex: state.player && "0", label: describe(state) },
			page.board({
				columns: 8, edge, below: along("abcdefgh"), left: along("87654321"),
				square(column, row) {
					const s = turned(column + 8 * (7 - row));
					return { name: name(s), kind: (column + row) % 2 ? "dark" : "light", played: last && [last.from, last.to].includes(s), draw: page.letters && svg("text", { x: 3, y: 19, "font-size": 20, stroke: "var(--light)", "stroke-width": 4, "paint-order": "stroke" }, name(s)) };
				},
			}),
			inCheck(p.board, p.side) && on(king(p.board, p.side), page.note("check")),
			ui.from !== undefined && !promoting && on(ui.from, page.ring({ chosen: true })),
			[...p.board.keys()].filter((s) => p.board[s]).map(man),
			promoting ? offers() : ways(ui.from).map(target)));
	return { board, side: html("div", { class: "chess" }, (state.me ? [0, 1] : [1, 0]).map((side) => row(p, side, page)), buttons(state, page, promoting && set())) };
}

// row draws what a side has captured and by how much it is ahead, in a place that is always
// there. A soft mark is behind the newest piece.
function row({ board, taken, took }, side, { svg, tile }) {
	const all = names(), worth = (piece) => ({ P: 1, N: 3, B: 3, R: 5, Q: 9 })[piece.toUpperCase()] ?? 0;
	const ahead = board.reduce((sum, piece) => sum + worth(piece) * (sideOf(piece) === side ? 1 : -1), 0);
	const list = [..."QRBNP"].flatMap((kind) => [...taken].filter((piece) => piece === (side ? kind : kind.toLowerCase())));
	const more = ahead > 0 ? [`+${ahead}`] : [], what = [...list.map((piece) => all[piece.toUpperCase()]), ...more].join(", ") || 0;
	const places = list.reduce((all, piece, i) => [...all, all[i] + (piece === list[i + 1] ? 12 : 24)], [16]);
	return svg("svg", { viewBox: "0 0 280 40", preserveAspectRatio: "xMinYMid", role: "img", label: `${side ? t("Captured by Black") : t("Captured by White")}: ${what}` },
		tile("light", { width: list.length && places.at(-1) - 8, height: 40, rx: 6 }),
		list.map((piece, i) => svg("g", { transform: `translate(${places[i]} 20) scale(.5)` },
			piece === took && i === list.lastIndexOf(took) && svg("rect", { class: "played", x: -26, y: -38, width: 52, height: 76, rx: 6 }), figure(svg, piece))),
		more[0] && svg("text", { x: places.at(-1), y: 27, "font-size": 20, fill: "var(--ink)" }, more));
}

function buttons(state, page, cancel) {
	const idle = !page.playing || !mine(state).length, send = (line) => () => page.send(line);
	const button = (id, text, onclick, disabled) => page.html("button", { id, onclick, disabled }, text);
	if (!state.player || state.end || page.ended) return [];
	if (cancel) return [page.html("p", null, t("Choose the piece for the pawn")), button("cancel", t("Cancel"), cancel)];
	if (page.playing && asked(state)) return [button("accept", t("Accept the draw"), send("DRAW")), button("refuse", t("Go on playing"), send("NO"))];
	return [state.offers < 3 && button("offer", offering(state), send("DRAW"), idle), button("resign", t("Resign"), send("RETIRE"), idle)];
}

function describe(state) {
	if (state.names.length < 2) return t("The match has not begun");
	const all = names(), { p: { board }, last } = now(state);
	const where = (side) => [..."KQRBNP"].flatMap((kind) => board.flatMap((piece, s) => (piece && sideOf(piece) === side && piece.toUpperCase() === kind ? t("{piece} {square}", { piece: all[kind], square: name(s) }) : []))).join(", ");
	return [`${status(state).caption}.`, ...last ? [t("Last move: {move}.", { move: last.label })] : [], `${t("White")}: ${where(0)}.`, `${t("Black")}: ${where(1)}.`].join(" ");
}

const style = `
.chess .groove { opacity: .75; stroke-linecap: round; stroke-linejoin: round; }
.side .chess { display: flex; flex-wrap: wrap; gap: .5rem; justify-content: center; }
.chess > p { width: 100%; margin: 0; text-align: center; }
.side svg { flex: 1 0 max(50% - 1rem, 10rem); height: 1.8rem; }
`;
