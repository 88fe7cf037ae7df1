// One version in the list of a player's programs.
import { h, fill, duration } from "./dom.js";
import { api } from "./host.js";
import { address, done, follow, output, reason, state } from "./build.js";
import { question } from "./question.js";
import { t } from "./i18n.js";

export class ProgramRow {
	// changed is called after a change of the player.
	constructor(changed) {
		this.changed = changed;
		this.shown = "";
		this.head = h("div", { class: "what" });
		this.why = h("div");
		this.fault = h("p", { class: "fault", role: "alert" });
		this.buttons = h("div", { class: "buttons" });
		this.build = h("details", { ontoggle: () => this.toggleBuild() }, h("summary", null, t("Output of the build")));
		this.journals = h("details", { ontoggle: () => this.journals.open && this.list() }, h("summary", null, t("What it wrote in matches")), h("ul", { class: "journals" }));
		this.element = h("li", { class: "program" }, this.head, this.why, this.buttons, this.fault, this.build, this.journals);
	}

	// show shows a version, written in a language for people.
	show(v, language) {
		this.version = v;
		const now = JSON.stringify(v);
		if (now === this.shown) return;
		if (!this.shown && !done(v)) this.build.open = true;
		this.shown = now;
		const { text, tone } = state(v);
		const ago = duration((Date.now() - Date.parse(v.created)) / 1000);
		fill(this.head, h("h3", null, `v${v.version}`), h("span", { class: `tag ${tone}` }, text),
			h("span", { class: "hint" }, [language, t("{n} kB", { n: Math.ceil(v.bytes / 1000) }), t("{time} ago", { time: ago })].filter(Boolean).join(" · ")));
		fill(this.why, reason(v), v.rests && h("p", { class: "hint" }, t("It rests: nobody waits for it. Let it play again when you know why.")));
		const button = (key, text, what, act) => h("button", { type: "button", "data-key": key, "aria-label": t("{what}: version {version}", { what: text, version: v.version }), onclick: () => this.ask(what, text, act) }, text);
		fill(this.buttons,
			v.state === "accepted" && (!v.active || v.rests) && button("play", t("Let it play"), t("Let version {version} play for you? The one that plays now stops.", v), () => api(`${address(v)}/active`, "POST")),
			v.active && !v.rests && button("pause", t("Pause"), t("Pause version {version}? Then no program of yours plays this game.", v), () => api(`/api/games/${encodeURIComponent(v.game)}/submissions/active`, "DELETE")),
			h("a", { class: "button", href: `${address(v)}/source.zip`, download: `${v.game}-v${v.version}.zip`, "data-key": "source", "aria-label": t("{what}: version {version}", { what: t("Download"), version: v.version }) }, t("Download")),
			button("remove", t("Remove"), t("Remove version {version} with its source? It can't be brought back.", v), () => api(address(v), "DELETE")));
	}

	// ask asks before a change.
	async ask(what, verb, act) {
		if (!await question(what, verb)) return;
		try {
			this.fault.textContent = "";
			await act();
		} catch (error) {
			this.fault.textContent = error.message;
		}
		this.changed();
	}

	// toggleBuild follows the build while its output is open.
	toggleBuild() {
		this.following?.abort();
		this.build.querySelector("pre")?.remove();
		if (!this.build.open) return;
		const [box, add] = output(this.version.version);
		this.build.append(box);
		this.following = new AbortController();
		follow(this.version, (v, text) => {
			add(text);
			if (done(v) && !done(this.version)) this.changed();
		}, this.following.signal).catch((error) => add(error.message));
	}

	// list shows the matches of which the host has kept what the program wrote.
	async list() {
		const box = this.journals.querySelector("ul");
		try {
			const { journals } = await api(`${address(this.version)}/journals`);
			fill(box, journals.length === 0 && h("li", { class: "hint" }, t("It has written nothing on its standard error yet.")), journals.map((j) => this.journal(j)));
		} catch (error) {
			fill(box, h("li", { class: "fault" }, error.message));
		}
	}

	journal({ match, at }) {
		const text = h("pre", { class: "output", tabindex: "0", role: "region", "aria-label": t("What it wrote in the match {match}", { match }) });
		const details = h("details", { ontoggle: async () => {
			if (!details.open) return;
			text.textContent = await api(`${address(this.version)}/journals/${encodeURIComponent(match)}`).then((j) => j.text, (error) => error.message);
		} }, h("summary", null, `${match} · ${t("{time} ago", { time: duration((Date.now() - Date.parse(at)) / 1000) })}`),
			text, h("a", { href: `/match/${encodeURIComponent(match)}` }, t("Open this match")));
		return h("li", null, details);
	}
}
