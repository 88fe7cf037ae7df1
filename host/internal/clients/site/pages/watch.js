// One connection for all matches that a page shows together.
import { Session, result } from "./host.js";

const most = 16; // matches: a limit of the host
const retryTime = 60000; // milliseconds in which a lost connection is made again
const final = [4000, 4001, 4002]; // close codes after which the same would happen again

// Watch watches matches. For each it calls on.joined(info), on.started() before its first
// line and after a lost connection, on.lines([text…]), on.synced() when all lines so far
// have come, on.ended(result), without a result if the match cannot be watched (any longer),
// and on.lost() while there is no connection.
export class Watch {
	constructor() {
		this.matches = new Map(); // by ID: {on, partial, decoder}
		this.session = null;
		this.ready = false;
		this.wait = 0; // milliseconds before the next attempt to connect
		this.lost = 0; // when the connection was lost, in the time of performance.now; 0: it is not
	}

	// add watches a match, if there is room.
	add(id, on) {
		if (this.matches.size >= most) return false;
		this.matches.set(id, { on, partial: "", decoder: null });
		this.soon();
		return true;
	}

	remove(id) {
		if (this.matches.delete(id)) this.soon();
	}

	// soon tells the host once what several calls have changed.
	soon() {
		this.planned ||= setTimeout(() => {
			this.planned = 0;
			this.update();
		});
	}

	update() {
		if (this.matches.size === 0) {
			clearTimeout(this.timer);
			this.session?.close();
			this.session = null;
		} else if (!this.session) {
			this.connect();
		} else if (this.ready) {
			this.session.send("SpectateMatches", { ids: [...this.matches.keys()] });
		}
	}

	connect() {
		clearTimeout(this.timer);
		this.ready = false;
		const of = ({ id }, f) => {
			const m = this.matches.get(id);
			if (m) f(m);
		};
		const session = this.session = new Session({
			Handshake: () => {
				this.ready = true;
				this.wait = this.lost = 0;
				this.update();
			},
			SpectateJoined: (fields) => of(fields, (m) => {
				let info;
				try {
					info = result(fields.info);
				} catch {
					this.end(fields.id); // it has ended since
					return;
				}
				m.on.joined(info);
			}),
			SpectateStarted: (fields) => of(fields, (m) => {
				Object.assign(m, { partial: "", decoder: new TextDecoder("utf-8", { ignoreBOM: true }) });
				m.on.started();
			}),
			SpectateSynced: (fields) => of(fields, (m) => m.on.synced()),
			SpectateEnded: (fields) => this.end(fields.id, fields.result),
			LobbyDelete: (fields) => this.end(fields.id),
			bytes: (data) => this.receive(data),
			closed: (_, code) => this.session === session && this.again(code),
		});
	}

	// receive passes on the lines of a message, which begins with the ID of its match.
	receive(data) {
		const head = data.indexOf(10);
		const m = this.matches.get(String.fromCharCode(...data.subarray(0, Math.min(head, 100))));
		if (!m?.decoder) return; // the page has just left it
		const parts = (m.partial + m.decoder.decode(data.subarray(head + 1), { stream: true })).split("\n");
		m.partial = parts.pop();
		if (parts.length > 0) m.on.lines(parts);
	}

	// again connects again after the connection was lost, for example because its host stops.
	again(code) {
		this.session = null;
		this.lost ||= performance.now();
		if (final.includes(code) || performance.now() - this.lost > retryTime) {
			for (const id of [...this.matches.keys()]) this.end(id);
			return;
		}
		for (const m of this.matches.values()) m.on.lost();
		this.wait = Math.min(10000, this.wait * 2 + 250);
		this.timer = setTimeout(() => this.update(), this.wait * (0.5 + Math.random()));
	}

	end(id, ended) {
		const m = this.matches.get(id);
		this.remove(id);
		m?.on.ended(ended);
	}
}
