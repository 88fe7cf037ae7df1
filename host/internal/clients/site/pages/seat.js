// The person's seat in a match. The page resumes it after a broken connection, and after
// a reload, because the tab's storage has the ticket and everything that was received and
// sent. If the tab is closed, the seat is lost when its time to come back is over.
import { Session, result } from "./host.js";
import { t } from "./i18n.js";

const resumeTimeout = 120000; // milliseconds in which the page tries to resume
const acknowledgeEvery = 1024; // bytes between two MatchReceived
const maxStored = 4 << 20; // characters of a match in the storage; longer matches are not stored

// final are the close codes after which it is useless to come back, and why.
const final = {
	4000: (reason) => t("The host closed the connection, because this page broke its protocol: {reason}.", { reason }),
	4002: (reason) => t("The host closed the connection, because a limit was reached: {reason}.", { reason }),
	4004: () => t("Your login is no longer valid. Log in again."),
	4005: () => t("Another window has taken over your seat. You can watch the match here."),
};

// stored returns what the storage has of a seat, or null: {ticket, name, password,
// entries}, where an entry is {lines, bytes}, {sent} or {given}.
export function stored(id) {
	try {
		const seat = JSON.parse(sessionStorage.getItem(`seat ${id}`));
		if (!seat) return null;
		seat.entries = [];
		for (let i = 0, text; (text = sessionStorage.getItem(`seat ${id} ${i}`)); i++) seat.entries.push(JSON.parse(text));
		return seat;
	} catch {
		return null; // the browser can forbid it
	}
}

// forget removes a seat from the storage, or all seats except one.
export function forget(id, except = null) {
	try {
		for (const key of Object.keys(sessionStorage)) {
			const of = key.startsWith("seat ") && key.split(" ")[1];
			if (of && (id ? of === id : of !== except)) sessionStorage.removeItem(key);
		}
	} catch {
		// the browser can forbid it
	}
}

// Seat is a seat in one match. It calls on.joined(info), on.refused(reason),
// on.update(info), on.expired(reason), on.started(), on.lines([text…]),
// on.away(name, seconds), on.broken(reason), on.back(info), on.ended(result) and
// on.lost(reason), and on.sent(line) for each line that the seat has sent in the match with
// whose moves this one begins. The last call is refused, expired, ended or lost.
export class Seat {
	constructor(id, on) {
		this.id = id;
		this.on = on;
		this.ticket = null;
		this.playing = false; // the match has started
		this.sent = []; // lines of the person; the host counts them
		this.given = false; // the match has begun with lines of this seat
		this.received = 0; // bytes up to the end of the last line
		this.acknowledged = 0; // of them in a MatchReceived
		this.entries = 0; // in the storage
		this.size = 0; // of them, in characters
		this.kept = false; // the storage has everything
		this.since = 0; // time of the last connection, as performance.now
		this.until = 0; // time at which a broken connection is no longer tried again; 0: it is not broken
		this.wait = 0; // milliseconds between tries
		this.timer = null; // of the next try
		this.connected = false;
		this.over = false;
	}

	// join requests a seat.
	join(name, password) {
		Object.assign(this, { name, password });
		this.connect(() => this.ask());
	}

	ask() {
		this.session.send("LobbyJoinMatch", { id: this.id, name: this.name, password: this.password, resume: true, branch: true });
	}

	// restore resumes a seat of the storage, and returns the lines so far.
	restore({ ticket, name, password, entries }) {
		Object.assign(this, { ticket, name, password, kept: true, entries: entries.length });
		const list = [];
		for (const entry of entries) {
			this.size += JSON.stringify(entry).length;
			if (entry.sent !== undefined) {
				this.sent.push(entry.sent);
				list.push({ text: entry.sent, sent: true });
				continue;
			}
			if (entry.given !== undefined) {
				this.given = true;
				list.push({ text: entry.given, sent: true });
				continue;
			}
			this.received = entry.bytes;
			for (const text of entry.lines) list.push({ text, sent: false });
		}
		this.resume();
		return list;
	}

	// moved reports whether the seat has sent a line, also in the match with whose moves this one
	// begins.
	get moved() {
		return this.sent.length > 0 || this.given;
	}

	// send sends a line. If the connection is broken, the line is sent after the next one
	// has resumed the seat.
	send(line) {
		this.sent.push(line);
		this.keep({ sent: line });
		if (this.connected) this.session.sendLine(line);
	}

	// hint asks for the move that the game finds best. It rejects with the reason why there is
	// none.
	hint() {
		return new Promise((resolve, reject) => {
			if (!this.connected) return reject(new Error(t("the connection was lost")));
			this.hinted = { resolve, reject };
			this.session.send("MatchHint");
		});
	}

	// leave gives the seat up.
	leave() {
		this.end();
		this.session?.close(); // also if it is not open yet: it would take the seat
	}

