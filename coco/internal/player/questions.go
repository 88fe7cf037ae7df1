package player

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"sync"

	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"
)

// questionsVariable tells the program where it can read its questions: the number of a file
// descriptor, or a path.
const questionsVariable = "COLOSSEUM_QUESTIONS"

// MaxDescriptor is the greatest file descriptor for questions.
const MaxDescriptor = 255

// maxUnread is how many questions can wait for a program that does not read them.
const maxUnread = 256

// Questions gives a program the questions of its match, each as a line of JSON. Write and Close
// must not overlap.
type Questions struct {
	where string
	print *terminal.Printer
	read  *os.File // for the program, until it has started; nil: it opens the file itself
	last  int      // the number of the last question

	lines chan []byte   // of size maxUnread: beyond that the program gets no more
	lost  bool          // it was closed
	done  chan struct{} // closed when all lines are written or dropped
	plain bool          // it is a file: writing waits for nobody

	mu     sync.Mutex // guards the fields below
	file   *os.File   // nil: not open yet
	closed bool
}

// NewQuestions returns the questions for a file, which can be a named pipe, or for a file
// descriptor of the program, from 3 to MaxDescriptor.
func NewQuestions(where string, print *terminal.Printer) (*Questions, error) {
	q := &Questions{where: where, print: print, lines: make(chan []byte, maxUnread), done: make(chan struct{})}
	open := func() (*os.File, error) { return os.OpenFile(where, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) }
	_, isNumber := Descriptor(where)
	info, err := os.Stat(where)
	switch {
	case isNumber:
		q.read, q.file, err = os.Pipe()
	case err == nil && info.Mode()&fs.ModeNamedPipe != 0:
		err = nil // opening waits for the program
	default:
		q.file, err = open()
		q.plain = err == nil
	}
	if err != nil {
		return nil, locale.Errorf("cannot write the questions: %w", err)
	}
	go q.run(open) // ends with lines
	return q, nil
}

// Descriptor returns the file descriptor that the value of an option names.
func Descriptor(where string) (n int, ok bool) {
	n, err := strconv.Atoi(where)
	return n, err == nil && n >= 3 && n <= MaxDescriptor && runtime.GOOS != "windows"
}

// Write adds a question, unless it is the last one again, as after a break of the connection.
func (q *Questions) Write(m protocol.MatchQuestion) {
	if q == nil || q.lost || m.Number <= q.last {
		return
	}
	q.last = m.Number
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	_ = e.Encode(m) // never fails: all are plain values
	select {
	case q.lines <- line.Bytes():
	default:
		q.lost = true
		close(q.lines)
		q.print.Line("The program does not read its questions: it gets no more of them")
	}
}

// Close drops what the program has not read; a file gets all.
func (q *Questions) Close() {
	if q == nil {
		return
	}
	q.started()
	if !q.lost {
		q.lost = true
		close(q.lines)
	}
	if q.plain {
		<-q.done
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.file != nil {
		q.file.Close() // ends a write that waits
	}
}

// run writes the lines, and drops them once the program has closed its end.
func (q *Questions) run(open func() (*os.File, error)) {
	defer close(q.done)
	q.mu.Lock()
	file := q.file
	q.mu.Unlock()
	var err error
	if file == nil {
		file, err = open()
		q.mu.Lock()
		if q.file = file; q.closed && err == nil {
			file.Close()
		}
		q.mu.Unlock()
	}
	for line := range q.lines {
		if err == nil {
			_, err = file.Write(line)
		}
	}
}

// env returns the variable for the program.
func (q *Questions) env() []string {
	if q == nil {
		return nil
	}
	return []string{questionsVariable + "=" + q.where}
}

// extra returns the files from descriptor 3 on for the program.
func (q *Questions) extra() []*os.File {
	if q == nil || q.read == nil {
		return nil
	}
	n, _ := Descriptor(q.where)
	files := make([]*os.File, n-2)
	files[n-3] = q.read
	return files
}

// started closes the program's end, which the program has by now.
func (q *Questions) started() {
	if q != nil && q.read != nil {
		q.read.Close()
	}
}
