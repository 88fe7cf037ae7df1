// The bots that a person has written for a game. Each has an entry of its own in the browser's
// storage, so that two windows do not overwrite each other's bots.
import { t } from "./i18n.js";

export const longest = 65536; // characters of a bot
const most = 50; // bots
const nameLength = 40;

// endings are those of the files of each language.
export const endings = { javascript: "js", python: "py" };

// fileName returns the name of the file in which a bot is saved.
export const fileName = ({ name, language }) => `${name.normalize("NFKD").replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase() || "player"}.${endings[language]}`;

// SavedBots has a list of {id, name, language, text}, and the current one of them. There is
// always at least one.
export class SavedBots {
	// examples has the text of a new bot by language.
	constructor(game, examples) {
		Object.assign(this, { prefix: `bot ${game} `, chosen: `bot-chosen ${game}`, examples, list: [] });
		this.read();
		const old = get(`bot ${game}`); // when there was only one
		if (old !== null && old !== examples.javascript && this.list.length < most) {
			if (this.keep(this.make(t("My bot"), "javascript", old))) drop(`bot ${game}`);
		}
		const id = get(this.chosen);
		this.current = this.list.find((b) => b.id === id) ?? this.list[0] ?? this.make(this.free(t("Bot")), "javascript", examples.javascript);
	}

	// read reads the list again, for example after another window has changed it.
	read() {
		const known = new Map(this.list.map((b) => [b.id, b]));
		this.list = [];
		for (const key of keys().filter((k) => k.startsWith(this.prefix)).sort()) {
			const id = key.slice(this.prefix.length);
			try {
				const { name, language, text } = JSON.parse(get(key));
				if (typeof name === "string" && language in endings && typeof text === "string") this.list.push(Object.assign(known.get(id) ?? {}, { id, name: name.slice(0, nameLength), language, text }));
			} catch {
				// not an entry of this page
			}
		}
		if (this.current && !this.list.includes(this.current)) this.list.push(this.current);
	}

	get full() {
		return this.list.length >= most;
	}

	// make adds a bot to the list. It is not kept yet.
	make(name, language, text) {
		const bot = { id: Date.now().toString(36) + Math.random().toString(36).slice(2, 6), name: name.slice(0, nameLength), language, text };
		this.list.push(bot);
		return bot;
	}

	choose(bot) {
		this.current = bot;
		put(this.chosen, bot.id);
	}

	// keep writes a bot into the storage, and reports whether that worked.
	keep({ id, name, language, text }) {
		return put(this.prefix + id, JSON.stringify({ name, language, text }));
	}

	// remove removes the current bot and returns it; restore brings it back.
	remove() {
		const bot = this.current;
		this.list = this.list.filter((b) => b !== bot);
		drop(this.prefix + bot.id);
		this.choose(this.list[0] ?? this.make(this.free(t("Bot")), bot.language, this.examples[bot.language]));
		return bot;
	}

	restore(bot) {
		this.list.push(bot);
		this.choose(bot);
		return this.keep(bot);
	}

	// free returns a name that no bot has: the given one, or with a number.
	free(name) {
		const taken = new Set(this.list.map((b) => b.name));
		let other = name;
		for (let i = 2; taken.has(other); i++) other = `${name.slice(0, nameLength - 4)} ${i}`;
		return other;
	}
}

// The browser can forbid the storage, or it is full.
function attempt(f, otherwise) {
	try {
		return f();
	} catch {
		return otherwise;
	}
}
const get = (key) => attempt(() => localStorage.getItem(key), null);
const put = (key, value) => attempt(() => (localStorage.setItem(key, value), true), false);
const drop = (key) => attempt(() => localStorage.removeItem(key));
const keys = () => attempt(() => Object.keys(localStorage), []);
