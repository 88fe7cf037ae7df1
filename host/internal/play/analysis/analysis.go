// Package analysis has the referees of ended matches judge their positions, to show how
// the chances of the players changed and which moves were mistakes.
package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"colosseum/host/internal/play/verify"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// How long the referee thinks about a position: mostThought, or less in a long match, which
// then takes about allThought with one judgement before each answer.
const (
	allThought   = 30 * time.Second
	mostThought  = 100 * time.Millisecond
	leastThought = 3 * time.Millisecond
)

// Limits of an analysis.
const (
	maxAnswers   = 10_000 // of the match
	maxPositions = 20_000
	maxBest      = 100 // bytes
	maxTime      = 2 * time.Minute
)

// A move is a mistake if it lowers the result that its player can expect by mistakeLoss or
// more, of at most 2, and a blunder from blunderLoss on: 0.4 is a chance to win of twenty
// percentage points.
const (
	mistakeLoss  = 0.4
	blunderLoss  = 0.8
	mostMistakes = 5 // of each seat
)

// Analysis is what the referee of a match found.
type Analysis struct {
	Think     time.Duration // about each position, at most
	Positions []Position    // in order; the last is the end of the match, unless it was aborted
	Mistakes  []Mistake     // in the order of the match; the largest of each seat
}

// Position is a judged position.
type Position struct {
	Lines   int // of the spectators' stream before it
	Answers int // of the match before it
	// Seat is the seat that moved from the position before to this one; -1: chance,
	// several seats at once, or no move.
	Seat  int
	Value float64 // the result that seat 0 can expect, from -1 to 1
	Best  string  // the best answer to the next question; empty: unknown
}

// Mistake is a move that lowered the expected result of its player.
type Mistake struct {
	Position int // index of the position after it
	Loss     float64
}

// Blunder reports whether it is a large mistake.
func (m Mistake) Blunder() bool { return m.Loss >= blunderLoss }

// Refusal says why a match can't be analysed. It is for people.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// check returns a Refusal if the match can't be analysed by any game.
func check(rec *record.Match) error {
	switch {
	case rec.State == record.Running:
		return Refusal("the match has not ended")
	case len(rec.Seats) != 2:
		return Refusal(fmt.Sprintf("the match has %d seats, and only matches of two can be analysed", len(rec.Seats)))
	case len(rec.Answers) == 0:
		return Refusal("nobody moved in this match")
	case len(rec.Answers) > maxAnswers:
		return Refusal(fmt.Sprintf("the match is too long: it has %d answers, and at most %d can be analysed", len(rec.Answers), maxAnswers))
	}
	return nil
}

// analyse runs a match again, with judgements. It calls progress with the number of
// answers so far.
func analyse(ctx context.Context, game verify.Game, rec *record.Match, stall time.Duration, progress func(answers int)) (*Analysis, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("it took longer than %v", maxTime))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	a := &Analysis{Think: max(leastThought, min(mostThought, allThought/time.Duration(len(rec.Answers)+1)))}
	report, err := verify.Judge(ctx, game, rec, stall, a.Think, func(p verify.Position) {
		progress(p.Answers)
		if p.Judgement == nil {
			a.end(rec, p)
		} else if err := a.add(p, p.Judgement); err != nil {
			stop(err)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(report.Differences) > 0:
		return nil, fmt.Errorf("the second run of the match differs from the record: %s", report.Differences[0])
	case len(a.Positions) < 2: // one can be the end
		return nil, errors.New("the game judged no position")
	}
	a.back()
	a.find()
	return a, nil
}

func (a *Analysis) add(p verify.Position, j *driver.Judgement) error {
	switch {
	case math.IsNaN(j.Value) || j.Value < -1 || j.Value > 1:
		return fmt.Errorf("the game gives a position the value %v, which is not from -1 to 1", j.Value)
	case len(a.Positions) == maxPositions:
		return fmt.Errorf("the game judges more than %d positions", maxPositions)
	}
	best := j.Best
	if len(best) > maxBest {
		best = ""
	}
	a.Positions = append(a.Positions, Position{Lines: p.Lines, Answers: p.Answers, Seat: p.Seat, Value: j.Value, Best: best})
	return nil
}

// end adds the end of a match with its result. A forfeit is not a move.
func (a *Analysis) end(rec *record.Match, p verify.Position) {
	if rec.State == record.Aborted {
		return
	}
	last := Position{Lines: p.Lines, Answers: p.Answers, Seat: p.Seat, Value: float64(cmp.Compare(rec.Seats[1].Rank, rec.Seats[0].Rank))}
	if slices.ContainsFunc(rec.Seats, func(s record.Seat) bool { return s.Ended != driver.EndedFinished }) {
		last.Seat = -1
	}
	a.Positions = append(a.Positions, last)
}

// back corrects values by what was found later: a position is at least as good for the
// player to move as the position after its move.
func (a *Analysis) back() {
	for i := len(a.Positions) - 2; i >= 0; i-- {
		p, next := &a.Positions[i], a.Positions[i+1]
		switch next.Seat {
		case 0:
			p.Value = max(p.Value, next.Value)
		case 1:
			p.Value = min(p.Value, next.Value)
		}
	}
}

// find finds the largest mistakes of each seat.
func (a *Analysis) find() {
	for seat := range 2 {
		var list []Mistake
		for i := 1; i < len(a.Positions); i++ {
			before, after := a.Positions[i-1], a.Positions[i]
			if loss := math.Abs(before.Value - after.Value); after.Seat == seat && loss >= mistakeLoss {
				list = append(list, Mistake{Position: i, Loss: loss})
			}
		}
		slices.SortStableFunc(list, func(x, y Mistake) int { return cmp.Compare(y.Loss, x.Loss) })
		a.Mistakes = append(a.Mistakes, list[:min(len(list), mostMistakes)]...)
	}
	slices.SortFunc(a.Mistakes, func(x, y Mistake) int { return cmp.Compare(x.Position, y.Position) })
}
