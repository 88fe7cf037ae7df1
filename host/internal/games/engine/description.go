package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"colosseum/sdk/driver"
)

// Description returns the description that the game gave at its start, without the default
// number of players.
func (g *Game) Description() driver.Description { return g.description }

// describe gets the description, and whether the child exchanges frames over the socket.
func (g *Game) describe(ctx context.Context) (frames bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	g.description, frames, err = g.remote.Describe(ctx)
	if err != nil {
		return false, fmt.Errorf("get its description: %w", err)
	}
	return frames, checkDescription(&g.description)
}

// checkDescription returns an error for a description that can't be offered, because a game
// in another language does not use the SDK, which checks its own.
func checkDescription(d *driver.Description) error {
	if err := checkTexts(d); err != nil {
		return err
	}
	return d.Validate()
}

// Bounds of a description, which clients and pages show.
const (
	maxLine    = 500     // bytes of a title, a parameter's description or a choice
	maxRules   = 1 << 20 // bytes
	maxParams  = 100
	maxChoices = 1000 // of a parameter
)

// checkTexts checks the texts of a description.
func checkTexts(d *driver.Description) error {
	switch {
	case !isLine(d.Title):
		return fmt.Errorf("its title is not a line of at most %d printable bytes", maxLine)
	case len(d.Rules) > maxRules:
		return fmt.Errorf("its rules have %d bytes, and can have %d", len(d.Rules), maxRules)
	case len(d.Params) > maxParams:
		return fmt.Errorf("it has %d parameters, and can have %d", len(d.Params), maxParams)
	}
	for _, p := range d.Params {
		switch {
		case !isLine(p.Description):
			return fmt.Errorf("the description of its parameter %q is not a line of at most %d printable bytes", driver.CleanLine(p.Name, 32), maxLine)
		case len(p.Choices) > maxChoices:
			return fmt.Errorf("its parameter %q has %d choices, and can have %d", driver.CleanLine(p.Name, 32), len(p.Choices), maxChoices)
		case slices.ContainsFunc(p.Choices, func(c string) bool { return !isLine(c) }):
			return fmt.Errorf("a choice of its parameter %q is not a line of at most %d printable bytes", driver.CleanLine(p.Name, 32), maxLine)
		}
	}
	return nil
}

// isLine reports whether a text can be shown in one line.
func isLine(text string) bool {
	return len(text) <= maxLine && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Refusal is the error of a request for a match that the game refuses to play. Its
// text is for the match's creator.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Prepare lets the game check and complete a request for a match. The error is a
// Refusal, or a Fault when the game failed.
func (g *Game) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	settings, refusal, err := g.remote.Prepare(ctx, r)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return driver.Settings{}, errCanceled
	case err != nil:
		fault := g.callFault(ctx, err)
		g.log.Error("could not prepare a match", "error", fault)
		return driver.Settings{}, fault
	case refusal != "":
		clean := driver.CleanLine(refusal, maxRefusal)
		if clean != refusal {
			g.log.Warn("the game's refusal of a match is too long or has control characters", "refusal", refusal[:min(len(refusal), 2*maxRefusal)])
		}
		return driver.Settings{}, Refusal(clean)
	}
	if err := checkSettings(&g.description, &settings); err != nil {
		fault := &Fault{kind: errFailed, detail: err.Error()}
		g.log.Error("could not prepare a match", "error", fault)
		return driver.Settings{}, fault
	}
	return settings, nil
}

// maxRefusal is how many bytes of a refusal the match's creator gets; the rest is cut.
const maxRefusal = 1000

// checkSettings returns an error for a prepared match that does not fit the description. The
// error is for players, too.
func checkSettings(d *driver.Description, s *driver.Settings) error {
	if s.Players < d.MinPlayers || s.Players > d.MaxPlayers {
		return fmt.Errorf("it prepared a match with %d players", s.Players)
	}
	if !(s.Timeout >= driver.MinTimeout && s.Timeout <= driver.MaxTimeout) {
		return fmt.Errorf("it prepared a match with a timeout of %v s", s.Timeout)
	}
	if len(s.Params) != len(d.Params) {
		return fmt.Errorf("it prepared a match with %d parameters instead of %d", len(s.Params), len(d.Params))
	}
	for _, p := range d.Params {
		value, ok := s.Params[p.Name]
		if !ok {
			return fmt.Errorf("it prepared a match without the parameter %s", p.Name)
		}
		if norm, err := p.Normalize(value); err != nil || norm != value {
			return fmt.Errorf("it prepared a match with an invalid %s", p.Name)
		}
	}
	return nil
}
