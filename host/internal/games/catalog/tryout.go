package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/sdk/driver"
)

// Limits of the match that a new version must be able to play.
const (
	tryStall     = 4 * time.Second // of a referee
	tryQuestions = 1000
	tryFrames    = 1 << 20  // that wait to be read
	tryBytes     = 64 << 20 // in these frames
)

// tryOut plays one match in which nobody answers. It returns an error if the referee
// fails at its first steps, or does not end when all players are gone. It reports
// whether the referee judges positions.
//
// The limit is that for starting a game, because a busy machine can stop a process for
// seconds. A referee in a loop is found earlier.
func tryOut(ctx context.Context, game *engine.Game, limit time.Duration) (judged bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	settings, err := game.Prepare(ctx, driver.Request{})
	for errors.Is(err, engine.ErrSilent) && ctx.Err() == nil {
		settings, err = game.Prepare(ctx, driver.Request{})
	}
	if err != nil {
		return false, fmt.Errorf("a match with all defaults: %w", err)
	}
	setup := &driver.Setup{Settings: settings, Seed: 1, Judge: time.Millisecond, Stall: tryStall}
	for seat := range settings.Players {
		setup.Names = append(setup.Names, fmt.Sprintf("player%d", seat))
	}
	inbox := engine.NewInbox(tryFrames, tryBytes)
	match, err := game.Open(setup, inbox)
	if err != nil {
		return false, err
	}
	defer match.Stop()
	for questions := 0; questions <= tryQuestions; {
		f, err := inbox.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return false, errors.New("a match in which nobody answers did not end: does a loop go on when Ask returns an error?")
		case err != nil:
			return false, fmt.Errorf("a match in which nobody answers: %w", err)
		}
		judged = judged || f.Judgement != nil
		switch {
		case f.End != nil && f.End.Stuck:
			return false, fmt.Errorf("a match in which nobody answers: %s. Does it go on when Ask returns an error?", f.End.Reason)
		case f.End != nil && f.End.Aborted:
			return false, fmt.Errorf("a match in which nobody answers: %s", f.End.Reason)
		case f.End != nil:
			return judged, nil
		case f.Question != nil:
			questions++
			answers := make([]driver.Answer, len(f.Question.Seats))
			for i, seat := range f.Question.Seats {
				answers[i] = driver.Answer{Seat: seat, Outcome: driver.Disconnected}
			}
			match.Answer(answers)
		case f.Pause > 0:
			return judged, nil // the first steps went well
		}
	}
	return false, fmt.Errorf("a match in which nobody answers went on for %d questions: does a loop go on when Ask returns an error?", tryQuestions)
}
