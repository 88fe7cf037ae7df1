package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"colosseum/internal/locale"
	"colosseum/protocol"
)

// first is the first line of a log.
const first = "coco match log 1"

// Marks between the kind and the text of an entry. Without one there is a space.
const (
	markOpen = '+' // no line feed follows the text in the stream
	markCut  = '~' // the rest of the line was dropped
)

// OwnEnd begins the note with how the match ended for the player of the log: a value
// of protocol.PlayerResult.Ended follows.
const OwnEnd = "ended: "

// Exit begins the note with how the program exited, in the system's words.
const Exit = "exit: "

// Header describes the match at its start.
type Header struct {
	ID      string            `json:"match"`
	Title   string            `json:"title"` // of the match
	Game    string            `json:"game"`
	Args    map[string]string `json:"args"`
	Timeout float64           `json:"timeout"` // seconds for one answer
	Clock   *protocol.Clock   `json:"clock,omitempty"`
	Players int               `json:"players"` // bots included
	Bots    int               `json:"bots"`
	Names   []string          `json:"names"`            // of all players except bots
	Name    string            `json:"name"`             // of this player in the match
	Player  string            `json:"player,omitempty"` // the registered player
	Server  string            `json:"server"`
	Started time.Time         `json:"started"` // the times of the entries are relative to it

	Commitment string `json:"commitment,omitempty"` // to the seed of the match
}

// encode returns the first two lines of a log.
func (h Header) encode() []byte {
	var b bytes.Buffer
	b.WriteString(first + "\n")
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil {
		panic(err) // all of its types can be encoded, except times after the year 9999
	}
	var safe bytes.Buffer
	for _, r := range b.String() {
		switch {
		case r == '\n' || strconv.IsPrint(r):
			safe.WriteRune(r)
		default: // inside a string: JSON itself escapes the control characters
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&safe, `\u%04x`, unit)
			}
		}
	}
	return safe.Bytes()
}

// append appends the entry's line.
func (e entry) append(b []byte, zero time.Time) []byte {
	us := e.at.Sub(zero).Microseconds()
	sign := ""
	if us < 0 {
		sign, us = "-", -us
	}
	b = fmt.Appendf(b, "%12s %c%c", fmt.Sprintf("%s%d.%06d", sign, us/1e6, us%1e6), e.kind, e.mark)
	if e.text != "" {
		b = append(b, ' ')
	}
	if plain(e.text) {
		b = append(b, e.text...)
	} else {
		b = strconv.AppendQuote(b, e.text)
	}
	return append(b, '\n')
}

// plain reports whether a text needs no quotes in a log: it is UTF-8, has no character
// that controls or confuses a terminal, and does not look quoted.
func plain(text string) bool {
	if strings.HasPrefix(text, `"`) || !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

// Log is a log that was read.
type Log struct {
	Header
	Entries []Entry
}

// Entry is one line of a log.
type Entry struct {
	At   time.Duration // since the start of the match; below 0 before it
	Kind Kind
	Text string
	Open bool // no line feed followed the text in the stream
	Cut  bool // the rest of the line was dropped
}

// Bytes returns the bytes of the stream in an entry.
func (e Entry) Bytes() []byte {
	if e.Open {
		return []byte(e.Text)
	}
	return []byte(e.Text + "\n")
}

// Parse reads a log. It ignores a last line without line feed, which coco leaves if it is
// killed. Its errors are texts for the user.
func Parse(b []byte) (*Log, error) {
	text := string(b)
	head, text, ok := strings.Cut(text, "\n")
	if !ok || head != first {
		return nil, locale.Errorf("it is not the log of a match: it does not begin with %q", first)
	}
	head, text, ok = strings.Cut(text, "\n")
	l := &Log{}
	if err := json.Unmarshal([]byte(head), &l.Header); !ok || err != nil {
		return nil, locale.Errorf("the log is damaged in line 2")
	}
	for number := 3; ; number++ {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended {
			return l, nil
		}
		e, err := parseEntry(line)
		if err != nil {
			return nil, locale.Errorf("the log is damaged in line %d: %w", number, err)
		}
		l.Entries = append(l.Entries, e)
		text = rest
	}
}

func parseEntry(line string) (e Entry, err error) {
	at, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
	if e.At, err = parseTime(at); err != nil {
		return e, err
	}
	if len(rest) < 2 {
		return e, locale.Errorf("it has no kind")
	}
	e.Kind = Kind(rest[0])
	switch e.Kind {
	case Received, Sent, Stderr, Note:
	default:
		return e, locale.Errorf("unknown kind %q", rest[0])
	}
	switch rest[1] {
	case ' ':
	case markOpen:
		e.Open = true
	case markCut:
		e.Cut = true
	default:
		return e, locale.Errorf("unknown mark %q", rest[1])
	}
	text := rest[2:]
	if text == "" {
		return e, nil
	}
	if text[0] != ' ' {
		return e, locale.Errorf("there is no space before its text")
	}
	e.Text = text[1:]
	if strings.HasPrefix(e.Text, `"`) {
		if e.Text, err = strconv.Unquote(e.Text); err != nil {
			return e, locale.Errorf("its quotes do not match")
		}
	}
	return e, nil
}

// parseTime parses seconds with six decimals.
func parseTime(text string) (time.Duration, error) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, part, _ := strings.Cut(digits, ".")
	us, err := strconv.ParseUint(whole+part, 10, 50) // 35 years
	if err != nil || len(part) != 6 {
		return 0, locale.Errorf("%q is not a time", text)
	}
	d := time.Duration(us) * time.Microsecond
	if negative {
		d = -d
	}
	return d, nil
}
