package director

import (
	"context"

	"colosseum/host/internal/contests/contest"
)

// Organizes reports whether a registered player can run a contest, or returns
// contest.ErrUnknown.
func (d *Director) Organizes(ctx context.Context, name, player string) (bool, error) {
	s, err := d.organizer.Load(ctx, name)
	if err != nil {
		return false, err
	}
	return s.Organizes(player), nil
}

// Organize does with a contest what a registered player wants, which must be one of its
// organizers. The errors are for the client.
func (d *Director) Organize(ctx context.Context, name, player string, a contest.Order) error {
	o := d.organizer
	o.By = player
	err := o.Obey(ctx, name, a)
	d.wake()
	return err
}
