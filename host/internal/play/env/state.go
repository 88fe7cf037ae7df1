package env

import (
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"
)

// The answers are written by hand: with reflection, a step of a short game would cost half
// as much again.

// hello sends the first line.
func (s *server) hello(conn io.Writer) error {
	b, err := json.Marshal(s.About)
	if err != nil {
		return err
	}
	_, err = conn.Write(append(b, '\n'))
	return err
}

// refuse makes an error the answer to a request.
func (s *server) refuse(why error) {
	s.out = append(appendString(append(s.out[:0], `{"error":`...), why.Error()), "}\n"...)
}

// states makes the states of matches the answer, with what does not change if they are new.
func (s *server) states(slots []*slot, fresh bool) {
	s.out = append(s.out[:0], `{"states":[`...)
	for i, m := range slots {
		if i > 0 {
			s.out = append(s.out, ',')
		}
		s.out = m.appendState(s.out, fresh)
	}
	s.out = append(s.out, "]}\n"...)
}

func (m *slot) appendState(b []byte, fresh bool) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	b = strconv.AppendInt(append(b, `{"match":`...), int64(m.number), 10)
	if fresh {
		b = strconv.AppendUint(append(b, `,"seed":`...), m.setup.Seed, 10)
		b = strconv.AppendInt(append(b, `,"players":`...), int64(len(m.setup.Names)), 10)
	}
	b = append(b, `,"texts":[`...)
	for seat, text := range m.texts {
		b = appendString(comma(b, seat), text)
	}
	b = append(b, ']')
	if m.watched {
		b = appendString(append(b, `,"spectators":`...), m.spectators)
	}
	if m.end != nil {
		b = m.appendEndLocked(b)
	} else {
		b = m.appendQuestionLocked(b)
	}
	return append(b, '}')
}

// appendQuestionLocked appends the seats that are asked, and their legal answers.
func (m *slot) appendQuestionLocked(b []byte) []byte {
	b = append(b, `,"ask":[`...)
	for i, seat := range m.seats {
		b = strconv.AppendInt(comma(b, i), int64(seat), 10)
	}
	b = append(b, `],"legal":[`...)
	examples, more := false, false
	for i, seat := range m.seats {
		b = append(comma(b, i), '[')
		for _, h := range m.question.Hints {
			if h.Seat != seat {
				continue
			}
			for j, line := range h.Answers {
				b = appendString(comma(b, j), line)
			}
			examples, more = examples || h.Examples, more || h.More
			break
		}
		b = append(b, ']')
	}
	b = append(b, ']')
	if examples {
		b = append(b, `,"examples":true`...)
	}
	if more {
		b = append(b, `,"more":true`...)
	}
	if m.question.Tick {
		b = append(b, `,"tick":true`...)
	}
	return b
}

// appendEndLocked appends the result.
func (m *slot) appendEndLocked(b []byte) []byte {
	b = append(b, `,"end":{"scores":[`...)
	for i, seat := range m.end.Seats {
		b = strconv.AppendFloat(comma(b, i), seat.Score, 'g', -1, 64)
	}
	b = append(b, `],"ranks":[`...)
	for i, seat := range m.end.Seats {
		b = strconv.AppendInt(comma(b, i), int64(seat.Rank), 10)
	}
	b = append(b, `],"ended":[`...)
	for i, seat := range m.end.Seats {
		b = appendString(comma(b, i), seat.Ended)
	}
	b = appendString(append(b, `],"reason":`...), m.end.Reason)
	if m.end.Aborted {
		b = append(b, `,"aborted":true`...)
	}
	return append(b, '}')
}

// comma appends a comma before the i-th element of a list, unless it is the first.
func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

// appendString appends a string of JSON. What is not UTF-8 becomes U+FFFD.
func appendString[T ~string | ~[]byte](b []byte, text T) []byte {
	start := len(b)
	b = append(b, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c >= utf8.RuneSelf:
			quoted, _ := json.Marshal(string(text)) // of a string, it does not fail
			return append(b[:start], quoted...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
