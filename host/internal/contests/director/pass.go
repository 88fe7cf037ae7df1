package director

import (
	"context"
	"strings"
	"time"
)

// Try begins a try of a registered player in a pass mark, which it does by itself. Serves
// reports whether the player serves a game, on any host. The errors are for the client.
func (d *Director) Try(ctx context.Context, name, player string, serves func(game string) bool) error {
	o := d.organizer
	o.Present = func(game, player string) bool {
		return d.versions(game)[strings.ToLower(player)] > 0 || serves(game)
	}
	err := o.Try(ctx, name, player, player)
	d.wake()
	return err
}

// expire marks the views as stale that change with the time alone, such as the tries that are
// left. It reports whether there was one.
func (d *Director) expire(now time.Time) (found bool) {
	for _, t := range d.all() {
		t.mu.Lock()
		if v := t.view; v != nil && !t.stale && !v.Until.IsZero() && !now.Before(v.Until) {
			t.stale, found = true, true
		}
		t.mu.Unlock()
	}
	return found
}
