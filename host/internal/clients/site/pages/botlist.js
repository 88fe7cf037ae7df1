// The list of a person's bots above the editor: choose, new, rename, copy, delete, files.
import { h, $, fill } from "./dom.js";
import { t } from "./i18n.js";
import { endings, fileName, longest } from "./savedbots.js";

const languages = { javascript: "JavaScript", python: "Python" };

// BotList shows saved bots. It calls show(bot) when another one is to be edited.
export class BotList {
	constructor(saved, show) {
		Object.assign(this, { saved, show });
		$("bots").addEventListener("change", ({ target }) => this.open(saved.list.find((b) => b.id === target.value)));
		$("new").addEventListener("click", () => this.create());
		$("rename").addEventListener("click", () => this.rename());
		$("copy").addEventListener("click", () => this.add(saved.free(saved.current.name), saved.current.language, saved.current.text));
		$("delete").addEventListener("click", () => this.remove());
		$("reset").addEventListener("click", () => this.reset());
		$("save").addEventListener("click", () => download(saved.current));
		$("file").addEventListener("change", ({ target }) => this.take(target));
		addEventListener("storage", () => {
			const { text, language } = saved.current;
			saved.read();
			if (text === saved.current.text && language === saved.current.language) this.draw();
			else this.open(saved.current);
		});
		this.open(saved.current);
	}

	// changed keeps a text that the person has changed.
	changed(text) {
		this.saved.current.text = text;
		if (text.length > longest) this.say(t("This bot is too long: at most {n} characters.", { n: longest }));
		else if (!this.saved.keep(this.saved.current)) this.say(t("The browser does not keep your bots. Save this one as a file."));
		else if (this.warned) this.say();
	}

	open(bot) {
		this.saved.choose(bot);
		this.draw();
		this.show(bot);
	}

	draw() {
		const { saved } = this;
		fill($("bots"), saved.list.map((b) => h("option", { value: b.id, selected: b === saved.current }, `${b.name} (${languages[b.language]})`)));
		$("bots").value = saved.current.id;
		for (const id of ["new", "copy", "file"]) $(id).disabled = saved.full;
	}

	// say shows a sentence below the list, which can have a button.
	say(...parts) {
		this.warned = parts.length > 0;
		fill($("kept"), parts);
	}

	add(name, language, text) {
		const bot = this.saved.make(name, language, text);
		this.saved.keep(bot);
		this.say();
		this.open(bot);
	}

	async create() {
		const language = h("select", { name: "language" }, Object.entries(languages).map(([value, text]) => h("option", { value, selected: value === this.saved.current.language }, text)));
		const name = await ask(t("New bot"), this.saved.free(t("Bot")), t("Create"), h("label", null, t("Language"), " ", language));
		if (name) this.add(this.saved.free(name), language.value, this.saved.examples[language.value]);
	}

	async rename() {
		const bot = this.saved.current;
		const name = await ask(t("Rename the bot"), bot.name, t("Rename"));
		if (!name || name === bot.name) return;
		bot.name = "";
		bot.name = this.saved.free(name);
		this.saved.keep(bot);
		this.draw();
		this.show(bot);
	}

	remove() {
		const bot = this.saved.remove();
		this.open(this.saved.current);
		this.say(t("{name} is deleted.", { name: bot.name }), " ", h("button", { type: "button", class: "quiet", onclick: () => {
			this.saved.restore(bot);
			this.say();
			this.open(bot);
			$("delete").focus();
		} }, t("Undo")));
	}

	// reset replaces the text by the example; it can be undone.
	reset() {
		const { saved } = this;
		const { current: bot } = saved;
		const before = bot.text;
		const set = (text) => {
			bot.text = text;
			saved.keep(bot);
			this.say();
			this.open(bot);
		};
		if (before === saved.examples[bot.language]) return;
		set(saved.examples[bot.language]);
		this.say(t("{name} is the example again.", { name: bot.name }), " ", h("button", { type: "button", class: "quiet", onclick: () => set(before) }, t("Undo")));
	}

	// take makes a bot of a file.
	async take(input) {
		const [file] = input.files;
		const [, name, ending] = /^(.*?)\.(\w+)$/.exec(file.name) ?? [null, file.name, ""];
		const language = Object.keys(endings).find((l) => endings[l] === ending.toLowerCase());
		if (!language) this.say(t("{file} is neither a .js nor a .py file.", { file: file.name }));
		else if (file.size > longest) this.say(t("This bot is too long: at most {n} characters.", { n: longest }));
		else this.add(this.saved.free(name || t("Bot")), language, (await file.text()).replaceAll("\r\n", "\n"));
		input.value = ""; // the same file can be chosen again
	}
}

function download(bot) {
	const url = URL.createObjectURL(new Blob([bot.text], { type: "text/plain" }));
	h("a", { href: url, download: fileName(bot) }).click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// ask asks for a name, and returns a promise of it; null if the person has closed the dialog.
function ask(title, value, yes, more) {
	return new Promise((resolve) => {
		let answer = null;
		const input = h("input", { value, maxlength: 40, required: true, autofocus: true });
		const dialog = h("dialog", { class: "ask", "aria-labelledby": "ask-title", onclose: () => {
			dialog.remove();
			resolve(answer);
		} },
			h("form", { method: "dialog", onsubmit: () => (answer = input.value.trim()) },
				h("h2", { id: "ask-title" }, title), h("label", null, t("Name"), " ", input), more,
				h("div", { class: "buttons" }, h("button", { class: "main", type: "submit" }, yes), h("button", { type: "button", onclick: () => dialog.close() }, t("Cancel")))));
		document.body.append(dialog);
		dialog.showModal();
		input.select();
	});
}
