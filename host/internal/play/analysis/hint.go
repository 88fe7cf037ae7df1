package analysis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"colosseum/host/internal/play/verify"
	"colosseum/host/internal/records/record"
)

// hintThought is how long the referee thinks about a hint, and hintTime bounds all of it.
const (
	hintThought = 500 * time.Millisecond
	hintTime    = 10 * time.Second
)

// Hint returns the best answer to the question of a match that runs, given a snapshot of it, as
// its referee judges. One hint is looked for at a time. The error is for people: a Refusal,
// ErrBusy, or that of a game that failed.
func (a *Analyst) Hint(ctx context.Context, rec *record.Match) (best string, err error) {
	if len(rec.Seats) != 2 || len(rec.Answers) > maxAnswers {
		return "", Refusal("hints are for matches of two seats that are not too long")
	}
	if err := a.games.Judges(rec.Plugin, rec.Version); err != nil {
		return "", Refusal(err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	a.mu.Lock()
	closed := a.ctx.Err() != nil
	if !closed {
		a.wait.Add(1)
	}
	a.mu.Unlock()
	if closed {
		return "", ErrBusy
	}
	defer a.wait.Done()
	select {
	case a.hinting <- struct{}{}:
	case <-ctx.Done():
		return "", ErrBusy
	}
	defer func() { <-a.hinting }()
	game, err := a.games.Spare(ctx, rec.Plugin, rec.Version)
	if err != nil {
		return "", fmt.Errorf("the game could not be started: %w", err)
	}
	defer game.Close()
	last, err := verify.Last(ctx, game, rec, a.stall, hintThought)
	switch {
	case err != nil:
		a.log.Warn("could not find a hint", "match", rec.ID, "game", rec.Plugin, "error", err)
		return "", errors.New("the game could not judge this position")
	case last == nil || last.Best == "" || len(last.Best) > maxBest:
		return "", Refusal("the game knows no best move here")
	}
	return last.Best, nil
}
