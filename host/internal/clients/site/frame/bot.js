// The frame of a person's bot. It has its own origin, no network, and a port to the page.
// The bot runs in a worker. The frame passes messages on, with bounds on their number and
// length, and changes positions in errors to lines of the bot.
"use strict";
{
	const flood = 5000; // messages of a bot in a second
	const runtime = document.getElementById("worker").textContent;
	const before = runtime.split("\n").length; // lines before the bot's first
	let port = null;
	let worker = null;
	let second = 0;
	let heard = 0; // messages in that second

	addEventListener("message", (event) => {
		if (port || event.source !== parent || !event.ports[0]) return;
		port = event.ports[0];
		port.onmessage = ({ data }) => receive(data);
	});

	function receive(message) {
		if (message.code !== undefined) begin(message.code);
		else if (message.stop) stop();
		else worker?.postMessage(message);
	}

	function begin(code) {
		stop();
		const address = URL.createObjectURL(new Blob([runtime, "\n", code], { type: "text/javascript" }));
		const started = worker = new Worker(address);
		started.onmessage = ({ data }) => {
			if (worker === started) hear(data ?? {});
		};
		started.onerror = (event) => {
			event.preventDefault();
			if (worker === started) fail(`${event.message || "could not load it"}${event.lineno > before ? `\n    at line ${event.lineno - before}` : ""}`);
		};
		started.postMessage({ start: true });
	}

	function stop() {
		worker?.terminate();
		worker = null;
	}

	function fail(text) {
		stop();
		port.postMessage({ error: positions(text).slice(0, 2000) });
	}

	// positions replaces addresses of the worker's script by lines of the bot.
	const positions = (text) => text
		.replace(/blob:[^\s)]*?:(\d+):(\d+)/g, (_, line, column) => (line > before ? `line ${line - before}:${column}` : "the page"))
		.replace(/\n.*\bthe page\)?(?=\n|$)/g, "");

	function hear({ write, log, error, pong }) {
		const now = Math.floor(performance.now() / 1000);
		heard = now === second ? heard + 1 : 1;
		second = now;
		if (heard > flood) fail("it writes too much in a second");
		else if (error !== undefined) fail(String(error).slice(0, 8000));
		else if (write !== undefined) port.postMessage({ write: String(write).slice(0, 5000) });
		else if (log !== undefined) port.postMessage({ log: String(log).slice(0, 2000) });
		else if (pong !== undefined) port.postMessage({ pong: Number(pong) });
	}
}
