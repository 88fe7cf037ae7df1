// Package markdown renders descriptions of games for pages. Games are untrusted, so what it
// returns holds no HTML of theirs.
package markdown

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// renderer omits HTML and dangerous links.
var renderer = goldmark.New(goldmark.WithExtensions(
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
))

// Render returns a description as HTML that is safe to insert into a page.
func Render(text string) string {
	var out bytes.Buffer
	_ = renderer.Convert([]byte(text), &out) // writing to a bytes.Buffer cannot fail
	return out.String()
}
