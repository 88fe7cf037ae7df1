// The page of the hosts that work as one.
import { h, $, fill, duration } from "./dom.js";
import { poll } from "./poll.js";
import * as person from "./person.js";
import { t, language } from "./i18n.js";

let error = ""; // of the last request
let lost = ""; // what the last answer says about the connection of its host

function draw({ host, connected, hosts }) {
	$("about").textContent = !host ? t("This host is alone.") : hosts.length === 1 ? t("One host runs.") : t("{n} hosts work as one. You are connected to {host}.|{n} hosts work as one. You are connected to {host}.", { n: hosts.length, host });
	lost = host && !connected ? t("This host is not connected to the others now, so the list can be old.") : "";
	fill($("hosts"), h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Hosts"), "data-key": "hosts" }, h("table", null,
		h("thead", null, h("tr", null, h("th", { scope: "col", class: "who" }, t("Host")), h("th", { scope: "col" }, t("Up for")), h("th", { scope: "col", class: "number" }, t("Matches")), h("th", { scope: "col", class: "number" }, t("Clients")), h("th", { scope: "col" }, t("Games")))),
		h("tbody", null, hosts.map((x) => h("tr", { class: x.name && x.name === host ? "mine" : null },
			h("th", { scope: "row", class: "who" }, x.name || t("this host"),
				host && x.leader && h("span", { class: "tag good", title: t("pairs the players that serve, and plays the contests") }, t("leader")),
				x.runner && h("span", { class: "tag", title: t("builds and plays programs that were handed in, and serves no clients") }, t("runner")),
				x.draining && h("span", { class: "tag bad", title: t("takes no new matches") }, t("stopping"))),
			h("td", { title: new Date(x.started).toLocaleString(language) }, duration((Date.now() - Date.parse(x.started)) / 1000)),
			h("td", { class: "number" }, t("{matches} of {most}", x)),
			h("td", { class: "number" }, x.sessions),
			h("td", null, x.games.length === 0 ? t("none") : x.games.map((g, i) => [i > 0 && ", ", h("span", { title: t("version {version}", g) }, g.name)]))))))));
}

person.account();
poll("/api/hosts", draw, (e) => {
	error = e ? t("{reason}. Trying again…", { reason: e.message }) : "";
	$("fault").textContent = error || lost;
});
