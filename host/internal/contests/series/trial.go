package series

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// Trial is a few matches in which a program shows that it can play a game: one in each
// seat, against the weakest bot of the game, and one with as many players as the game
// permits. Seats that the game has no bots for are played by the program as well.
type Trial struct {
	Setup
	Offer   *catalog.Offer
	Name    string // of the program in its matches
	Command program.Command
	Seed    uint64
	// Played, if not nil, is called after each match that the program has finished.
	Played func(match, matches int)
}

// maxTrial is the maximum number of matches of a trial in which each seat is tried, and of
// players in its last match.
const maxTrial = 8

// botParameter is the parameter of a game with the levels of its bots, the weakest last.
const botParameter = "bot"

// TrialError says what a program has done wrong in a trial.
type TrialError struct {
	Match, Seat int // both from 1
	Faults      []string
	Stderr      string // the end of what it wrote there
}

func (e *TrialError) Error() string {
	return fmt.Sprintf("in match %d of its trial, in seat %d: %s", e.Match, e.Seat, strings.Join(e.Faults, "; "))
}

// Run plays the matches. Its error is a *TrialError if the program did not finish one
// of them by its own fault. Any other error is not the program's fault.
func (t *Trial) Run(ctx context.Context) error {
	settings, err := t.Offer.Prepare(ctx, driver.Request{})
	if err != nil {
		return err
	}
	request, settings, err := t.prepare(ctx, settings.Players)
	if err != nil {
		return err
	}
	each := min(settings.Players, maxTrial)
	most := min(t.Offer.MaxPlayers, maxTrial)
	matches := each
	if most > settings.Players {
		matches++
	}
	for number := range matches {
		if number == each {
			if request, settings, err = t.prepare(ctx, most); err != nil {
				return err
			}
		}
		if err := t.play(ctx, number, request, settings); err != nil {
			return err
		}
		if t.Played != nil {
			t.Played(number+1, matches)
		}
	}
	return nil
}

// prepare returns the settings of a match with a number of players.
func (t *Trial) prepare(ctx context.Context, players int) (driver.Request, driver.Settings, error) {
	request := driver.Request{Players: &players, Bots: min(players-1, t.Offer.MaxBots), Args: map[string]string{}}
	t.Offer.Unpace(request.Args)
	for _, p := range t.Offer.Params {
		if p.Name == botParameter && request.Bots > 0 && len(p.Choices) > 0 {
			request.Args[botParameter] = p.Choices[len(p.Choices)-1]
		}
	}
	settings, err := t.Offer.Prepare(ctx, request)
	return request, settings, err
}

// play plays one match of a trial, in which the program has the seat with its number.
func (t *Trial) play(ctx context.Context, number int, request driver.Request, settings driver.Settings) error {
	l := lineup{game: t.Offer.Engine, stuck: t.Offer.Stuck, line: t.Offer.MaxLine, number: number + 1, group: number, lenient: true}
	bots := request.Bots
	for seat := range settings.Players {
		p := participant{name: t.Name, command: &t.Command}
		switch {
		case seat != number && bots > 0:
			bots--
			p = participant{name: fmt.Sprintf("ServerBot$%d", request.Bots-bots-1)}
		case seat != number:
			p.name = fmt.Sprintf("%s-%d", t.Name[:min(len(t.Name), maxName-3)], seat+1)
		}
		l.seats = append(l.seats, p)
	}
	l.record = record.Match{
		ID: record.NewID(), Name: fmt.Sprintf("trial %d", number+1), Game: t.Offer.Name, Plugin: t.Offer.Plugin, Version: t.Offer.Version, Args: request.Args, Params: settings.Params,
		Timeout: settings.Timeout, Seed: t.Seed + uint64(number),
	}
	r, seats, err := t.Setup.play(ctx, l, func() {})
	switch {
	case err != nil:
		return err
	case r == nil:
		return context.Cause(ctx)
	}
	for seat, one := range seats {
		if l.seats[seat].command == nil {
			continue
		}
		if _, forfeit := one.Ended.Forfeit(); forfeit || one.Exit.Fault != "" {
			return &TrialError{Match: number + 1, Seat: seat + 1, Faults: one.faults(true), Stderr: one.Exit.Stderr}
		}
	}
	if r.State != record.Finished {
		return errors.New("a match of the trial was aborted: " + r.Reason)
	}
	return nil
}

// TrialTime is how long a trial can take in a game at most: all time for all answers.
// Nothing in a game bounds their number, so it is a bound against a game that never ends.
const TrialTime = 10 * time.Minute
