// The clocks of a match. Only the host knows them: a stream has no times. The
// page asks when a turn lasts, so that matches of quick programs cost nothing.
import { api } from "./host.js";

const first = 300; // milliseconds without a line before the host is asked
const again = 10000; // and then, since a time can begin anew without a line

export class Clocks {
	// changed() is called when times came. Spectators, of whom there may be many,
	// do not ask all at once.
	constructor(id, changed) {
		this.id = id;
		this.changed = changed;
		this.stop();
	}

	// restart is called when the match goes on: what was known is over.
	restart(spread) {
		this.stop();
		this.plan(first + Math.random() * spread, first);
	}

	stop() {
		clearTimeout(this.timer);
		this.turn = {}; // tells answers to this question from those to earlier ones
		this.ends = new Map(); // by player's name, when the time is up, as performance.now tells it
	}

	// plan asks after some milliseconds; rest is how long it waits when no clock
	// runs yet.
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

	// left is how many seconds a player has, or null.
	left(name) {
		const end = this.ends.get(name);
		return end === undefined ? null : Math.max(0, (end - performance.now()) / 1000);
	}
}
