// Names of players for people. In streams and in the API the bots of a match have the
// names ServerBot$0, ServerBot$1 and so on, which programs know.
import { t, known, language } from "./i18n.js";

const form = /^ServerBot\$(\d+)$/;

const levels = {
	newcomer: (i) => (i ? t("Newcomer bot {i}", { i }) : t("Newcomer bot")),
	beginner: (i) => (i ? t("Beginner bot {i}", { i }) : t("Beginner bot")),
	easy: (i) => (i ? t("Easy bot {i}", { i }) : t("Easy bot")),
	medium: (i) => (i ? t("Medium bot {i}", { i }) : t("Medium bot")),
	strong: (i) => (i ? t("Strong bot {i}", { i }) : t("Strong bot")),
	random: (i) => (i ? t("Random bot {i}", { i }) : t("Random bot")),
};
const unknown = (i) => (i ? t("Bot {i}", { i }) : t("Bot"));

// isBot reports whether a name is that of a match's bot. No player can have one.
export const isBot = (name) => form.test(name);

// botName returns the name of a player for people: "Strong bot", or "Strong bot 2" for
// the second of several. A name that is not a bot's is returned as it is. settings are
// the match's parameters, in which bot is the level; they can be missing. bots is the
// number of bots in the match; missing: one. own are the levels of levelsOf.
export function botName(name, settings, bots = 1, own = []) {
	const found = form.exec(name);
	if (!found) return name;
	const level = own[found[1]] || settings?.bot;
	return (Object.hasOwn(levels, level) ? levels[level] : unknown)(bots > 1 ? Number(found[1]) + 1 : 0);
}

// people replaces the names of bots in a text, such as that of a viewer. called returns the name
// of a bot for people.
export const people = (text, called) => String(text || "").replace(/ServerBot\$\d+/g, called);

// entryName returns the name of an entry in contests and ratings for people. There the bots of a
// game have names like bot:strong, which programs know; no player can have one.
export function entryName(name) {
	const level = /^bot:(\w+)$/.exec(name)?.[1];
	return level === "default" || Object.hasOwn(levels, level) ? botName("ServerBot$0", { bot: level }) : name;
}

// matchName returns the name of a match for people. One of a contest has the name of the
// contest, for which they know its title. titles are those of contests, by name.
export function matchName(m, titles) {
	const title = m.contest && titles.get(m.contest);
	return title && (m.name === m.contest || m.name.startsWith(`${m.contest} `)) ? title + m.name.slice(m.contest.length) : m.name;
}

// levelsOf returns the levels that bots of a match have of their own, by the number of the
// bot. info is the match in the lobby, or its record.
export function levelsOf(info) {
	const own = [...(info.levels || [])];
	for (const s of info.seats || []) if (s.level && isBot(s.name)) own[form.exec(s.name)[1]] = s.level;
	return own;
}

// settings returns the parameters of a match that has no record yet. args are those that its
// creator chose.
export function settings(game, args) {
	return { ...Object.fromEntries((game?.params || []).map((p) => [p.name, p.default])), ...game?.fixed, ...args };
}

// list joins texts: "ann", "ann and bob", "ann, bob and eve".
export const list = (texts) => lists.format(texts);
const lists = new Intl.ListFormat(language === "en" ? "en-GB" : language); // American English has another comma

// outcome names how a match ended for a player.
export const outcome = (o) => ({
	"forfeit: illegal": t("illegal move"), "forfeit: timeout": t("out of time"), "forfeit: disconnected": t("left"), "forfeit: resigned": t("resigned"), aborted: t("aborted"),
})[o] || o;

// title formats the name of a parameter or a value for people: draw_after becomes Draw
// after.
export const title = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

// valueText formats the value of a parameter for people: a word as title does. Any other
// text, such as a position, stays as it is, but for its length.
export const valueText = (v) => (/^[a-z][a-z0-9_-]*$/.test(v) ? known(title(v)) : v.length > 80 ? `${v.slice(0, 79)}…` : v);

// chosen returns the parameters that the creator of a match or a contest chose. The level of
// a bot is in its name.
export const chosen = (args) => Object.entries(args || {}).filter(([k]) => k !== "bot").map(([k, v]) => ` · ${known(title(k)).toLowerCase()} ${valueText(v) === v ? v : valueText(v).toLowerCase()}`);
