// The page of a person who comes from the login provider: to choose a name, or with what has
// gone wrong.
import { h, $, fill } from "./dom.js";
import { api } from "./host.js";
import { t } from "./i18n.js";
import { visit } from "./provider.js";
import * as person from "./person.js";

const problems = {
	none: t("This host has no login provider: log in with a token."),
	attempt: t("This login was not begun in this browser, or more than 10 minutes ago: begin again."),
	denied: t("The login provider has not let you in."),
	answer: t("The answer of the login provider is not valid: try again, or tell the operator of this host."),
	provider: t("The login provider does not answer now: try again later, or log in with a token."),
	removed: t("Your player was removed: ask the operator of this host."),
	full: t("Your player has too many tokens: revoke one that you no longer need."),
	host: t("The host cannot read its players now: try again later."),
};

person.account();
const problem = new URLSearchParams(location.search).get("problem");
if (problem) $("problem").textContent = problems[problem] ?? problems.host;
let pending = { pending: false };
try {
	pending = await api("/api/login");
} catch (error) {
	$("problem").textContent = error.message;
}
await person.known;
person.onAccount(draw);
document.querySelector("main").classList.remove("loading");

// draw shows what the person can do, who is logged in as player or as nobody.
function draw(player) {
	if (!pending.pending) {
		fill($("login"), player && h("p", null, t("You are logged in as {player}.", { player })),
			h("p", { class: "buttons" }, person.provider() && h("button", { id: "again", class: "main", type: "button", onclick: () => visit("/").catch(failed) }, person.provider()), h("a", { href: "/" }, t("Games and matches"))));
		return;
	}
	fill($("login"), pending.registration === "closed" ? h("p", null, t("You have no player on this host yet, and it registers none: ask its operator for one.")) : choose(), player && link(player));
}

// choose is the form for a new player.
function choose() {
	const name = h("input", { id: "new-name", type: "text", required: true, maxlength: "16", pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", autocomplete: "nickname", spellcheck: "false", value: pending.suggestion });
	const invite = pending.registration === "invite" && h("input", { id: "invite", type: "text", required: true, maxlength: "100", autocomplete: "off", spellcheck: "false" });
	return h("form", { class: "login", onsubmit: (event) => {
		event.preventDefault();
		finish(event.submitter, { name: name.value, ...(invite ? { invite: invite.value } : {}) });
	} },
	h("p", null, t("You have no player on this host yet. Choose a name: everybody can see it, so it need not be your own.")),
	h("label", { for: "new-name" }, t("Name")), name,
	h("p", { class: "hint" }, t("1 to 16 letters, digits, dots, hyphens and underscores. Nobody else can play under this name.")),
	invite && [h("label", { for: "invite" }, t("Invitation")), invite],
	h("div", { class: "buttons" }, h("button", { id: "choose", class: "main", type: "submit" }, t("Register"))));
}

// link offers the player that is logged in with a token.
const link = (player) => h("div", { class: "login" },
	h("p", null, t("You are logged in as {player}. You can log in as this player from now on without its token.", { player })),
	h("div", { class: "buttons" }, h("button", { id: "link", type: "button", onclick: (event) => finish(event.target, { link: true }) }, t("Use {player}", { player }))));

async function finish(button, form) {
	$("problem").textContent = "";
	button.disabled = true;
	try {
		await api("/api/login/player", "POST", form);
		location.replace(pending.then);
	} catch (error) {
		failed(error);
		button.disabled = false;
	}
}

function failed(error) {
	$("problem").textContent = error.message;
}
