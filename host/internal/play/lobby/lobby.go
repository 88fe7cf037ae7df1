// Package lobby keeps the matches that wait for players and those that run. It
// checks each join, starts a match when its last player joins, and removes a
// match that waits too long. The methods of Lobby can be called from any
// goroutine.
package lobby

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/base/guess"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// Limits of the lobby.
type Limits struct {
	Matches int           // waiting and running ones together
	Expiry  time.Duration // how long a match can wait after the last join or leave
	Waiting int           // waiting matches created from one address; 0: no limit
	// BotMatches is how many matches of bots alone can run, except those of contests.
	BotMatches int
	Stall      time.Duration // a referee that is silent for this long is aborted
	Guesses    guess.Limits  // of passwords
	Streams    int64         // bytes that the spectators of all running matches receive; see match.Total; 0: no limit

	StartGrace   time.Duration // for the first answer of each player; see match.Config
	ProgramGrace time.Duration // for that of a program of this host; see match.Config
	Lag          time.Duration // that is forgiven; see match.Config
}

// Games finds the game of a name. The error is for the client.
type Games interface {
	Find(name string) (*catalog.Offer, error)
}

// Player is a client that joined a match. Its methods must neither block nor call
// the lobby, which is locked while it calls them.
type Player interface {
	match.Player
	// Joined confirms the seat, before any Update.
	Joined(info protocol.MatchInfo)
	// Update reports a change of the waiting match, as an encoded LobbyUpdate.
	Update(message []byte)
	// Started reports that the match begins; the player has the given seat.
	Started(m *match.Match, seat int)
	// Expired reports that the waiting match was removed. The reason is empty if
	// it waited too long or the lobby closes.
	Expired(id, reason string)
}

// Spectator is a client that watches a match. Its methods obey the rules of
// Player.
type Spectator interface {
	// Watching confirms Spectate; stream is nil while the match waits.
	Watching(info protocol.MatchInfo, stream *match.Stream)
	Update(message []byte)
	// Playing reports that the match begins.
	Playing(stream *match.Stream)
	Expired(id, reason string)
}

// Lobby holds all matches that have not ended. It also lists those of the other hosts
// of a cluster: List, Snapshot, Info, Match and Subscribe include them, and all other
// methods know only the matches of this host unless they say so.
type Lobby struct {
	games    Games
	recorder match.Recorder
	verify   [sha256.Size]byte // hash of the verification password
	guesses  *guess.Limiter    // of passwords
	log      *slog.Logger

	streams   *match.Total
	available func() bool // whether matches can be recorded; nil: always
	programs  Programs    // nil: this host runs none

	running sync.WaitGroup     // running matches, and moves to new versions
	ctx     context.Context    // of all matches
	abort   context.CancelFunc // ends ctx

	// generation counts changes of the list. It grows with mu held, before
	// anyone receives the change, and is read without mu.
	generation atomic.Uint64
	fixtures   atomic.Uint64 // see FixturesGeneration; it grows with mu held

	mu          sync.Mutex // guards the fields below
	playing     *playing   // matches that start from now on
	entries     map[string]*entry
	elsewhere   map[string]*elsewhere
	publish     func(Listing)       // see Publish; can be nil
	found       map[string][]*entry // waiting matches that Find created, by game, the oldest first
	subscribers map[Subscriber]*subscription
	limits      Limits
	botMatches  int                  // running ones that Limits.BotMatches counts
	waiting     map[string]int       // number of waiting matches by their creator's address; no entry: none
	counted     map[string]*counters // by game
	refused     map[string]uint64    // by limit
	args        map[string]string    // of the last match that was created; see alike
	params      map[string]string    // likewise
	closed      bool
}

// entry is one match. The lobby's mu guards it.
type entry struct {
	info       protocol.MatchInfo
	bots       bool   // it counts in Lobby.botMatches
	noHints    bool   // see Seats
	found      bool   // Find created it
	standard   bool   // with the game's default settings
	fixed      bool   // joins and leaves do not change expires
	from       string // the creator's address while the match counts in Lobby.waiting; otherwise empty
	offer      *catalog.Offer
	release    func()             // releases the offer's version of the game
	replaced   int                // how many times that version was replaced by a newer one
	moving     context.CancelFunc // cancels the last move to a newer version; nil: there was none
	settings   driver.Settings
	password   *[sha256.Size]byte                      // nil: none
	players    []Player                                // in the order of info.Connected; nil once the match runs
	spectators map[Spectator]int                       // how many each counts as; see CountAs
	kept       map[Player]string                       // the player for which the seat was kept, of each seat that was; can be nil
	hints      map[Player]func(protocol.MatchQuestion) // of players that have asked for hints; can be nil
	sent       map[Player]func(line string)            // see Client.Sent, of players of a branch; can be nil
	begin      []record.Answer                         // see Seats
	branch     *record.Branch                          // see Seats; can be nil
	lost       []string                                // players that have lost their reserved seat, and cannot join
	order      []string                                // see Seats.order
	names      []string                                // see Seats; can be nil
	seat       int                                     // see protocol.GameParams.Seat
	seed       *uint64                                 // see Seats; nil: it is random
	fixture    *record.Fixture                         // see Seats; can be nil
	hosted     *hosted                                 // nil: no seat is kept for a program
	changed    func(Change)                            // see Seats; can be nil
	expires    time.Time                               // while it waits; clients get it as info.Time
	expiry     *time.Timer
	stream     *match.Stream // nil: it waits
	match      *match.Match  // nil: it waits
}

