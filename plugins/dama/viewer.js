// The viewer of dama and damath. docs/viewers.md describes the exported functions. The
// streams differ, but read returns the same kind of state for both.

export const texts = {
	it: {
		White: "Bianco", Black: "Nero", First: "Primo", Second: "Secondo",
		"{n} piece|{n} pieces": "{n} pedina|{n} pedine",
		"{n} king|{n} kings": "{n} dama|{n} dame",
		"{n} chip|{n} chips": "{n} pedina|{n} pedine",
		"{n} dama|{n} damas": "{n} dama|{n} dame",
		"{move} crowned": "{move} a dama",
		forfeits: "perde per forfait", "is late": "è in ritardo", "offers to end the match": "propone di finire la partita", declines: "rifiuta",
		"{name} forfeited": "{name} ha perso per forfait",
		"{name} was too late": "Per {name} il tempo è scaduto",
		"{name} resigned": "{name} ha abbandonato",
		"{name} has no chips left": "{name} non ha più pedine",
		"{name} has no pieces left": "{name} non ha più pedine",
		"{name} has no moves left": "{name} non ha più mosse",
		"{name} repeated the moves of the last chip": "{name} ha ripetuto le mosse dell'ultima pedina",
		"The time of the match is up": "Il tempo della partita è scaduto",
		"Both players agreed to end the match": "I giocatori si sono accordati per finire la partita",
		"Only damas moved for a long time, and nothing was captured": "Per molte mosse si sono mosse solo dame, senza prese",
		"The same position came for the third time": "La stessa posizione si è presentata per la terza volta",
		"Only kings moved for {n} move, and nothing was captured|Only kings moved for {n} moves, and nothing was captured":
			"Per {n} mossa si sono mosse solo dame, senza prese|Per {n} mosse si sono mosse solo dame, senza prese",
		"No win within {n} move of this ending|No win within {n} moves of this ending":
			"Nessuna vittoria entro {n} mossa di questo finale|Nessuna vittoria entro {n} mosse di questo finale",
		"{end}: {first} to {second}": "{end}: {first} a {second}",
		"name two squares or more": "indica almeno due caselle",
		"there is no piece of yours on the first square": "sulla prima casella non c'è una tua pedina",
		"pieces move diagonally": "le pedine si muovono in diagonale",
		"too far, or backward": "troppo lontano, o all'indietro",
		"too far": "troppo lontano",
		"the square is not free": "la casella non è libera",
		"not along a diagonal, or nothing to capture there": "non lungo una diagonale, o lì non c'è niente da prendere",
		"another capture is forced": "un'altra presa è obbligatoria",
		"Refused, {from} to {to}: {why}.": "Rifiutata, da {from} a {to}: {why}.",
		"Refused: {why}.": "Rifiutata: {why}.",
		"{from} to {to}": "{from} a {to}",
		"{move}, captures {n}|{move}, captures {n}": "{move}, {n} presa|{move}, {n} prese",
		"End the match now? Then the points decide": "Finire ora la partita? Allora decidono i punti",
		"Agree to end the match": "Accetta di finire la partita",
		"Go on": "Continua",
		"Offer to end the match": "Proponi di finire la partita",
		"Offer to end the match? If your opponent agrees, the points decide.": "Proporre di finire la partita? Se l'avversario accetta, decidono i punti.",
		"offers a draw": "propone la patta",
		"you have already offered a draw": "hai già proposto la patta",
		"Both players agreed to a draw": "I giocatori si sono accordati per la patta",
		"Agree to a draw": "Accetta la patta",
		"Offer a draw": "Proponi la patta",
		"A draw is offered: agree, or move": "Ti viene proposta la patta: accetta, o muovi",
		"Resign? Then you lose.": "Abbandonare? Così perdi.",
		Resign: "Abbandona",
		"Resign? Then you lose, whatever the points are.": "Abbandonare? Così perdi, con qualsiasi punteggio.",
		"The end of the match is offered": "È stata proposta la fine della partita",
		"The match is over": "La partita è finita",
		"You must capture": "Devi prendere",
		"Choose a chip to move": "Scegli una pedina da muovere",
		"Choose a piece to move": "Scegli una pedina da muovere",
		"Your opponent was late: move for it": "L'avversario era in ritardo: muovi al suo posto",
		"White to move": "Tocca al bianco", "Black to move": "Tocca al nero",
		"{name} to move": "Tocca a {name}",
		"{name} was late, {other} moves for it": "{name} era in ritardo, muove {other}",
		"The player with more points wins. A capture scores the value of the jumping chip, the sign of the landing square, the value of the captured chip; each dama doubles the score. Chips left at the end count, too. Captures are forced.":
			"Vince chi ha più punti. Una presa vale: la pedina che salta, il segno della casella d'arrivo, la pedina presa; ogni dama raddoppia i punti. Contano anche le pedine rimaste alla fine. La presa è obbligatoria.",
		"Capture all pieces of the other side, or leave it without a move. A piece captures by jumping over another onto the free square behind it, {duty}. On the far row it becomes a king.":
			"Prendi tutte le pedine dell'altra parte, o lasciala senza mosse. Una pedina prende saltando sulla casella libera dietro a un'altra, {duty}. Sull'ultima riga diventa dama.",
		"and must capture if it can": "e se può prendere deve farlo", "but never has to capture": "ma non è mai obbligata a prendere",
		man: "pedina", king: "dama",
		"chip {value}": "pedina {value}", "dama {value}": "dama {value}",
		"{piece} on {square}": "{piece} in {square}",
		"{piece} on {square}, chosen": "{piece} in {square}, scelta",
		"Stop here": "Fermati qui",
		"{name} captured:": "{name} ha preso:",
		"{name} moved {move}": "{name} ha mosso {move}",
		"Pieces that {name} has captured: {n}": "Pedine prese da {name}: {n}",
		"With the chips left on the board: {first} to {second}": "Con le pedine rimaste: {first} a {second}",
		"Touch-move: a touched chip must move": "Pedina toccata, pedina mossa",
		"Begin again": "Ricomincia",
		"The match has not begun": "La partita non è ancora iniziata",
		"Last move: {move}.": "Ultima mossa: {move}.",
		nothing: "niente",
		"king {square}": "dama {square}",
	},
};

