// Package verify runs a recorded match again: the same referee, seed, settings
// and answers must give the same stream and the same result.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// Bounds on the frames that wait to be compared. Comparing is faster than receiving,
// so they are exceeded only on a machine that hangs, and that is an error.
const (
	maxFrames = 1 << 20
	maxBytes  = 64 << 20
)

// maxPause bounds a pause of the referee, as in a match.
const maxPause = time.Minute

// Game is the referee's process.
type Game interface {
	Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error)
}

// Report compares the second run with the record.
type Report struct {
	Answers     int      // of the record that the referee got
	Differences []string // from the record; none: the record is verified
}

// Run runs the referee of a recorded match again. All answers come from the record,
// also those of bots. If the match was aborted, only the recorded part is verified.
// A referee that is silent for longer than stall is a difference; an error means
// that the match could not be compared, or that ctx has ended.
func Run(ctx context.Context, game Game, rec *record.Match, stall time.Duration) (*Report, error) {
	return Follow(ctx, game, rec, stall, 0, nil)
}

// Follower gets what one seat receives and answers in the second run of a match, in
// order.
type Follower interface {
	Received(text []byte)
	Answered(a record.Answer)
}

// Follow is Run with a follower of a seat; nil: none.
func Follow(ctx context.Context, game Game, rec *record.Match, stall time.Duration, seat int, f Follower) (*Report, error) {
	return run(ctx, game, &rerun{record: rec, seat: seat, follower: f}, stall, 0)
}

// Position is a moment of the second run that the referee has judged, or its end.
type Position struct {
	Judgement *driver.Judgement // nil: the end of the match, or of its record
	Lines     int               // of the spectators' stream before it
	Answers   int               // of the record before it
	Seat      int               // that alone answered the last question since the last position; -1: none did, or several
}

// Judge is Run with judgements, for each of which the referee can think for the given
// time, in whole milliseconds. It calls position for each judged position, and at the
// end if there was no difference.
func Judge(ctx context.Context, game Game, rec *record.Match, stall, think time.Duration, position func(Position)) (*Report, error) {
	r := &rerun{record: rec, position: position, mover: -1}
	report, err := run(ctx, game, r, stall, think)
	if err == nil && len(report.Differences) == 0 {
		r.pass(nil)
	}
	return report, err
}

// Question is a question of the second run of a match.
type Question struct {
	Seats   []int
	Tick    bool
	Lines   int // of the spectators' stream before it
	Bytes   int // of that stream
	Answers int // of the record before it, without refused ones after the last one that the referee got
}

// Questions runs the referee again as far as the record goes, and calls question for each
// question, also for one without an answer in the record, until that returns false. Otherwise
// it is Run.
func Questions(ctx context.Context, game Game, rec *record.Match, stall time.Duration, question func(Question) (more bool)) (*Report, error) {
	return run(ctx, game, &rerun{record: rec, question: question}, stall, 0)
}

// Last returns the judgement of the last position of a record that is aborted, or nil.
func Last(ctx context.Context, game Game, rec *record.Match, stall, think time.Duration) (last *driver.Judgement, err error) {
	given, end := 0, 0 // answers that the referee gets, and the index after the last of them
	for i, a := range rec.Answers {
		if a.Outcome != record.Refused {
			given, end = given+1, i+1
		}
	}
	r := &rerun{record: rec, after: given, question: func(Question) bool { return true }, position: func(p Position) {
		if p.Answers == end {
			last = p.Judgement
		}
	}}
	report, err := run(ctx, game, r, stall, think)
	if err == nil && len(report.Differences) > 0 {
		err = fmt.Errorf("the second run of the match differs from the record: %s", report.Differences[0])
	}
	return last, err
}

