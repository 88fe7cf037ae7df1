// The page of the API, made from its OpenAPI description.
import { h, $, fill } from "./dom.js";
import { api } from "./host.js";
import * as person from "./person.js";

person.account();

const description = await api("/api/openapi.json");
$("about").textContent = description.info.description;
fill($("paths"), Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, request]) => h("section", null,
	h("h2", null, h("code", null, method === "get" ? path.includes("{") ? path : h("a", { href: path }, path) : `${method.toUpperCase()} ${path}`)),
	h("p", null, request.summary),
	table([...request.parameters || [], ...Object.entries(request.requestBody?.content["application/json"]?.schema.properties || {}).map(([name, schema]) => ({ name, description: schema.description, schema }))])))));
document.querySelector("main").classList.remove("loading");

function table(list) {
	return list.length > 0 && h("table", null, list.map((p) => h("tr", null,
		h("td", null, h("code", null, p.name)), h("td", null, [p.description, p.schema.enum?.join(" or ")].filter(Boolean).join(": ")))));
}
