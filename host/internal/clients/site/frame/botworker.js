// The runtime of a person's bot, in a worker of the frame: it has no document and, by the
// frame's policy, no network. The bot's text, or MicroPython and pythonbot.js, follows it in the
// same script, and defines play(read, write).
((self, post) => {
	const most = 500; // lines of output in one turn
	const lines = []; // not read yet
	const readers = []; // that wait for a line
	let over = false; // there are no more lines
	let printed = 0; // lines of output in this turn
	let began = 0; // when the last message from the page came

	const read = () => (lines.length ? Promise.resolve(lines.shift()) : over ? Promise.resolve(null) : new Promise((resolve) => readers.push(resolve)));
	const write = (line) => post({ write: String(line), took: performance.now() - began });
	const fail = (error) => post({ error: String(error?.stack && !String(error.stack).startsWith(String(error)) ? `${error}\n${error.stack}` : error?.stack || error).slice(0, 4000) });

	const show = (value) => {
		if (typeof value === "string") return value;
		try {
			return JSON.stringify(value) ?? String(value);
		} catch {
			return String(value);
		}
	};
	const print = (...values) => {
		if (++printed > most) return;
		post({ log: printed === most ? "… more output was left out" : values.map(show).join(" ").slice(0, 2000) });
	};
	self.console = { log: print, info: print, debug: print, warn: print, error: print };

	self.addEventListener("message", ({ data }) => {
		printed = 0;
		if (!data.ping) began = performance.now();
		if (data.ping) post({ pong: data.ping });
		for (const line of data.lines ?? []) (readers.shift() ?? ((l) => lines.push(l)))(line);
		if (data.end) {
			over = true;
			for (const resolve of readers.splice(0)) resolve(null);
		}
		if (data.start) {
			try {
				if (typeof play !== "function") throw new Error("there is no function play(read, write)");
				Promise.resolve(play(read, write, data.given)).catch(fail);
			} catch (error) {
				fail(error);
			}
		}
	});
	self.addEventListener("unhandledrejection", (event) => fail(event.reason));
})(self, self.postMessage.bind(self));