func run(ctx context.Context, game Game, r *rerun, stall, think time.Duration) (*Report, error) {
	rec := r.record
	if rec.State == record.Running {
		return nil, errors.New("the match has not ended: its answers are recorded at its end")
	}
	setup := rec.Setup()
	setup.Rerun, setup.Judge, setup.JudgeAfter, setup.Stall = true, think, r.after, stall
	inbox := engine.NewInbox(maxFrames, maxBytes)
	match, err := game.Open(setup, inbox)
	if err != nil {
		return nil, err
	}
	defer match.Stop()
	r.match = match
	pause := time.Duration(0)
	for r.done = r.complete(); !r.done; {
		limit, cancel := context.WithTimeout(ctx, stall+pause)
		f, err := inbox.Next(limit)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			r.differ("the referee sends nothing for %v", stall)
		case errors.Is(err, engine.ErrFlood):
			return nil, err
		case err != nil:
			r.differ("the referee's process has ended: %v", err)
		default:
			r.frame(f)
			pause = min(f.Pause, maxPause)
		}
	}
	return &Report{Answers: r.used, Differences: r.differences}, nil
}

// rerun is the second run of a match.
type rerun struct {
	record      *record.Match
	match       engine.Match
	stream      []byte // for spectators, so far
	used        int    // answers
	done        bool
	differences []string

	seat     int      // that follower follows
	follower Follower // nil: none

	position func(Position) // nil: there are no judgements
	after    int            // see driver.Setup.JudgeAfter
	mover    int            // see Position.Seat

	question func(Question) (more bool) // nil: nobody looks at the questions
	lines    int                        // of stream
}

// differ adds a difference after which the rest can't be compared.
func (r *rerun) differ(format string, args ...any) {
	r.differences = append(r.differences, fmt.Sprintf(format, args...))
	r.done = true
}

// frame compares a frame of the referee with the record.
func (r *rerun) frame(f *driver.Frame) {
	before := len(r.stream)
	for _, t := range f.Texts {
		if t.ForSpectators() {
			if len(r.stream) <= len(r.record.Stream) { // what is beyond is not compared, and can be endless
				r.stream = append(r.stream, t.Lines...)
			}
			r.lines += bytes.Count(t.Lines, []byte{'\n'})
		}
		r.follow(t)
	}
	got, want := r.stream, r.record.Stream
	shared := min(len(got), len(want))
	switch {
	case before < shared && !bytes.Equal(got[before:shared], want[before:shared]),
		len(got) > shared && r.record.State != record.Aborted,
		len(want) > shared && f.End != nil:
		r.streamDiffers()
		return
	case f.Judgement != nil:
		r.pass(f.Judgement)
	}
	switch {
	case r.complete():
		r.done = true
	case f.Question != nil && r.question != nil && !r.question(Question{f.Question.Seats, f.Question.Tick, r.lines, len(r.stream), r.used}):
		r.done = true
	case f.Question != nil:
		r.ask(f.Question.Seats)
		r.done = r.done || r.complete()
	case f.End != nil:
		r.end(f.End)
		r.done = true
	}
}

// pass passes a position to the function that gets them, if there is one.
func (r *rerun) pass(j *driver.Judgement) {
	if r.position != nil {
		r.position(Position{Judgement: j, Lines: r.lines, Answers: r.used, Seat: r.mover})
	}
	r.mover = -1
}

// follow passes a text to the follower, if it is for its seat.
func (r *rerun) follow(t driver.Text) {
	if r.follower != nil && t.For(r.seat) {
		r.follower.Received(t.Lines)
	}
}

// complete reports whether the second run has reached the end of the record of an
// aborted match. The record does not show what the referee did after that, but the questions
// can include one more.
func (r *rerun) complete() bool {
	return r.question == nil && r.record.State == record.Aborted && r.used == len(r.record.Answers) && len(r.stream) >= len(r.record.Stream)
}

// streamDiffers adds the first difference between the streams.
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

// quoteLine quotes the first line of b; of an empty b it returns "nothing more".
func quoteLine(b []byte) string {
	const most = 200 // bytes
	if len(b) == 0 {
		return "nothing more"
	}
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	if len(line) > most {
		return fmt.Sprintf("%q…", line[:most])
	}
	return fmt.Sprintf("%q", line)
}

