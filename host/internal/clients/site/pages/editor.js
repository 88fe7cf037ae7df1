// A text field for code, which keeps its text in the browser.
import { t } from "./i18n.js";

// edit fills a field with the text that the person had last, or else with the given one.
// The button asks, and then sets the given one again.
export function edit(field, key, text, reset) {
	let kept = null;
	try {
		kept = localStorage.getItem(key);
	} catch {
		// the browser can forbid it
	}
	field.value = kept ?? text;
	const keep = () => {
		try {
			if (field.value === text) localStorage.removeItem(key);
			else localStorage.setItem(key, field.value);
		} catch {
			// the browser can forbid it, or it is full
		}
	};
	let leaving = false; // Escape was pressed: the next Tab leaves the field
	field.addEventListener("keydown", (event) => {
		const indents = event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !event.altKey && !leaving;
		leaving = event.key === "Escape";
		if (!indents) return;
		event.preventDefault();
		// Unlike setRangeText, this can be undone by the person.
		if (!document.execCommand("insertText", false, "\t")) field.setRangeText("\t", field.selectionStart, field.selectionEnd, "end");
	});
	field.addEventListener("input", keep);
	reset.addEventListener("click", () => {
		if (field.value === text || !confirm(t("Replace your bot by the example? Your text is lost."))) return;
		field.value = text;
		keep();
	});
}
