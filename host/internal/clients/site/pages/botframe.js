// A person's bot, in a frame without an origin. Everything that it sends is untrusted.
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { prefixed } from "./path.js";

const start = 6000; // milliseconds in which the frame must load

// Bot runs one bot at a time. It calls on.write(line, milliseconds), on.log(text), on.error(text)
// and on.silent(), when the bot has not answered for the given time: it is then stopped.
export class Bot {
	constructor(element, on) {
		this.on = on;
		this.pings = 0; // sent
		this.asked = 0; // when the oldest one without an answer was sent; 0: all are answered
		this.running = false;
		const channel = new MessageChannel();
		this.port = channel.port1;
		this.port.onmessage = ({ data }) => this.receive(data ?? {});
		this.ready = new Promise((resolve, reject) => {
			const frame = h("iframe", { class: "unseen", sandbox: "allow-scripts", title: t("Bot"), src: "/botframe", tabindex: "-1", "aria-hidden": "true", onload: () => {
				frame.contentWindow.postMessage(null, "*", [channel.port2]);
				resolve();
			} });
			setTimeout(() => reject(new Error("the frame of the bot does not load")), start);
			element.append(frame);
		});
		this.ready.catch(() => {}); // handled by those that wait for it
		setInterval(() => this.watch(), 100);
	}

	// prepare loads what bots in a language need. run must be called after it.
	async prepare(language) {
		await this.ready;
		if (language !== "python" || this.python) return;
		const load = async (name, as) => {
			const reply = await fetch(prefixed(`/assets/${name}`));
			if (!reply.ok) throw new Error(t("Python could not be loaded: {reason}", { reason: reply.status }));
			return reply[as]();
		};
		const [script, bytes] = await Promise.all([load("python.js", "text"), load("python.wasm", "arrayBuffer")]);
		const reason = await new Promise((resolve) => {
			this.prepared = resolve;
			this.port.postMessage({ python: { script, bytes } }, [bytes]);
		});
		if (reason) throw new Error(t("Python could not be loaded: {reason}", { reason }));
		this.python = true;
	}

	// run starts a bot, which can compute for at most some seconds before it answers.
	run(code, language, seconds) {
		this.limit = 1000 * seconds;
		this.running = true;
		this.asked = 0;
		this.port.postMessage({ code, language });
		this.ping();
	}

	lines(lines) {
		if (!this.running) return;
		this.port.postMessage({ lines });
		this.ping();
	}

	// end informs the bot that no line follows.
	end() {
		if (this.running) this.port.postMessage({ end: true });
	}

	stop() {
		this.running = false;
		this.port.postMessage({ stop: true });
	}

	// ping asks whether the bot is in a computation. One question at a time is enough.
	ping() {
		if (this.asked) {
			this.again = true;
			return;
		}
		this.again = false;
		this.asked = performance.now();
		this.port.postMessage({ ping: ++this.pings });
	}

	watch() {
		if (!this.running || !this.asked || performance.now() - this.asked < this.limit) return;
		this.stop();
		this.on.silent();
	}

	receive(message) {
		if (typeof message.prepared === "string") this.prepared?.(message.prepared);
		if (!this.running) return; // of a bot that was stopped
		if (message.pong === this.pings) {
			this.asked = 0;
			if (this.again) this.ping();
		} else if (typeof message.write === "string") {
			this.on.write(message.write, Number(message.took) || 0);
		} else if (typeof message.log === "string") {
			this.on.log(message.log);
		} else if (typeof message.error === "string") {
			this.running = false;
			this.on.error(message.error);
		}
	}
}