// ask answers a question from the record, in which the answers to one question
// follow each other.
func (r *rerun) ask(seats []int) {
	next, used := make([]record.Answer, 0, len(seats)), 0
	for _, a := range r.record.Answers[r.used:] {
		if len(next) == len(seats) {
			break
		}
		if used++; a.Outcome == record.Refused { // the referee has not got it
			r.refused(a)
		} else {
			next = append(next, a)
		}
	}
	wanted := slices.Clone(seats)
	answers := make([]driver.Answer, 0, len(next))
	for _, a := range next {
		i := slices.Index(wanted, a.Seat)
		if i < 0 {
			r.differ("after %d answers the referee asks %s; the next answer of the record is of seat %d", r.used, seatNumbers(seats), a.Seat)
			return
		}
		wanted[i] = -1
		answers = append(answers, a.Given())
	}
	if len(next) == len(seats) {
		r.used += used
		r.mover = -1
		if len(next) == 1 && next[0].Outcome == driver.Answered {
			r.mover = next[0].Seat
		}
		if r.follower != nil {
			for _, a := range next {
				if a.Seat == r.seat {
					r.follower.Answered(a)
				}
			}
		}
		r.match.Answer(answers)
		return
	}
	if r.record.State != record.Aborted {
		r.differ("after %d answers the referee asks %s; the record has no answers left", r.used, seatNumbers(seats))
		return
	}
	r.used += used // the match was aborted during this question
	if r.question == nil && !r.complete() {
		r.streamDiffers()
	}
	r.done = true
}

// refused passes a refused answer to the follower, if it is of its seat.
func (r *rerun) refused(a record.Answer) {
	if r.follower != nil && a.Seat == r.seat {
		r.follower.Answered(record.Answer{Seat: a.Seat, Line: a.Line, At: a.At})
		r.follower.Received([]byte(record.Refusal(a.Line)))
	}
}

func seatNumbers(seats []int) string {
	list := make([]string, len(seats))
	for i, s := range seats {
		list[i] = fmt.Sprint(s)
	}
	if len(list) == 1 {
		return "seat " + list[0]
	}
	return "seats " + strings.Join(list, ", ")
}

// end compares the results. The result of an aborted match came from the host.
func (r *rerun) end(end *driver.Result) {
	if left := len(r.record.Answers) - r.used; left > 0 {
		r.differences = append(r.differences, fmt.Sprintf("the referee ends the match after %d answers; the record has %d more", r.used, left))
	}
	if r.record.State == record.Aborted {
		return
	}
	if end.Aborted {
		r.differ("the referee fails: %s", end.Reason)
		return
	}
	// A match cuts a long reason, and ends it with an ellipsis.
	whole, cut := strings.CutSuffix(r.record.Reason, "…")
	if end.Reason != r.record.Reason && !(cut && strings.HasPrefix(end.Reason, whole)) {
		r.differences = append(r.differences, fmt.Sprintf("the reason differs: the record has %q, the referee gives %q", r.record.Reason, end.Reason))
	}
	if len(end.Seats) != len(r.record.Seats) {
		r.differ("the referee gives a result for %d seats; the record has %d", len(end.Seats), len(r.record.Seats))
		return
	}
	for i, got := range end.Seats {
		want := r.record.Seats[i]
		if got.Score != want.Score || got.Rank != want.Rank || got.Ended != want.Ended || got.Team != want.Team {
			r.differences = append(r.differences, fmt.Sprintf("the result of seat %d (%s) differs: the record has score %v, rank %d, %s, team %d; the referee gives score %v, rank %d, %s, team %d",
				i, want.Name, want.Score, want.Rank, want.Ended, want.Team, got.Score, got.Rank, got.Ended, got.Team))
		}
	}
}
