package lobby

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"colosseum/protocol"
)

// Join gives a player a seat in a waiting match, and starts the match if that was
// the last seat. It calls the player's methods for both before it returns. The
// error is for the client.
func (l *Lobby) Join(p Player, c Client, r protocol.LobbyJoinMatch) error {
	given := digest(r.Password)
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.findLocked(r.ID)
	if err != nil {
		return err
	}
	if e.info.Running {
		return fmt.Errorf("Game %q is already running", r.ID)
	}
	if !printable(r.Name, 1, 16, false) || strings.Contains(r.Name, "$") {
		return fmt.Errorf("%q is not a valid username: use 1 to 16 printable ASCII characters without spaces and $", shorten(r.Name))
	}
	if err := l.checkPasswordLocked(c.Address, e, given); err != nil {
		return err
	}
	if slices.Contains(e.info.Connected, r.Name) {
		return fmt.Errorf("Username %q already taken", r.Name)
	}
	e.players = append(e.players, p)
	// A new slice each time: earlier infos share the old one.
	e.info.Connected = append(slices.Clone(e.info.Connected), r.Name)
	if c.Player != "" {
		e.info.Identities = with(e.info.Identities, r.Name, c.Player)
	}
	l.touchLocked(e)
	l.generation.Add(1)
	p.Joined(e.info)
	l.updateLocked(e)
	if len(e.players)+e.info.Bots == e.info.Players {
		l.startLocked(e)
	}
	return nil
}

// Leave takes a player out of a waiting match. It reports whether the player
// had a seat in one.
func (l *Lobby) Leave(p Player, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil || e.info.Running {
		return false
	}
	i := slices.Index(e.players, p)
	if i < 0 {
		return false
	}
	e.info.Identities = without(e.info.Identities, e.info.Connected[i])
	e.players = slices.Delete(e.players, i, i+1)
	e.info.Connected = slices.Delete(slices.Clone(e.info.Connected), i, i+1)
	l.touchLocked(e)
	l.generation.Add(1)
	l.updateLocked(e)
	return true
}

// with returns a copy of m with one more entry: earlier infos share m.
func with[V any](m map[string]V, key string, value V) map[string]V {
	c := maps.Clone(m)
	if c == nil {
		c = map[string]V{}
	}
	c[key] = value
	return c
}

// without returns m without an entry, as a copy if it has the entry.
func without[V any](m map[string]V, key string) map[string]V {
	if _, ok := m[key]; !ok {
		return m
	}
	c := maps.Clone(m)
	delete(c, key)
	return c
}
