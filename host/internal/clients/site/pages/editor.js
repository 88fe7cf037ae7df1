// The editor: CodeMirror, which loads after the page.
import { t } from "./i18n.js";

const pause = 400; // milliseconds without a key before the syntax is checked
const most = 20; // marks of mistakes

// Editor shows a text in an element. on.change(text) is called after each change by the person,
// and on.problem(problem) with the first mistake, {line, message}, or null.
export class Editor {
	constructor(element, on) {
		Object.assign(this, { element, on, failed: null, timer: null, focused: false });
		// In a shadow root CodeMirror adopts its styles. In the page it would add an element, which
		// the policy of the pages forbids.
		this.root = element.attachShadow({ mode: "open" });
		this.ready = this.load();
	}

	async load() {
		this.cm = await import("./codemirror.js");
		this.view = new this.cm.EditorView({ root: this.root, parent: this.root });
		this.open("", "javascript");
	}

	get text() {
		return this.view.state.doc.toString();
	}

	// open shows another text, in javascript or python. It can't be undone.
	open(text, language) {
		const { cm } = this;
		clearTimeout(this.timer);
		this.failed = null;
		this.view.setState(cm.EditorState.create({ doc: text, extensions: this.extensions(language) }));
		this.check();
	}

	// fail marks a line at which the bot failed, counted from 1, until the text is changed.
	fail(line, message) {
		this.failed = line ? { line, message } : null;
		this.check();
		if (line) this.reveal(line);
	}

	// reveal scrolls to a line, and puts the cursor there.
	reveal(line) {
		const { from } = this.view.state.doc.line(Math.max(1, Math.min(line, this.view.state.doc.lines)));
		this.view.dispatch({ selection: { anchor: from }, effects: this.cm.EditorView.scrollIntoView(from, { y: "center" }) });
	}

	focus() {
		this.view.focus();
	}

	extensions(language) {
		const { cm } = this;
		const python = language === "python";
		return [
			cm.lineNumbers(), cm.highlightActiveLineGutter(), cm.lintGutter(), cm.history(), cm.drawSelection(), cm.indentOnInput(), cm.bracketMatching(),
			cm.syntaxHighlighting(colours(cm)), cm.EditorView.theme(theme),
			(python ? cm.pythonLanguage : cm.javascriptLanguage).extension, cm.indentUnit.of(python ? "    " : "\t"), cm.EditorState.tabSize.of(4),
			cm.EditorState.phrases.of(phrases()),
			cm.EditorView.contentAttributes.of({ "aria-label": t("Code of the bot"), tabindex: "0", autocapitalize: "off", spellcheck: "false" }),
			cm.keymap.of([cm.indentWithTab, ...cm.searchKeymap, ...cm.historyKeymap, ...cm.lintKeymap, ...cm.defaultKeymap]),
			// After Escape, Tab leaves the text. CodeMirror alone gives two seconds for that.
			cm.EditorView.domEventHandlers({ keydown: ({ key }, view) => {
				if (key !== "Tab" && key !== "Shift") view.setTabFocusMode(key === "Escape");
			}, blur: (_, view) => view.setTabFocusMode(false) }),
			cm.EditorView.updateListener.of((update) => {
				if (!update.docChanged) return;
				this.failed = null;
				this.on.change(this.text);
				clearTimeout(this.timer);
				this.timer = setTimeout(() => this.check(), pause);
			}),
		];
	}

	// check marks the mistakes.
	check() {
		const { state } = this.view;
		const found = [];
		this.cm.ensureSyntaxTree(state, state.doc.length, 100)?.iterate({ enter: ({ type, from, to }) => {
			if (type.isError && found.length < most) found.push(mark(state, from, to));
		} });
		if (this.failed && this.failed.line <= state.doc.lines) {
			const line = state.doc.line(this.failed.line);
			found.unshift({ from: line.from, to: line.to, severity: "error", message: this.failed.message });
		}
		this.view.dispatch(this.cm.setDiagnostics(state, found));
		this.on.problem(found.length ? { line: state.doc.lineAt(found[0].from).number, message: found[0].message } : null);
	}
}

// mark returns the mark of a mistake in the syntax. Where something is missing, it is at the
// text before.
function mark(state, from, to) {
	if (from === to) {
		const before = state.sliceDoc(0, from).trimEnd().length;
		from = Math.max(0, before - 1);
		to = Math.max(before, Math.min(1, state.doc.length));
	}
	const text = state.sliceDoc(from, Math.min(to, from + 20)).split("\n")[0].trim();
	return { from, to, severity: "error", message: text ? t("The syntax is wrong near {text}", { text }) : t("The syntax is wrong here") };
}

const colours = ({ HighlightStyle, tags }) => HighlightStyle.define([
	{ tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)", fontWeight: "600" },
	{ tag: [tags.string, tags.regexp, tags.special(tags.string)], color: "var(--good)" },
	{ tag: [tags.number, tags.bool, tags.null, tags.atom, tags.self], color: "var(--first)" },
	{ tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.definition(tags.function(tags.variableName))], color: "var(--second)" },
	{ tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
	{ tag: tags.invalid, color: "var(--bad)" },
]);

const theme = {
	"&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: ".875rem" },
	"&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
	".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5", overflow: "auto" },
	".cm-content": { caretColor: "var(--ink)", padding: ".4rem 0" },
	".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
	".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--field)", borderRight: "1px solid var(--line)" },
	".cm-activeLineGutter": { color: "var(--ink)", backgroundColor: "transparent", fontWeight: "600" },
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--accent) 28%, transparent)" },
	"&.cm-focused .cm-matchingBracket, .cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--good) 25%, transparent)", outline: "1px solid var(--good)" },
	"&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "color-mix(in srgb, var(--bad) 25%, transparent)" },
	".cm-panels, .cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--paper)", borderColor: "var(--line)" },
	".cm-panels input, .cm-panels button": { color: "var(--ink)", background: "var(--paper)", border: "1px solid var(--soft)", borderRadius: ".3rem", minHeight: "2rem" },
	".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--field)" },
	".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
	".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
};

// phrases are the texts of CodeMirror for people.
const phrases = () => ({
	Find: t("Find"), Replace: t("Replace"), next: t("next"), previous: t("previous"), all: t("all"), "match case": t("match case"), regexp: t("regular expression"), "by word": t("by word"),
	replace: t("replace"), "replace all": t("replace all"), close: t("Close"), "Go to line": t("Go to line"), go: t("go"), Diagnostics: t("Mistakes"), "No diagnostics": t("No mistakes"),
});
