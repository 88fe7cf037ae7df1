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

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
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

// Matches are those of all hosts of a cluster, as the desk of one of them uses them. Watch
// and the Changed of Seats can miss all but the last one of several changes.
type Matches interface {
	Lobby
	Listings() []lobby.Listing
	Playing(of *record.Fixture) (lobby.Listing, bool)
	Watch(id string, changed func(lobby.Change)) bool
}

// Games is the catalog as the desk uses it. The error of Find is ErrUnknown of the
// catalog if there is no such game.
type Games interface {
	Find(name string) (*catalog.Offer, error)
}

// Conn is the connection of a player that serves. Its methods must neither block
// nor call the desk, which is locked while it calls them.
type Conn interface {
	// Serving confirms Serve, before any Assign. Replaced are the games that the player
	// served on an earlier connection, which is Replaced.
	Serving(player string, replaced []string)
	// Assign assigns a seat to the player. Each Serve repeats the seats that the
	// player has not taken.
	Assign(m protocol.ServeMatch)
	// Replaced reports that a later connection of the player serves.
	Replaced()
	// Stopped reports that this host no longer pairs the players that serve. The player
	// must connect and serve again.
	Stopped()
}

// Desk knows all players that serve. In a cluster it works only while Lead runs.
//
// The lobby is locked while it calls the desk, so the desk calls the lobby only
// without its own lock.
type Desk struct {
	lobby   Lobby
	matches Matches // nil: this host is alone
	games   Games
	limits  Limits
	log     *slog.Logger

	running sync.WaitGroup // goroutines of queues, and withdrawals

	// generation counts changes of the list. It grows with mu held, and is read
	// without it.
	generation atomic.Uint64

	mu       sync.Mutex         // guards the fields below
	term     *term              // nil: another host leads
	players  map[string]*player // by key; also those that served and can come back
	serving  int                // players with a connection
	queues   map[string]*queue  // by game
	recent   recent
	engaged  map[engagement]int       // see Engage; no entry: not engaged
	news     chan struct{}            // see Changed; nil: nobody waits for a change
	contests map[string][]*assignment // waiting matches of contests, by the key of each of their players, the oldest first
	adopted  map[legKey][]*assignment // matches of contests that an earlier leader created
	stats    Stats
	closed   bool
}

// New returns the desk of a host that is alone. It has no players. Close ends it.
func New(l Lobby, games Games, limits Limits, log *slog.Logger) *Desk {
	d := &Desk{lobby: l, games: games, limits: limits, log: log}
	d.resetLocked()
	d.term = newTerm(context.Background(), nil)
	d.term.open = true
	return d
}

// NewInCluster returns the desk of one of several hosts. It works only while Lead runs.
func NewInCluster(m Matches, games Games, limits Limits, log *slog.Logger) *Desk {
	d := &Desk{lobby: m, matches: m, games: games, limits: limits, log: log}
	d.resetLocked()
	return d
}

// Close ends all assignments: the matches that exist are not affected.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	if d.term != nil {
		d.term.cancel()
	}
	d.mu.Unlock()
	d.running.Wait()
}

// Serve offers a registered player for matches, or changes its offer. An earlier
// connection of the player is replaced; its matches continue to count. If another host
// leads, or is about to, Serve calls Stopped: a player that is refused might not try
// again. The error is for the client.
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
	switch err := d.refusalLocked(); {
	case errors.Is(err, ErrNotLeading):
		c.Stopped()
		return nil
	case err != nil:
		return err
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
		p = d.addPlayerLocked(name)
	}
	var replaced []string
	if p.conn != nil && p.conn != c {
		if p.concurrency > 0 { // otherwise it only finishes its matches
			replaced = p.games
		}
		p.conn.Replaced()
	}
	d.withdrawLocked(p)
	p.conn, p.games, p.concurrency, p.challenges, p.since = c, games, r.Concurrency, r.Challenges, time.Now()
	d.generation.Add(1)
	for _, game := range games {
		d.queueLocked(game).serving++
	}
	c.Serving(name, replaced)
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
	t, err := d.current()
	if errors.Is(err, ErrNotLeading) {
		return err
	}
	a := &assignment{term: t, found: true}
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
