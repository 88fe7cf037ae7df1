package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Limits of the match that a new version must be able to play.
const (
	tryTime      = 5 * time.Second
	tryQuestions = 1000
)

// tryOut plays one match in which nobody answers: a referee that fails at its
// first steps, or does not end when all players are gone, is found before
// anybody plays on it.
func tryOut(ctx context.Context, game *engine.Game) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	settings, err := game.Prepare(ctx, driver.Request{})
	if err != nil {
		return fmt.Errorf("a match with all defaults: %w", err)
	}
	start := &wire.Start{Seed: 1, Timeout: settings.Timeout, Params: settings.Params}
	for seat := range settings.Players {
		start.Seats = append(start.Seats, &wire.Seat{Name: fmt.Sprintf("player%d", seat)})
	}
	t := newTrial()
	table, err := game.Open(start, t)
	if err != nil {
		return err
	}
	defer table.Stop()
	for questions := 0; questions <= tryQuestions; {
		select {
		case f := <-t.frames:
			switch {
			case f.End != nil && f.End.Aborted:
				return fmt.Errorf("a match in which nobody answers: %s", f.End.Reason)
			case f.End != nil:
				return nil
			case f.Ask != nil:
				questions++
				answers := make([]*wire.Answer, len(f.Ask.Seats))
				for i, seat := range f.Ask.Seats {
					answers[i] = &wire.Answer{Seat: seat, Outcome: wire.Answer_DISCONNECTED}
				}
				table.Answer(answers)
			case f.PauseMs > 0:
				return nil // it rests: the first steps went well
			}
		case err := <-t.lost:
			return fmt.Errorf("a match in which nobody answers: %w", err)
		case <-ctx.Done():
			return errors.New("a match in which nobody answers did not end: does a loop go on when Ask returns an error?")
		}
	}
	return fmt.Errorf("a match in which nobody answers went on for %d questions: does a loop go on when Ask returns an error?", tryQuestions)
}

// trial takes what the game says in its match.
type trial struct {
	frames chan *wire.GameFrame // 64: more than any game asks and rests before it waits; more are dropped
	lost   chan error           // 1: it comes once
}

func newTrial() *trial {
	return &trial{frames: make(chan *wire.GameFrame, 64), lost: make(chan error, 1)}
}

func (t *trial) Frame(f *wire.GameFrame) {
	if f.Ask == nil && f.End == nil && f.PauseMs == 0 {
		return // there may be any number of texts
	}
	select {
	case t.frames <- f:
	default:
	}
}

func (t *trial) Lost(err error) { t.lost <- err }
