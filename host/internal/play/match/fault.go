package match

import (
	"bytes"
	"time"
	"unicode/utf8"

	"colosseum/host/internal/records/record"
	"colosseum/internal/terminal"
	"colosseum/sdk/driver"
)

// The most bytes that are kept of each text that explains a forfeit.
const (
	maxFaultLine  = 200
	maxFaultAsked = 400
)

// sentLastLocked keeps the end of what the seat was just sent. It copies a few bytes for
// each turn, because only the end of the match shows which turn was the last.
func (s *seat) sentLastLocked() {
	s.last = append(s.last, s.out[max(0, len(s.out)-maxFaultAsked-1):]...) // a byte more shows whether the text was cut
	if extra := len(s.last) - maxFaultAsked - 1; extra > 0 {
		s.last = append(s.last[:0], s.last[extra:]...)
	}
}

// askedNowLocked makes what the seat was sent the text before its next answer.
func (s *seat) askedNowLocked() {
	if len(s.last) > 0 {
		s.prompt, s.last = s.last, s.prompt[:0]
	}
}

// faultLocked explains how the player on a seat lost by its own doing; the zero Fault if it
// did not.
func (m *Match) faultLocked(number int, ended driver.Ended) (f record.Fault) {
	s := &m.seats[number]
	if _, forfeit := ended.Forfeit(); s.bot || !forfeit {
		return f
	}
	f.Asked = cutFront(s.prompt, maxFaultAsked)
	if ended != driver.ForfeitTimeout {
		for i := len(m.record.Answers) - 1; i >= 0 && ended != driver.ForfeitDisconnected; i-- {
			if a := m.record.Answers[i]; a.Seat == number && a.Outcome == driver.Answered {
				f.Line = cutBack(a.Line, maxFaultLine)
				break
			}
		}
		return f
	}
	if len(s.lines) > 0 {
		if late := s.lines[0].at.Sub(s.due); !s.due.IsZero() && late >= 0 {
			f.Line, f.Late = cutBack(s.lines[0].text, maxFaultLine), max(late, time.Millisecond)
		}
	}
	return f
}

// cutBack returns at most max bytes of a line, made safe to show.
func cutBack(line string, max int) string {
	if len(line) <= max {
		return terminal.Clean(line)
	}
	end := max
	for end > max-utf8.UTFMax && !utf8.RuneStart(line[end]) {
		end--
	}
	return terminal.Clean(line[:end]) + "…"
}

// cutFront returns at most the last max bytes of a text, from the beginning of a line
// if possible, made safe to show.
func cutFront(text []byte, max int) string {
	cut := len(text) > max
	text = bytes.TrimRight(text, "\r\n")
	if !cut {
		return terminal.Clean(string(text))
	}
	if _, rest, ok := bytes.Cut(text, []byte{'\n'}); ok {
		return "…\n" + terminal.Clean(string(rest))
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return "…" + terminal.Clean(string(text))
}
