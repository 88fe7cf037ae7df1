// Sharing a match: its address, its picture, an animation, and the code that shows it in
// other pages.
import { h, $, fill, copyable } from "./dom.js";
import { t } from "./i18n.js";
import { prefixed, absolute } from "./path.js";

export class Share {
	// caption(ended) returns a line with the players and the game or, after the match, the
	// result. about() returns what files say about the match (docs/viewers.md).
	constructor(id, board, timeline, caption, about) {
		Object.assign(this, { id, board, timeline, caption, about });
		this.work = null; // aborts the animation that is being made
		this.status = h("p", { class: "hint", role: "status" });
		this.embedding = h("div");
		this.transcripts = h("div", { class: "buttons" });
		this.formats = h("div", { class: "buttons" });
		this.pictures = h("div", { class: "buttons" },
			this.button("share-png", t("Picture of this position (PNG)"), () => this.picture()),
			this.button("share-gif", t("Animation (GIF)"), () => this.animate()));
		this.box = h("details", { class: "share", ontoggle: () => this.box.open && this.draw() }, h("summary", { "data-key": "share" }, t("Share")),
			h("div", { class: "buttons" },
				this.button("share-link", t("Copy the link"), () => this.copy(this.address())),
				this.button("share-here", t("Copy the link to this position"), () => this.copy(`${this.address()}#${this.timeline.number}`))),
			this.pictures, this.formats, this.transcripts, this.status, this.embedding);
		fill($("share"), this.box);
	}

	button(key, text, act) {
		return h("button", { type: "button", "data-key": key, onclick: () => act().catch((error) => this.say(error.message)) }, text);
	}

	address = (kind = "match") => absolute(`/${kind}/${this.id}`);

	say(text) {
		fill(this.status, text);
	}

	async copy(text) {
		try {
			await navigator.clipboard.writeText(text);
			this.say(t("Copied: {text}", { text }));
		} catch {
			fill(this.status, copyable(text)); // without https there is no clipboard
		}
	}

	// ended adds the transcripts of an ended match.
	ended() {
		fill(this.transcripts,
			h("a", { class: "button", href: `/api/matches/${this.id}`, download: `${this.id}.json` }, t("Transcript (JSON)")),
			h("a", { class: "button", href: `/api/matches/${this.id}/stream`, download: `${this.id}.txt` }, t("Raw stream")));
	}

	draw() {
		this.pictures.hidden = !this.board.frame;
		this.embed().catch(() => {}); // without it, the menu lacks only the code
		this.offer();
	}

	// offer shows the formats of other programs that the viewer knows.
	async offer() {
		const files = await this.board.files(this.about());
		fill(this.formats, files.map(({ name }) => this.button(`share-${name}`, t("Save as {name}", { name }), () => this.file(name))));
	}

	async file(name) {
		const found = (await this.board.files(this.about())).find((f) => f.name === name); // the match has gone on
		if (found) this.save(new Blob([found.text], { type: "text/plain" }), this.name(name.toLowerCase()));
	}

	// embed shows the code for pages of other sites, if the host allows some.
	async embed() {
		if (this.embedding.children.length) return;
		const reply = await fetch(prefixed(`/embed/${this.id}`), { method: "HEAD" });
		const others = /frame-ancestors 'self' \S/.test(reply.headers.get("Content-Security-Policy"));
		if (!others || !reply.ok) return;
		const code = `<iframe src="${this.address("embed")}" width="480" height="640" style="border:0" title="${t("Match")}"></iframe>`;
		fill(this.embedding, h("p", null, t("To show the match in another page:")), copyable(code, t("the code")));
	}

	name = (ending) => `${this.board.match.game.replace(/[^\w-]/g, "_")}-${this.id}.${ending}`;

	async picture() {
		const { still } = await import("./picture.js");
		this.say(t("Drawing the picture…"));
		this.save(await still(this.board, this.timeline.at, this.caption(this.timeline.follow), this.where(this.timeline.number)), this.name("png"));
	}

	where = (n) => (n ? t("move {number}", { number: n }) : "");

	async animate() {
		const { animation } = await import("./picture.js");
		this.work?.abort();
		const work = (this.work = new AbortController());
		const bar = h("progress", { max: "1", value: "0", "aria-label": t("Animation (GIF)") });
		fill(this.status, bar, " ", this.button("share-cancel", t("Cancel"), async () => work.abort()));
		try {
			const stops = [...this.timeline.stops()];
			const players = this.caption(false);
			const blob = await animation(this.board, stops, (i, last) => [last ? this.caption(true) : players, `${i}/${stops.length - 1}`], (part) => (bar.value = part), work.signal);
			this.save(blob, this.name("gif"));
		} catch (error) {
			if (!work.signal.aborted) throw error;
			if (this.work === work) this.say(t("Cancelled."));
		}
	}

	save(blob, name) {
		const url = URL.createObjectURL(blob);
		const link = h("a", { href: url, download: name });
		link.click();
		setTimeout(() => URL.revokeObjectURL(url), 60000);
		this.say(t("Saved {name} ({n} kB).", { name, n: Math.ceil(blob.size / 1000) }));
	}
}
