// Notices: that it is the person's turn, in the title and the icon of the page, by a sound, and,
// if the person switches it on, as a notification; and that the person's time runs out.
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { play } from "./sound.js";
import { prefixed } from "./path.js";

const little = 10; // seconds

export class Notices {
	// A click on a notification shows the page.
	constructor(element) {
		this.mine = false; // it is the person's turn
		this.left = null; // seconds that the person had for this turn or the match, when last seen
		this.title = document.title;
		this.on = read();
		this.fault = h("p", { class: "fault", role: "alert" });
		element.append(h("details", { class: "notices" }, h("summary", null, t("Notices")),
			h("label", null, h("input", { type: "checkbox", "data-notice": "notify", checked: this.on, onchange: (event) => this.set(event.target) }), t("Notification when it is your turn and you are on another page")),
			this.fault));
	}

	async set(box) {
		this.fault.textContent = "";
		if (box.checked && !await permitted()) {
			box.checked = false;
			this.fault.textContent = t("The browser does not allow notifications from this page. Its settings can change that.");
		}
		this.on = box.checked;
		try {
			localStorage.setItem("notices", JSON.stringify({ notify: this.on }));
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
		this.left = null;
		this.draw();
		if (!mine || !document.hidden) return;
		play("turn");
		if (this.on) notify(t("Your move"), this.title);
	}

	// time notes the seconds that the person has in its turn, or null.
	time(left) {
		if (!this.mine) return;
		if (left !== null && left < little && this.left >= little) play("low");
		this.left = left;
	}

	draw() {
		document.title = this.mine ? t("● Your move – {title}", { title: this.title }) : this.title;
		const icon = document.querySelector("link[rel=icon]");
		const file = prefixed(this.mine ? "/assets/turn.svg" : "/assets/icon.svg");
		if (icon.getAttribute("href") !== file) icon.setAttribute("href", file);
	}
}

function read() {
	try {
		return JSON.parse(localStorage.getItem("notices"))?.notify === true && Notification.permission === "granted";
	} catch {
		return false;
	}
}

const permitted = async () => "Notification" in window && (Notification.permission === "granted" || await Notification.requestPermission() === "granted");

function notify(title, body) {
	try {
		const note = new Notification(title, { body, tag: location.pathname, icon: prefixed("/assets/icon.svg") });
		note.onclick = () => {
			focus();
			note.close();
		};
	} catch {
		// some phones have no notifications of pages
	}
}
