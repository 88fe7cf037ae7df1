package refeed

import (
	"fmt"
	"strconv"
	"strings"

	"colosseum/internal/terminal"
)

// How much of a report is shown.
const (
	shownBefore = 3  // lines before the first difference
	shownAfter  = 10 // lines after it
	shownRunes  = 40 // of a line
	shownExtra  = 5  // lines after the end
)

// Text returns the report for people, safe for a terminal: a table of the lines
// around the first difference, or of all, and a summary.
func (r *Report) Text(all bool) string {
	var b strings.Builder
	first := r.Difference()
	from, to := 0, len(r.Rows)
	if !all {
		from, to = max(0, first-shownBefore), min(to, first+1+shownAfter)
	}
	if from < to && (all || first >= 0) {
		var rows [][]string
		for i := from; i < to; i++ {
			row := r.Rows[i]
			mark := ""
			switch {
			case i == first:
				mark = "<-- first difference"
			case !row.Equal():
				mark = "<-- differs"
			}
			rows = append(rows, []string{strconv.Itoa(i + 1), shorten(lastLine(row.Received)), cell(row.Then, row.Silent), cell(row.Now, row.Missing), mark})
		}
		b.WriteString(terminal.Table([]string{"line", "received last", "then", "now", ""}, rows))
		b.WriteString("\n")
	}
	total := len(r.Rows) + r.Left
	switch {
	case first < 0 && total == 1:
		b.WriteString("The line is the same.\n")
	case first < 0:
		fmt.Fprintf(&b, "All %d lines are the same.\n", total)
	case first == len(r.Rows):
		fmt.Fprintf(&b, "The first %d of %d lines are the same.\n", first, total)
	default:
		fmt.Fprintf(&b, "Line %d of %d is the first that differs.\n", first+1, total)
	}
	if r.End != "" {
		fmt.Fprintf(&b, "The comparison ended early: %s.\n", terminal.Clean(r.End))
	}
	if n := len(r.Extra); n > 0 {
		lines := "lines, which do not count"
		if n == 1 {
			lines = "line, which does not count"
		}
		more := ""
		if n == maxExtra {
			more = "at least "
		}
		fmt.Fprintf(&b, "After that, the program wrote %s%d %s:", more, n, lines)
		for _, line := range r.Extra[:min(n, shownExtra)] {
			fmt.Fprintf(&b, " %q", shorten(line))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// cell returns a line as the text of a table, quoted if it could be misread.
func cell(line string, none bool) string {
	if none {
		return "(nothing)"
	}
	line = shorten(trim(line))
	if line == "" || line != strings.TrimSpace(line) || strings.HasPrefix(line, "(") || strings.HasPrefix(line, `"`) {
		return strconv.Quote(line)
	}
	return line
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func shorten(line string) string {
	if runes := []rune(line); len(runes) > shownRunes {
		return string(runes[:shownRunes-1]) + "…"
	}
	return line
}
