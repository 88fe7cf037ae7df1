// Package serving pairs the registered players that serve: it creates the matches, keeps their seats, and counts the matches of each
// player. The methods of Desk can be called from any goroutine.
package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/lobby"
	"colosseum/protocol"
)

// Limits of the desk.
type Limits struct {
	Players int           // that serve at the same time; 0: none
	Rematch time.Duration // the host pairs the same players once in this time; 0: again at once
	Accept  time.Duration // a player must join a match within this time
}

// Bounds of one player's request.
const (
	maxGames       = 32
	maxConcurrency = 100
)

// Lobby is the lobby as the desk uses it.
type Lobby interface {
	CreateFor(ctx context.Context, c lobby.Client, r protocol.GameNew, seats *lobby.Seats) (protocol.MatchInfo, error)
	Find(ctx context.Context, p lobby.Player, c lobby.Client, r protocol.LobbyFindMatch, changed func(lobby.Change)) error
	Reserve(id, player string) error
	Unreserve(id, player string) bool
	Remove(id, reason string) bool
}

// Games is the catalog as the desk uses it. The error of Find is ErrUnknown of the
// catalog if there is no such game.
type Games interface {
	Find(name string) (*catalog.Offer, error)
}

// Conn is the connection of a player that serves. Its methods must neither block
// nor call the desk, which is locked while it calls them.
type Conn interface {
	// Serving confirms Serve, before any Assign.
	Serving(player string)
	// Assign assigns a seat to the player. Each Serve repeats the seats that the
	// player has not taken.
	Assign(m protocol.ServeMatch)
	// Replaced reports that a later connection of the player serves.
	Replaced()
}

// Desk knows all players that serve.
//
// The lobby is locked while it calls the desk, so the desk calls the lobby only
// without its own lock.
type Desk struct {
	lobby  Lobby
	games  Games
	limits Limits
	log    *slog.Logger

	running sync.WaitGroup     // goroutines of queues, and withdrawals
	ctx     context.Context    // of requests to the lobby
	cancel  context.CancelFunc // ends ctx

	// generation counts changes of the list. It grows with mu held, and is read
	// without it.
	generation atomic.Uint64

	mu       sync.Mutex         // guards the fields below
	players  map[string]*player // by key; also those that served and can come back
	serving  int                // players with a connection
	queues   map[string]*queue  // by game
	recent   recent
	engaged  map[engagement]int       // see Engage; no entry: not engaged
	news     chan struct{}            // see Changed; nil: nobody waits for a change
	contests map[string][]*assignment // waiting matches of contests, by the key of each of their players, the oldest first
	stats    Stats
	closed   bool
}

// New returns a desk without players. Close ends it.
func New(l Lobby, games Games, limits Limits, log *slog.Logger) *Desk {
	ctx, cancel := context.WithCancel(context.Background())
	return &Desk{
		lobby: l, games: games, limits: limits, log: log, ctx: ctx, cancel: cancel,
		players: map[string]*player{}, queues: map[string]*queue{}, recent: recent{last: map[string]time.Time{}},
		engaged: map[engagement]int{}, contests: map[string][]*assignment{},
	}
}

// Close ends all assignments: the matches that exist are not affected.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.cancel()
	d.running.Wait()
}

// Serve offers a registered player for matches, or changes its offer. An earlier
// connection of the player is replaced; its matches continue to count. The error
// is for the client.
func (d *Desk) Serve(c Conn, name string, r protocol.Serve) error {
	games := slices.Compact(slices.Sorted(slices.Values(r.Games)))
	switch {
	case len(games) == 0 || len(games) > maxGames:
		return fmt.Errorf("a player serves 1 to %d games, not %d", maxGames, len(games))
	case r.Concurrency < 0 || r.Concurrency > maxConcurrency:
		return fmt.Errorf("a concurrency of %d is not from 0 to %d", r.Concurrency, maxConcurrency)
	}
	for _, game := range games {
		if _, err := d.games.Find(game); errors.Is(err, catalog.ErrUnknown) {
			return fmt.Errorf("unknown game %q: coco list shows the games", shorten(game))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return lobby.ErrClosed
	}
	p := d.players[key(name)]
	if p == nil || p.conn == nil {
		if d.serving >= d.limits.Players {
			d.stats.Full++
			if d.limits.Players == 0 {
				return errors.New("nobody can serve on this host")
			}
			return errors.New("too many players serve: try again later")
		}
		d.serving++
	}
	if p == nil {
		d.forgetLocked()
		p = &player{name: name, matches: map[*assignment]*seat{}, met: map[string]time.Time{}}
		d.players[key(name)] = p
	}
	if p.conn != nil && p.conn != c {
		p.conn.Replaced()
	}
	d.withdrawLocked(p)
	p.conn, p.games, p.concurrency, p.challenges, p.since = c, games, r.Concurrency, r.Challenges, time.Now()
	d.generation.Add(1)
	for _, game := range games {
		d.queueLocked(game).serving++
	}
	c.Serving(name)
	for a, s := range p.matches {
		d.assignLocked(a, p, s)
	}
	d.tryLocked(p)
	return nil
}

// Leave ends Serve when a connection ends. It does nothing if the connection was
// replaced.
func (d *Desk) Leave(c Conn, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.players[key(name)]
	if p == nil || p.conn != c {
		return
	}
	d.withdrawLocked(p)
	p.conn, p.since = nil, time.Now()
	d.serving--
	d.generation.Add(1)
}

// Find is Find of the lobby. If the match has the game's default settings, players
// that serve are assigned to it.
func (d *Desk) Find(ctx context.Context, p lobby.Player, c lobby.Client, r protocol.LobbyFindMatch) error {
	a := &assignment{found: true}
	return d.lobby.Find(ctx, p, c, r, func(ch lobby.Change) { d.changed(a, ch) })
}

// key returns the same text for names that differ only in case.
func key(name string) string { return strings.ToLower(name) }

// shorten cuts a client's text for use in an error.
func shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
