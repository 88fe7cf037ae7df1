// Package terminal makes text fit to be read on a terminal.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Clean shows what a stranger's program wrote: control characters, which might
// move the cursor or change the title, and bytes that are no UTF-8 become
// escapes like \x1b. Line feeds and tabs stay.
func Clean(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		text = text[n:]
	}
	return b.String()
}

// Table returns a table with a line of headings.
func Table(headings []string, rows [][]string) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0 // as they are written
	t.AppendHeader(row(headings))
	for _, r := range rows {
		t.AppendRow(row(r))
	}
	return t.Render()
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = strings.ReplaceAll(Clean(c), "\n", " ")
	}
	return r
}
