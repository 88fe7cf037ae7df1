// Package refeed feeds a program again what it received in a match, and compares the
// lines that it writes now with those that it wrote then.
package refeed

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Kind is what a step of a match is.
type Kind int

// The kinds.
const (
	Feed    Kind = iota // the program received bytes
	Line                // it wrote a line
	Silence             // it was asked, and wrote no line in time
)

// Step is one step of a recorded match, as its program saw it.
type Step struct {
	Kind Kind
	Text string // the bytes that it received, or its line without line feed
}

// Program is a program that runs.
type Program interface {
	// Feed writes bytes to the program's input. It can block until the program is
	// ended.
	Feed(b []byte) error
	// Lines returns the lines that the program writes, without line feeds. The
	// channel is closed at the end of its output.
	Lines() <-chan string
	// CloseInput closes the program's input.
	CloseInput()
}

// Row compares one line.
type Row struct {
	Received string // before it, since the row before; at most the last maxReceived bytes
	Then     string
	Now      string
	Silent   bool // then, the program wrote no line
	Missing  bool // now, the program writes no line
}

// Equal reports whether the program did the same. Spaces at both ends of a line do
// not count, because servers ignore them.
func (r Row) Equal() bool {
	return r.Silent == r.Missing && trim(r.Then) == trim(r.Now)
}

// Report compares the lines of a program.
type Report struct {
	Rows  []Row
	Extra []string // lines that it wrote after all rows, at most maxExtra
	End   string   // why the comparison ended early; empty: it did not
	Left  int      // lines that were not compared, because it ended early
}

// Bounds of a report.
const (
	maxReceived = 1 << 10 // bytes
	maxExtra    = 100     // lines
)

// Run feeds a program, and waits for its lines where it wrote them then. The timeout is
// for each line. The program gets the recorded input even after a line that differs. Run
// ends early if the program no longer writes or reads. The caller must then
// end the program. An error means that ctx has ended.
func Run(ctx context.Context, steps []Step, p Program, timeout time.Duration) (*Report, error) {
	r := &Report{}
	received := ""
	for i, s := range steps {
		if s.Kind == Feed {
			received += s.Text
			received = received[max(0, len(received)-maxReceived):]
			if err := feed(ctx, p, s.Text, timeout); err != nil {
				r.stop(steps[i:], err.Error())
			}
		} else {
			row := Row{Received: received, Then: s.Text, Silent: s.Kind == Silence}
			received = ""
			line, why := next(ctx, p, timeout)
			row.Now, row.Missing = line, why != ""
			r.Rows = append(r.Rows, row)
			if row.Missing && !row.Silent {
				r.stop(steps[i+1:], why)
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if r.End != "" {
			return r, nil
		}
	}
	p.CloseInput()
	for len(r.Extra) < maxExtra {
		line, why := next(ctx, p, timeout)
		if why != "" {
			break
		}
		r.Extra = append(r.Extra, line)
	}
	return r, context.Cause(ctx)
}

// stop notes why the remaining steps are not compared.
func (r *Report) stop(rest []Step, why string) {
	r.End = why
	for _, s := range rest {
		if s.Kind == Line {
			r.Left++
		}
	}
}

// feed writes to the program, and returns an error if it does not read.
func feed(ctx context.Context, p Program, text string, timeout time.Duration) error {
	fed := make(chan error, 1)                  // full: never, there is one result
	go func() { fed <- p.Feed([]byte(text)) }() // until it is written, or the program is ended
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case err := <-fed:
		return err
	case <-timer.C:
		return fmt.Errorf("the program has not read its input for %v", timeout)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// next returns the next line of the program, or why there is none.
func next(ctx context.Context, p Program, timeout time.Duration) (line, why string) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case line, ok := <-p.Lines():
		if !ok {
			return "", "the program's output has ended"
		}
		return line, ""
	case <-timer.C:
		return "", fmt.Sprintf("the program wrote no line for %v", timeout)
	case <-ctx.Done():
		return "", context.Cause(ctx).Error()
	}
}

// Difference returns the number of the first line that differs, from 0, or -1 if all
// lines are the same.
func (r *Report) Difference() int {
	for i, row := range r.Rows {
		if !row.Equal() {
			return i
		}
	}
	if r.Left > 0 {
		return len(r.Rows)
	}
	return -1
}

func trim(line string) string { return strings.Trim(line, " \r") }
