package director

import "context"

// Organizes reports whether a registered player can run a contest, or returns
// contest.ErrUnknown.
func (d *Director) Organizes(ctx context.Context, name, player string) (bool, error) {
	s, err := d.organizer.Load(ctx, name)
	if err != nil {
		return false, err
	}
	return s.Organizes(player), nil
}
