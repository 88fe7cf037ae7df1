package lobby

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// Seats are those of a match with seats that are kept for registered players.
type Seats struct {
	Players []string      // a seat is kept for each of them
	Open    int           // number of the seats that other players can take
	Within  time.Duration // a match that has not started by then is removed
	Changed func(Change)  // can be nil; called with the lobby locked, so it must neither block nor call the lobby

	// Order has the registered player of each seat, or "" for a bot of the game, and
	// Players and Open are not used. Nil: seats are drawn by lot.
	Order    []string
	Programs []int           // by seat like Order, if not nil: the version of the program that plays for the player; 0: none
	Names    []string        // by seat like Order, if not nil: the name of a player that is not registered; "" for others
	Seed     *uint64         // of the match; nil: a random one
	Fixture  *record.Fixture // nil: the match belongs to no contest
	NoHints  bool            // players that ask for hints get none
	Rematch  string          // the ended match that its players play again; empty: none

	Branch *record.Branch                                                                  // nil: the match begins with its first move
	Begin  []record.Answer                                                                 // the answers with which it begins otherwise
	begin  func(ctx context.Context, offer *catalog.Offer, settings driver.Settings) error // sets Branch and Begin; nil: it does not
}

// Change is a change of a match: a player joined or left, a seat is kept or no
// longer kept, or the match started or left the lobby.
type Change struct {
	Info    protocol.MatchInfo
	Default bool // Find created it, with the game's default settings
	Gone    bool // it left the lobby; if Info.Running is false, it had not started

	Absent []string // of a match with kept seats that was removed because these players did not join in time
	Reason string   // for its clients, of a match that was removed; can be empty
}

// check returns an error if a match with the given settings has other seats.
func (s *Seats) check(settings driver.Settings) error {
	if s == nil {
		return nil
	}
	if s.Names != nil && len(s.Names) != len(s.Order) {
		return fmt.Errorf("Cannot create game: %d names are given for %d seats", len(s.Names), len(s.Order))
	}
	if err := s.checkPrograms(); err != nil {
		return err
	}
	players := s.players()
	open := s.Open
	if s.Order != nil {
		open = 0
		for i, player := range players {
			if slices.Contains(players[:i], player) {
				return fmt.Errorf("Cannot create game: %s has two seats", player)
			}
		}
		if len(s.Order) != settings.Players {
			return fmt.Errorf("Cannot create game: %d seats are given, but the match has %d", len(s.Order), settings.Players)
		}
	}
	if f := s.Fixture; f != nil && len(f.Entries) != settings.Players {
		return fmt.Errorf("Cannot create game: %d entries of %s do not fill the %d seats", len(f.Entries), f.Contest, settings.Players)
	}
	if n := settings.Players - settings.Bots; len(players)+open != n {
		return fmt.Errorf("Cannot create game: %d players do not fill the %d seats: change the number of players or of bots", len(players)+open, n)
	}
	return nil
}

// checkSeat returns an error if a match cannot keep a seat, from 1, for its only player; 0:
// it keeps none.
func checkSeat(seat int, settings driver.Settings, seats *Seats) error {
	switch {
	case seat == 0:
		return nil
	case seats != nil || settings.Players-settings.Bots != 1:
		return errors.New("Cannot create game: only a match of one player against bots lets the player choose the seat")
	case seat < 0 || seat > settings.Players:
		return fmt.Errorf("Cannot create game: there is no seat %d: choose one from 1 to %d", seat, settings.Players)
	}
	return nil
}

// order returns the player of each seat that is kept, and "" for a bot; nil if the seats
// are drawn.
func (s *Seats) order() []string {
	order := slices.Clone(s.Order)
	for i, name := range s.Names {
		order[i] = cmp.Or(order[i], name)
	}
	return order
}

// players returns the players for which a seat is kept.
func (s *Seats) players() []string {
	if s.Order == nil {
		return slices.Clone(s.Players)
	}
	return removed(s.order(), "")
}

// seatedLocked returns the participants of a full match, and for each of its players the
// place of its seat in that list. If the seats are not drawn, the list has their order.
func (e *entry) seatedLocked() (seats []match.Participant, of []int) {
	of = make([]int, len(e.players))
	bots := 0
	player := func(i int) {
		name := e.info.Connected[i]
		of[i] = len(seats)
		seats = append(seats, match.Participant{Name: name, Identity: e.info.Identities[name], Player: e.players[i], Version: e.versionLocked(e.kept[e.players[i]]), Hints: e.hints[e.players[i]], Sent: e.sent[e.players[i]]})
	}
	bot := func() {
		p := match.Participant{Name: fmt.Sprintf("ServerBot$%d", bots)}
		if bots < len(e.info.Levels) {
			p.Level = e.info.Levels[bots]
		}
		seats = append(seats, p)
		bots++
	}
	if e.seat > 0 { // of the only player
		for i := range e.info.Players {
			if i == e.seat-1 {
				player(0)
			} else {
				bot()
			}
		}
		return seats, of
	}
	if e.order == nil {
		for i := range e.players {
			player(i)
		}
		for range e.info.Bots {
			bot()
		}
		return seats, of
	}
	for _, kept := range e.order {
		if kept == "" {
			bot()
			continue
		}
		player(slices.IndexFunc(e.players, func(p Player) bool { return e.kept[p] == kept }))
	}
	return seats, of
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
	case e.openLocked() == 0:
		return errNoSeat
	case e.hasLocked(player), slices.Contains(e.lost, player):
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
	if e == nil || e.info.Running || !e.keepsLocked(player) {
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

// keepsLocked reports whether a seat is kept for a player that has not joined.
func (e *entry) keepsLocked(player string) bool {
	return player != "" && slices.Contains(e.info.Reserved, player)
}

// keptForLocked returns the player for which the seat is kept that a client can take: its
// registered player, or the name that it gives if that is not a registered one. It
// returns "" if there is none.
func (e *entry) keptForLocked(c Client, name string) string {
	switch {
	case e.keepsLocked(c.Player) && !slices.Contains(e.names, c.Player) && e.versionLocked(c.Player) == 0:
		return c.Player
	case name != "" && slices.Contains(e.names, name) && e.keepsLocked(name):
		return name
	}
	return ""
}

// hasLocked reports whether a registered player has a seat, or one is kept for it.
func (e *entry) hasLocked(player string) bool {
	if e.keepsLocked(player) {
		return true
	}
	for _, identity := range e.info.Identities {
		if identity == player {
			return true
		}
	}
	return false
}

// openLocked returns the number of seats that are neither taken nor kept.
func (e *entry) openLocked() int {
	return e.info.Players - e.info.Bots - len(e.players) - len(e.info.Reserved)
}

// reportLocked calls changed with a change to which it adds the match.
func (e *entry) reportLocked(c Change) {
	if e.changed != nil {
		c.Info, c.Default = e.info, e.standard
		e.changed(c)
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
	return list(missing) + protocol.DidNotJoin
}

// list returns names as in "a, b and c".
func list(names []string) string {
	last := len(names) - 1
	if last <= 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
