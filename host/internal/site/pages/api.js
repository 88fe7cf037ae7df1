// The page of the API, made from its OpenAPI description.
import { h, $, fill } from "./dom.js";
import { api } from "./host.js";

const description = await api("/api/openapi.json");
$("about").textContent = description.info.description;
fill($("paths"), Object.entries(description.paths).map(([path, { get }]) => h("section", null,
	h("h2", null, h("code", null, path.includes("{") ? path : h("a", { href: path }, path))),
	h("p", null, get.summary),
	get.parameters?.length > 0 && h("table", null, get.parameters.map((p) => h("tr", null,
		h("td", null, h("code", null, p.name)), h("td", null, [p.description, p.schema.enum?.join(" or ")].filter(Boolean).join(": "))))))));
