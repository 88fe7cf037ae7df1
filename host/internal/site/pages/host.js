// Access to the host: the HTTP API, and sessions of the protocol that coco uses.

// api reads from the HTTP API. Its error has the host's message.
export async function api(path) {
	const reply = await fetch(path);
	const body = await reply.json();
	if (!reply.ok) throw Object.assign(new Error(body.error || reply.statusText), { status: reply.status });
	return body;
}

// Session is one connection. It calls on[Name](fields) for each message,
// on.lines([text…]) for lines of a match, and on.closed(reason) at its end.
export class Session {
	constructor(on) {
		this.on = on;
		this.partial = "";
		this.decoder = new TextDecoder();
		this.over = false;
		this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`);
		this.socket.binaryType = "arraybuffer";
		this.socket.onopen = () => this.send("Handshake", { magic: "coco", version: 2 });
		this.socket.onmessage = (event) => this.receive(event.data);
		this.socket.onclose = (event) => {
			if (!this.over) this.on.closed?.(event.reason || "the connection was lost");
			this.over = true;
		};
	}

	receive(data) {
		if (this.over) return;
		if (typeof data !== "string") {
			const parts = (this.partial + this.decoder.decode(data, { stream: true })).split("\n");
			this.partial = parts.pop();
			if (parts.length) this.on.lines?.(parts);
			return;
		}
		const [name, fields] = Object.entries(JSON.parse(data))[0];
		if (name === "SpectateStarted" || name === "MatchStarted") this.partial = "";
		this.on[name]?.(fields);
	}

	send(name, fields = {}) {
		this.socket.send(JSON.stringify({ [name]: fields }));
	}

	sendLine(line) {
		this.socket.send(new TextEncoder().encode(line + "\n"));
	}

	close() {
		this.over = true;
		this.socket.close();
	}
}

// result returns the value of {Ok}, or throws {Err}.
export function result(r) {
	if (r.Err !== undefined && r.Err !== null) throw new Error(r.Err);
	return r.Ok;
}

// newMatch creates a match and returns its ID. Its error has the host's message.
export function newMatch(request) {
	return new Promise((resolve, reject) => {
		const session = new Session({
			Handshake: () => session.send("GameNew", request),
			GameNew: (fields) => {
				session.close();
				try {
					resolve(result(fields.id));
				} catch (error) {
					reject(error);
				}
			},
			closed: (reason) => reject(new Error(reason)),
		});
	});
}
