package web

import (
	"bytes"
	"fmt"

	"colosseum/protocol"
)

// lines cuts what a player sends into lines, trimmed of spaces and CR, and
// passes each on; what follows the last LF waits for the next call.
func (s *session) lines(b []byte, pass func(text string)) error {
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			break
		}
		line := b[:end]
		if len(s.partial) > 0 {
			s.partial = append(s.partial, line...)
			line = s.partial
		}
		if len(line) > s.server.limits.Line {
			return s.tooLong()
		}
		pass(string(bytes.Trim(line, " \r")))
		s.partial = s.partial[:0]
		b = b[end+1:]
	}
	if len(s.partial)+len(b) > s.server.limits.Line {
		return s.tooLong()
	}
	s.partial = append(s.partial, b...)
	return nil
}

func (s *session) tooLong() error {
	return protocolError{protocol.CloseLimit, fmt.Sprintf("a line is longer than %d bytes", s.server.limits.Line)}
}
