// The language of the pages. Texts are written in English, and the English text is the key
// of its translations; each other language has a file of them. The host translates the texts
// of the HTML, and chooses the language: that of the cookie, or else one that the browser
// prefers.
import { prefixed } from "./path.js";

export const language = document.documentElement.lang;

const file = language === "en" ? null : await fetch(document.getElementById("texts")?.href ?? prefixed(`/assets/${language}.json`)).then((r) => r.json()).catch(() => null);
const { plurals, texts, games = {} } = file || { plurals: ["one", "other"], texts: {} };
const rules = new Intl.PluralRules(file ? language : "en");
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 3, useGrouping: false });

// phrase returns a text in the person's language as a list of strings and values. Names in
// braces stand for values. A text with a value n has a form for each plural of its language:
// "{n} match|{n} matches". A text that needs different translations in different places has
// a suffix that is not shown: "Open##state".
export function phrase(text, values = {}) {
	const translated = texts[text] ?? text.replace(/##.*/, "");
	const forms = values.n === undefined ? [translated] : translated.split("|");
	const plural = plurals.indexOf(rules.select(Number(values.n ?? 0)));
	const form = forms.at(plural < forms.length ? plural : -1);
	return form.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? part : typeof values[part] === "number" ? number(values[part]) : values[part]));
}

// t is phrase for values that are texts or numbers.
export const t = (text, values) => phrase(text, values).join("");

// known returns the translation of a text that a game's author has written, or that text.
export const known = (text) => games[text] ?? text;

// number formats a number with at most three decimals.
export const number = (n) => numbers.format(n);

// The list of languages in the footer.
document.getElementById("language")?.addEventListener("change", ({ target }) => {
	document.cookie = `language=${target.value}; path=${prefixed("/")}; max-age=31536000; samesite=lax`;
	location.reload();
});
