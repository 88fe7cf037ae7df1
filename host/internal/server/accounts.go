package server

import (
	"context"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
)

// accounts are the registered players for the site.
type accounts struct {
	*players.Registry
	organizer contest.Organizer
}

// Rename renames a player, also in its contests, so that it can enter one at once.
func (a accounts) Rename(ctx context.Context, player, name string) error {
	if err := a.Registry.Rename(ctx, player, name); err != nil {
		return err
	}
	_ = a.organizer.FollowNames(ctx) // otherwise the host that leads does it soon
	return nil
}
