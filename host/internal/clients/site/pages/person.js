// The person: the name to play with, stored in the browser, and the account of a
// registered player.
import { h, $, fill, copyable } from "./dom.js";
import { api } from "./host.js";
import { t, phrase } from "./i18n.js";
import { visit } from "./provider.js";

const valid = /^[!-#%-~]{1,16}$/; // printable ASCII without space and $

let player = ""; // logged in
let registration = "closed";
let login = ""; // the text of the button for the login provider; empty: there is none
let locked = false;
let submissions = false; // programs can be handed in

const watchers = []; // called with the player when another one is logged in

// onAccount calls f with the player that is logged in, now and after each change; with ""
// for none.
export function onAccount(f) {
	watchers.push(f);
	f(player);
}

export const loggedIn = () => player !== "";

// provider returns the text of the button for the login provider; empty: there is none.
export const provider = () => login;

// known ends when it is known which player is logged in.
export const known = api("/api/session").then(set).catch(() => {});

// refresh looks again which player is logged in.
export const refresh = () => api("/api/session").then(set);

// name returns the name to play with: that of the player who is logged in, unless the
// person has chosen another. The first visit without a login generates one.
export function name() {
	let kept = null;
	try {
		kept = localStorage.getItem(key());
	} catch {
		// the browser can forbid it
	}
	if (!kept || !valid.test(kept)) {
		kept = player || made;
		if (!player) keep(kept);
	}
	return kept;
}

const key = () => (player ? `name of ${player}` : "name");
const made = `guest-${100 + Math.floor(Math.random() * 900)}`;

function keep(value) {
	try {
		localStorage.setItem(key(), value);
	} catch {
		// the browser can forbid it
	}
}

// field adds a field for the name and the account to the page's header.
export function field() {
	const input = h("input", {
		id: "person", type: "text", value: name(), maxlength: "16", autocomplete: "nickname", spellcheck: "false",
		"aria-describedby": "person-fault", oninput: () => {
			const ok = valid.test(input.value);
			input.setCustomValidity(ok ? "" : t("1 to 16 letters, digits or signs, without spaces and $"));
			fault.textContent = input.validationMessage;
			if (ok) keep(input.value);
		},
	});
	const fault = h("span", { id: "person-fault", class: "fault", role: "alert" });
	header(h("label", { for: "person" }, t("You play as")), input, fault);
}

// account adds only the account to the page's header.
export const account = () => header();

function header(...parts) {
	const box = h("div", { class: "person loading" }, parts, h("span", { id: "account", role: "group", "aria-label": t("Account") }));
	$("person-slot").replaceWith(box);
	known.then(() => box.classList.remove("loading")); // before that, the buttons would move the field
	draw();
}

// lock hides the buttons that change the account. A seat belongs to one account.
export function lock(on) {
	if (locked === on) return;
	locked = on;
	draw();
}

function set(session) {
	if (session.player !== player) {
		player = session.player;
		for (const f of watchers) f(player);
		if ($("person")) $("person").value = name();
	}
	registration = session.registration;
	login = session.login ?? "";
	submissions = Boolean(session.submissions);
	if ($("own-programs")) $("own-programs").hidden = !submissions;
	draw();
}

function draw() {
	if (!$("account")) return;
	const button = (id, text, onclick) => h("button", { id, class: "quiet", type: "button", "data-key": "account", onclick }, text);
	fill($("account"),
		player && (locked ? h("b", { title: t("registered player") }, `${player} ✓`) : h("a", { class: "own-account", href: "/account", title: t("My account") }, `${player} ✓`)),
		!locked && player && submissions && h("a", { class: "own-programs", href: "/programs", "data-key": "programs" }, t("My programs")),
		!locked && player && button("log-out", t("Log out"), logOut),
		!locked && !player && login && button("provider", login, () => visit().catch((error) => alert(error.message))),
		!locked && !player && button("log-in", t("Log in"), logIn),
		!locked && !player && ["open", "invite"].includes(registration) && button("register", t("Register"), register));
}

async function logOut() {
	await api("/api/session", "DELETE").then(set).catch((error) => alert(error.message));
}

function logIn() {
	const token = h("input", { id: "token", type: "password", required: true, maxlength: "100", autocomplete: "current-password", spellcheck: "false" });
	ask(t("Log in"), t("Log in"), [h("label", { for: "token" }, t("The token of your player")), token, h("p", { class: "hint" }, t("You got it when the player was registered. It begins with coco_."))], async () => {
		set(await api("/api/session", "POST", { token: token.value.trim() }));
	});
}

function register() {
	const name = h("input", { id: "new-name", type: "text", required: true, maxlength: "16", pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", autocomplete: "username", spellcheck: "false" });
	const invite = h("input", { id: "invite", type: "text", required: true, maxlength: "100", autocomplete: "off", spellcheck: "false" });
	const invited = registration === "invite";
	ask(t("Register a player"), t("Register"), [
		h("label", { for: "new-name" }, t("Name")), name, h("p", { class: "hint" }, t("1 to 16 letters, digits, dots, hyphens and underscores. Nobody else can play under this name.")),
		invited && [h("label", { for: "invite" }, t("Invitation")), invite],
	], async (dialog) => {
		const reply = await api("/api/players", "POST", { name: name.value, invite: invited ? invite.value : "" });
		set(reply);
		dialog.addEventListener("cancel", (event) => event.preventDefault()); // the Escape key must not lose the token
		const done = h("button", { class: "main", type: "button", onclick: () => dialog.close() }, t("I have kept it"));
		fill(dialog, h("h2", { id: "dialog-title" }, t("Keep the token of {player}", reply)),
			h("p", null, phrase("Anyone who has this token can play as {player}. You need it to log in elsewhere, here and in programs, and {never}.", { player: h("b", null, reply.player), never: h("b", null, t("it cannot be shown again")) })),
			h("p", { id: "new-token" }, copyable(reply.token, t("the token"))),
			h("p", { class: "hint" }, t("You are logged in on this browser now. With a program: coco login.")),
			h("div", { class: "buttons" }, done));
		done.focus();
		return true;
	});
}

// ask opens a dialog with fields. act is called when the person confirms; the dialog
// then closes unless act returns true.
export function ask(title, verb, fields, act) {
	const fault = h("p", { class: "fault", role: "alert" });
	const confirm = h("button", { class: "main", type: "submit" }, verb);
	const dialog = h("dialog", { class: "ask", "aria-labelledby": "dialog-title", onclose: () => dialog.remove() },
		h("h2", { id: "dialog-title" }, title),
		h("form", { onsubmit: async (event) => {
			event.preventDefault();
			fault.textContent = "";
			confirm.disabled = true;
			try {
				if (!await act(dialog)) dialog.close();
			} catch (error) {
				fault.textContent = error.message;
			}
			confirm.disabled = false;
		} }, fields, fault, h("div", { class: "buttons" }, confirm, h("button", { type: "button", onclick: () => dialog.close() }, t("Cancel")))));
	document.body.append(dialog);
	dialog.showModal();
}
