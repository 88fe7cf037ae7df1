// What a viewer sends is untrusted: these functions copy what the page can show of it.

export const text = (v, max) => (typeof v === "string" || typeof v === "number" ? String(v).slice(0, max) : "");
const index = (v) => (Number.isInteger(v) && v >= 0 && v < 100 ? v : null);
export const list = (v) => (Array.isArray(v) ? v : []);

const names = (v) => list(v).slice(0, 64).map((s) => text(s, 20));
const squares = (v) => (Array.isArray(v[0]) ? v.slice(0, 64).map(names) : names(v)); // for one piece, or for each of several
const sounds = new Set(["move", "capture", "check", "promote", "roll"]);

// paths copies the squares of one piece, or of several.
export const paths = (v) => list(v).slice(0, 64).map(names);

// cleanMove copies the fields of a move in a match with some lines.
export const cleanMove = (m, lines) => ({
	at: Math.min(lines, Math.max(0, Number(m?.at) | 0)), text: text(m?.text, 80), seat: index(m?.seat),
	path: m?.path ? squares(m.path) : null, sound: sounds.has(m?.sound) ? m.sound : "move",
});

// clean copies the fields of a status that the page can show.
export function clean(s) {
	if (!s || typeof s !== "object") return null;
	return {
		caption: text(s.caption, 120),
		goal: text(s.goal, 400),
		end: text(s.end, 160),
		seat: index(s.seat),
		turn: [s.turn].flat().map(index).filter((v) => v !== null),
		players: list(s.players).slice(0, 100).map((p) => ({ name: text(p?.name, 64), marker: ["white", "black"].includes(p?.marker) ? p.marker : null, note: text(p?.note, 40), unit: text(p?.unit, 20), score: typeof p?.score === "number" ? p.score : p?.score == null ? null : text(p.score, 20) })),
		choices: list(s.choices).slice(0, 300).map((c) => ({ line: text(c?.line, 4096), label: text(c?.label ?? c?.line, 80), confirm: text(c?.confirm, 200) })).filter((c) => c.line),
	};
}
