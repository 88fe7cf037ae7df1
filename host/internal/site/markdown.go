package site

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// markdown renders descriptions of games. It leaves HTML and dangerous
// addresses out: a game is not trusted.
var markdown = goldmark.New(goldmark.WithExtensions(
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
))

// render returns a description as HTML that a page may take as it is.
func render(text string) string {
	var out bytes.Buffer
	_ = markdown.Convert([]byte(text), &out) // a bytes.Buffer takes everything
	return out.String()
}
