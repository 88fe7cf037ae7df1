// The page on which a player manages its tokens and its name.
import { h, $, fill, copyable, duration } from "./dom.js";
import { api } from "./host.js";
import { question } from "./question.js";
import { t } from "./i18n.js";
import * as person from "./person.js";
import { prefixed } from "./path.js";

const tokens = "/api/account/tokens";

// act calls f, shows its error, and keeps the button from acting twice.
async function act(button, f) {
	$("fault").textContent = "";
	if (button) button.disabled = true;
	try {
		await f();
	} catch (error) {
		$("fault").textContent = t("The host says: {reason}", { reason: error.message });
		$("fault").scrollIntoView({ block: "nearest" });
	}
	if (button) button.disabled = false;
}

async function list() {
	const { tokens: all } = await api(tokens);
	fill($("tokens"), all.length === 0 && h("li", { class: "hint" }, t("You have no token beside the one of your registration.")), all.map(row));
}

const since = (at) => duration((Date.now() - Date.parse(at)) / 1000);

function row(token) {
	const facts = [
		token.scopes.join(", "), t("created {time} ago", { time: since(token.created) }),
		token.seen ? t("used {time} ago", { time: since(token.seen) }) : t("never used"),
		token.expires ? t("valid for {time}", { time: duration((Date.parse(token.expires) - Date.now()) / 1000) }) : t("valid for ever"),
	];
	const revoke = h("button", { class: "quiet", type: "button", "data-key": `revoke ${token.id}`, "aria-label": t("Revoke: {text}", { text: token.label }), onclick: async () => {
		if (!await question(t("Revoke the token {label}? What uses it is logged out at once.", { label: token.label }), t("Revoke"))) return;
		act(revoke, async () => {
			await api(`${tokens}/${encodeURIComponent(token.id)}`, "DELETE");
			await list();
		});
	} }, t("Revoke"));
	return h("li", null, h("div", null, h("b", null, token.label), h("div", { class: "hint" }, facts.join(" · "))), revoke);
}

$("create").addEventListener("submit", (event) => {
	event.preventDefault();
	const form = event.target;
	act(event.submitter, async () => {
		const scopes = [...form.querySelectorAll("[name=scope]:checked")].map((box) => box.value);
		const label = $("label").value.trim();
		const { token } = await api(tokens, "POST", { label, scopes, days: Number($("days").value) });
		$("label").value = "";
		fill($("new-token"), h("p", null, t("The token {label}. Copy it now: it cannot be shown again.", { label })), copyable(token, t("the token")));
		$("new-token").hidden = false;
		await list();
	});
});

$("rename").addEventListener("submit", async (event) => {
	event.preventDefault();
	const name = $("name").value;
	if (!await question(t("Change your name to {name}? You can't change it again for 30 days.", { name }), t("Change the name"))) return;
	act(event.submitter, async () => {
		await api("/api/account/name", "POST", { name });
		$("name").value = "";
		await person.refresh();
	});
});

person.account();
await person.known;
let changes = 0;
person.onAccount(async (player) => {
	const change = ++changes;
	$("new-token").hidden = true;
	if (player) {
		$("profile").href = prefixed(`/players/${encodeURIComponent(player)}`);
		await act(null, list); // first, so that nothing moves when it comes
		if (change !== changes) return; // somebody else has logged in
	}
	$("log-in-first").hidden = Boolean(player);
	$("own").hidden = !player;
	document.querySelector("main").classList.remove("loading");
});
