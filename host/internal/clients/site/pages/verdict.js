// The verdict: the sentence about the result of a match.
import { h, fill, number, onlyWinner, sides, winners } from "./dom.js";
import { t } from "./i18n.js";
import { list, people as named } from "./names.js";

const kept = 200; // matches in which the browser knows the person's name
const longest = 60; // characters of a line in a reason

// verdict describes a result as {head, reason, text, tone}: the winner, the reason or "", both
// as one sentence, and won, lost, draw, aborted, or "" for a result of others. me is the name
// of the person in the match, or null. end is the reason of the viewer, and called returns the
// name of a bot for people. The reason is, in this order: how players forfeited, that of the
// viewer, which knows the language, or that of the game. Without one, the points decide.
export function verdict(r, { me = null, end = "", called = (name) => name } = {}) {
	const people = (text) => named(text, called).replace(/\.$/, "");
	if (r.aborted) return said(t("The match was aborted and does not count"), (/^a move was taken back: /.test(r.reason) ? t("a move was taken back, and the match goes on in another one") : people(r.reason)) || t("no reason was given"), "aborted");
	const all = r.players.map((p) => ({ ...p, shown: people(p.name), mine: me !== null && p.name === me }));
	const forfeits = all.filter((p) => p.ended?.startsWith("forfeit"));
	const reason = forfeits.length ? list(forfeits.map(forfeit)) : people(end) || people(r.reason);
	const points = forfeits.length === 0 && !onlyWinner(r.players);
	const first = all.filter((p) => p.rank === 1);
	const mine = all.find((p) => p.mine);
	const won = winners(all).length > 0;
	const tone = !mine ? "" : won ? (mine.rank === 1 ? "won" : "lost") : mine.rank !== 1 ? "lost" : first.length === all.length ? "draw" : "won";
	const teams = sides(all);
	if (!won && all.length > 2 && teams.length === 2 && first.length === all.length) return said(points ? t("Draw, {a} to {b}", scores(teams.map(together))) : t("Draw"), reason, tone);
	return said(won && first.length > 1 ? team(all, first, mine) : winner(all, first, mine, points), reason, tone);
}

// team names the team that has won, or the points of the only one.
function team(all, first, mine) {
	const names = list(first.map((p) => p.shown));
	if (first.length === all.length) return t("{names} finished with {points}", { names, points: pointsOf(together(first)) });
	if (mine?.rank === 1) return t("You won with {names}", { names: list(first.filter((p) => p !== mine).map((p) => p.shown)) });
	return mine ? t("You lost: {names} won", { names }) : t("{names} win", { names });
}

// winner names the winner, and the points if they decide.
function winner(all, [best, ...others], mine, points) {
	if (all.length === 1) return points ? t("{name} finished with {points}", { name: mine ? t("You") : best.shown, points: pointsOf(best) }) : t("{name} finished", { name: mine ? t("You") : best.shown });
	if (others.length > 0 && all.length === 2) return points ? t("Draw, {a} to {b}", scores(all)) : t("Draw");
	if (others.length > 0) {
		const names = list([best, ...others].filter((p) => !p.mine).map((p) => p.shown));
		if (mine?.rank === 1) return points ? t("You share first place with {names}: {points} each", { names, points: pointsOf(best) }) : t("You share first place with {names}", { names });
		return points ? t("{names} share first place with {points}", { names, points: pointsOf(best) }) : t("{names} share first place", { names });
	}
	const rest = all.filter((p) => p !== best);
	const values = { name: best.shown, points: pointsOf(best), ...(mine && mine !== best ? scores([mine, best]) : scores([best, rest[0]])) };
	const two = all.length === 2;
	if (mine === best) return !points ? t("You won") : two ? t("You won, {a} to {b}", values) : t("You won with {points}", values);
	if (mine) return !points ? t("You lost") : two ? t("You lost, {a} to {b}", values) : t("You lost with {mine}: {name} won with {points}", { ...values, mine: pointsOf(mine) });
	return !points ? t("{name} wins", values) : two ? t("{name} wins, {a} to {b}", values) : t("{name} wins with {points}", values);
}

const together = (side) => ({ score: side.reduce((sum, p) => sum + p.score, 0) });
const said = (head, reason, tone) => ({ head, reason, tone, text: reason ? `${head}: ${reason}.` : `${head}.` });
const scores = ([a, b]) => ({ a: number(a.score), b: number(b.score) });
const pointsOf = (p) => t("{points} point|{points} points", { n: p.score, points: number(p.score) });

// forfeit says how a player lost by its own doing, in words for people.
function forfeit({ shown: name, mine, ended, fault, away }) {
	const line = fault?.line && (fault.line.length > longest ? `${fault.line.slice(0, longest)}…` : fault.line);
	switch (ended) {
	case "forfeit: timeout":
		return mine ? t("you ran out of time") : t("{name} ran out of time", { name });
	case "forfeit: disconnected":
		if (away) return mine ? t("you lost the connection and did not come back in time") : t("{name} lost the connection and did not come back in time", { name });
		return mine ? t("you left the match") : t("{name} left the match", { name });
	case "forfeit: resigned":
		return mine ? t("you resigned") : t("{name} resigned", { name });
	case "forfeit: illegal":
		if (line) return mine ? t("you sent “{line}”, which is not allowed", { line }) : t("{name}'s program sent “{line}”, which is not allowed", { name, line });
		return mine ? t("you broke the rules") : t("{name} broke the rules", { name });
	}
	return mine ? t("you forfeited the match") : t("{name} forfeited the match", { name });
}

// showVerdict shows the sentence in an element.
export function showVerdict(element, { head, reason, text, tone }) {
	element.hidden = false;
	element.className = `verdict ${tone}`;
	if (element.textContent !== text) fill(element, h("strong", null, head), reason ? `: ${reason}.` : ".");
}

// remember notes under which name the person plays a match, so that its replay can say "you".
export function remember(id, name) {
	try {
		localStorage.setItem("played", JSON.stringify([...played().filter(([other]) => other !== id), [id, name]].slice(-kept)));
	} catch {
		// the browser can forbid it
	}
}

function played() {
	try {
		const list = JSON.parse(localStorage.getItem("played"));
		return Array.isArray(list) ? list.filter(Array.isArray) : [];
	} catch {
		return [];
	}
}

// playedAs returns the person's name in an ended match, or null: the one noted here, or that
// of the seat of the registered player that is logged in.
export function playedAs(id, seats, account) {
	const name = played().find(([other]) => other === id)?.[1];
	const found = seats.find((s) => !s.bot && s.name === name) || account && seats.find((s) => s.player === account);
	return found ? found.name : null;
}
