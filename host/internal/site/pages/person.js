// The name of the person who plays, stored in the browser.
import { h, $ } from "./dom.js";

const valid = /^[!-#%-~]{1,16}$/; // printable ASCII without space and $

// name returns the person's name. The first visit generates one.
export function name() {
	let kept = null;
	try {
		kept = localStorage.getItem("name");
	} catch {
		// the browser can forbid it
	}
	if (!kept || !valid.test(kept)) {
		kept = made;
		keep(kept);
	}
	return kept;
}

const made = `guest-${100 + Math.floor(Math.random() * 900)}`;

function keep(value) {
	try {
		localStorage.setItem("name", value);
	} catch {
		// the browser can forbid it
	}
}

// field adds a field for the name to the page's header.
export function field() {
	const input = h("input", {
		id: "person", type: "text", value: name(), maxlength: "16", autocomplete: "nickname", spellcheck: "false",
		"aria-describedby": "person-fault", oninput: () => {
			const ok = valid.test(input.value);
			input.setCustomValidity(ok ? "" : "1 to 16 letters, digits or signs, without spaces and $");
			fault.textContent = input.validationMessage;
			if (ok) keep(input.value);
		},
	});
	const fault = h("span", { id: "person-fault", class: "fault", role: "alert" });
	$("person-slot")?.replaceWith(h("div", { class: "person" }, h("label", { for: "person" }, "You play as"), input, fault));
}