// kinds has the rules, as in rules.go. prefer has the criteria for captures: the most
// pieces, one by a king, the most kings, the earliest capture of a king.
const strict = { size: 8, due: true, mayReturn: true }, modern = { ...strict, menTakeKings: true }, flying = { ...modern, flying: true }, back = { ...flying, menTakeBack: true };
const kinds = {
	classic: { size: 8 },
	italian: { ...strict, prefer: ["pieces", "byKing", "kings", "soonest"] },
	english: modern,
	russian: { ...back, crownInPassing: true },
	brazilian: { ...back, prefer: ["pieces"] },
	spanish: { ...flying, prefer: ["pieces", "kings"] },
	international: { ...back, size: 10, prefer: ["pieces"] },
	damath: { ...back, prefer: ["pieces", "byKing"] },
};

// The board is an array of all squares: its size times the row from the bottom plus the column
// from the left. A piece is {side, king, value, id}. The value is in tenths, for damath; the id is
// the square where the piece was first.
const rowOf = (state, s) => Math.floor(s / state.kind.size);
const columnOf = (state, s) => s % state.kind.size;
const isUsed = (state, s) => (rowOf(state, s) + columnOf(state, s)) % 2 === Number(state.damath); // by the pieces

// legal returns the moves of a side.
function legal(board, side, kind) {
	const { steps, captures } = all(board, side, kind);
	if (!kind.due) return [...captures, ...steps];
	return captures.length ? best(board, captures, kind.prefer || []) : steps;
}

// all returns the moves of a side, as if captures were not forced: {path, taken, crowned}. path
// has the square of the piece and its landings, taken the squares of the captured pieces.
function all(board, side, kind) {
	const steps = [], captures = [];
	const { size } = kind;
	const far = (square) => Math.floor(square / size) === (side ? 0 : size - 1);
	const next = (square, [up, right]) => { // the neighbour in a direction, or null off the board
		const row = Math.floor(square / size) + up, column = square % size + right;
		return row < 0 || row >= size || column < 0 || column >= size ? null : size * row + column;
	};
	const forward = side ? -1 : 1;
	const ahead = [[forward, -1], [forward, 1]], ways = [...ahead, [-forward, -1], [-forward, 1]];
	board.forEach((piece, from) => {
		if (piece?.side !== side) return;
		const empty = (s) => s !== null && (!board[s] || s === from && kind.mayReturn);
		for (const way of piece.king ? ways : ahead) {
			for (let to = next(from, way); to !== null && !board[to]; to = next(to, way)) {
				steps.push({ path: [from, to], taken: [], crowned: !piece.king && far(to) });
				if (!piece.king || !kind.flying) break;
			}
		}
		const jump = (path, taken, king) => {
			let found = false;
			for (const way of king || kind.menTakeBack ? ways : ahead) {
				let over = next(path.at(-1), way);
				while (king && kind.flying && empty(over)) over = next(over, way);
				const prey = over !== null && board[over];
				if (!prey || prey.side === side || taken.includes(over) || prey.king && !piece.king && !kind.menTakeKings) continue;
				const ends = [];
				let further = false;
				for (let to = next(over, way); empty(to); to = next(to, way)) {
					ends.push({ path: [...path, to], taken: [...taken, over], crowned: !piece.king && (king || far(to)) });
					further = jump([...path, to], [...taken, over], king || Boolean(kind.crownInPassing) && far(to)) || further;
					if (!king || !kind.flying) break;
				}
				if (ends.length) found = true;
				if (!further || !kind.due) captures.push(...ends);
			}
			return found;
		};
		jump([from], [], piece.king);
	});
	return { steps, captures };
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
	const from = move.path[0];
	changed[from] = null;
	changed[move.path.at(-1)] = { ...board[from], king: board[from].king || move.crowned };
	for (const s of move.taken) changed[s] = null;
	return changed;
}

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
const decimal = ([n, d]) => Math.round(1000 * n / d) / 1000;

