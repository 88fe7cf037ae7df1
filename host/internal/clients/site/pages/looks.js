// How boards look: wood, slate or paper, and whether squares and pieces have letters and
// patterns. The user chooses once for all games; without a choice, letters are there for
// those who prefer more contrast.
import { h, svg } from "./dom.js";
import { t } from "./i18n.js";

const looks = ["wood", "slate", "paper"];
const contrast = matchMedia("(prefers-contrast: more)");
const changed = new Set(); // functions

function stored(name) {
	try {
		return localStorage.getItem(name);
	} catch {
		return null; // the browser can forbid it
	}
}

let chosen = stored("look");
let lettered = stored("letters");

// look returns what boards get: {look, letters}.
export const look = () => ({ look: looks.includes(chosen) ? chosen : looks[0], letters: lettered === null ? contrast.matches : lettered === "on" });

// onLook calls f after each change, until the function that it returns is called.
export function onLook(f) {
	changed.add(f);
	return () => changed.delete(f);
}

const tell = () => changed.forEach((f) => f(look()));
contrast.addEventListener("change", tell);
addEventListener("storage", (event) => {
	if (event.key !== "look" && event.key !== "letters") return;
	[chosen, lettered] = [stored("look"), stored("letters")];
	tell();
});

function choose(name, value) {
	if (name === "look") chosen = value;
	else lettered = value;
	try {
		localStorage.setItem(name, value);
	} catch {
		// the choice lasts as long as the page
	}
	tell();
}

// menu returns a button with the choices.
export function menu() {
	const named = { wood: t("Wood"), slate: t("Slate"), paper: t("Paper") };
	const radios = looks.map((name) => h("input", { type: "radio", name: "look", value: name, onchange: () => choose("look", name) }));
	const letters = h("input", { type: "checkbox", onchange: () => choose("letters", letters.checked ? "on" : "off") });
	const e = h("details", { class: "looks" },
		h("summary", { "aria-label": t("How the board looks"), title: t("How the board looks") }, svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: "M3 3 h18 v18 H3 Z M3 3 h9 v9 H3 Z M12 12 h9 v9 h-9 Z" }))),
		h("div", { role: "group", "aria-label": t("How the board looks") },
			looks.map((name, i) => h("label", { class: name }, radios[i], h("span", { class: "swatch", "aria-hidden": "true" }), named[name])),
			h("label", null, letters, t("Letters and patterns"))));
	const draw = (now) => {
		for (const r of radios) r.checked = r.value === now.look;
		letters.checked = now.letters;
	};
	draw(look());
	onLook(draw);
	e.addEventListener("keydown", (event) => {
		if (event.key !== "Escape" || !e.open) return;
		event.stopPropagation();
		e.open = false;
		e.querySelector("summary").focus();
	});
	addEventListener("pointerdown", (event) => !e.contains(event.target) && (e.open = false));
	addEventListener("blur", () => document.activeElement?.tagName === "IFRAME" && (e.open = false)); // the user has gone to the board
	return e;
}
