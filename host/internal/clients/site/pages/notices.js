// Notices: that it is the person's turn, in the title and the icon of the page, and, if the
// person switches them on, as a sound and as a notification; and the sounds of moves.
import { h } from "./dom.js";
import { t } from "./i18n.js";

const options = [
	["turn", t("Sound when it is your turn and you are on another page")],
	["notify", t("Notification when it is your turn and you are on another page")],
	["moves", t("Sounds of moves")],
];
const quiet = 80; // milliseconds between two sounds of moves

export class Notices {
	// A click on a notification shows the page.
	constructor(element) {
		this.mine = false; // it is the person's turn
		this.title = document.title;
		this.on = read();
		this.heard = 0; // time of the last sound of a move
		this.fault = h("p", { class: "fault", role: "alert" });
		element.append(h("details", { class: "notices" }, h("summary", null, t("Notices")),
			options.map(([key, text]) => h("label", null, h("input", { type: "checkbox", "data-notice": key, checked: this.on[key], onchange: (event) => this.set(key, event.target) }), text)),
			this.fault));
	}

	async set(key, box) {
		this.fault.textContent = "";
		if (key === "notify" && box.checked && !await permitted()) {
			box.checked = false;
			this.fault.textContent = t("The browser does not allow notifications from this page. Its settings can change that.");
		}
		this.on[key] = box.checked;
		if (box.checked && key !== "notify") beep(key === "turn" ? 660 : 440); // the browser allows sounds after a click
		try {
			localStorage.setItem("notices", JSON.stringify(this.on));
		} catch {
			// the browser can forbid it
		}
	}

	// name sets the title of the page.
	name(title) {
		this.title = title;
		this.draw();
	}

	// turn notes whether it is the person's turn.
	turn(mine) {
		if (mine === this.mine) return;
		this.mine = mine;
		this.draw();
		if (!mine || !document.hidden) return;
		if (this.on.turn) beep(660);
		if (this.on.notify) notify(t("Your move"), this.title);
	}

	// move is called for each move that is made while the page shows the match.
	move() {
		const now = performance.now();
		if (!this.on.moves || document.hidden || now - this.heard < quiet) return;
		this.heard = now;
		beep(440);
	}

	draw() {
		document.title = this.mine ? t("● Your move – {title}", { title: this.title }) : this.title;
		const icon = document.querySelector("link[rel=icon]");
		const file = this.mine ? "/assets/turn.svg" : "/assets/icon.svg";
		if (icon.getAttribute("href") !== file) icon.setAttribute("href", file);
	}
}

function read() {
	try {
		const { turn, notify, moves } = JSON.parse(localStorage.getItem("notices")) ?? {};
		return { turn: turn === true, moves: moves === true, notify: notify === true && Notification.permission === "granted" };
	} catch {
		return { turn: false, moves: false, notify: false };
	}
}

const permitted = async () => "Notification" in window && (Notification.permission === "granted" || await Notification.requestPermission() === "granted");

function notify(title, body) {
	try {
		const note = new Notification(title, { body, tag: location.pathname, icon: "/assets/icon.svg" });
		note.onclick = () => {
			focus();
			note.close();
		};
	} catch {
		// some phones have no notifications of pages
	}
}

let audio = null;

// beep plays a short tone.
function beep(frequency) {
	try {
		audio ??= new AudioContext();
		audio.resume();
		const tone = new OscillatorNode(audio, { frequency });
		const volume = new GainNode(audio, { gain: 0 });
		const now = audio.currentTime;
		volume.gain.linearRampToValueAtTime(0.12, now + 0.01);
		volume.gain.exponentialRampToValueAtTime(0.001, now + 0.18);
		tone.connect(volume).connect(audio.destination);
		tone.start(now);
		tone.stop(now + 0.2);
	} catch {
		// without sound, the rest goes on
	}
}
