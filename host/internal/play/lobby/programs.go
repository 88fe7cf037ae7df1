package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Programs play for registered players on this host.
type Programs interface {
	// Play plays the seats of a match that are kept for programs: each of them joins with
	// JoinProgram. It returns when the programs have ended. Ctx ends when the match has left
	// the lobby.
	Play(ctx context.Context, m HostedMatch)
}

// HostedMatch is a match with seats that are kept for programs of this host.
type HostedMatch struct {
	ID     string
	Game   string
	Seats  []HostedSeat // those of programs
	Others int          // players of the match that are no programs of this host
	// MaxLine is how many bytes a line can have, if the host's limit is lower.
	MaxLine int
}

// HostedSeat is a seat that is kept for a program.
type HostedSeat struct {
	Player  string // the registered player for which it plays
	Version int    // from 1
}

// hostedWait is how long a match waits for its programs once all others have come: they
// might have to wait for other matches.
const hostedWait = 10 * time.Minute

// ErrNoPrograms is the error of Create for a match with programs on a host that runs none.
var ErrNoPrograms = errors.New("this host runs no programs that were handed in")

// hosted is what a match has that seats programs. The lobby's mu guards it.
type hosted struct {
	versions map[string]int // by player
	seats    []HostedSeat
	until    time.Time       // the other players must join before
	ctx      context.Context // of the match
	gone     context.CancelFunc
	called   bool // Programs.Play
}

// SetPrograms sets what plays for the seats of programs. It must be called before other
// methods.
func (l *Lobby) SetPrograms(p Programs) { l.programs = p }

// checkPrograms checks the programs of seats with an order.
func (s *Seats) checkPrograms() error {
	if s.Programs == nil {
		return nil
	}
	if len(s.Programs) != len(s.Order) {
		return fmt.Errorf("Cannot create game: %d programs are given for %d seats", len(s.Programs), len(s.Order))
	}
	for i, version := range s.Programs {
		if version < 0 || version > 0 && s.Order[i] == "" {
			return fmt.Errorf("Cannot create game: seat %d has the program %d of the player %q", i, version, s.Order[i])
		}
	}
	return nil
}

// programsAlone reports whether programs play, or bots in a contest, and nobody else.
func (s *Seats) programsAlone() bool {
	if s == nil || s.Order == nil {
		return false
	}
	programs := 0
	for i, player := range s.Order {
		switch {
		case i < len(s.Programs) && s.Programs[i] > 0:
			programs++
		case player != "":
			return false
		}
	}
	return programs > 0 || s.Fixture != nil
}

// hosted returns the programs of the seats; nil: there are none.
func (s *Seats) hosted(until time.Time) *hosted {
	h := &hosted{versions: map[string]int{}, until: until}
	for i, version := range s.Programs {
		if version > 0 {
			h.versions[s.Order[i]] = version
			h.seats = append(h.seats, HostedSeat{s.Order[i], version})
		}
	}
	if len(h.seats) == 0 {
		return nil
	}
	return h
}

// players returns the players for which programs play.
func (h *hosted) players() (list []string) {
	if h != nil {
		for _, s := range h.seats {
			list = append(list, s.Player)
		}
	}
	return list
}

// versionLocked returns the version of the program that plays for a player; 0: none does.
func (e *entry) versionLocked(player string) int {
	if e.hosted == nil {
		return 0
	}
	return e.hosted.versions[player]
}

// missingLocked returns the players that have not joined, except those for which programs
// play.
func (e *entry) missingLocked() []string {
	return slices.DeleteFunc(slices.Clone(e.info.Reserved), func(player string) bool { return e.versionLocked(player) > 0 })
}

// callLocked has the programs of a match join once it waits for nobody else. From then on
// it does not expire as long as the others stay.
func (l *Lobby) callLocked(e *entry) {
	h := e.hosted
	if h == nil || e.info.Running || !e.expires.Equal(h.until) || len(e.missingLocked()) > 0 || e.openLocked() > 0 {
		return
	}
	l.expireAtLocked(e, time.Now().Add(hostedWait))
	if h.called {
		return
	}
	h.called = true
	m := HostedMatch{ID: e.info.ID, Game: e.info.Game, Seats: h.seats, Others: e.info.Players - e.info.Bots - len(h.seats), MaxLine: e.offer.MaxLine}
	ctx := h.ctx
	l.running.Go(func() { l.programs.Play(ctx, m) }) // ends soon after ctx
}

// recallLocked handles that a player has left: the match waits for it as long as before.
func (l *Lobby) recallLocked(e *entry) {
	if e.hosted != nil && len(e.missingLocked()) > 0 && !e.expires.Equal(e.hosted.until) {
		l.expireAtLocked(e, e.hosted.until)
	}
}

// leaveLocked tells the programs of a match that it leaves the lobby.
func (e *entry) leaveLocked() {
	if e.hosted != nil {
		e.hosted.gone()
	}
}

// JoinProgram gives a program the seat of a match that is kept for it, and starts the match
// if that was the last seat. It calls the methods of p for both before it returns.
func (l *Lobby) JoinProgram(p Player, id, player string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.findLocked(id)
	switch {
	case err != nil:
		return err
	case e.info.Running || e.versionLocked(player) == 0 || !e.keepsLocked(player):
		return fmt.Errorf("match %s keeps no seat for a program of %s", id, player)
	case !l.takes():
		return ErrRecords
	}
	l.seatLocked(e, p, player, player, player)
	return nil
}
