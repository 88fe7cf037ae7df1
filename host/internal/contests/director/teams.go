package director

import "context"

// EnterTeam enters a team for its captain, or lets a player accept that the captain has
// invited it. The errors are for the client.
func (d *Director) EnterTeam(ctx context.Context, name, player, team string, others []string) error {
	err := d.organizer.EnterTeam(ctx, name, player, team, others)
	d.wake()
	return err
}

// LineUp gives a team another order of its players, or others. By is its captain, or an
// organizer of the contest. The errors are for the client.
func (d *Director) LineUp(ctx context.Context, name, by, team string, players []string) error {
	err := d.organizer.LineUp(ctx, name, by, team, players)
	d.wake()
	return err
}
