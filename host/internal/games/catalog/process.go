package catalog

import (
	"context"
	"errors"
	"sync"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/source"
	"colosseum/sdk/driver"
)

// process is the process of one version. It can end when no match has needed it for a
// while, and then starts again for the next match. It implements Engine.
type process struct {
	ctx  context.Context // of the catalog
	spec engine.Spec
	same func() bool   // reports whether it would still be this version if it started again
	gone chan struct{} // closed when it has ended and does not start again

	starting sync.Mutex // held while it starts; locked before mu

	mu      sync.Mutex   // guards the fields below
	game    *engine.Game // the last one that was started
	resting bool         // it has ended, and starts again for the next match
	closed  bool         // it does not start again
	err     error        // why; set before gone is closed
	calls   int          // that need it now, besides its matches
	used    time.Time    // when it was last seen at work
	lowered bool         // LowerPriority was called
}

// errChanged is why a process does not start again.
var errChanged = errors.New("the folder of the game has changed while its process was at rest")

// newProcess returns the process of a game that has just been started.
func newProcess(ctx context.Context, spec engine.Spec, game *engine.Game, same func() bool) *process {
	p := &process{ctx: ctx, spec: spec, same: same, gone: make(chan struct{}), game: game, used: time.Now()}
	go p.follow(game) // ends with the process
	return p
}

// follow waits until a process has ended.
func (p *process) follow(game *engine.Game) {
	<-game.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.game == game && !p.resting {
		p.endLocked(game.Err())
	}
}

// endLocked keeps the process from starting again.
func (p *process) endLocked(err error) {
	select {
	case <-p.gone:
	default:
		p.closed, p.err = true, err
		close(p.gone)
	}
}

// Prepare implements Engine.
func (p *process) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	game, err := p.enter()
	if err != nil {
		return driver.Settings{}, err
	}
	defer p.leave()
	return game.Prepare(ctx, r)
}

// Open implements Engine.
func (p *process) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	game, err := p.enter()
	if err != nil {
		return nil, err
	}
	defer p.leave()
	return game.Open(setup, in)
}

// enter returns the game, whose process runs at least until leave is called.
func (p *process) enter() (*engine.Game, error) {
	if game := p.take(); game != nil {
		return game, nil
	}
	p.starting.Lock()
	defer p.starting.Unlock()
	if game := p.take(); game != nil {
		return game, nil // another call has started it
	}
	game, err := p.start()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.endLocked(err)
		return nil, engine.NotStarted(err)
	}
	if p.lowered {
		game.LowerPriority()
	}
	p.game, p.resting = game, false
	p.calls++
	go p.follow(game) // ends with the process
	return game, nil
}

// take is enter for a game that does not rest; nil: it rests.
func (p *process) take() *engine.Game {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resting && !p.closed {
		return nil
	}
	p.calls++
	return p.game // if it has ended, it refuses everything
}

func (p *process) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls--
	p.used = time.Now()
}

func (p *process) start() (*engine.Game, error) {
	if !p.same() {
		return nil, errChanged
	}
	return engine.Start(p.ctx, p.spec)
}

// same returns a function that reports whether the folder of a game is as it was read, and
// so whether a new process would read the same files.
func (c *Catalog) same(cfg *config.Config, s source.Source) func() bool {
	return func() bool {
		ctx, cancel := context.WithTimeout(c.ctx, cfg.Plugins.StartTimeout)
		defer cancel()
		now, ok, err := c.folders.Examine(ctx, s.Dir, cfg)
		return ok && err == nil && now.Unchanged(s)
	}
}

// rest ends the process whenever it has had no match for the time keep. It returns when
// the process does not start again.
func (p *process) rest(keep time.Duration) {
	ticker := time.NewTicker(max(keep/10, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-p.gone:
			return
		case <-ticker.C:
		}
		if game := p.tired(keep); game != nil {
			game.Close()
		}
	}
}

// tired returns the game if its process is to end now, or nil.
func (p *process) tired(keep time.Duration) *engine.Game {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.resting || p.closed:
		return nil
	case p.calls > 0 || p.game.Matches() > 0:
		p.used = now
		return nil
	case now.Sub(p.used) < keep:
		return nil
	}
	p.resting = true
	return p.game
}

// Close ends the process for good, and returns when it is gone.
func (p *process) Close() { p.CloseBecause(nil) }

// CloseBecause is Close with a reason for the players of its matches.
func (p *process) CloseBecause(why error) {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.mu.Lock()
	p.closed = true
	if p.resting {
		p.endLocked(why)
	}
	game := p.game
	p.mu.Unlock()
	game.CloseBecause(why)
	<-p.gone
}

// Done returns a channel that is closed when the process has ended for good; see Err.
func (p *process) Done() <-chan struct{} { return p.gone }

// Err returns why the process has ended for good. It must be called after Done is closed.
func (p *process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// LowerPriority makes the system prefer other processes to this one.
func (p *process) LowerPriority() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lowered = true
	if !p.resting {
		p.game.LowerPriority()
	}
}

// Running reports whether there is a process now.
func (p *process) Running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.resting
}

func (p *process) last() *engine.Game {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.game
}

func (p *process) Pid() int     { return p.last().Pid() }
func (p *process) Matches() int { return p.last().Matches() }
func (p *process) Queued() int  { return p.last().Queued() }
