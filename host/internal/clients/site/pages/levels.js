// Levels of the bots of a game, and buttons to play against them.
import { h, svg } from "./dom.js";
import { t } from "./i18n.js";
import { playBot, playFriend, watchBots } from "./form.js";

// levelNames are the names of the levels for people, from the weakest to the strongest.
export const levelNames = { newcomer: t("Newcomer"), beginner: t("Beginner"), easy: t("Easy"), medium: t("Medium"), strong: t("Strong") };

// levels returns the levels of a game's bot that people can choose by a button, in
// that order.
export function levels(game) {
	const choices = game.params.find((p) => p.name === "bot")?.choices || [];
	return Object.keys(levelNames).filter((level) => choices.includes(level));
}

// playButtons returns buttons that begin a match against the bot, and a place for errors;
// null if the game has no bot. settings returns more parameters of the match.
export function playButtons(game, settings = () => ({})) {
	if (!game.max_bots) return null;
	const fault = h("p", { class: "fault", role: "alert" });
	const button = (text, level, main) => h("button", {
		type: "button", class: main ? "main" : "", disabled: Boolean(game.unavailable), "data-level": level || "", "data-key": `play ${game.name} ${level || ""}`, onclick: () => playBot(game, fault, level, settings()),
	}, text);
	const choices = levels(game).length > 1 ? levels(game) : [];
	return h("div", { class: "play", role: "group", "aria-label": game.title || game.name },
		choices.length ? [h("span", { class: "hint" }, t("Play against the bot:")), h("div", { class: "buttons" }, choices.map((level, i) => button(levelNames[level], level, i === 0)))]
			: h("div", { class: "buttons" }, button(t("Play against the bot"), null, true)),
		fault);
}

// otherButtons returns buttons that begin a match in which another person plays, or the
// person alone if nobody else can, or bots alone. time returns the time for a match of people.
export function otherButtons(game, time = () => ({})) {
	if (!game.max_players) return null;
	const fault = h("p", { class: "fault", role: "alert" });
	const button = (id, text, begin) => h("button", { type: "button", id, disabled: Boolean(game.unavailable), onclick: () => begin(game, fault, time()) }, text);
	return h("div", { class: "play" },
		h("div", { class: "buttons" }, button("friend", game.max_players === 1 ? t("Play") : t("Play with a friend"), playFriend), game.max_bots >= Math.max(game.min_players, 2) && button("watch-bots", t("Watch bots play"), watchBots)), fault);
}

// picture returns the picture of a game, or its first letter if it has none.
export function picture(game) {
	const title = game.title || game.name;
	if (game.picture) return h("img", { src: game.picture, width: "640", height: "336", alt: t("A position of {game}", { game: title }), loading: "lazy", decoding: "async" });
	return svg("svg", { viewBox: "0 0 640 336", class: "letter", role: "img", "aria-label": title },
		svg("text", { x: 320, y: 168, "text-anchor": "middle", "dominant-baseline": "central" }, [...title][0].toUpperCase()));
}

// players says how many players a match has.
export function players(game) {
	if (game.min_players === game.max_players) return t("{n} player|{n} players", { n: game.min_players });
	return t("{min} to {max} players", { min: game.min_players, max: game.max_players });
}
