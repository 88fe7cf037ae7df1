// The frame of a person's bot. It has its own origin, no network, and a port to the page.
// The bot runs in a worker. The frame passes messages on, with bounds on their number and
// length, and changes positions in errors to lines of the bot.
"use strict";
{
	const flood = 5000; // messages of a bot in a second
	const text = (id) => document.getElementById(id).textContent;
	const runtime = text("worker");
	let before = 0; // lines of the script before the bot's first; Infinity: the bot is not in it
	let port = null;
	let worker = null;
	let python = null; // {script, module}, when the page has sent MicroPython
	let second = 0;
	let heard = 0; // messages in that second

	addEventListener("message", (event) => {
		if (port || event.source !== parent || !event.ports[0]) return;
		port = event.ports[0];
		port.onmessage = ({ data }) => receive(data);
	});

	function receive(message) {
		if (message.code !== undefined) begin(message);
		else if (message.python) prepare(message.python);
		else if (message.stop) stop();
		else worker?.postMessage(message);
	}

	// prepare compiles MicroPython, once for all bots.
	async function prepare({ script, bytes }) {
		try {
			python = { script, module: await WebAssembly.compile(bytes) };
			port.postMessage({ prepared: "" });
		} catch (error) {
			port.postMessage({ prepared: String(error).slice(0, 2000) });
		}
	}

	function begin({ code, language }) {
		stop();
		const other = language === "python";
		const parts = other ? [runtime, "\n", python.script, "\n", text("python")] : [runtime, "\n", code];
		before = other ? Infinity : runtime.split("\n").length;
		const address = URL.createObjectURL(new Blob(parts, { type: "text/javascript" }));
		const started = worker = new Worker(address);
		started.onmessage = ({ data }) => {
			if (worker === started) hear(data ?? {});
		};
		started.onerror = (event) => {
			event.preventDefault();
			if (worker === started) fail(`${event.message || "could not load it"}${event.lineno > before ? `\n    at line ${event.lineno - before}` : ""}`);
		};
		started.postMessage({ start: true, given: other ? { module: python.module, prelude: text("prelude"), source: code } : undefined });
	}

	function stop() {
		worker?.terminate();
		worker = null;
	}

	function fail(message) {
		stop();
		port.postMessage({ error: positions(message).slice(0, 2000) });
	}

	// positions replaces addresses of the worker's script by lines of the bot.
	const positions = (message) => message
		.replace(/blob:[^\s)]*?:(\d+):(\d+)/g, (_, line, column) => (line > before ? `line ${line - before}:${column}` : "the page"))
		.replace(/\n.*\bthe page\)?(?=\n|$)/g, "");

	function hear({ write, took, log, error, pong }) {
		const now = Math.floor(performance.now() / 1000);
		heard = now === second ? heard + 1 : 1;
		second = now;
		if (heard > flood) fail("it writes too much in a second");
		else if (error !== undefined) fail(String(error).slice(0, 8000));
		else if (write !== undefined) port.postMessage({ write: String(write).slice(0, 5000), took: Number(took) });
		else if (log !== undefined) port.postMessage({ log: String(log).slice(0, 2000) });
		else if (pong !== undefined) port.postMessage({ pong: Number(pong) });
	}
}
