// The page of exports, which are files with the records of a month or another time.
import { h, $, fill } from "./dom.js";
import { poll } from "./poll.js";
import * as person from "./person.js";
import { t, language } from "./i18n.js";

const digits = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

function draw({ exports }) {
	fill($("exports"), exports.length === 0 ? h("p", null, t("This host offers no exports.")) : h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Data"), "data-key": "exports" }, h("table", null,
		h("thead", null, h("tr", null, h("th", { scope: "col", class: "who" }, t("Export")), h("th", { scope: "col" }, t("Games")), h("th", { scope: "col", class: "number" }, t("Matches")), h("th", { scope: "col" }, t("Files")))),
		h("tbody", null, exports.map((x) => h("tr", null,
			h("th", { scope: "row", class: "who", title: `${x.since} – ${x.until}` }, x.name, x.key && h("span", { class: "tag good", title: t("signed with the key {key}", x) }, t("signed"))),
			h("td", null, Object.keys(x.games).sort().join(", ")),
			h("td", { class: "number" }, digits.format(x.matches)),
			h("td", null, x.files.map((f) => h("div", null, h("a", { href: f.address, title: f.sha256 ? `SHA-256 ${f.sha256}` : null }, f.name), f.matches > 0 && ` (${t("{size} MB", { size: digits.format(f.bytes / 1e6) })})`)))))))));
}

person.account();
poll("/api/exports", draw, (e) => { $("fault").textContent = e ? t("{reason}. Trying again…", { reason: e.message }) : ""; }, 60000);
