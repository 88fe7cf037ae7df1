package site

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// markdown renders descriptions of games. It omits HTML and dangerous links,
// because games are untrusted.
var markdown = goldmark.New(goldmark.WithExtensions(
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
))

// render returns a description as HTML that is safe to insert into a page.
func render(text string) string {
	var out bytes.Buffer
	_ = markdown.Convert([]byte(text), &out) // writing to a bytes.Buffer cannot fail
	return out.String()
}
