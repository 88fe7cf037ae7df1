// The brackets of a contest with elimination: which columns they have.
import { t } from "./i18n.js";
import { label } from "./standings.js";

export const brackets = (view) => view.format === "knockout" || view.format === "double-elimination";

export const bracketName = (name) => ({ "": t("Winners"), losers: t("Losers"), final: t("Final") })[name] ?? label(name);

// columnsOf returns the brackets of a contest, as far as its matches are known:
//
//	[{name, columns: [{round, title, slots: [legs or null…], paired, straight}], third}]
//
// A column has a slot for each pairing; null: nobody is there, or the round is not paired yet.
// Two slots go to one of the next column, or one if straight. third are the legs of the match
// for the third place.
export function columnsOf(view, matches) {
	const at = new Map(); // legs by bracket, round and slot
	for (const m of matches) {
		const key = `${m.bracket || ""} ${m.round} ${m.slot}`;
		if (!at.has(key)) at.set(key, []);
		at.get(key).push(m);
	}
	const opening = matches.filter((m) => !m.bracket);
	if (opening.length === 0) return [];
	const first = Math.min(...opening.map((m) => m.round));
	const size = Math.max(...opening.filter((m) => m.round === first).map((m) => m.slot));
	const depth = 1 + Math.ceil(Math.log2(size));
	const column = (bracket, round, n, title, straight = false) => {
		const slots = Array.from({ length: n }, (_, i) => at.get(`${bracket} ${round} ${i + 1}`) || null);
		return { round, title, slots, straight, paired: slots.some(Boolean) };
	};
	const knockout = view.format === "knockout";
	const named = { 0: t("Final"), 1: t("Semi-finals"), 2: t("Quarter-finals") };
	const columns = Array.from({ length: depth }, (_, i) => column("", first + i, 2 ** (depth - 1 - i), knockout && named[depth - 1 - i] || t("Round {round}", { round: first + i })));
	const list = [{ name: "", columns, third: knockout && depth > 1 ? at.get(` ${first + depth - 1} 2`) : undefined }];
	if (knockout) return list;
	const later = 2 * (depth - 1); // rounds of the losers
	if (later > 0) {
		list.push({ name: "losers", columns: Array.from({ length: later }, (_, i) => column("losers", first + 1 + i, 2 ** (depth - 2 - Math.floor(i / 2)), t("Round {round}", { round: first + 1 + i }), i % 2 === 0)) });
	}
	const finals = [first + 2 * depth - 1, first + 2 * depth].map((round) => column("final", round, 1, t("Round {round}", { round }), true));
	list.push({ name: "final", columns: finals.filter((c, i) => i === 0 || c.paired) });
	return list;
}
