// Polling of the API. The host sends nothing when the answer has not changed, and a page
// that is hidden does not ask.
import { prefixed } from "./path.js";

// A page is hidden until it has its first answers, so that none of them moves what the
// person already reads. Its CSS shows it after some seconds in any case.
const main = document.querySelector("main");
let missing = Number(main.dataset.polls ?? 0);
function drawn() {
	missing--;
	if (missing <= 0) main.classList.remove("loading");
}

// poll calls take(answer) with each new answer of a path, and failed(error) when there is
// none, or failed(null) when there is one again. It asks every wait milliseconds, or less
// often if the answer is long. It returns a function that asks at once.
export function poll(path, take, failed, wait = 2000) {
	let first = true;
	let etag = null;
	let extra = 0; // milliseconds for the length of the answer
	let faults = 0; // in a row
	let timer = 0;
	let busy = false;

	async function ask() {
		clearTimeout(timer);
		if (document.hidden || busy) return;
		busy = true;
		let pause = 0;
		try {
			const reply = await fetch(prefixed(path), { cache: "no-store", headers: etag ? { "If-None-Match": etag } : {} });
			pause = 1000 * Number(reply.headers.get("Retry-After")) || 0; // a proxy can send a date
			if (reply.status !== 304) {
				const text = await reply.text();
				if (!reply.ok) throw Object.assign(new Error(JSON.parse(text).error), { status: reply.status });
				extra = text.length / 20;
				await take(JSON.parse(text));
				etag = reply.headers.get("ETag");
			}
			faults = 0;
			failed(null);
		} catch (error) {
			faults++;
			failed(error);
		}
		busy = false;
		if (first) drawn();
		first = false;
		timer = setTimeout(ask, Math.max(pause, Math.min(30000, (wait + extra) * 2 ** faults)) * (0.9 + 0.2 * Math.random()));
	}
	document.addEventListener("visibilitychange", ask);
	ask();
	return ask;
}
