package web

import (
	"bytes"
	"fmt"

	"colosseum/host/internal/base/limit"
	"colosseum/protocol"
)

// lines splits bytes of a player into lines, trimmed of white space as on the original
// server, and passes each to pass. It keeps bytes after the last LF for the next call.
func (s *session) lines(b []byte, pass func(line string)) error {
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
		if len(line) > s.maxLine {
			return s.errLongLine()
		}
		pass(string(bytes.TrimSpace(line)))
		s.partial = s.partial[:0]
		b = b[end+1:]
	}
	if len(s.partial)+len(b) > s.maxLine {
		return s.errLongLine()
	}
	s.partial = append(s.partial, b...)
	return nil
}

func (s *session) errLongLine() error {
	return protocolError{protocol.CloseLimit, fmt.Sprintf("a line is longer than %d bytes", s.maxLine), limit.Message}
}
