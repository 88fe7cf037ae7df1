// Package hosted runs the programs that players have handed in: it knows which version
// plays for each player, installs it, and has it take its seat in the matches of the lobby.
package hosted

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
)

// Store keeps the versions. See *store.Submissions.
type Store interface {
	Active(ctx context.Context) ([]store.Submission, error)
	Get(ctx context.Context, player, game string, version int) (store.Submission, error)
	Program(ctx context.Context, number int64) ([]byte, error)
	Played(ctx context.Context, number int64, failed bool, reason string, limit int) (rests bool, err error)
	AddJournal(ctx context.Context, number int64, match, text string) error
}

// Lobby has the matches. See *lobby.Lobby.
type Lobby interface {
	JoinProgram(p lobby.Player, id, player string) error
	Remove(id, reason string) bool
}

// Config describes the programs of a host.
type Config struct {
	Store Store
	Lobby Lobby
	// Command returns the confined command of a version whose files are in a folder that
	// nobody changes.
	Command func(s store.Submission, folder string) (program.Command, error)
	Folder  string         // for the files of versions, private; what is in it is removed at the start
	Archive archive.Limits // of the files of a version
	Limits  program.Limits
	Cores   int // for programs of this host; 0: it runs none, and only knows the versions
	// Slots returns how many cores all hosts of the cluster have for programs; nil: this host
	// is alone.
	Slots       func() int
	Concurrency int // matches of one ladder that a program plays at the same time; 0: 1
	Hourly      int // matches with other programs alone that it begins in an hour; 0: any number
	Rest        int // a version that fails this many matches in a row rests; 0: never
	// Rested, if not nil, is called when a version begins to rest.
	Rested func(s store.Submission, reason string)
	Log    *slog.Logger
}

// Stats are counts at one moment.
type Stats struct {
	Playing  int    // matches
	Waiting  int    // matches that wait for a core
	Matches  uint64 // that were played
	Failures uint64 // seats that a program lost by its own fault
	Faults   uint64 // matches that this host could not play
}

// Programs are those that players have handed in. It is a lobby.Programs for the matches of
// this host, and a director.Programs for the contests. Its methods can be called
// concurrently.
type Programs struct {
	config Config
	cores  *program.Cores
	// A match between programs alone takes a core for itself. One with a connected player
	// shares a core, because most of its time is that of the player.
	alone, mixed chan struct{}
	// ending has a token for each match whose programs end. If they do not end by themselves,
	// the next matches wait.
	ending chan struct{}
	woken  chan struct{} // one value: the store has changed

	mu        sync.Mutex                // guards the fields below
	versions  map[string]map[string]int // by game, then by player in lower case; replaced, never changed
	active    []store.Submission
	changed   chan struct{} // see Changed; nil: nobody waits
	installed map[installationKey]*installation
	stats     Stats
}

const (
	// lookEvery is the time between two looks at the store: other hosts and commands change
	// it too.
	lookEvery = time.Second
	// sharers is how many matches with connected players share a core at most.
	sharers = 8
	// enders is how many matches whose programs end there are for each core at most.
	enders = 8
)

// New returns the programs of a host. Run must be called.
func New(c Config) (*Programs, error) {
	p := &Programs{
		config: c, alone: make(chan struct{}, c.Cores), mixed: make(chan struct{}, sharers*c.Cores), ending: make(chan struct{}, enders*c.Cores), woken: make(chan struct{}, 1),
		versions: map[string]map[string]int{}, installed: map[installationKey]*installation{},
	}
	if c.Cores == 0 {
		return p, nil
	}
	p.cores = program.NewCores(c.Cores)
	// An installation can be incomplete after a loss of power.
	if err := os.RemoveAll(c.Folder); err != nil {
		return nil, err
	}
	return p, os.MkdirAll(c.Folder, 0o755)
}

// Run follows the store, and removes the files of versions that do not play any more, until
// ctx ends.
func (p *Programs) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	failing := false
	for {
		err := p.look(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			p.config.Log.Error("could not read which programs play; trying again", "error", err)
		}
		failing = err != nil
		p.sweep(time.Now())
		select {
		case <-tick.C:
		case <-p.woken:
		case <-ctx.Done():
			return
		}
	}
}

// Wake makes Run look at the store at once.
func (p *Programs) Wake() {
	select {
	case p.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// look reads which versions play.
func (p *Programs) look(ctx context.Context) error {
	list, err := p.config.Store.Active(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active = list
	p.setLocked(versionsOf(list))
	return nil
}

// versionsOf returns the versions by game, then by player in lower case.
func versionsOf(list []store.Submission) map[string]map[string]int {
	versions := map[string]map[string]int{}
	for _, s := range list {
		if versions[s.Game] == nil {
			versions[s.Game] = map[string]int{}
		}
		versions[s.Game][strings.ToLower(s.Player)] = s.Version
	}
	return versions
}

// setLocked sets which versions play.
func (p *Programs) setLocked(versions map[string]map[string]int) {
	if maps.EqualFunc(versions, p.versions, maps.Equal[map[string]int, map[string]int]) {
		return
	}
	p.versions = versions
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// Versions returns the version that plays for each player of a game, by the player's name in
// lower case. It must not be changed.
func (p *Programs) Versions(game string) map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.versions[game]
}

// Changed returns a channel that is closed when the result of Versions changes for any game.
// To miss nothing, call it before Versions.
func (p *Programs) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// Concurrency returns how many matches of one ladder a program plays at the same time.
func (p *Programs) Concurrency() int { return max(1, p.config.Concurrency) }

// Hourly returns how many matches with other programs alone a program can begin in an hour in
// one ladder; 0: any number.
func (p *Programs) Hourly() int { return p.config.Hourly }

// Shared returns the cores, for other matches of programs on this host; nil: it runs none.
func (p *Programs) Shared() *program.Cores { return p.cores }

// Cores returns how many cores this host has for programs.
func (p *Programs) Cores() int { return p.config.Cores }

// Limit returns how many matches between programs alone keep all hosts busy: while some are
// played, the records of others are written, and others are about to begin.
func (p *Programs) Limit() int {
	slots := p.config.Cores
	if p.config.Slots != nil {
		slots = p.config.Slots()
	}
	if slots == 0 {
		return 0
	}
	return 2*slots + 2
}

// Stats returns the counts.
func (p *Programs) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

func (p *Programs) count(f func(s *Stats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.stats)
}

// find returns a version that can play.
func (p *Programs) find(ctx context.Context, game string, seat lobby.HostedSeat) (store.Submission, error) {
	p.mu.Lock()
	for _, s := range p.active {
		if s.Game == game && s.Version == seat.Version && strings.EqualFold(s.Player, seat.Player) {
			p.mu.Unlock()
			return s, nil
		}
	}
	p.mu.Unlock()
	// Another one has become active since the match was created.
	s, err := p.config.Store.Get(ctx, seat.Player, game, seat.Version)
	if err == nil && s.State != store.Accepted {
		err = errors.New("it is " + string(s.State))
	}
	return s, err
}
