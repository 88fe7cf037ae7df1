// What the editor's page uses of CodeMirror.
export { EditorState, Compartment } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, drawSelection, highlightActiveLineGutter } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { HighlightStyle, bracketMatching, ensureSyntaxTree, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { searchKeymap } from "@codemirror/search";
export { javascriptLanguage } from "@codemirror/lang-javascript";
export { pythonLanguage } from "@codemirror/lang-python";
export { tags } from "@lezer/highlight";
