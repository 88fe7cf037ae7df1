// The message over the board while the host does not answer.
import { h, $, fill, clock } from "./dom.js";
import { phrase } from "./i18n.js";

const patience = 2500; // milliseconds without the host before the message is shown

const causes = new Set(); // what does not get an answer
let since = 0; // time at which that began, as performance.now; 0: the host answers
let timer = null;

// broken notes that something does not get an answer of the host; connected that it does.
// Without a cause, everything does.
export function broken(cause) {
	causes.add(cause);
	since ||= performance.now();
	timer ??= setInterval(draw, 500);
}

export function connected(cause) {
	if (cause) causes.delete(cause);
	else causes.clear();
	if (causes.size > 0) return;
	since = 0;
	clearInterval(timer);
	timer = null;
	draw();
}

function draw() {
	const shown = since > 0 && performance.now() - since >= patience;
	const time = clock((performance.now() - since) / 1000);
	const box = $("unreachable");
	$("board").classList.toggle("dimmed", shown);
	if (!shown) fill(box);
	else if (box.firstChild) box.querySelector("[role=timer]").textContent = time;
	else fill(box, h("p", { role: "alert" }, phrase("No connection to the host for {time}, trying again…", { time: h("span", { role: "timer" }, time) })));
}
