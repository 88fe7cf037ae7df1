package players

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of a list of names: all of them are registered in one transaction, for
// which a running host waits.
const (
	MaxList  = 1 << 20 // bytes
	maxNames = 10_000
)

// Entry is a name in a list.
type Entry struct {
	Name string // not checked
	Line int    // from 1
}

// ReadList returns the names in a CSV file: those of the column name, if the first
// line has one, and otherwise those of the first column. Columns are separated by
// commas, or by semicolons if the first line has one and no comma. Spaces around a
// name, empty lines and a byte order mark do not count.
func ReadList(file []byte) ([]Entry, error) {
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
	var list []Entry
	column, header := 0, false
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err // names the line
		}
		if !header && list == nil {
			for i, field := range row {
				if strings.EqualFold(strings.TrimSpace(field), "name") {
					column, header = i, true
				}
			}
			if header {
				continue
			}
		}
		e := Entry{}
		e.Line, _ = r.FieldPos(min(column, len(row)-1))
		if column < len(row) {
			e.Name = strings.TrimSpace(row[column])
		}
		if list = append(list, e); len(list) > maxNames {
			return nil, fmt.Errorf("it has more than %d names: import it in parts", maxNames)
		}
	}
	if list == nil {
		return nil, errors.New("it has no names")
	}
	return list, nil
}
