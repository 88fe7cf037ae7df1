// Package markdown renders descriptions of games for pages. Games are untrusted, so what it
// returns holds no HTML of theirs.
package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// renderer omits HTML and dangerous links.
var renderer = goldmark.New(goldmark.WithExtensions(
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
))

// accessible lets the arrow keys scroll wide code, and names no column of a table by an empty
// text. The texts of a description have no "<".
var accessible = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<th></th>", "<td></td>")

// Render returns a description as HTML that is safe to insert into a page.
func Render(text string) string {
	var out bytes.Buffer
	_ = renderer.Convert([]byte(text), &out) // writing to a bytes.Buffer cannot fail
	return accessible.Replace(out.String())
}