// pointsText returns points as a decimal number, in the form of the page's scores.
function pointsText(points) {
	const value = decimal(points);
	return (value < 0 ? "−" : "") + t("{value}", { value: Math.abs(value) });
}

// parse reads points as the referee writes them: 12, -3/10.
function parse(text) {
	const [n, d = 1] = text.split("/").map(Number);
	return [n, d];
}
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

// sumText returns the score of a capture as an equation: 9 ÷ 7 + 9 × 5 = 46.286.
function sumText(board, move) {
	const jumps = sums(board, move);
	const total = jumps.map((j) => j.points).reduce(add, [0, 1]);
	return `${jumps.map((j) => (jumps.length > 1 && !j.text.includes("(") ? `(${j.text})` : j.text)).join(" + ")} = ${pointsText(total)}`;
}

// pointsOf returns the points of each jump of a capture, as they are written on the board.
const pointsOf = (state, move) => (state.damath ? sums(state.board, move).map((j) => pointsText(j.points)).map((text) => (text.startsWith("−") ? text : `+${text}`)) : []);

export function start(match) {
	const { rules, chips } = match.params, damath = rules === "damath", kind = kinds[rules] || kinds.classic, { size } = kind;
	const board = Array(size * size).fill(null);
	const put = (s, value) => [s, board.length - 1 - s].forEach((id, side) => (board[id] = { side, king: false, value, id }));
	if (damath) homes.forEach((s, i) => put(s, chipSets[chips][i]));
	else [...Array(size * (size / 2 - 1)).keys()].filter((s) => isUsed({ damath, kind }, s)).forEach((s) => put(s, 0));
	return {
		damath, rules, kind, left: Number(match.params.dama_left) || 1,
		player: match.role === "player", me: null, names: [], board, side: 0, last: null,
		captured: [[], []], // pieces, by the side that has captured them
		moved: [null, null], // the square to which each side has moved last
		end: "", // why the match ended
		over: false,
		said: "", // the path sent or read last
		rows: [], asked: false, refusal: [], begun: false, usual: false, record: [], first: "", // dama
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

const name = (state, s) => (state.damath ? "abcdefgh"[columnOf(state, s)] + (1 + rowOf(state, s)) : state.kind.size - rowOf(state, s) + "ABCDEFGHIJ"[columnOf(state, s)]);
const squares = (state, move) => move.path.map((s) => name(state, s));
const pathText = (state, move) => squares(state, move).join(state.damath ? "" : " ");
const player = (state, side) => ({ name: state.names[side] });
const colours = (state) => (state.damath ? [t("First"), t("Second")] : [t("White"), t("Black")]);

// play makes a move and returns it for the list of moves.
function play(state, move) {
	const seat = state.side, path = squares(state, move), way = path.join(move.taken.length ? "×" : "–");
	const sum = state.damath && move.taken.length ? sumText(state.board, move) : "";
	state.record.push(pdnMove(state, move));
	state.last = { ...move, side: seat, sum, points: pointsOf(state, move) };
	state.moved[seat] = move.path.at(-1);
	state.captured[seat].push(...move.taken.map((s) => state.board[s]));
	state.board = after(state.board, move);
	state.mover = state.side = 1 - seat;
	state.offered = false;
	return { text: (move.crowned ? t("{move} crowned", { move: way }) : way) + (sum && `: ${sum}`), seat, path, sound: move.crowned ? "promote" : move.taken.length ? "capture" : "move" };
}

// plans returns the moves that the user can plan in the opponent's turn.
function plans(state) {
	if (state.me === null || state.over) return [];
	const { steps, captures } = all(state.board, state.me, state.kind);
	return [...captures, ...steps];
}

// path returns the squares of a line that the player could send or plan.
export function path(state, line) {
	const move = [...legal(state.board, state.side, state.kind), ...plans(state)].find((m) => pathText(state, m) === line);
	return move ? squares(state, move) : null;
}

// say returns the text of a line in the list of moves. The state is a copy.
export function say(state, line) {
	const move = legal(state.board, state.side, state.kind).find((m) => pathText(state, m) === line);
	return move && play(state, move).text;
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
		if (move) return play(state, move);
	} else if (line.startsWith("END ")) {
		const [, why, ...totals] = line.split(" ");
		state.scores = totals;
		state.over = true;
		state.end = {
			chips: t("{name} has no chips left", player(state, state.side)), moves: t("{name} has no moves left", player(state, state.side)),
			repeat: t("{name} repeated the moves of the last chip", player(state, 1 - state.side)), time: t("The time of the match is up"),
			resign: t("{name} resigned", player(state, state.side)), draw: t("Both players agreed to end the match"),
			quiet: t("Only damas moved for a long time, and nothing was captured"),
		}[why] || "";
		const [first, second] = totals.map((total) => pointsText(parse(total)));
		return { text: t("{end}: {first} to {second}", { end: state.end || t("The match is over"), first, second }) };
	} else if (line === "RETIRE") {
		const seat = state.offer !== null ? 1 - state.offer : state.mover;
		state.over = true;
		state.end = t("{name} forfeited", player(state, seat));
		return { text: t("forfeits"), seat };
	} else if (line === "LATE" && sent) {
		state.late[state.me]--;
	} else if (line.startsWith("LATE ")) {
		const seat = Number(line[5]);
		state.late[seat]++;
		state.said = "";
		if (state.offer !== null) state.offer = null;
		else state.mover = 1 - state.mover;
		return { text: t("is late"), seat };
	} else if (line === "draw" && state.offer === null) {
		state.offer = state.side;
		state.offered = true;
		return { text: t("offers to end the match"), seat: state.side };
	} else if (line === "no" && state.offer !== null) {
		state.offer = null;
		return { text: t("declines"), seat: 1 - state.side };
	} else {
		state.said = line;
	}
}

// Dama: Italian text with the board after each move. rules.md describes it.
function readDama(state, line, sent) {
	if (sent) {
		const word = line.trim();
		if (word === "draw" && state.kind.due && state.offer !== 1 - state.me && !state.offered) {
			state.offered = true;
			state.asked = false;
			state.refusal = [];
			return { text: t("offers a draw"), seat: state.me };
		}
		state.said = line.toUpperCase().split(" ").filter(Boolean).join(" ");
		state.asked = false;
		state.refusal = [];
		return;
	}
	const row = /^ ?(\d+) ((\[.\])+)  ?\d+$/.exec(line);
	if (row) {
		const { size } = state.kind, number = Number(row[1]);
		state.rows[size - number] = [...row[2].matchAll(/\[(.)\]/g)].map(([, letter]) => (letter === " " ? null : { side: "bB".includes(letter) ? 0 : 1, king: "BN".includes(letter), value: 0 }));
		return number === size ? readBoard(state) : undefined;
	}
	const text = line.trim();
	const side = text.includes("bianchi") ? 0 : 1;
	if (/^(\d+[A-J] ?){2,}$/.test(line)) state.said = text;
	else if (text.startsWith("Sei i ")) state.me = text === "Sei i Bianchi" ? 0 : 1;
	else if (text.startsWith("Turno ")) state.side = text === "Turno bianco!" ? 0 : 1;
	else if (text === "Attendi il tuo turno!") state.side = 1 - state.me;
	else if (text.startsWith("Es > ")) state.asked = true;
	else if (text === "Il tuo avversario propone la patta.") {
		state.offer = 1 - state.me;
		return { text: t("offers a draw"), seat: state.offer };
	} else if (text.endsWith("propongono la patta.")) {
		state.offer = side;
		return { text: t("offers a draw"), seat: side };
	} else {
		const why = ending(state, text, side);
		if (why && !state.over) [state.over, state.end] = [true, why]; // the first reason is the right one
		else if (!why && state.said && !state.asked && state.me === state.side && text && !text.startsWith("A  B") && !text.startsWith("Inserisci")) state.refusal.push(text);
	}
}

// ending returns why the match ended, if a line about a side says so.
function ending(state, text, side) {
	const own = player(state, side), other = player(state, 1 - side), n = Number(/\d+/.exec(text));
	if (text === "I giocatori si sono accordati.") return t("Both players agreed to a draw");
	if (text.endsWith("si arrendono.")) return t("{name} resigned", own);
	if (text.endsWith("vincono la partita!")) return state.board.some((p) => p?.side === 1 - side) ? t("{name} has no moves left", other) : t("{name} has no pieces left", other);
	if (text.endsWith("hanno abbandonato la partita.")) return t("{name} forfeited", own);
	if (text === "Game Over ;)") return t("{name} forfeited", player(state, state.side)); // spectators do not get the reason
	if (text.startsWith("La stessa posizione")) return t("The same position came for the third time");
	if (text.startsWith("Nessuna presa")) return t("Only kings moved for {n} move, and nothing was captured|Only kings moved for {n} moves, and nothing was captured", { n });
	if (text.startsWith("Nessuna vittoria")) return t("No win within {n} move of this ending|No win within {n} moves of this ending", { n });
	return text.startsWith("Tempo scaduto") && t("{name} was too late", player(state, state.me));
}

// readBoard finds the move that leads to the board just read, because spectators do not
// receive moves.
function readBoard(state) {
	const board = state.rows.flat().map((p, id) => p && { ...p, id });
	const said = state.said;
	state.said = "";
	state.refusal = [];
	if (!state.begun) {
		state.begun = true;
		state.usual = JSON.stringify(board) === JSON.stringify(state.board);
		state.board = board;
		state.first = pieces(state);
		return;
	}
	if (state.offer === 1 - state.side) state.offer = null; // declined by this move
	const text = (b) => b.map((p) => (p ? "bBnN"[2 * p.side + Number(p.king)] : ".")).join("");
	const found = () => legal(state.board, state.side, state.kind).filter((m) => text(after(state.board, m)) === text(board));
	let moves = found();
	if (!moves.length && !state.record.length) { // the first move of an opening can be Black's
		state.side = 1 - state.side;
		moves = found();
		if (!moves.length) state.side = 1 - state.side;
	}
	const move = moves.find((m) => pathText(state, m) === said) || moves[0];
	if (move) return play(state, move);
	state.board = board;
	state.last = null;
}

// Files of the Portable Draughts Notation. https://pdn.fmjd.org has the numbers of the squares
// and the types of games; those of Russian and Brazilian draughts have names of squares.
const gameTypes = { international: 20, english: 21, italian: 22, spanish: 24, russian: 25, brazilian: 26 };

function pdnSquare(state, s) {
	const { size } = state.kind, row = rowOf(state, s), column = columnOf(state, s);
	if (state.rules === "russian" || state.rules === "brazilian") return "abcdefgh"[column] + (1 + row);
	const fromLeft = Math.floor((state.rules === "italian" || state.rules === "spanish" ? size - 1 - column : column) / 2);
	const number = (size - 1 - row) * size / 2 + fromLeft + 1;
	return String(state.rules === "spanish" ? 33 - number : number);
}

const pdnMove = (state, m) => (state.damath ? "" : m.path.map((s) => pdnSquare(state, s)).join(m.taken.length ? "x" : "-"));

// pieces returns the pieces of both sides as in a FEN.
const pieces = (state) => [0, 1].map((side) => ":" + "WB"[side] + state.board.flatMap((p, s) => (p?.side === side ? (p.king ? "K" : "") + pdnSquare(state, s) : [])).join(",")).join("");

export function files(state, about) {
	if (state.damath || !state.begun) return [];
	const players = about.result && !about.result.aborted ? about.result.players : null;
	const result = !players ? "*" : players[0].rank === players[1].rank ? "1/2-1/2" : players[0].rank < players[1].rank ? "1-0" : "0-1";
	const black = state.record.length % 2 !== state.side; // begins
	const text = (s) => s.replace(/["\\]/g, "");
	const tags = [["Event", "Colosseum"], ["Site", about.address], ["Date", about.started.slice(0, 10).replaceAll("-", ".")], ["Round", "-"], ["White", state.names[0]], ["Black", state.names[1]], ["Result", result]];
	if (gameTypes[state.rules]) tags.push(["GameType", String(gameTypes[state.rules])]);
	// White has the first move here, but Black in English draughts elsewhere.
	if (black || !state.usual || state.rules === "english" || !gameTypes[state.rules]) tags.push(["SetUp", "1"], ["FEN", (black ? "B" : "W") + state.first]);
	const moves = (black ? ["...", ...state.record] : state.record).flatMap((move, i) => (i % 2 ? [move] : [`${i / 2 + 1}.`, move]));
	const lines = [""];
	for (const word of [...moves, result]) {
		if (lines.at(-1).length + word.length > 78) lines.push("");
		lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + word;
	}
	return [{ name: "PDN", text: `${tags.map(([key, value]) => `[${key} "${text(value)}"]`).join("\n")}\n\n${lines.join("\n")}\n` }];
}

const refusals = () => ({
	"Mossa non valida riprova!": t("name two squares or more"),
	"Non hai selezionato una tua pedina!": t("there is no piece of yours on the first square"),
	"Puoi muoverti solo in diagonale.": t("pieces move diagonally"),
	"Le righe sono troppo distanti o ti stai muovendo nel verso sbagliato.": t("too far, or backward"),
	"Le righe sono troppo distanti.": t("too far"),
	"La posizione scelta è gia occupata.": t("the square is not free"),
	"Non ti stai spostando in diagonale o ti sei mosso di troppe colonne.": t("not along a diagonal, or nothing to capture there"),
	"Presa obbligatoria!": t("another capture is forced"),
	"Hai già proposto la patta!": t("you have already offered a draw"),
});

// mine returns the moves that the user can send now.
function mine(state) {
	const asked = state.damath ? state.chips && state.me === state.mover && state.offer === null && state.late[state.me] === 0 && !state.said : state.asked && state.me === state.side;
	return asked && !state.over ? legal(state.board, state.side, state.kind) : [];
}

const way = (state, m) => squares(state, m).reduce((from, to) => t("{from} to {to}", { from, to }));

function label(state, m) {
	const move = way(state, m);
	if (!m.taken.length) return move;
	return state.damath ? `${move}: ${m.sum ?? sumText(state.board, m)}` : t("{move}, captures {n}|{move}, captures {n}", { move, n: m.taken.length });
}

const asksMe = (state) => state.offer !== null && state.me === 1 - state.offer && !state.over;

// note counts the pieces of a side.
function note(state, side) {
	const own = state.board.filter((p) => p?.side === side), n = own.length, kings = own.filter((p) => p.king).length;
	const all = state.damath ? t("{n} chip|{n} chips", { n }) : t("{n} piece|{n} pieces", { n });
	return kings ? `${all}, ${state.damath ? t("{n} dama|{n} damas", { n: kings }) : t("{n} king|{n} kings", { n: kings })}` : all;
}

// words returns what the user can send instead of a move, as choices.
function words(state) {
	const { damath } = state, asks = asksMe(state);
	if (damath && asks) return [{ line: "draw", label: t("Agree to end the match") }, { line: "no", label: t("Go on") }];
	if (!mine(state).length || (damath ? state.mover !== state.side : !state.kind.due)) return [];
	const resign = { line: "resign", label: t("Resign"), confirm: damath ? t("Resign? Then you lose, whatever the points are.") : t("Resign? Then you lose.") };
	if (asks) return [{ line: "draw", label: t("Agree to a draw") }, resign];
	if (state.offered) return [resign];
	return [damath ? { line: "draw", label: t("Offer to end the match"), confirm: t("Offer to end the match? If your opponent agrees, the points decide.") } : { line: "draw", label: t("Offer a draw") }, resign];
}

function caption(state, moves, unasked) {
	if (state.over) return state.end || t("The match is over");
	if (state.names.length < 2 || unasked) return "";
	if (asksMe(state)) return state.damath ? t("End the match now? Then the points decide") : t("A draw is offered: agree, or move");
	if (state.damath && state.offer !== null) return t("The end of the match is offered");
	if (moves.length > 0 && moves[0].taken.length > 0 && state.kind.due) return t("You must capture");
	if (moves.length > 0) return !state.damath ? t("Choose a piece to move") : state.mover === state.side ? t("Choose a chip to move") : t("Your opponent was late: move for it");
	if (!state.damath) return state.side ? t("Black to move") : t("White to move");
	if (state.mover === state.side) return t("{name} to move", player(state, state.side));
	return t("{name} was late, {other} moves for it", { name: state.names[state.side], other: state.names[state.mover] });
}

export function status(state) {
	const moves = mine(state);
	const unasked = state.player && !state.damath && state.me === state.side && !state.asked; // the referee has not accepted the last move yet
	return {
		players: [0, 1].map((i) => ({
			name: state.names[i], marker: state.damath ? null : i ? "black" : "white", note: note(state, i), score: state.damath ? decimal(parse(state.scores[i])) : null,
		})),
		seat: state.me,
		turn: state.over || state.names.length < 2 || unasked ? [] : state.damath && state.offer !== null ? 1 - state.offer : state.damath ? state.mover : state.side,
		caption: caption(state, moves, unasked),
		end: state.end,
		goal: state.damath ? t("The player with more points wins. A capture scores the value of the jumping chip, the sign of the landing square, the value of the captured chip; each dama doubles the score. Chips left at the end count, too. Captures are forced.")
			: t("Capture all pieces of the other side, or leave it without a move. A piece captures by jumping over another onto the free square behind it, {duty}. On the far row it becomes a king.", { duty: state.kind.due ? t("and must capture if it can") : t("but never has to capture") }),
		choices: [...moves.map((m) => ({ line: pathText(state, m), label: label(state, m) })), ...words(state)],
	};
}

const cell = 80; // side of a square
const reach = 82; // side of a choice: large enough for a finger on a phone

export function draw(state, page) {
	const { svg, html, ui } = page, { damath, last } = state;
	if (page.playing && state.me !== null && state.late[state.me] > 0) queueMicrotask(() => page.send("LATE"));
	const { size } = state.kind, edge = size > 8 ? 38 : 26, width = size * cell + 2 * edge;
	const flipped = (state.me === 1) !== page.flipped;
	const turned = (s) => (flipped ? size * size - 1 - s : s);
	const at = (s, up = 0) => `translate(${edge + cell * (turned(s) % size + 0.5)} ${edge + cell * (size - 0.5 - Math.floor(turned(s) / size)) - up})`;

	// The user chooses a piece and its landings, and path has these squares.
	const moves = page.premove ? plans(state) : page.playing ? mine(state) : [];
	const path = moves.length ? (ui.path ??= []) : [], n = path.length;
	const touched = Boolean(page.wishes.touchMove) && damath && !page.premove && n > 0; // a touched chip must move
	const fit = moves.filter((m) => path.every((s, i) => m.path[i] === s));
	const done = n > 1 && fit.find((m) => m.path.length === n);
	const onward = new Map(fit.filter((m) => n > 0 && m.path.length > n).map((m) => [m.path[n], m]));
	const begun = n > 1 && { path, taken: fit[0].taken.slice(0, n - 1) };
	const shown = begun ? { ...begun, points: pointsOf(state, begun) } : last;
	const board = begun ? after(state.board, { path, taken: [] }) : state.board;
	const choose = (...squares) => {
		ui.path = squares;
		page.redraw();
	};
	const go = (to) => {
		const left = fit.filter((m) => m.path[n] === to);
		if (left.length === 1 && left[0].path.length === n + 1) page.send(pathText(state, left[0]));
		else choose(...path, to);
	};

	const named = (s, x, y) => page.letters && svg("text", { class: "name", x, y, "font-size": 0.7 * edge + 3 }, name(state, s));
	const square = (column, row) => {
		const s = turned(size * (size - 1 - row) + column), used = isUsed(state, s);
		const sign = damath && used && svg("text", board[s] ? { class: "sign small", x: 11, y: 20, "font-size": 28 } : { class: "sign", x: 40, y: 58, "font-size": 52 }, signs[operations[s]]);
		const between = shown?.path.slice(1, -1).includes(s) && svg("g", { opacity: 0.5 }, page.played(cell));
		return {
			name: name(state, s), kind: used ? "dark" : "light", played: shown && (s === shown.path[0] || s === shown.path.at(-1)),
			draw: [between, sign, used && named(s, 3, 77)],
		};
	};

	const won = winner(page), mark = [state.moved[won], ...board.keys()].find((s) => board[s]?.side === won);
	const piece = (p, s) => {
		const from = begun && s === path.at(-1) ? path[0] : s, chosen = n > 0 && from === path[0], stop = chosen && done;
		const free = moves.some((m) => m.path[0] === from) && (chosen || n < 2 && !touched);
		const what = { piece: pieceName(state, p), square: name(state, from) };
		return svg("g", {
			id: `piece-${what.square}`, piece: p.id, transform: at(s), "aria-pressed": (stop || free) && String(chosen),
			goes: free && moves.filter((m) => m.path[0] === from).map((m) => squares(state, m).slice(1)),
			onclick: stop ? () => page.send(pathText(state, done)) : free && !touched && (() => (chosen ? choose() : choose(s))),
			onhold: (stop || chosen && (touched || n > 1)) && (() => {}), // a drag goes on with the capture
			label: stop ? t("Stop here") : free && (chosen ? t("{piece} on {square}, chosen", what) : t("{piece} on {square}", what)),
		},
		(stop || free) && svg("rect", { x: -reach / 2, y: -reach / 2, width: reach, height: reach, fill: "transparent" }),
		svg("g", { transform: `translate(0 ${p.king ? 1.5 : -2.5})` }, page.disc(material(state, p.side), { r: 30, high: p.king },
			damath && number(svg, p), stop ? svg("text", { class: `check ${material(state, p.side)}`, y: 12, "font-size": 34 }, "✓") : p.king && svg("g", { transform: damath && "translate(0 -19)" }, page.crown(damath ? 20 : 31)))),
		named(s, -37, 37),
		free && (chosen || !page.premove) && page.ring({ r: p.king ? 38.5 : 36, chosen }),
		s === mark ? page.note("won") : !begun && last?.crowned && s === last.path.at(-1) && page.note("promoted"));
	};

	const target = ([to, m]) => svg("g", { id: `to-${name(state, to)}`, transform: at(to), onclick: () => go(to), label: label(state, { ...m, path: m.path.slice(0, n + 1), taken: m.taken.slice(0, n) }) }, page.target({ size: reach }));

	// The points are above the square of a landing: there is never a chip.
	const points = (text, s, fresh) => text && svg("g", { class: `points ${fresh ? "enter" : ""}`, transform: at(s, 52) },
		svg("rect", { x: -6.5 * text.length - 7, y: -13, width: 13 * text.length + 14, height: 26, rx: 13 }), svg("text", { y: 8, "font-size": 22 }, text));

	const kind = `dama ${damath ? "damath" : ""}`, lines = [...Array(size).keys()].map((i) => name(state, turned(i * (size + 1))));
	return {
		board: html("div", { class: kind }, html("style", null, style),
			svg("svg", { viewBox: `0 0 ${width} ${width}`, id: "dama", role: moves.length ? "group" : "img", tabindex: state.player && "0", label: describe(state) },
				page.board({ columns: size, edge, square, below: lines.map((text) => text.replace(/\d/g, "")), left: lines.map((text) => text.replace(/\D/g, "")).reverse() }),
				board.map((p, s) => p && piece(p, s)),
				[...onward].map(target),
				svg("g", { "aria-hidden": "true", "pointer-events": "none" },
					shown?.taken.map((s) => svg("g", { transform: at(s) }, page.note("captured"))),
					n !== 1 && shown?.points.map((text, i) => points(text, shown.path[i + 1], page.fresh && !begun)),
					[...onward].map(([to, m]) => points(pointsOf(state, m)[n - 1], to))))),
		side: html("div", { class: kind },
			html("div", { class: "captured" }, (flipped ? [0, 1] : [1, 0]).map((side) => captured(state, page, side))),
			aside(state, page, touched, n > 1 && !touched && (() => choose()))),
	};
}

const material = (state, side) => (state.damath ? ["first", "second"] : ["white", "black"])[side];

function pieceName(state, p) {
	if (!state.damath) return p.king ? t("king") : t("man");
	const value = pointsText(tenths(p.value));
	return p.king ? t("dama {value}", { value }) : t("chip {value}", { value });
}

// winner returns the side that has won, or -1.
function winner({ ended, result }) {
	const [first, second] = ended && result && !result.aborted ? result.players : [];
	return !first || first.rank === second.rank ? -1 : Number(first.rank > second.rank);
}

// number draws the value of a chip, with a bar if it is a fraction.
function number(svg, p) {
	const [a, b] = tenths(p.value), shift = a < 0 ? 6 : 0;
	const text = (t, x, y, size) => svg("text", { x, y, "font-size": size }, minus(t));
	return svg("g", { class: `value ${p.side ? "second" : "first"}`, transform: p.king && "translate(0 6) scale(.86)" }, // below the crown
		b > 1 ? [text(Math.abs(a), shift, -3, 24), a < 0 && text("−", -18, 8, 24), svg("rect", { x: shift - 14, y: -1, width: 28, height: 2.5 }), text(b, shift, 21, 24)]
			: a > -10 ? text(a, a < 0 ? -3 : 0, 11, 32) : text(a, -2, 9, 26));
}

// captured draws the pieces that a side has captured in a row, in which there is room for all.
function captured(state, { svg, disc, crown }, side) {
	const list = state.captured[side], { size } = state.kind, all = size * (size - 2) / 4;
	return svg("svg", { viewBox: "0 0 232 38", role: "img", label: t("Pieces that {name} has captured: {n}", { name: state.names[side] ?? "", n: list.length }) },
		list.map((p, i) => svg("g", { transform: `translate(${17 + i * 198 / (all - 1)} 18)` }, disc(material(state, 1 - side), { r: 15, high: p.king }, p.king && crown(15)))));
}

// aside draws the refusals, the last sum, the totals and the buttons.
function aside(state, page, touched, cancel) {
	const { html, wishes } = page, { last, refusal } = state;
	const where = / (\S+) -> (\S+) /.exec(refusal[0]);
	const why = refusal.map((line) => refusals()[line]).filter(Boolean).join("; ");
	const touch = () => {
		wishes.touchMove = !wishes.touchMove;
		page.redraw();
	};
	return [
		why && html("p", { class: "refusal", role: "alert" }, html("b", null, where ? t("Refused, {from} to {to}: {why}.", { from: where[1], to: where[2], why }) : t("Refused: {why}.", { why }), " "), html("i", { lang: "it" }, refusal.join(" "))),
		state.damath && html("p", { class: "sum" }, !last ? "\u00a0" : last.sum ? [t("{name} captured:", player(state, last.side)), " ", html("b", null, last.sum)] : t("{name} moved {move}", { ...player(state, last.side), move: way(state, last) })),
		state.damath && !state.over && html("p", { class: "left" }, t("With the chips left on the board: {first} to {second}", { first: pointsText(total(state, 0)), second: pointsText(total(state, 1)) })),
		html("div", { class: "buttons" },
			page.playing && !touched && words(state).map(({ line, label }) => html("button", { id: line, onclick: () => page.send(line) }, label)),
			cancel && html("button", { id: "cancel", onclick: cancel }, t("Begin again")),
			state.damath && state.player && !state.over && html("label", null, html("input", { id: "touch", type: "checkbox", checked: Boolean(wishes.touchMove), disabled: touched, onclick: touch }), t("Touch-move: a touched chip must move"))),
	];
}

// total returns the points of a side of damath if the match ends here.
function total(state, side) {
	return state.board.reduce((sum, p) => (p?.side === side ? add(sum, tenths(p.value * (p.king ? state.left : 1))) : sum), parse(state.scores[side]));
}

function describe(state) {
	if (state.names.length < 2) return t("The match has not begun");
	const place = (p, s) => (state.damath ? t("{piece} on {square}", { piece: pieceName(state, p), square: name(state, s) }) : p.king ? t("king {square}", { square: name(state, s) }) : name(state, s));
	const where = (side) => `${colours(state)[side]}: ${state.board.flatMap((p, s) => (p?.side === side ? place(p, s) : [])).join(", ") || t("nothing")}.`;
	return [`${status(state).caption}.`, ...state.last ? [t("Last move: {move}.", { move: label(state, state.last) })] : [], where(0), where(1)].join(" ");
}

const style = `
.damath .groove { scale: 1.17; } /* around the number */
.damath :is(.target, .goes) .dot { r: 34px; fill: none; stroke: var(--choice); stroke-width: 5; } /* around the sign */
.sign { fill: var(--light); stroke: var(--rim-line); stroke-width: 1.5; }
.sign.small { fill: var(--black-side); stroke: none; }
.name { fill: var(--black-side); font-weight: 700; paint-order: stroke; stroke: var(--dark); stroke-width: 6; stroke-linejoin: round; }
.value, .check { fill: var(--body-ink); }
.points rect { fill: var(--paper); stroke: var(--line); stroke-width: 1.5; }
.points text { fill: var(--ink); }
:is(.value, .points) text, .sign, .check { text-anchor: middle; font-weight: 700; }
.dama p { margin: .4rem 0 0; text-align: center; }
.dama .sum { min-height: 2.8em; }
.dama .refusal { color: var(--bad); }
.dama .left, .dama .refusal i { color: var(--soft); font-size: .9rem; }
.captured, .dama .buttons { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: center; align-items: center; margin-top: .5rem; }
.captured { gap: .3rem .6rem; margin: 0; }
.captured svg { flex: 1 1 10rem; max-width: 15rem; }
.captured :is(.face, .side) { stroke: var(--soft); } /* black pieces on a dark page */
.dama .buttons label { display: flex; gap: .4rem; align-items: center; font-size: .9rem; min-height: 44px; }
`;
