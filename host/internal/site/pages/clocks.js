// The clocks of a match. Only the host knows them, because the stream has no
// times. The page requests them when a turn takes long, so matches of fast
// programs cause no requests.
import { api } from "./host.js";

const first = 300; // milliseconds without a line before the first request
const again = 10000; // milliseconds between requests, since a clock can restart without a line

export class Clocks {
	// changed() is called when times arrive.
	constructor(id, changed) {
		this.id = id;
		this.changed = changed;
		this.stop();
	}

	// restart drops the known times. It is called for each new line. The next request is
	// delayed by up to spread milliseconds, at random, since there can be many spectators.
	restart(spread) {
		this.stop();
		this.plan(first + Math.random() * spread, first);
	}

	stop() {
		clearTimeout(this.timer);
		this.turn = {}; // identifies the current request, to ignore answers to earlier ones
		this.ends = new Map(); // deadline by player's name, in the time of performance.now
	}

	// plan schedules a request in some milliseconds, and the next one after rest
	// milliseconds if no clock is running.
	plan(wait, rest) {
		const turn = this.turn;
		this.timer = setTimeout(async () => {
			const reply = document.hidden ? null : await api(`/api/matches/${this.id}/clocks`).catch(() => null);
			if (this.turn !== turn) return;
			const clocks = reply?.clocks || [];
			if (reply) this.ends = new Map(clocks.map((c) => [c.name, performance.now() + 1000 * c.left]));
			this.plan(clocks.length ? again : rest, clocks.length ? first : Math.min(again, 2 * rest));
			this.changed();
		}, wait);
	}

	// left returns the seconds that a player has, or null.
	left(name) {
		const end = this.ends.get(name);
		return end === undefined ? null : Math.max(0, (end - performance.now()) / 1000);
	}
}
