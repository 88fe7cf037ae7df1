package lobby

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"colosseum/protocol"
)

// Join gives a player a seat in a waiting match, and starts the match if that was
// the last seat. A seat that is kept for the client's player needs no password. Join
// calls the player's methods for both before it returns. The error is for the client.
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
	if !l.takes() { // nothing would be recorded of the match if it began now
		return ErrRecords
	}
	if err := checkUsername(r.Name); err != nil {
		return err
	}
	if version := e.versionLocked(c.Player); version > 0 {
		return fmt.Errorf("version %d of the program of %s plays in game %q", version, c.Player, r.ID)
	}
	if c.Player != "" && slices.Contains(e.lost, c.Player) {
		return fmt.Errorf("the seat of %s in game %q is no longer kept: it did not join in time", c.Player, r.ID)
	}
	if e.branch != nil && c.Sent == nil {
		return fmt.Errorf("game %q begins with moves of game %q, which this client cannot repeat: play it on the page of the host", r.ID, e.branch.Match)
	}
	player := e.keptForLocked(c, r.Name)
	kept := player != ""
	if !kept {
		if err := l.checkPasswordLocked(c.Address, e, given); err != nil {
			return err
		}
	}
	if slices.Contains(e.info.Connected, r.Name) || e.versionLocked(r.Name) > 0 || player != r.Name && e.keptForLocked(Client{}, r.Name) != "" { // or it would lock out the one with that name
		return fmt.Errorf("Username %q already taken", r.Name)
	}
	if !kept && e.openLocked() == 0 {
		return fmt.Errorf("the seats left in game %q are kept for %s: join another match", r.ID, list(e.info.Reserved))
	}
	l.takeLocked(e, p, c, r.Name)
	return nil
}

func checkUsername(name string) error {
	if !printable(name, 1, 16, false) || strings.Contains(name, "$") {
		return fmt.Errorf("%q is not a valid username: use 1 to 16 printable ASCII characters without spaces and $", shorten(name))
	}
	return nil
}

// takeLocked gives a player a seat in a waiting match, the one that is kept for it
// if there is one, and starts the match if that was the last seat.
func (l *Lobby) takeLocked(e *entry, p Player, c Client, name string) {
	if c.Hints != nil && !e.noHints {
		if e.hints == nil {
			e.hints = map[Player]func(protocol.MatchQuestion){}
		}
		e.hints[p] = c.Hints
	}
	if e.branch != nil {
		e.sent = map[Player]func(string){p: c.Sent} // only one player joins a branch
	}
	l.seatLocked(e, p, name, c.Player, e.keptForLocked(c, name))
}

// seatLocked is takeLocked for a player with a name and a registered player, and for the
// seat that is kept for a player; empty: there is none.
func (l *Lobby) seatLocked(e *entry, p Player, name, identity, player string) {
	if player != "" {
		e.info.Reserved = removed(e.info.Reserved, player)
		if e.kept == nil {
			e.kept = map[Player]string{}
		}
		e.kept[p] = player
	}
	e.players = append(e.players, p)
	// A new slice each time: earlier infos share the old one.
	e.info.Connected = append(slices.Clone(e.info.Connected), name)
	if identity != "" {
		e.info.Identities = with(e.info.Identities, name, identity)
	}
	l.touchLocked(e)
	l.generation.Add(1)
	p.Joined(e.info)
	l.updateLocked(e)
	if len(e.players)+e.info.Bots == e.info.Players {
		l.startLocked(e)
		return
	}
	l.callLocked(e)
}

// Leave takes a player out of a waiting match, and keeps the seat again if it was
// kept for that player. It reports whether the player had a seat in one. A match of
// Find is removed when all its players are assigned ones.
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
	e.info.Lag = without(e.info.Lag, e.info.Connected[i])
	e.players = slices.Delete(e.players, i, i+1)
	delete(e.hints, p)
	delete(e.sent, p)
	e.info.Connected = slices.Delete(slices.Clone(e.info.Connected), i, i+1)
	if player, ok := e.kept[p]; ok {
		delete(e.kept, p)
		e.info.Reserved = append(slices.Clone(e.info.Reserved), player)
	}
	l.recallLocked(e)
	if e.found && len(e.players) == len(e.kept) {
		l.removeLocked(e, "the players that looked for this match have left", nil)
		return true
	}
	l.touchLocked(e)
	l.generation.Add(1)
	l.updateLocked(e)
	return true
}

// Measured shows the lag of a player in the list of matches. It has no effect if the
// player has no seat in a waiting match.
func (l *Lobby) Measured(p Player, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil || e.info.Running {
		return
	}
	if i := slices.Index(e.players, p); i >= 0 {
		e.info.Lag = with(e.info.Lag, e.info.Connected[i], p.Lag().Milliseconds())
		l.generation.Add(1)
		l.publishLocked(e, Change{})
	}
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
