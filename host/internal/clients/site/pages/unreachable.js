// The message over the board while the host does not answer.
import { h, $, fill, clock } from "./dom.js";
import { t, phrase } from "./i18n.js";

const patience = 2500; // milliseconds without the host before the message is shown
const limit = 120000; // milliseconds after which refused connections are not tried again

const causes = new Set(); // what does not get an answer
let since = 0; // time at which that began, as performance.now; 0: the host answers
let timer = null;
let retry = null; // what the person's button does; null: the page tries again by itself

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
	retry = null;
	clearInterval(timer);
	timer = null;
	draw();
}

// refused notes that no live connection comes about. It reports whether to try again; if not,
// the message has a button, which calls f.
export function refused(f) {
	broken("socket");
	if (performance.now() - since < limit) return true;
	retry = f;
	draw();
	return false;
}

function draw() {
	const shown = since > 0 && performance.now() - since >= patience;
	const time = clock((performance.now() - since) / 1000);
	const blocked = causes.has("socket") && !causes.has("page"); // the host answers other requests
	const state = `${blocked} ${retry !== null}`;
	const box = $("unreachable");
	$("board").classList.toggle("dimmed", shown);
	if (!shown) fill(box);
	else if (box.firstChild?.dataset.state === state) write(box.querySelector("[role=timer]"), time);
	else fill(box, h("div", { role: "alert", "data-state": state }, message(blocked, h("span", { role: "timer" }, time)), retry && h("p", null, h("button", { class: "main", type: "button", onclick: again }, t("Try again")))));
}

function message(blocked, time) {
	if (!blocked) return phrase("No connection to the host for {time}, trying again…", { time });
	if (retry) return t("The host answers, but the live connection (WebSocket) fails. Often a proxy, a firewall or an extension of the browser blocks it: try another network, or ask the people who run yours.");
	return phrase("The host answers, but the live connection (WebSocket) has failed for {time}: a proxy or a firewall can block it. Trying again…", { time });
}

function write(element, text) {
	if (element) element.textContent = text;
}

function again() {
	const f = retry;
	retry = null;
	since = performance.now();
	draw();
	f();
}
