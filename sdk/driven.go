package sdk

import (
	"context"
	"fmt"

	"colosseum/sdk/driver"
)

// driven is a Game as drivers see it: the methods that no author calls.
type driven Game

func init() {
	driver.Implement(func(game any) driver.Game { return (*driven)(game.(*Game)) })
}

// Describe implements driver.Game.
func (d *driven) Describe() driver.Description {
	return driver.Description{
		Name: d.Name, Title: d.Title, Rules: d.Rules, MinPlayers: d.MinPlayers, MaxPlayers: d.MaxPlayers, Players: d.Players,
		MaxBots: d.MaxBots, Timeout: d.Timeout, Delay: d.Delay, Ponder: d.Ponder, MaxLine: d.MaxLine, Params: d.Params,
	}
}

// Validate implements driver.Game.
func (d *driven) Validate() error {
	switch err := d.Describe().Validate(); {
	case err != nil:
		return err
	case d.Play == nil:
		return fmt.Errorf("sdk: game %s has no Play: give it a referee", d.Name)
	case d.MaxBots > 0 && d.Bot == nil:
		return fmt.Errorf("sdk: game %s allows %d bots but has no Bot", d.Name, d.MaxBots)
	case d.Bot != nil && d.MaxBots == 0:
		return fmt.Errorf("sdk: game %s has a Bot but MaxBots is 0: raise MaxBots or remove Bot", d.Name)
	}
	return nil
}

// Prepare implements driver.Game.
func (d *driven) Prepare(r driver.Request) (driver.Settings, error) {
	s, err := d.Describe().Prepare(r)
	if err == nil && d.Check != nil {
		err = d.Check(&Settings{s})
	}
	if err != nil {
		return driver.Settings{}, err
	}
	return s, nil
}

// Run implements driver.Game.
func (d *driven) Run(s *driver.Setup, by driver.Driver) { (*Game)(d).run(s, by) }

// OnFailure implements driver.Game.
func (d *driven) OnFailure(explain func(ctx context.Context, why error, again func(g driver.Game, sent func()) error) error) {
	d.explain = explain
}
