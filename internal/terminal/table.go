package terminal

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Table returns a table with a row of headings.
func Table(headings []string, rows [][]string) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0 // keep the case of the headings
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
