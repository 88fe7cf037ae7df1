// Access to the host: the HTTP API, and sessions of the protocol that coco uses.
import { t, known } from "./i18n.js";
import { prefixed, socket } from "./path.js";

// api reads from the HTTP API, or changes something with a method and a body. Its
// error has the host's message.
export async function api(path, method = "GET", body = {}, headers = {}) {
	const reply = await fetch(prefixed(path), method === "GET" ? { headers } : { method, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
	const answer = await reply.json();
	if (!reply.ok) throw Object.assign(new Error(answer.error || reply.statusText), { status: reply.status });
	// Titles of games are shown in the person's language.
	for (const game of answer.games || [answer]) {
		if (game.title && game.params) game.title = known(game.title);
	}
	return answer;
}

// A browser can keep a page that the person has left, for its Back button, with open
// connections: its player would seem to be there.
const open = new Set();
addEventListener("pagehide", () => open.forEach((socket) => socket.close()));

// Session is one connection. It calls on[Name](fields) for each message,
// on.lines([text…], bytes) for lines of a match, where bytes is the length of the
// stream up to the end of the last of them, or instead on.bytes(data) if there is such a
// function, and on.closed(reason, code, heard) at its end, where heard is false if no
// connection came about.
export class Session {
	constructor(on) {
		this.on = on;
		this.restart(0);
		this.over = false;
		this.heard = false; // the host has answered
		this.socket = new WebSocket(socket());
		this.socket.binaryType = "arraybuffer";
		open.add(this.socket);
		this.socket.onopen = () => this.send("Handshake", { magic: "coco", version: 2 });
		this.socket.onmessage = (event) => this.receive(event.data);
		this.socket.onclose = (event) => {
			open.delete(event.target);
			if (this.over) return;
			this.over = true;
			this.on.closed?.(event.reason || (this.heard ? t("the connection was lost") : blocked()), event.code, this.heard);
		};
	}

	// restart expects a stream from one of its bytes on, which begins a line.
	restart(bytes) {
		this.bytes = bytes;
		this.partial = "";
		this.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	}

	receive(data) {
		if (this.over) return;
		this.heard = true;
		if (typeof data !== "string" && this.on.bytes) {
			this.on.bytes(new Uint8Array(data));
			return;
		}
		if (typeof data !== "string") {
			const parts = (this.partial + this.decoder.decode(data, { stream: true })).split("\n");
			this.partial = parts.pop();
			const end = this.bytes + new Uint8Array(data).lastIndexOf(10) + 1;
			this.bytes += data.byteLength;
			if (parts.length) this.on.lines?.(parts, end);
			return;
		}
		const [name, fields] = Object.entries(JSON.parse(data))[0];
		if (name === "SpectateStarted" || name === "MatchStarted") this.restart(0);
		this.on[name]?.(fields);
	}

	send(name, fields = {}) {
		this.socket.send(JSON.stringify({ [name]: fields }));
	}

	sendLine(line) {
		this.socket.send(new TextEncoder().encode(line + "\n"));
	}

	// close ends the connection and everything that belongs to it. Without it, the host
	// keeps a seat for a while.
	close() {
		this.over = true;
		this.socket.close(1000);
	}
}

// result returns the value of {Ok}, or throws {Err}.
export function result(r) {
	if (r.Err !== undefined && r.Err !== null) throw new Error(r.Err);
	return r.Ok;
}

const blocked = () => t("the live connection (WebSocket) to the host failed; often a proxy or a firewall blocks it");

// refusal describes the error of a request for people.
export const refusal = (error) => (error.heard === false ? t("The match was not created: {reason}.", { reason: error.message }) : t("The host says: {reason}", { reason: error.message }));

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
			closed: (reason, code, heard) => reject(Object.assign(new Error(reason), { heard })),
		});
	});
}
