package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Description is how a game describes itself.
type Description struct {
	Name, Title, Rules              string
	MinPlayers, MaxPlayers, MaxBots int
	Timeout                         float64 // seconds
	Delay                           float64 // seconds, see sdk.Game
	Params                          []driver.Param
}

// Description returns the description that the game gave at its start.
func (g *Game) Description() Description { return g.description }

func (g *Game) describe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	d, err := g.rpc.Describe(ctx, &wire.DescribeRequest{})
	if err != nil {
		return fmt.Errorf("get its description: %w", err)
	}
	g.frames = d.Frames && g.process.frames != nil
	g.description, err = decodeDescription(d)
	return err
}

// decodeDescription also checks the description, because a game in another
// language does not use the SDK, which checks its own.
func decodeDescription(d *wire.Description) (Description, error) {
	g := driver.Description{
		Name: d.Name, MinPlayers: int(d.MinPlayers), MaxPlayers: int(d.MaxPlayers), MaxBots: int(d.MaxBots),
		Timeout: d.Timeout, Delay: d.Delay,
	}
	for _, p := range d.Params {
		g.Params = append(g.Params, wire.DecodeParam(p))
	}
	if err := checkTexts(d); err != nil {
		return Description{}, err
	}
	return Description{
		Name: g.Name, Title: d.Title, Rules: d.Rules, MinPlayers: g.MinPlayers, MaxPlayers: g.MaxPlayers, MaxBots: g.MaxBots,
		Timeout: g.Timeout, Delay: g.Delay, Params: g.Params,
	}, g.Validate()
}

// Bounds of a description, which clients and pages show.
const (
	maxLine    = 500     // bytes of a title, a parameter's description or a choice
	maxRules   = 1 << 20 // bytes
	maxParams  = 100
	maxChoices = 1000 // of a parameter
)

// checkTexts checks the texts of a description.
func checkTexts(d *wire.Description) error {
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
	request := &wire.PrepareRequest{Bots: uint32(r.Bots), Timeout: r.Timeout, Args: r.Args}
	if r.Players != nil {
		request.Players = new(uint32(*r.Players))
	}
	reply, err := g.rpc.Prepare(ctx, request)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return driver.Settings{}, errCanceled
	case err != nil:
		fault := g.callFault(ctx, err)
		g.log.Error("could not prepare a match", "error", fault)
		return driver.Settings{}, fault
	case reply.Refusal != "":
		clean := driver.CleanLine(reply.Refusal, maxRefusal)
		if clean != reply.Refusal {
			g.log.Warn("the game's refusal of a match is too long or has control characters", "refusal", reply.Refusal[:min(len(reply.Refusal), 2*maxRefusal)])
		}
		return driver.Settings{}, Refusal(clean)
	}
	if err := g.description.check(reply); err != nil {
		fault := &Fault{kind: errFailed, detail: err.Error()}
		g.log.Error("could not prepare a match", "error", fault)
		return driver.Settings{}, fault
	}
	return driver.Settings{Players: int(reply.Players), Bots: r.Bots, Timeout: reply.Timeout, Params: reply.Params}, nil
}

// maxRefusal is how many bytes of a refusal the match's creator gets; the rest is cut.
const maxRefusal = 1000

// check returns an error for a prepared match that does not fit the description. The
// error is for players, too.
func (d *Description) check(r *wire.PrepareReply) error {
	if players := int(r.Players); players < d.MinPlayers || players > d.MaxPlayers {
		return fmt.Errorf("it prepared a match with %d players", players)
	}
	if !(r.Timeout >= driver.MinTimeout && r.Timeout <= driver.MaxTimeout) {
		return fmt.Errorf("it prepared a match with a timeout of %v s", r.Timeout)
	}
	if len(r.Params) != len(d.Params) {
		return fmt.Errorf("it prepared a match with %d parameters instead of %d", len(r.Params), len(d.Params))
	}
	for _, p := range d.Params {
		value, ok := r.Params[p.Name]
		if !ok {
			return fmt.Errorf("it prepared a match without the parameter %s", p.Name)
		}
		if norm, err := p.Normalize(value); err != nil || norm != value {
			return fmt.Errorf("it prepared a match with an invalid %s", p.Name)
		}
	}
	return nil
}
