// Package journal writes and reads the log of a match: the bytes that its player
// received and sent and the program's stderr, each line with its time.
// docs/coco.md describes the format.
package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"colosseum/internal/locale"
)

// Bounds of a log, in bytes. Bytes of the stream are never shortened, so that they
// can be fed to the program again.
const (
	maxFile   = 64 << 20  // of the entries
	maxStderr = 16 << 20  // of the entries for stderr, so that they leave room for the match
	maxLine   = 1000      // of a line of stderr; the rest is dropped
	maxPart   = 64 << 10  // of a line of the stream that waits for its end
	maxEarly  = 256 << 10 // of the entries before the start of the match
)

// Kind is what an entry is about.
type Kind byte

// The kinds.
const (
	Received Kind = '<' // by the player
	Sent     Kind = '>' // by the player
	Stderr   Kind = '!' // of the program
	Note     Kind = '#' // about the match
)

// Journal writes the log of one match. Its methods can be called concurrently, and
// on a nil Journal, which drops everything.
type Journal struct {
	folder string

	mu       sync.Mutex // guards the fields below
	file     *os.File   // nil before Begin, and after Close
	path     string
	zero     time.Time // times are relative to it
	early    []entry   // before Begin, at most maxEarly
	weight   int       // of early
	received part      // the last line of the stream, if it has not ended
	sent     part      // the same of the player's output
	written  int       // bytes of entries
	errors   int       // bytes of entries for stderr
	full     bool      // nothing more is written, except by Close
	mute     bool      // no more of stderr is written
	err      error     // of the file; nothing more is written
	out      []byte    // entries for flushLocked
}

// part is a line without its end.
type part struct {
	text []byte
	at   time.Time // of its last byte
}

// entry is one line of the log.
type entry struct {
	at   time.Time
	kind Kind
	mark byte
	text string
}

// New returns a journal that will write to a new file in a folder. It creates the
// folder if necessary.
func New(folder string) (*Journal, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, locale.Errorf("cannot create the folder for logs: %w", err)
	}
	return &Journal{folder: folder}, nil
}

// Begin creates the file. The times in it count from zero, the start of the match;
// entries that were added before get times below 0. A second call does nothing.
func (j *Journal) Begin(h Header, zero time.Time) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil || j.err != nil {
		return j.err
	}
	h.Started = zero
	j.file, j.err = create(j.folder, h)
	if j.err != nil {
		return j.err
	}
	j.path, j.zero = j.file.Name(), zero
	_, j.err = j.file.Write(h.encode())
	for _, e := range j.early {
		j.writeLocked(e)
	}
	j.early = nil
	j.flushLocked()
	return j.err
}

// create creates a new file. Its name has a number if two players of one match use the
// same folder.
func create(folder string, h Header) (*os.File, error) {
	name := filepath.Join(folder, fmt.Sprintf("%s-%s-%s", h.Started.Format("20060102-150405"), word(h.Game), word(h.ID)))
	for n := 1; ; n++ {
		path := name + ".log"
		if n > 1 {
			path = fmt.Sprintf("%s-%d.log", name, n)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) || n == 1000 {
			return f, err
		}
	}
}

// word makes a name from the server safe for a part of a file's name.
func word(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 64)]
}

// Path returns the path of the file, or "" before Begin.
func (j *Journal) Path() string {
	if j == nil {
		return ""
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.path
}

// Err returns the error that ended the log early, or nil.
func (j *Journal) Err() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Received adds bytes that the player received.
func (j *Journal) Received(b []byte) { j.stream(Received, b) }

// Sent adds bytes that the player sent.
func (j *Journal) Sent(b []byte) { j.stream(Sent, b) }

// stream adds bytes of one direction. A line gets the time of its end. If the other
// direction has an incomplete line, that is added first, to keep the order of the bytes.
func (j *Journal) stream(kind Kind, b []byte) {
	if j == nil || len(b) == 0 {
		return
	}
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	own, other, others := &j.received, &j.sent, Sent
	if kind == Sent {
		own, other, others = &j.sent, &j.received, Received
	}
	j.endLocked(others, other)
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		if room := maxPart - len(own.text); len(line) > room {
			line, rest, ended = line[:room], b[room:], false
		}
		own.text, own.at = append(own.text, line...), now
		switch {
		case ended:
			j.addLocked(entry{now, kind, ' ', string(own.text)})
			own.text = own.text[:0]
		case len(rest) > 0:
			j.endLocked(kind, own)
		}
		b = rest
	}
	j.flushLocked()
}

// endLocked adds the beginning of a line, if there is one.
func (j *Journal) endLocked(kind Kind, p *part) {
	if len(p.text) > 0 {
		j.addLocked(entry{p.at, kind, markOpen, string(p.text)})
		p.text = p.text[:0]
	}
}

// Stderr adds a line of the program's stderr, without line feed.
func (j *Journal) Stderr(line []byte, at time.Time) {
	if j == nil {
		return
	}
	e := entry{at, Stderr, ' ', string(line[:min(len(line), maxLine)])}
	if len(line) > maxLine {
		e.mark = markCut
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.mute {
		return
	}
	if j.errors > maxStderr {
		j.mute = true
		e = entry{at, Note, ' ', fmt.Sprintf("stderr is no longer logged: it has more than %d MiB", maxStderr>>20)}
	}
	before := j.written + j.weight
	j.addLocked(e)
	j.errors += j.written + j.weight - before
	j.flushLocked()
}

// Note adds a remark, in one line.
func (j *Journal) Note(format string, args ...any) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.addLocked(entry{time.Now(), Note, ' ', fmt.Sprintf(format, args...)})
	j.flushLocked()
}

// Close adds the beginnings of lines that never ended and the last remarks, even if
// the log is full, and closes the file. A second call does nothing. A journal that
// was never begun leaves no file.
func (j *Journal) Close(notes ...string) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return j.err
	}
	j.endLocked(Received, &j.received)
	j.endLocked(Sent, &j.sent)
	j.full, j.written = false, 0
	for _, n := range notes {
		j.writeLocked(entry{time.Now(), Note, ' ', n[:min(len(n), 4*maxLine)]})
	}
	j.flushLocked()
	if err := j.file.Close(); j.err == nil {
		j.err = err
	}
	err := j.err
	j.file, j.err = nil, os.ErrClosed
	return err
}

// addLocked adds an entry, or keeps it until Begin.
func (j *Journal) addLocked(e entry) {
	switch {
	case j.err != nil || j.full:
	case j.file != nil:
		j.writeLocked(e)
	case j.weight < maxEarly:
		j.early = append(j.early, e)
		j.weight += len(e.text) + 64
	}
}

// writeLocked prepares an entry for flushLocked.
func (j *Journal) writeLocked(e entry) {
	if j.err != nil || j.full {
		return
	}
	before := len(j.out)
	j.out = e.append(j.out, j.zero)
	j.written += len(j.out) - before
	if j.written > maxFile {
		j.full = true
		j.out = entry{e.at, Note, ' ', fmt.Sprintf("the log ends here: it has more than %d MiB", maxFile>>20)}.append(j.out, j.zero)
	}
}

// flushLocked writes what is prepared. The file has no other buffer: it is complete
// even if coco is killed.
func (j *Journal) flushLocked() {
	if len(j.out) == 0 {
		return
	}
	if _, err := j.file.Write(j.out); err != nil && j.err == nil {
		j.err = err
	}
	j.out = j.out[:0]
	if cap(j.out) > 1<<20 {
		j.out = nil
	}
}
