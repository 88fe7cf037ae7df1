package players

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a list of names: all of them are registered in one transaction, for
// which a running host waits.
const (
	MaxList  = 1 << 20 // bytes
	maxNames = 10_000
)

// List are the players in a CSV file.
type List struct {
	Entries               []Entry
	HasRealName, HasClass bool // the file has these columns

	Unread string // for people: what of the file is not read; empty: nothing
}

// Entry is a player in a list. Nothing of it is checked.
type Entry struct {
	Name string
	Line int // from 1

	RealName, Class string
}

// ReadList returns the players in a CSV file. Their names are those of the column name, if the
// first line has one, and otherwise those of the first column. Next to the column name, the
// columns real_name and class count. Columns are separated by commas, or by semicolons if the
// first line has one and no comma. Spaces around a text, empty lines and a byte order mark do
// not count.
func ReadList(file []byte) (*List, error) {
	switch {
	case len(file) > MaxList:
		return nil, fmt.Errorf("it is longer than %d KiB", MaxList>>10)
	case !utf8.Valid(file) || bytes.IndexByte(file, 0) >= 0:
		return nil, errors.New("it is not text in UTF-8: save it as CSV in UTF-8")
	}
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	r := csv.NewReader(bytes.NewReader(file))
	r.FieldsPerRecord = -1 // any
	first, _, _ := bytes.Cut(bytes.TrimLeft(file, "\r\n"), []byte("\n"))
	if bytes.Contains(first, []byte(";")) && !bytes.Contains(first, []byte(",")) {
		r.Comma = ';'
	}
	list := &List{}
	columns := map[string]int{"name": 0}
	header := false
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err // names the line
		}
		if !header && list.Entries == nil {
			found := headings(row)
			_, list.HasRealName = found["real_name"]
			_, list.HasClass = found["class"]
			if _, header = found["name"]; header {
				columns = found
				list.Unread = otherColumns(row)
				continue
			}
			switch {
			case list.HasRealName:
				return nil, errors.New("it has a column real_name, but none with the heading name")
			case len(row) > 1:
				list.Unread = "no column has the heading name, so only the first column is read, from the first line on"
			}
			list.HasClass = false
		}
		cell := func(column string) string {
			if i, ok := columns[column]; ok && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		e := Entry{Name: cell("name"), RealName: cell("real_name"), Class: cell("class")}
		e.Line, _ = r.FieldPos(min(columns["name"], len(row)-1))
		if list.Entries = append(list.Entries, e); len(list.Entries) > maxNames {
			return nil, fmt.Errorf("it has more than %d names: import it in parts", maxNames)
		}
	}
	if list.Entries == nil {
		return nil, errors.New("it has no names")
	}
	return list, nil
}

// otherColumns says which columns are not read, if the first line has headings.
func otherColumns(row []string) string {
	var others []string
	for _, field := range row {
		if field = strings.TrimSpace(field); field != "" && !slices.Contains([]string{"name", "real_name", "class"}, strings.ToLower(field)) {
			others = append(others, strconv.Quote(field))
		}
	}
	if others == nil {
		return ""
	}
	return "only the columns name, real_name and class are read, and not " + strings.Join(others, ", ")
}

// headings returns the places of the columns with these headings, in lower case. Of two equal
// ones the last counts.
func headings(row []string) map[string]int {
	found := map[string]int{}
	for i, field := range row {
		found[strings.ToLower(strings.TrimSpace(field))] = i
	}
	return found
}
