// Helpers for the tests of viewers. The page holds the frame, and this script is
// the other end of its port.
const report = []; // faults
let checked = 0;
const fault = (text) => report.push(text.slice(0, 1000).replaceAll("\n", " "));
const check = (got, want, what) => {
	checked++;
	if (got !== want) fault(`${what}: got ${got}, want ${want}`);
};

async function run(test) {
	try {
		await test();
	} catch (error) {
		fault(String(error.stack || error));
	}
	report.push(`checked ${checked} things`);
	await fetch("/", { method: "POST", body: report.join("\n") });
}

// split returns the lines of a stream in which > marks lines that were sent.
const split = (stream) => stream.split("\n").slice(0, -1).map((l) => (l.startsWith(">") ? { text: l.slice(1), sent: true } : { text: l, sent: false }));

let frame = null; // with the runtime
let port = null;
let moves = []; // sent by the viewer
let lines = []; // sent by the viewer
let plans = []; // what happened with planned lines: {why, paths}
let expected = false; // the viewer must fail
let failure = ""; // why it failed
let waiting = []; // for its next messages: {key, resolve}

// open shows a match in a new frame.
async function open(code, match, called) {
	frame?.remove();
	frame = document.createElement("iframe");
	frame.hidden = true; // skips the layout, which takes time
	document.body.append(frame);
	frame.contentDocument.open(); // its navigation to srcdoc would take twice as long as all it has
	frame.contentDocument.write(page);
	frame.contentDocument.close();
	const channel = new MessageChannel();
	port = channel.port1;
	[moves, lines, plans, waiting, expected, failure] = [[], [], [], [], false, ""];
	port.onmessage = ({ data }) => {
		if (data.error && expected) failure = data.error;
		else if (data.error) fault(`the viewer failed: ${data.error}`);
		if (data.moves) moves.push(...data.moves);
		if (data.send !== undefined) lines.push(data.send);
		if (data.plan) plans.push(data.plan);
		waiting = waiting.filter((w) => {
			if (!(w.key in data) && !data.error) return true;
			w.resolve(data[w.key]);
			return false;
		});
	};
	frame.contentWindow.postMessage(null, "*", [channel.port2]);
	await ask("ready", { code, room: 400, called, match: { game: "", plugin: "", timeout: 30, seats: 2, bots: 0, ...match } });
}

// ask posts a message and returns one part of the answer.
function ask(part, message) {
	const answer = new Promise((resolve) => waiting.push({ key: part, resolve }));
	port.postMessage(message);
	return answer;
}

const append = (more) => port.postMessage({ lines: more });

// show draws the board after n lines and returns the viewer's status.
const show = (n, view) => ask("status", { view: { show: n, playing: false, ended: false, result: null, ...view } });

// sent returns the lines that the viewer has sent, after it has handled all messages
// and the frame has drawn its picture.
async function sent() {
	await ask("pong", { ping: 1 });
	return lines;
}

// click presses an element and waits until the result is drawn.
async function click(id) {
	frame.contentDocument.getElementById(id).dispatchEvent(new MouseEvent("click", { bubbles: true }));
	await sent();
}

const board = () => frame.contentDocument.getElementById("board");
const picture = () => board().innerHTML;

// pieces returns the places of all pieces, as seen from the bottom of the board or,
// if turned, from the top.
function pieces(turned) {
	const [x, y, width, height] = board().querySelector("svg").getAttribute("viewBox").split(" ").map(Number);
	return [...board().querySelectorAll("[id^=piece-], [id^=stone-], [id^=tower-]")].map((e) => {
		const at = /translate\((\S+) (\S+)\)/.exec(e.getAttribute("transform")).slice(1).map((v, i) => Math.round(turned ? 2 * [x, y][i] + [width, height][i] - v : v));
		return `${e.id} at ${at.join(" ")}`;
	}).sort().join();
}

// clickable returns all lines that a person can send by clicking after n lines. It
// clicks each choice, and then each choice that follows.
async function clickable(n) {
	const found = new Set();
	const begin = async (path) => {
		append([]); // as if the last line sent had been answered
		await show(n - 1);
		await show(n, { playing: true });
		for (const id of path) await click(id);
	};
	const following = (last) => [...board().querySelectorAll(".choice, button:enabled")].filter((e) => !last || e.id === "resign" && last === "resign"
		|| /^(to|go)-/.test(e.id) || e.getAttribute("aria-label") === "Stop here" || e.id.startsWith("stone-") && e.getAttribute("aria-pressed") !== "true" && e.id > last).map((e) => e.id);
	const visit = async (path) => { // while the board shows the choices after the path
		const ids = following(path.at(-1));
		for (const id of ids) {
			const e = frame.contentDocument.getElementById(id);
			if (!e.hasAttribute("aria-label") && e.localName === "g") fault(`${id} has no label`);
			lines = [];
			await click(id);
			if (lines.length) {
				if (found.size === 0) await click(id); // a person can click twice
				found.add(lines[0]);
				port.postMessage({ unsent: true }); // often the board then shows the same choices
				await sent();
			} else {
				await visit([...path, id]);
			}
			if (following(path.at(-1)).join() !== ids.join()) await begin(path);
		}
	};
	await begin([]);
	await visit([]);
	return [...found];
}
