package site_test

import "testing"

// textsAreTranslated draws texts of a viewer with and without forms for numbers. The rules of a
// language are made once: it takes longer than to describe a piece, and a board has dozens of texts.
func textsAreTranslated(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		await open(code, { role: "spectator", params: {}, language: "it" });
		await show(0);
		await show(0);
		check(board().textContent, "1 pedina, 2,5 pedine, 2 pieces more, torre; 2", "the texts of the second drawing, and how many rules were made");`,
		map[string]any{"code": `
			export const texts = { it: { "{n} piece|{n} pieces": "{n} pedina|{n} pedine", rook: "torre" } };
			const Rules = Intl.PluralRules;
			let made = 0;
			Intl.PluralRules = function (language) { made++; return new Rules(language); };
			export const start = () => ({}), read = () => {};
			export const draw = (_, { html }) => html("p", null, [
				t("{n} piece|{n} pieces", { n: 1 }), t("{n} piece|{n} pieces", { n: 2.5 }), t("{n} piece more|{n} pieces more", { n: 2 }), t("rook"),
			].join(", ") + "; " + made);`})))
}
