package engine

import (
	"context"
	"errors"
	"fmt"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Description is how a game describes itself.
type Description struct {
	Name, Title, Rules              string
	MinPlayers, MaxPlayers, MaxBots int
	Timeout                         float64 // seconds
	Delay                           float64 // seconds, see sdk.Game
	Params                          []sdk.Param
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
	g := sdk.Game{
		Name: d.Name, MinPlayers: int(d.MinPlayers), MaxPlayers: int(d.MaxPlayers), MaxBots: int(d.MaxBots),
		Timeout: d.Timeout, Delay: d.Delay, Play: func(*sdk.Match) error { return nil },
	}
	for _, p := range d.Params {
		g.Params = append(g.Params, wire.DecodeParam(p))
	}
	if d.MaxBots > 0 {
		g.Bot = func(*sdk.Bot) error { return nil }
	}
	return Description{
		Name: g.Name, Title: d.Title, Rules: d.Rules, MinPlayers: g.MinPlayers, MaxPlayers: g.MaxPlayers, MaxBots: g.MaxBots,
		Timeout: g.Timeout, Delay: g.Delay, Params: g.Params,
	}, g.Validate()
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
		return driver.Settings{}, Refusal(reply.Refusal)
	}
	players := int(reply.Players)
	if players < 1 || players > sdk.MaxSeats || !(reply.Timeout >= sdk.MinTimeout && reply.Timeout <= sdk.MaxTimeout) {
		return driver.Settings{}, &Fault{kind: errFailed, detail: fmt.Sprintf("it prepared a match with %d players and a timeout of %v s", players, reply.Timeout)}
	}
	return driver.Settings{Players: players, Bots: r.Bots, Timeout: reply.Timeout, Params: reply.Params}, nil
}
