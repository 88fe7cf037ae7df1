// Package verify runs a recorded match again: the same referee, seed, settings
// and answers must bring the same stream and the same result.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/host/internal/store"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// maxRest is as long as a host lets a referee rest, in milliseconds.
const maxRest = 60_000

// Game is the referee's process.
type Game interface {
	Open(start *wire.Start, r engine.Receiver) (engine.Table, error)
}

// Outcome is what came of the second run.
type Outcome struct {
	Answers     int      // of the record, that were given to the referee
	Differences []string // where it went another way than the record; none: it did not
}

// Run runs the referee of a recorded match again. Every seat, also a bot's, is
// answered from the record. Of a match that was aborted only what was recorded
// is verified. A referee that is silent for the time given is a difference; an
// error means that there was nothing to compare, or that ctx has ended.
func Run(ctx context.Context, game Game, record *store.Record, stall time.Duration) (*Outcome, error) {
	if record.State == store.Running {
		return nil, errors.New("the match has not ended: its answers are recorded at its end")
	}
	r := &rerun{record: record, wake: make(chan struct{}, 1)}
	start := &wire.Start{Seed: record.Seed, Timeout: record.Timeout, Params: record.Params, Rerun: true}
	for _, s := range record.Seats {
		start.Seats = append(start.Seats, &wire.Seat{Name: s.Name, Bot: s.Bot})
	}
	table, err := game.Open(start, r)
	if err != nil {
		return nil, err
	}
	defer table.Stop()
	r.table = table
	silence := time.NewTimer(stall)
	defer silence.Stop()
	for r.done = r.complete(); !r.done; {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-silence.C:
			r.differ("the referee says nothing for %v", stall)
		case <-r.wake:
			rest := r.advance()
			silence.Reset(stall + rest)
		}
	}
	return &Outcome{Answers: r.used, Differences: r.differences}, nil
}

// rerun is the second run of a match. Run's goroutine owns it, but for the
// fields below the mutex.
type rerun struct {
	record      *store.Record
	table       engine.Table
	stream      []byte // for spectators, so far
	used        int    // answers
	done        bool
	differences []string

	wake chan struct{} // 1: look at the fields below; a second signal says the same

	mu     sync.Mutex // guards the fields below
	frames []*wire.GameFrame
	lost   error
}

// Frame implements engine.Receiver.
func (r *rerun) Frame(f *wire.GameFrame) {
	r.mu.Lock()
	r.frames = append(r.frames, f)
	r.mu.Unlock()
	r.signal()
}

// Lost implements engine.Receiver.
func (r *rerun) Lost(err error) {
	r.mu.Lock()
	r.lost = err
	r.mu.Unlock()
	r.signal()
}

func (r *rerun) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// advance takes what the referee has said, and returns how long it rests.
func (r *rerun) advance() (rest time.Duration) {
	r.mu.Lock()
	frames, lost := r.frames, r.lost
	r.frames = nil
	r.mu.Unlock()
	for _, f := range frames {
		if r.frame(f); r.done {
			return 0
		}
		rest = time.Duration(min(f.PauseMs, maxRest)) * time.Millisecond
	}
	if lost != nil {
		r.differ("the referee's process has ended: %v", lost)
	}
	return rest
}

// differ notes a difference, after which there is nothing more to learn.
func (r *rerun) differ(format string, args ...any) {
	r.differences = append(r.differences, fmt.Sprintf(format, args...))
	r.done = true
}

func (r *rerun) frame(f *wire.GameFrame) {
	before := len(r.stream)
	for _, t := range f.Texts {
		if t.To != wire.Text_SEAT {
			r.stream = append(r.stream, t.Lines...)
		}
	}
	got, want := r.stream, r.record.Stream
	shared := min(len(got), len(want))
	switch {
	case before < shared && !bytes.Equal(got[before:shared], want[before:shared]),
		len(got) > shared && r.record.State != store.Aborted,
		len(want) > shared && f.End != nil:
		r.streamDiffers()
	case r.complete():
		r.done = true
	case f.Ask != nil:
		r.ask(f.Ask.Seats)
		r.done = r.done || r.complete()
	case f.End != nil:
		r.end(f.End)
		r.done = true
	}
}

