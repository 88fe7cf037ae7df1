// Boards of running matches, for pages that show several.
import { h, number } from "./dom.js";
import { api, Session, result } from "./host.js";
import { Board } from "./board.js";
import { t } from "./i18n.js";
import { botName, people, settings } from "./names.js";

const linger = 4000; // milliseconds for which the end of a match stays visible
const retryTime = 60000; // milliseconds in which a board whose connection is lost connects again
const final = [4000, 4001, 4002]; // close codes after which the same would happen again

const games = new Map(); // description and viewer by name; a page is short-lived

// load returns the description of a game and the code of its viewer, once for a page.
export function load(name) {
	if (!games.has(name)) games.set(name, request(name));
	return games.get(name);
}

async function request(name) {
	const game = await api(`/api/games/${encodeURIComponent(name)}`).catch(() => ({ name, title: name, params: [], fixed: {} }));
	const reply = game.viewer && await fetch(game.viewer, { cache: game.watched ? "no-cache" : "default" });
	return { game, code: reply?.ok ? await reply.text() : "" };
}

// Live is the board of one match.
export class Live {
	// over is called when the match has ended.
	constructor(m, height, over = () => {}) {
		this.over = over;
		this.id = m.id;
		this.ended = 0; // when, in the time of performance.now
		this.stage = h("div", { class: "board" });
		this.caption = h("p", { class: "hint" });
		this.title = h("a", { href: `/match/${encodeURIComponent(m.id)}`, "data-key": `live ${m.id}` }, (m.players || m.seats).join(" – "), m.division && ` (${m.division})`);
		this.element = h("li", { class: "live" }, h("div", { class: "versus" }, this.title), this.stage, this.caption);
		this.stage.style.minHeight = `${height()}px`; // so that the board moves nothing when it arrives
		this.called = (name) => name; // the name of a player for people
		this.lines = 0;
		this.synced = false;
		this.opened = false;
		this.wait = 0; // milliseconds before the next attempt to connect
		this.lost = 0; // when the connection was lost, in the time of performance.now; 0: it is not
		this.board = new Board(this.stage, { moves() {}, send() {}, failed() {}, status: (s) => this.status(s) }, height);
		this.watch();
	}

	watch() {
		const session = this.session = new Session({
			Handshake: () => session.send("SpectateJoin", { id: this.id }),
			SpectateJoined: async (fields) => {
				try {
					const info = result(fields.info);
					this.wait = this.lost = 0;
					if (this.opened) return;
					this.opened = true;
					const { game, code } = await load(info.game);
					const params = settings(game, info.args);
					this.called = (name) => botName(name, params, info.bots, info.levels);
					this.board.open({ role: "spectator", me: null, game: game.name, plugin: game.plugin, params, timeout: info.timeout, seats: info.players, bots: info.bots, levels: info.levels }, code);
					this.show(false);
				} catch {
					this.end(); // it has ended since
				}
			},
			SpectateStarted: () => {
				this.lines = 0;
				this.synced = false;
				this.board.clear();
			},
			SpectateSynced: () => {
				this.synced = true;
				this.show(false);
			},
			lines: (lines) => {
				this.lines += lines.length;
				this.board.append(lines.map((text) => ({ text, sent: false })));
				if (this.synced) this.show(true);
			},
			SpectateEnded: () => this.end(),
			closed: (_, code) => this.again(code),
		});
	}

	// again connects again after the connection was lost, for example because its host
	// stops. The stream then comes from the start.
	again(code) {
		this.lost ||= performance.now();
		if (final.includes(code) || performance.now() - this.lost > retryTime) {
			this.end();
			return;
		}
		this.caption.textContent = t("The connection was lost. Trying again…");
		this.wait = Math.min(10000, this.wait * 2 + 250);
		this.timer = setTimeout(() => this.watch(), this.wait * (0.5 + Math.random()));
	}

	// show draws the newest moment, at most once for each frame of the screen.
	show(fresh) {
		this.drawing ||= requestAnimationFrame(() => {
			this.drawing = 0;
			this.board.resize();
			this.board.show({ show: this.lines, playing: false, ended: this.ended > 0, result: null, fresh });
		});
	}

	status(s) {
		const scores = s?.players.filter((p) => p.score !== null).map((p) => `${this.called(p.name)} ${number(p.score)}`).join(", ");
		this.caption.textContent = [this.ended && t("the match is over"), people(s?.caption, this.called), scores].filter(Boolean).join(" · ");
	}

	resize() {
		this.board.resize();
	}

	end() {
		if (this.ended) return;
		this.ended = performance.now();
		this.session.close();
		this.over();
		this.caption.textContent = t("The match is over.");
		if (this.synced) this.show(true);
	}

	close() {
		clearTimeout(this.timer);
		cancelAnimationFrame(this.drawing);
		this.session.close();
		this.board.close();
		this.element.remove();
	}
}

// Boards show running matches.
export class Boards {
	// height returns the height of a board in pixels.
	constructor(element, height) {
		this.element = element;
		this.height = height;
		this.list = [];
		addEventListener("resize", () => this.list.forEach((l) => l.board.resize()));
	}

	// set shows at most some of the matches, the first ones first. A match that is shown
	// stays until some time after its end. It returns the IDs that are shown.
	set(matches, most) {
		const old = this.list.filter((l) => l.ended && performance.now() - l.ended > linger);
		for (const l of old) l.close();
		this.list = this.list.filter((l) => !old.includes(l));
		while (this.list.length > most) this.list.pop().close();
		for (const m of matches) {
			if (this.list.length >= most) break;
			if (this.list.some((l) => l.id === m.id)) continue;
			const live = new Live(m, this.height);
			this.list.push(live);
			this.element.append(live.element);
		}
		return this.list.map((l) => l.id);
	}
}
