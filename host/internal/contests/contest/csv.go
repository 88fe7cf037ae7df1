package contest

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"colosseum/host/internal/contests/pairing"
)

// CSV returns the standings as a table for spreadsheets, with a header.
func (v *View) CSV() []byte { return EncodeCSV(v.table()) }

// table returns the standings as the rows of CSV, the header first.
func (v *View) table() [][]string {
	switch {
	case v.Teams != nil:
		return v.teamsTable()
	case v.Format == pairing.Score:
		return v.scoreTable()
	case v.Format == Pass:
		return v.passTable()
	case v.Format == Cup:
		return v.cupTable()
	}
	head := []string{"rank", "name", "points", "played", "wins", "draws", "losses", "forfeits"}
	if v.Format == League {
		head = append([]string{"division"}, head...)
	}
	for _, t := range v.TieBreaks {
		head = append(head, CSVText(t))
	}
	rows := [][]string{append(head, "rating", "low", "high", "withdrawn")}
	for _, r := range v.Standings {
		row := append([]string{strconv.Itoa(r.Rank), CSVText(r.Name), CSVNumber(r.Points)}, CSVIntegers(r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits)...)
		if v.Format == League {
			row = append([]string{CSVText(r.Division)}, row...)
		}
		for i := range v.TieBreaks {
			if i < len(r.TieBreaks) {
				row = append(row, CSVNumber(r.TieBreaks[i]))
			} else {
				row = append(row, "") // of a ladder
			}
		}
		estimate := []string{"", "", ""}
		if r.Rated() {
			estimate = []string{CSVNumber(r.Rating), CSVNumber(r.Low), CSVNumber(r.High)}
		}
		rows = append(rows, append(append(row, estimate...), strconv.FormatBool(r.Withdrawn)))
	}
	return rows
}

// scoreTable is table for a contest by score.
func (v *View) scoreTable() [][]string {
	rows := [][]string{{"rank", "name", "mean", "best", "sum", "played", "missed", "forfeits", "withdrawn"}}
	for _, r := range v.Standings {
		row := []string{strconv.Itoa(r.Rank), CSVText(r.Name), CSVNumber(r.Scores.Mean), CSVNumber(r.Scores.Best), CSVNumber(r.Scores.Sum)}
		rows = append(rows, append(append(row, CSVIntegers(r.Played, r.Scores.Missed, r.Forfeits)...), strconv.FormatBool(r.Withdrawn)))
	}
	return rows
}

// EncodeCSV returns a table in the form of RFC 4180.
func EncodeCSV(rows [][]string) []byte {
	var text bytes.Buffer
	_ = csv.NewWriter(&text).WriteAll(rows) // writing to a bytes.Buffer cannot fail
	return text.Bytes()
}

// CSVText returns a text for a cell that no spreadsheet takes for a formula.
func CSVText(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// CSVIntegers returns the texts of cells.
func CSVIntegers(list ...int) []string {
	var texts []string
	for _, n := range list {
		texts = append(texts, strconv.Itoa(n))
	}
	return texts
}

// CSVNumber returns a number with at most three decimals.
func CSVNumber(n float64) string {
	text := strconv.FormatFloat(n, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// cupTable returns the table of a cup.
func (v *View) cupTable() [][]string {
	head := []string{"rank", "name", "points", "played"}
	for _, c := range v.Cup {
		head = append(head, CSVText(c.Title))
	}
	rows := [][]string{head}
	for _, r := range v.Standings {
		row := append([]string{strconv.Itoa(r.Rank), CSVText(r.Name), CSVNumber(r.Points)}, CSVIntegers(r.Played)...)
		for _, p := range r.Parts {
			if p == nil {
				row = append(row, "")
			} else {
				row = append(row, CSVNumber(*p))
			}
		}
		rows = append(rows, row)
	}
	return rows
}