	// renew replaces a connection that the host knows to be broken. A browser can fail to
	// notice it, for example after the computer was asleep.
	renew() {
		if (this.over || !this.connected || !this.ticket) return;
		this.session.over = true;
		this.session.socket.close(3000);
		this.broken(t("the connection was lost"));
	}

	// resumeNow ends the wait for the next try. It is called when success has become more
	// likely, for example when the network is back.
	resumeNow() {
		if (!this.timer) {
			if (this.connected && this.playing) this.session.send("MatchReceived", { bytes: this.received }); // so that the browser notices a dead connection
			return;
		}
		clearTimeout(this.timer);
		this.timer = null;
		this.resume();
	}

	connect(begin) {
		const session = new Session({
			Handshake: () => begin(),
			LobbyJoinedMatch: ({ info, ticket }) => this.decide(info, (latest) => {
				this.ticket = ticket || null;
				this.connected = true;
				this.until = this.wait = 0;
				if (this.ticket) this.store(`seat ${this.id}`, { ticket, name: this.name, password: this.password });
				this.on.joined(latest);
			}, this.on.refused),
			MatchResumed: ({ info, taken, started }) => this.decide(info, (latest) => {
				session.restart(this.received);
				this.acknowledged = this.received;
				this.connected = true;
				this.since = performance.now();
				this.until = this.wait = 0;
				while (this.sent.length < taken) this.sent.push("");
				for (const line of this.sent.slice(taken)) session.sendLine(line);
				this.on.back(latest);
				if (started) this.start();
			}, (reason) => this.on.lost(t("You have lost your seat: {reason}. You can watch the match.", { reason })), !this.playing && this.entries === 0),
			LobbyUpdate: ({ info }) => this.on.update(info),
			LobbyDelete: ({ reason }) => {
				this.leave();
				this.on.expired(reason);
			},
			MatchStarted: () => this.start(),
			PlayerAway: ({ name, seconds }) => this.on.away(name, seconds),
			lines: (lines, bytes) => {
				this.received = bytes;
				this.keep({ lines, bytes });
				if (this.ticket && bytes - this.acknowledged >= acknowledgeEvery) {
					this.acknowledged = bytes;
					session.send("MatchReceived", { bytes });
				}
				this.on.lines(lines);
			},
			MatchSent: ({ line }) => { // the host does not count it
				this.given = true;
				this.keep({ given: line });
				this.on.sent(line);
			},
			MatchHint: ({ line }) => {
				try {
					this.hinted?.resolve(result(line));
				} catch (error) {
					this.hinted?.reject(error);
				}
			},
			MatchEnded: (fields) => {
				this.leave();
				this.on.ended(fields.result || null);
			},
			closed: (reason, code) => this.broken(reason, code),
		});
		this.session = session;
	}

	// decide calls ok with the value of a result, or no with the refusal, which ends the
	// seat. With again, a refusal makes the person join again: a match that waits does not
	// keep the seat.
	decide(r, ok, no, again = false) {
		let value;
		try {
			value = result(r);
		} catch (error) {
			if (again) {
				this.ask();
				return;
			}
			this.leave();
			no.call(this.on, error.message);
			return;
		}
		ok(value);
	}

	start() {
		if (this.playing) return;
		this.playing = true;
		this.on.started();
	}

	resume() {
		this.until ||= Date.now() + resumeTimeout;
		this.connect(() => this.session.send("MatchResume", { ticket: this.ticket, received: this.received }));
	}

	broken(reason, code) {
		if (this.over) return;
		this.hinted?.reject(new Error(reason));
		this.connected = false;
		const why = final[code]?.(reason);
		this.until ||= Date.now() + resumeTimeout;
		if (why || !this.ticket || Date.now() > this.until) {
			const stay = this.ticket && (!why || code === 4002 || code === 4004); // a reload can come back
			this.end(stay);
			this.on.lost(why || t("The connection to your seat was lost: {reason}. You can watch the match.", { reason }));
			return;
		}
		this.wait = Math.min(4000, this.wait * 2 + 250); // the host keeps the seat for about a minute
		this.on.broken(reason);
		this.timer = setTimeout(() => {
			this.timer = null;
			this.resume();
		}, this.wait * (0.5 + Math.random()));
	}

	end(stay = false) {
		this.over = true;
		this.connected = false;
		clearTimeout(this.timer);
		this.timer = null;
		if (!stay) forget(this.id);
	}

	// keep adds an entry to the storage, unless the match is too long.
	keep(entry) {
		if (!this.kept) return;
		this.size += this.store(`seat ${this.id} ${this.entries++}`, entry);
		if (this.size > maxStored || !this.kept) {
			this.kept = false;
			forget(this.id);
		}
	}

	// store returns the length of the stored text.
	store(key, value) {
		const text = JSON.stringify(value);
		try {
			sessionStorage.setItem(key, text);
		} catch {
			forget(null, this.id); // the storage is full: drop other matches
			try {
				sessionStorage.setItem(key, text);
			} catch {
				this.kept = false;
				return 0;
			}
		}
		if (this.entries === 0) this.kept = true;
		return text.length;
	}
}