// New returns an empty lobby. Close ends it.
func New(games Games, recorder match.Recorder, limits Limits, verification string, log *slog.Logger) *Lobby {
	ctx, abort := context.WithCancel(context.Background())
	return &Lobby{
		playing: newPlaying(ctx),
		games:   games, recorder: recorder, limits: limits, verify: sha256.Sum256([]byte(verification)), log: log,
		guesses: guess.New(limits.Guesses), streams: match.NewTotal(limits.Streams), ctx: ctx, abort: abort, entries: map[string]*entry{}, elsewhere: map[string]*elsewhere{}, found: map[string][]*entry{},
		subscribers: map[Subscriber]*subscription{}, waiting: map[string]int{}, counted: map[string]*counters{}, refused: map[string]uint64{},
	}
}

// SetLimits changes the limits for later matches and expiries.
func (l *Lobby) SetLimits(limits Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limits = limits
	l.guesses.SetLimits(limits.Guesses)
	l.streams.SetMax(limits.Streams)
}

// NeedRecords refuses new matches and joins with ErrRecords while available returns
// false. It must be called before other methods.
func (l *Lobby) NeedRecords(available func() bool) { l.available = available }

// Streams returns the total in which the streams of all matches count.
func (l *Lobby) Streams() *match.Total { return l.streams }

// takes reports whether matches can be recorded.
func (l *Lobby) takes() bool { return l.available == nil || l.available() }

// Load returns the number of matches of this host, and the limit.
func (l *Lobby) Load() (matches, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries), l.limits.Matches
}

// Close removes the waiting matches and refuses new ones. It waits for the
// running matches until ctx ends, and then aborts them. It returns when all
// records are durable.
func (l *Lobby) Close(ctx context.Context) {
	l.mu.Lock()
	l.closed = true
	for _, e := range l.entries {
		if !e.info.Running {
			l.removeLocked(e, "", nil)
		}
	}
	l.mu.Unlock()
	done := make(chan struct{})
	go func() { // ends with the last match
		l.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		l.abort()
		<-done
	}
	l.abort()
}

// playing are running matches that can be aborted together.
type playing struct {
	ctx   context.Context
	abort context.CancelFunc // ends ctx
	wait  sync.WaitGroup
}

func newPlaying(ctx context.Context) *playing {
	ctx, abort := context.WithCancel(ctx)
	return &playing{ctx: ctx, abort: abort}
}

// AbortRunning aborts the matches that run, and returns when they have ended. Matches
// that start in the meantime are not affected.
func (l *Lobby) AbortRunning() {
	l.mu.Lock()
	old := l.playing
	l.playing = newPlaying(l.ctx)
	l.mu.Unlock()
	old.abort()
	old.wait.Wait()
}

// List returns all matches, sorted by their Time and ID.
func (l *Lobby) List() []protocol.MatchInfo {
	infos, _ := l.Snapshot()
	return infos
}

// Generation identifies a state of the list: a list that is read after a call of
// Generation is current as long as Generation returns the same number.
func (l *Lobby) Generation() uint64 { return l.generation.Load() }

// Snapshot returns the list and its generation.
func (l *Lobby) Snapshot() (infos []protocol.MatchInfo, generation uint64) {
	l.mu.Lock()
	infos, generation = make([]protocol.MatchInfo, 0, len(l.entries)+len(l.elsewhere)), l.generation.Load()
	for _, e := range l.entries {
		infos = append(infos, e.info)
	}
	for _, e := range l.elsewhere {
		if !e.Gone {
			infos = append(infos, e.Info)
		}
	}
	l.mu.Unlock() // before the sort, so that no match waits for it
	slices.SortFunc(infos, func(a, b protocol.MatchInfo) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.ID, b.ID))
	})
	return infos, generation
}

// Info returns a match that waits or runs.
func (l *Lobby) Info(id string) (protocol.MatchInfo, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entries[id]; e != nil {
		return e.info, true
	}
	if e := l.elsewhere[id]; e != nil && !e.Gone {
		return e.Info, true
	}
	return protocol.MatchInfo{}, false
}

// Match is Info with the error for the client.
func (l *Lobby) Match(id string) (protocol.MatchInfo, error) {
	if info, ok := l.Info(id); ok {
		return info, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.findLocked(id)
	if err != nil {
		return protocol.MatchInfo{}, err
	}
	return e.info, nil
}

// Clocks returns the clocks of the players of a match, in the order of their seats.
// Running reports whether the match runs.
func (l *Lobby) Clocks(id string) (clocks []match.Clock, running bool) {
	l.mu.Lock()
	var m *match.Match
	if e := l.entries[id]; e != nil {
		m = e.match
	}
	l.mu.Unlock()
	if m == nil {
		return nil, false
	}
	return m.Clocks(), true
}

// ClocksFor returns the clocks that a client can see: if spectators see the match later,
// only a player of it sees who is asked, and the times.
func (l *Lobby) ClocksFor(id string, player bool) (clocks []match.Clock, running bool) {
	clocks, running = l.Clocks(id)
	if info, ok := l.Info(id); player || ok && info.Delay == 0 {
		return clocks, running
	}
	for i, c := range clocks {
		clocks[i] = match.Clock{Name: c.Name, Lag: c.Lag, Away: c.Away}
	}
	return clocks, running
}

// findLocked returns a match, or the error for the client.
func (l *Lobby) findLocked(id string) (*entry, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("Invalid ID: %q is not 13 characters of 0-9 and a-v", shorten(id))
	}
	if e := l.entries[id]; e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("Game %q does not exists", id)
}
