// The page of the hosts that work as one.
import { h, $, fill, duration } from "./dom.js";
import { poll } from "./poll.js";
import * as person from "./person.js";

let error = ""; // of the last request
let lost = ""; // what the last answer says about the connection of its host

function draw({ host, connected, hosts }) {
	$("about").textContent = !host ? "This host is alone." : hosts.length === 1 ? "One host runs." : `${hosts.length} hosts work as one. You are connected to ${host}.`;
	lost = host && !connected ? "This host is not connected to the others now, so the list can be old." : "";
	fill($("hosts"), h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Hosts", "data-key": "hosts" }, h("table", null,
		h("thead", null, h("tr", null, h("th", { scope: "col", class: "who" }, "Host"), h("th", { scope: "col" }, "Up for"), h("th", { scope: "col", class: "number" }, "Matches"), h("th", { scope: "col", class: "number" }, "Clients"), h("th", { scope: "col" }, "Games"))),
		h("tbody", null, hosts.map((x) => h("tr", { class: x.name && x.name === host ? "mine" : null },
			h("th", { scope: "row", class: "who" }, x.name || "this host",
				host && x.leader && h("span", { class: "tag good", title: "pairs the players that serve, and plays the contests" }, "leader"),
				x.draining && h("span", { class: "tag bad", title: "takes no new matches" }, "stopping")),
			h("td", { title: new Date(x.started).toLocaleString() }, duration((Date.now() - Date.parse(x.started)) / 1000)),
			h("td", { class: "number" }, `${x.matches} of ${x.most}`),
			h("td", { class: "number" }, x.sessions),
			h("td", null, x.games.length === 0 ? "none" : x.games.map((g, i) => [i > 0 && ", ", h("span", { title: `version ${g.version}` }, g.name)]))))))));
}

person.account();
poll("/api/hosts", draw, (e) => {
	error = e ? `${e.message}. Trying again…` : "";
	$("fault").textContent = error || lost;
});
