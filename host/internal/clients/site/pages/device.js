// The page on which a person lets a program log in.
import { h, $, fill } from "./dom.js";
import { api } from "./host.js";
import { t, phrase } from "./i18n.js";
import * as person from "./person.js";

person.account();
await person.known;
person.onAccount((player) => {
	$("log-in-first").hidden = Boolean(player);
	$("device").hidden = !player;
	ask(new URLSearchParams(location.search).get("code") || "");
});
document.querySelector("main").classList.remove("loading");

// ask shows the form for the code.
function ask(code) {
	const input = h("input", { id: "code", class: "code", type: "text", required: true, maxlength: "20", size: "10", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", value: code });
	form([h("label", { for: "code" }, t("The code that the program shows")), input], [h("button", { class: "main", type: "submit" }, t("Continue"))], async () => {
		decide(input.value, await api("/api/device/code", "POST", { user_code: input.value }));
	});
}

// decide shows which program asks.
function decide(code, asking) {
	form([
		h("p", { id: "asks" }, asking.client ? phrase("{client} wants to log in as {player}.", { client: h("b", null, asking.client), player: h("b", null, asking.player) }) : phrase("A program wants to log in as {player}.", { player: h("b", null, asking.player) })),
		asking.address && h("p", { class: "hint" }, t("It asks from the address {address}.", asking)),
		h("p", null, t("Its code is {code}. Allow this only if you have just started the program yourself: it can do everything that you can do with your player.", { code: code.toUpperCase() })),
	], [
		h("button", { id: "allow", class: "main", type: "submit", value: "allow" }, t("Allow")),
		h("button", { id: "deny", type: "submit", value: "deny" }, t("Deny")),
	], async (verdict) => {
		const { allow, player } = await api("/api/device/answer", "POST", { user_code: code, allow: verdict === "allow" });
		fill($("device"), h("p", { id: "answered", class: "notice", role: "status" }, allow ? t("The program logs in as {player} now. You can close this page.", { player }) : t("The program cannot log in.")));
	});
}

// form shows a form; act is called with the value of the button.
function form(fields, buttons, act) {
	const fault = h("p", { class: "fault", role: "alert" });
	fill($("device"), h("form", { class: "login", onsubmit: async (event) => {
		event.preventDefault();
		fault.textContent = "";
		for (const b of buttons) b.disabled = true;
		try {
			await act(event.submitter?.value);
		} catch (error) {
			fault.textContent = error.message;
		}
		for (const b of buttons) b.disabled = false;
	} }, fields, fault, h("div", { class: "buttons" }, buttons)));
}
