package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"unicode/utf8"

	"colosseum/internal/gamedir"
)

// Limits of readTitle.
const (
	maxTitle  = 200     // bytes
	maxParsed = 1 << 20 // bytes of a file
)

// readTitle returns the title that a composite literal sdk.Game in some files gives the
// game, for the time in which its program is built; empty: none that can be read.
func readTitle(f *gamedir.Folder, files []string) (title string) {
	for _, name := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		text, err := f.Read(name, maxParsed)
		if err != nil || !strings.Contains(string(text), "sdk.Game{") {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution) // the compiler reports errors
		if file == nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			game, ok := n.(*ast.CompositeLit)
			if !ok || title != "" {
				return title == ""
			}
			if of, ok := game.Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Game" {
				title = titleOf(game)
			}
			return true
		})
	}
	return title
}

func titleOf(game *ast.CompositeLit) string {
	for _, element := range game.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isName := pair.Key.(*ast.Ident)
		value, isLiteral := pair.Value.(*ast.BasicLit)
		if isName && isLiteral && key.Name == "Title" && value.Kind == token.STRING {
			if text, err := strconv.Unquote(value.Value); err == nil && len(text) <= maxTitle && utf8.ValidString(text) && !strings.ContainsAny(text, "\n\r") {
				return text
			}
		}
	}
	return ""
}
