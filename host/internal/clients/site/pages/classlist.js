// What only the organizers of a contest see: the real names and classes of its players.
import { h, fill } from "./dom.js";
import { api } from "./host.js";
import { t } from "./i18n.js";

// classList fills a section of the page of the organizers.
export async function classList(element, contest) {
	const path = `/api/contests/${encodeURIComponent(contest)}/class`;
	const { pupils } = await api(path);
	const head = (text) => h("th", { scope: "col", class: "who" }, text);
	fill(element, h("h2", null, t("Class list")), h("p", { class: "hint" }, t("Only those who run this contest see it.")),
		pupils.length === 0 ? h("p", null, t("Of no player a real name or a class is known.")) : [
			h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Class list"), "data-key": "class" }, h("table", null,
				h("thead", null, h("tr", null, head(t("Name")), head(t("Real name")), head(t("Class")))),
				h("tbody", null, pupils.map((p) => h("tr", null, h("th", { scope: "row", class: "who" }, p.name), h("td", null, p.real_name), h("td", null, p.class)))))),
			h("p", { class: "files" }, h("a", { href: `${path}.csv`, download: "", "data-key": "class csv" }, t("Standings with real names as CSV"))),
		]);
}
