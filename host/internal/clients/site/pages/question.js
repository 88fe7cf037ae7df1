// A question in a dialog, before something that can't be taken back. Enter and Escape answer no.
import { h } from "./dom.js";
import { t } from "./i18n.js";

// question asks and returns a promise of the answer. yes is the text of the button that
// agrees; the other one has the focus. Only one question is open at a time: another one is
// answered with no.
export function question(text, yes) {
	if (document.querySelector("dialog.question")) return Promise.resolve(false);
	return new Promise((resolve) => {
		let answer = false;
		const dialog = h("dialog", { class: "ask question", "aria-labelledby": "question", onclose: () => {
			dialog.remove();
			resolve(answer);
		} },
			h("form", { method: "dialog", onsubmit: () => (answer = true) },
				h("p", { id: "question" }, text),
				h("div", { class: "buttons" },
					h("button", { class: "main", type: "submit" }, yes),
					h("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, t("No, go back")))));
		document.body.append(dialog);
		dialog.showModal();
	});
}
