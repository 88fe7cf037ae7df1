package match

import (
	"bytes"
	"context"
	"strconv"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

const (
	// maxKept limits the bytes that the host has not confirmed. When it is reached, the
	// player waits.
	maxKept = 1 << 20
	// maxAhead is the number of lines that a host reads before it asks for them, and
	// maxAheadBytes that of their bytes. A ping after each maxAhead lines, or
	// confirmBytes, confirms them.
	maxAhead      = 64
	maxAheadBytes = 256 << 10
	confirmBytes  = 64 << 10
)

// sentLines are the lines of a player that the host might not have read.
type sentLines struct {
	kept  []byte // begins at the start of a line
	first uint64 // number of that line
	base  uint64 // its offset in all bytes of the player
	sent  uint64 // offset up to which the bytes were written to the connection

	// Since the last ping.
	pingLines, pingBytes int
}

// next returns the bytes to write next, and whether maxKept allows them.
func (s *sentLines) next() (piece []byte, ok bool) {
	piece = s.kept[s.sent-s.base:]
	piece = piece[:min(len(piece), server.MaxFrame)]
	return piece, s.sent-s.base+uint64(len(piece)) <= maxKept
}

// wrote counts bytes that were written. It reports whether a ping is due.
func (s *sentLines) wrote(piece []byte) (ping bool) {
	s.sent += uint64(len(piece))
	s.pingLines += bytes.Count(piece, []byte{'\n'})
	s.pingBytes += len(piece)
	if ping = s.pingLines >= maxAhead || s.pingBytes >= confirmBytes; ping {
		s.pingLines, s.pingBytes = 0, 0
	}
	return ping
}

// confirm forgets the lines that end before an offset.
func (s *sentLines) confirm(offset uint64) {
	if offset <= s.base || offset > s.sent {
		return
	}
	s.forget(bytes.LastIndexByte(s.kept[:offset-s.base], '\n') + 1)
}

func (s *sentLines) forget(n int) {
	s.first += uint64(bytes.Count(s.kept[:n], []byte{'\n'}))
	s.base += uint64(n)
	s.kept = s.kept[n:]
}

// rewind prepares a new connection to a host that has taken the given number of lines:
// the lines after them are sent again.
func (s *sentLines) rewind(taken uint64) error {
	if taken < s.first {
		return &server.Refused{Text: locale.Errorf("the host lost lines of the player: it has %d of at least %d", taken, s.first)}
	}
	end := 0
	for number := s.first; number < taken; number++ {
		n := bytes.IndexByte(s.kept[end:], '\n') + 1 // a line can arrive before its write returns
		if n == 0 {
			return &server.Refused{Text: locale.Errorf("the host counted %d lines of the player, which has sent %d", taken, number)}
		}
		end += n
	}
	s.forget(end)
	s.sent, s.pingLines, s.pingBytes = s.base, 0, 0
	return nil
}

// ahead reports whether the lines that are not confirmed are more than a host reads before it
// asks for them.
func (s *sentLines) ahead() bool {
	unread := s.kept[:s.sent-s.base]
	return len(unread) > maxAheadBytes || bytes.Count(unread, []byte{'\n'}) > maxAhead
}

// send sends bytes of the player. It waits while there is no connection, or while the
// host has not read what was sent before. When ctx ends, the bytes are dropped.
func (l *link) send(ctx context.Context, b []byte) {
	if l.single {
		l.connected().SendStream(b) // after an error receive fails too
		return
	}
	l.mu.Lock()
	l.lines.kept = append(l.lines.kept, b...)
	l.mu.Unlock()
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if l.flush() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// flush writes the bytes that are not written yet. It reports whether none are left.
func (l *link) flush() bool {
	l.sending.Lock()
	defer l.sending.Unlock()
	for {
		l.mu.Lock()
		conn := l.conn
		piece, ok := l.lines.next()
		l.mu.Unlock()
		if len(piece) == 0 || conn == nil || !ok {
			return len(piece) == 0
		}
		if err := conn.SendStream(piece); err != nil {
			conn.Abort() // receive resumes
			return false
		}
		l.mu.Lock()
		ping := false
		if conn == l.conn { // otherwise these bytes are sent again
			ping = l.lines.wrote(piece)
		}
		offset := l.lines.sent
		l.mu.Unlock()
		if ping {
			conn.Ping(strconv.FormatUint(offset, 10))
		}
	}
}

// confirm handles a pong: the host has read the player's bytes up to the offset in its
// text.
func (l *link) confirm(text string) {
	offset, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return // of watch
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.confirm(offset)
	l.signalLocked()
}
