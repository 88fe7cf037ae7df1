// The clocks of a match, and players with a broken connection. Only the host knows
// them, because the stream has no times. The page requests them when a turn takes long,
// so matches of fast programs cause no requests.
import { api } from "./host.js";

const first = 300; // milliseconds without a line before the first request
const again = 10000; // milliseconds between requests, since a clock can restart without a line
const slow = 2000; // milliseconds after which an answer is missed
const often = 3000; // the same, while a player's connection is broken

export class Clocks {
	// ticket() returns that of the person's seat, if there is one: only players see the
	// times of a match with a delay. changed() is called when times arrive, answers(yes)
	// with whether the host answers.
	constructor(id, ticket, changed, answers) {
		this.id = id;
		this.ticket = ticket;
		this.changed = changed;
		this.answers = answers;
		this.stop();
	}

	// restart drops the times for answers, and stops the banks. It is called for each new
	// line. The next request is delayed by up to spread milliseconds, at random, since
	// there can be many spectators.
	restart(spread) {
		const { lags, absent } = this;
		const banks = new Map([...this.banks.keys()].map((name) => [name, { left: this.bank(name), running: false }]));
		this.stop();
		Object.assign(this, { banks, lags, absent });
		this.plan(first + Math.random() * spread, first);
	}

	stop() {
		clearTimeout(this.timer);
		this.turn = {}; // identifies the current request, to ignore answers to earlier ones
		this.asked = 0; // time of the last request that was answered
		this.ends = new Map(); // deadline by player's name, in the time of performance.now
		this.banks = new Map(); // by player's name: the bank, when it was known, and whether it is running
		this.lags = new Map(); // by player's name, in milliseconds
		this.absent = new Map(); // by name of a player with a broken connection: when its seat is lost
	}

	// plan schedules a request in some milliseconds, and the next one after rest
	// milliseconds if no clock is running.
	plan(wait, rest) {
		const turn = this.turn;
		this.timer = setTimeout(async () => {
			const asked = performance.now();
			const reply = document.hidden ? null : await this.request();
			if (this.turn !== turn) return;
			if (reply) this.take(reply, asked);
			const asking = this.ends.size > 0;
			this.plan(this.absent.size ? often : asking ? again : rest, asking ? first : Math.min(again, 2 * rest));
			this.changed();
		}, wait);
	}

	// request returns the times, or null.
	async request() {
		const late = setTimeout(() => this.answers(false), slow);
		const ticket = this.ticket();
		const reply = await api(`/api/matches/${this.id}/clocks`, "GET", {}, ticket ? { "Colosseum-Ticket": ticket } : {}).catch((error) => (error.status ? null : undefined));
		clearTimeout(late);
		this.answers(reply !== undefined);
		return reply ?? null;
	}

	take({ clocks, players = [] }, asked) {
		const now = performance.now();
		const having = (key, f) => new Map(players.filter((p) => p[key] !== undefined).map((p) => [p.name, f(p)]));
		this.asked = asked;
		this.ends = new Map(clocks.map((c) => [c.name, now + 1000 * c.left]));
		this.banks = having("bank", (p) => ({ left: p.bank, at: now, running: this.ends.has(p.name) }));
		this.lags = having("lag_ms", (p) => p.lag_ms);
		this.absent = having("away", (p) => now + 1000 * p.away);
	}

	// setAway notes that a player's connection is broken for at most some seconds; 0: it
	// is back.
	setAway(name, seconds) {
		if (seconds > 0) this.absent.set(name, performance.now() + 1000 * seconds);
		else this.absent.delete(name);
	}

	// left returns the seconds that a player has for its answer, or null.
	left(name) {
		return rest(this.ends.get(name));
	}

	// bank returns the seconds that a player has for the rest of the match, or null.
	bank(name) {
		const bank = this.banks.get(name);
		if (!bank) return null;
		return Math.max(0, bank.left - (bank.running ? (performance.now() - bank.at) / 1000 : 0));
	}

	// lag returns the milliseconds to a player and back, or null.
	lag(name) {
		return this.lags.get(name) ?? null;
	}

	// away returns the seconds until a player with a broken connection loses its seat, or
	// null.
	away(name) {
		return rest(this.absent.get(name));
	}
}

const rest = (end) => (end === undefined ? null : Math.max(0, (end - performance.now()) / 1000));