// complete tells whether all that was recorded of an aborted match has come
// again. What the referee did then is not known.
func (r *rerun) complete() bool {
	return r.record.State == store.Aborted && r.used == len(r.record.Answers) && len(r.stream) >= len(r.record.Stream)
}

// streamDiffers tells where the streams part.
func (r *rerun) streamDiffers() {
	got, want := r.stream, r.record.Stream
	same := 0
	for same < len(got) && same < len(want) && got[same] == want[same] {
		same++
	}
	start := bytes.LastIndexByte(want[:same], '\n') + 1
	r.differ("the spectators' stream differs in line %d (byte %d), after %d answers: the record has %s, the referee shows %s",
		bytes.Count(want[:same], []byte{'\n'})+1, same, r.used, quoteLine(want[start:]), quoteLine(got[start:]))
}

// quoteLine quotes the first line of some bytes, or says that there is none.
func quoteLine(b []byte) string {
	const most = 200 // bytes
	if len(b) == 0 {
		return "its end"
	}
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	if len(line) > most {
		return fmt.Sprintf("%q…", line[:most])
	}
	return fmt.Sprintf("%q", line)
}

// ask answers a question from the record, where the answers to one question
// stand together.
func (r *rerun) ask(seats []uint32) {
	next := r.record.Answers[r.used:]
	if len(next) > len(seats) {
		next = next[:len(seats)]
	}
	wanted := make([]int, len(seats))
	for i, s := range seats {
		wanted[i] = int(s)
	}
	answers := make([]driver.Answer, 0, len(next))
	for _, a := range next {
		i := slices.Index(wanted, a.Seat)
		if i < 0 {
			r.differ("after %d answers the referee asks %s; the record goes on with an answer of seat %d", r.used, seatNumbers(seats), a.Seat)
			return
		}
		wanted[i] = -1
		answers = append(answers, driver.Answer(a))
	}
	if len(next) == len(seats) {
		r.used += len(next)
		r.table.Answer(wire.EncodeAnswers(answers))
		return
	}
	switch {
	case r.record.State != store.Aborted:
		r.differ("after %d answers the referee asks %s; the record has no answers left", r.used, seatNumbers(seats))
	default: // the match was aborted during this question
		r.used += len(next)
		if !r.complete() {
			r.streamDiffers()
		}
		r.done = true
	}
}

func seatNumbers(seats []uint32) string {
	list := make([]string, len(seats))
	for i, s := range seats {
		list[i] = fmt.Sprint(s)
	}
	if len(list) == 1 {
		return "seat " + list[0]
	}
	return "seats " + strings.Join(list, ", ")
}

// end compares how the match ended. That of an aborted match is not the
// referee's work.
func (r *rerun) end(end *wire.End) {
	if left := len(r.record.Answers) - r.used; left > 0 {
		r.differences = append(r.differences, fmt.Sprintf("the referee ends the match after %d answers; the record has %d more", r.used, left))
	}
	if r.record.State == store.Aborted {
		return
	}
	if end.Aborted {
		r.differ("the referee fails: %s", end.Reason)
		return
	}
	// A host cuts a long reason, and ends it with an ellipsis.
	whole, cut := strings.CutSuffix(r.record.Reason, "…")
	if end.Reason != r.record.Reason && !(cut && strings.HasPrefix(end.Reason, whole)) {
		r.differences = append(r.differences, fmt.Sprintf("the reason differs: the record has %q, the referee says %q", r.record.Reason, end.Reason))
	}
	result := wire.DecodeResult(end)
	if len(result.Seats) != len(r.record.Seats) {
		r.differ("the referee gives a result for %d seats; the record has %d", len(result.Seats), len(r.record.Seats))
		return
	}
	for i, got := range result.Seats {
		want := r.record.Seats[i]
		if got.Score != want.Score || got.Rank != want.Rank || got.Ended != want.Ended {
			r.differences = append(r.differences, fmt.Sprintf("the result of seat %d (%s) differs: the record has score %v, rank %d, %s; the referee gives score %v, rank %d, %s",
				i, want.Name, want.Score, want.Rank, want.Ended, got.Score, got.Rank, got.Ended))
		}
	}
}
