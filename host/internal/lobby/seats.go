package lobby

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// Seats are those of a match with seats that are kept for registered players.
type Seats struct {
	Players []string      // a seat is kept for each of them
	Open    int           // number of the seats that other players can take
	Within  time.Duration // a match that has not started by then is removed
	Changed func(Change)  // can be nil; called with the lobby locked, so it must neither block nor call the lobby
}

// Change is a change of a match: a player joined or left, a seat is kept or no
// longer kept, or the match started or left the lobby.
type Change struct {
	Info    protocol.MatchInfo
	Default bool // Find created it, with the game's default settings
	Gone    bool // it left the lobby; if Info.Running is false, it had not started
}

// check returns an error if a match with the given settings has other seats.
func (s *Seats) check(settings driver.Settings) error {
	if s == nil {
		return nil
	}
	if n := settings.Players - settings.Bots; len(s.Players)+s.Open != n {
		return fmt.Errorf("Cannot create game: %d players do not fill the %d seats: change the number of players or of bots", len(s.Players)+s.Open, n)
	}
	return nil
}

// Errors of Reserve.
var (
	errNotWaiting = errors.New("the match does not wait for players")
	errNoSeat     = errors.New("the match has no seat to keep")
	errHasSeat    = errors.New("the player has or had a seat in the match")
)

// Reserve keeps a seat of a waiting match for a registered player, until the
// player takes it, Unreserve is called, or the match was created by Find and
// another client of Find takes it.
func (l *Lobby) Reserve(id, player string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	switch {
	case e == nil || e.info.Running:
		return errNotWaiting
	case e.open() == 0:
		return errNoSeat
	case e.has(player), slices.Contains(e.lost, player):
		return errHasSeat
	}
	e.info.Reserved = append(slices.Clone(e.info.Reserved), player)
	l.generation.Add(1)
	l.updateLocked(e)
	return nil
}

// Unreserve ends Reserve, and reports whether a seat was kept for the player. After
// that the player cannot join, because the match no longer counts for it.
func (l *Lobby) Unreserve(id, player string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil || e.info.Running || !e.keeps(player) {
		return false
	}
	l.unreserveLocked(e, player)
	return true
}

func (l *Lobby) unreserveLocked(e *entry, player string) {
	e.info.Reserved = removed(e.info.Reserved, player)
	e.lost = append(e.lost, player)
	l.generation.Add(1)
	l.updateLocked(e)
}

// keeps reports whether a seat is kept for a player that has not joined.
func (e *entry) keeps(player string) bool {
	return player != "" && slices.Contains(e.info.Reserved, player)
}

// has reports whether a registered player has a seat, or one is kept for it.
func (e *entry) has(player string) bool {
	if e.keeps(player) {
		return true
	}
	for _, identity := range e.info.Identities {
		if identity == player {
			return true
		}
	}
	return false
}

// open returns the number of seats that are neither taken nor kept.
func (e *entry) open() int {
	return e.info.Players - e.info.Bots - len(e.players) - len(e.info.Reserved)
}

// report calls changed.
func (e *entry) report(gone bool) {
	if e.changed != nil {
		e.changed(Change{Info: e.info, Default: e.standard, Gone: gone})
	}
}

// removed returns a list without one element, as a copy: earlier infos share it.
func removed(s []string, x string) []string {
	return slices.DeleteFunc(slices.Clone(s), func(y string) bool { return y == x })
}

// late returns the reason for the removal of a match that the missing players did not
// join in time.
func late(missing []string) string {
	if len(missing) == 0 {
		return "not all players joined in time"
	}
	return list(missing) + " did not join in time"
}

// list returns names as in "a, b and c".
func list(names []string) string {
	last := len(names) - 1
	if last <= 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
