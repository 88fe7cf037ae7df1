package match

import (
	"encoding/binary"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// answers are those of a running match, packed: a short one takes about 15 bytes, and
// 104 as a record.Answer.
type answers struct {
	packed []byte
	count  int
	last   time.Duration // At of the last one
}

// What the byte before the rest of an answer says that it has.
const (
	hasLeft = 1 << iota
	hasNote
	hasSpent
	hasCounted
)

// add appends an answer.
func (l *answers) add(a record.Answer) {
	has := byte(0)
	if a.Left != 0 {
		has |= hasLeft
	}
	if a.Note != "" {
		has |= hasNote
	}
	if a.Spent != (record.Spent{}) {
		has |= hasSpent
	}
	if a.Spent.Counted {
		has |= hasCounted
	}
	b := binary.AppendVarint(append(l.packed, has), int64(a.Seat))
	b = appendText(appendText(b, a.Line), string(a.Outcome))
	b = binary.AppendVarint(b, int64(a.At-l.last))
	if has&hasLeft != 0 {
		b = binary.AppendVarint(b, int64(a.Left))
	}
	if has&hasNote != 0 {
		b = binary.AppendVarint(appendText(b, a.Note), int64(a.Lines))
	}
	if has&hasSpent != 0 {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(a.Spent.Wall)), int64(a.Spent.CPU))
	}
	l.packed, l.last = b, a.At
	l.count++
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// all returns the answers; nil: there are none.
func (l *answers) all() []record.Answer {
	if l.count == 0 {
		return nil
	}
	list := make([]record.Answer, l.count)
	u := unpacker{left: l.packed, text: string(l.packed)}
	at := time.Duration(0)
	for i := range list {
		a := &list[i]
		has := u.left[0]
		u.left = u.left[1:]
		a.Seat = int(u.number())
		a.Line, a.Outcome = u.string(), driver.Outcome(u.string())
		at += u.duration()
		a.At = at
		if has&hasLeft != 0 {
			a.Left = u.duration()
		}
		if has&hasNote != 0 {
			a.Note, a.Lines = u.string(), int(u.number())
		}
		if has&hasSpent != 0 {
			a.Spent = record.Spent{Wall: u.duration(), CPU: u.duration(), Counted: has&hasCounted != 0}
		}
	}
	return list
}

// unpacker reads what add has appended.
type unpacker struct {
	left []byte
	text string // all bytes, of which the strings are parts
}

func (u *unpacker) number() int64 {
	v, n := binary.Varint(u.left)
	u.left = u.left[n:]
	return v
}

func (u *unpacker) duration() time.Duration { return time.Duration(u.number()) }

func (u *unpacker) string() string {
	v, n := binary.Uvarint(u.left)
	begin := len(u.text) - len(u.left) + n
	u.left = u.left[n+int(v):]
	return u.text[begin : begin+int(v)]
}
