package seat

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/base/guess"
	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// Limits bounds the seats of a host.
type Limits struct {
	Resume   time.Duration // how long a seat is kept after its connection has broken; 0: seats end with their connections
	Backlog  int           // bytes that are kept for one player
	Backlogs int64         // bytes that are kept for all players together; 0: no limit
	Guesses  int           // wrong tickets a minute of one address; 0: no limit
}

// Lobby is the lobby as seats use it.
type Lobby interface {
	// Leave takes a player out of a waiting match. It reports false if the match does not wait.
	Leave(p lobby.Player, id string) bool
}

// Set is all seats of a host. It finds those that can be resumed.
type Set struct {
	lobby   Lobby
	limits  Limits
	guesses *guess.Limiter // of wrong tickets
	kept    atomic.Int64   // bytes that all seats keep, in steps of keptStep

	mu       sync.Mutex                  // guards the field below; it is taken last
	byTicket map[[sha256.Size]byte]*Seat // by the hash of the ticket, so that the time of a lookup reveals nothing
}

// NewSet returns a set without seats, which must be closed.
func NewSet(lobby Lobby, limits Limits) *Set {
	return &Set{lobby: lobby, limits: limits, guesses: guess.New(guess.Limits{Address: limits.Guesses}), byTicket: map[[sha256.Size]byte]*Seat{}}
}

// Errors of New and Find for the client.
var (
	ErrWeak    = errors.New("a ticket has 26 to 64 letters, digits, hyphens and underscores")
	ErrUsed    = errors.New("the ticket is in use: send MatchResume")
	ErrGuesses = errors.New("too many wrong tickets from your address: try again in a minute")
)

// New returns a seat for a registered player, or for one without a name of its own if
// player is empty. With resume it has a ticket: the given one, which the client has chosen,
// or a new one if that is empty. The error is for the client.
func (s *Set) New(c *Conn, player string, resume bool, ticket string) (*Seat, error) {
	t := &Seat{set: s, conn: c, player: player}
	if resume && s.limits.Resume > 0 {
		switch {
		case ticket == "":
			ticket = rand.Text() // at least 128 random bits
		case !protocol.ValidTicket(ticket):
			return nil, ErrWeak
		case s.Used(ticket):
			return nil, ErrUsed
		}
		t.ticket, t.feeding = ticket, make(chan struct{}, 1)
	}
	return t, nil
}

func (s *Set) add(t *Seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byTicket[sha256.Sum256([]byte(t.ticket))] = t
}

func (s *Set) remove(t *Seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := sha256.Sum256([]byte(t.ticket))
	if s.byTicket[hash] == t { // two connections of a client can have joined with one ticket at the same time
		delete(s.byTicket, hash)
	}
}

// Find returns the seat of a ticket, or the error for the client. Wrong tickets of
// an address are counted and limited. The right one is never refused: nobody can guess
// it, and otherwise clients with old tickets, for example after a failure of the
// network, would cost all others behind their address their seas.
func (s *Set) Find(address, ticket string) (*Seat, error) {
	if t := s.get(ticket); t != nil {
		return t, nil
	}
	if s.guesses.Try(address, "", func() bool { return false }) == guess.ErrAddress {
		return nil, ErrGuesses
	}
	return nil, ErrTicket
}

// Used reports whether a seat has a ticket.
func (s *Set) Used(ticket string) bool { return s.get(ticket) != nil }

func (s *Set) get(ticket string) *Seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byTicket[sha256.Sum256([]byte(ticket))]
}

// Spent reports whether an address has no wrong ticket left.
func (s *Set) Spent(address string) bool { return s.guesses.Spent(address) }

// Holds reports whether a seat can be resumed with the ticket of a hash.
func (s *Set) Holds(hash [sha256.Size]byte) bool { return s.byHash(hash) != nil }

// HoldsIn reports whether a ticket, given its hash, is that of a seat in a match.
func (s *Set) HoldsIn(id string, hash [sha256.Size]byte) bool {
	t := s.byHash(hash)
	return t != nil && t.ID() == id
}

func (s *Set) byHash(hash [sha256.Size]byte) *Seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byTicket[hash]
}

// Close ends all seats with a ticket, and their timers.
func (s *Set) Close() {
	s.mu.Lock()
	seats := slices.Collect(maps.Values(s.byTicket))
	s.mu.Unlock()
	for _, t := range seats {
		t.Forget()
	}
}
