package series

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// RunnerConfig describes a Runner.
type RunnerConfig struct {
	Setup
	Games     Games
	Entries   []contest.Entry // all that can have matches
	Isolation program.Isolation
	Parallel  int // matches that are being played at the same time
	// Finish makes the record of a match durable, with the result for its contest.
	Finish func(ctx context.Context, r *record.Match) error
	// Warn, if not nil, keeps a warning about the program of an entry. It can be called more
	// than once for the same.
	Warn func(ctx context.Context, entry string, w contest.Warning)
}

// Games are the games of a *catalog.Catalog.
type Games interface {
	Find(name string) (*catalog.Offer, error)
}

// Runner plays the matches of a contest between programs on this machine, and bots of the
// game. It is a director.Runner.
type Runner struct {
	config   RunnerConfig
	commands map[string]program.Command // by the name of their entry
	// slots has a token for each match that is being played. A match that has ended
	// needs none while its programs end and its record is written.
	slots chan struct{}

	mu     sync.Mutex // guards the fields below
	faults faults
	stats  RunnerStats
}

// RunnerStats counts what a runner has played.
type RunnerStats struct {
	Matches  int
	Answers  int           // of programs
	Thinking time.Duration // the sum of the times that these were charged
}

// NewRunner returns a runner, or an error if a program can't be found or confined.
func NewRunner(c RunnerConfig) (*Runner, error) {
	f := &Runner{config: c, commands: map[string]program.Command{}, slots: make(chan struct{}, c.Parallel)}
	var names []string
	var args [][]string
	for _, e := range c.Entries {
		if e.Command != nil {
			names, args = append(names, e.Name), append(args, e.Command)
		}
	}
	commands, err := c.Isolation.Commands(args)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		f.commands[name] = commands[i]
	}
	return f, nil
}

// Limit returns the number of calls of Play that keep all slots busy: while some matches
// are being played, the programs of others end and records are written.
func (f *Runner) Limit() int { return 2*cap(f.slots) + 2 }

// Play implements director.Runner. An entry whose program can't be started loses its
// match.
func (f *Runner) Play(ctx context.Context, m contest.Match) (absent []int, err error) {
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	release := sync.OnceFunc(func() { <-f.slots })
	defer release()
	offer, end, err := f.hold(ctx, m.Spec.Game)
	if err != nil {
		return nil, err
	}
	defer end()
	l, err := f.lineup(ctx, m, offer)
	if err != nil {
		return nil, err
	}
	r, seats, err := f.config.Setup.play(ctx, l, release)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, ctx.Err()
	}
	f.note(m, r, seats)
	f.warn(context.WithoutCancel(ctx), m, seats)
	// Not with ctx: the match is over, and its result counts.
	return nil, f.config.Finish(context.WithoutCancel(ctx), r)
}

// Times between looks at a game that is unavailable, and how long that can last.
const (
	lookInterval = 200 * time.Millisecond
	lookTimeout  = time.Minute
)

// hold finds the game and keeps its version alive until release is called. If its
// process has crashed, it waits for the next one.
func (f *Runner) hold(ctx context.Context, game string) (offer *catalog.Offer, release func(), err error) {
	for begin := time.Now(); ; {
		offer, release, err = catalog.Hold(f.config.Games.Find, game, func() {})
		if err == nil || errors.Is(err, catalog.ErrUnknown) || time.Since(begin) > lookTimeout {
			return offer, release, err
		}
		select {
		case <-time.After(lookInterval):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (f *Runner) lineup(ctx context.Context, m contest.Match, offer *catalog.Offer) (l lineup, err error) {
	request, clock := RequestOf(m.Spec, offer, m.Entries)
	settings, err := offer.Prepare(ctx, request)
	if err != nil {
		return l, err
	}
	l = lineup{game: offer.Engine, stuck: offer.Stuck, line: offer.MaxLine, number: m.Pairing*m.Spec.Matches + m.Leg + 1, group: m.Pairing, lenient: true}
	if len(m.Entries) == 1 {
		l.group = l.number // its legs have the same seed, and no seats to change
	}
	levels := request.Levels
	for _, e := range m.Entries {
		p := participant{name: e.Name}
		if e.Command != nil {
			command, ok := f.commands[e.Name]
			if !ok {
				return l, fmt.Errorf("the entry %s entered after this command was started: start it again", e.Name)
			}
			p.command = &command
		}
		if e.Bot != "" && request.Levels != nil {
			p.level, levels = levels[0], levels[1:]
		}
		l.seats = append(l.seats, p)
	}
	l.record = record.Match{
		ID: record.NewID(), Name: m.Name(), Game: offer.Name, Plugin: offer.Plugin, Version: offer.Version, Args: request.Args, Params: settings.Params,
		Timeout: settings.Timeout, Clock: (*record.Clock)(clock), Retries: m.Spec.Retries, Seed: m.Seed, Fixture: m.Record(),
	}
	return l, nil
}

// RequestOf returns the request for a match of programs, with some entries on its seats.
// A game that can pause between moves does so only if the contest asks for it.
func RequestOf(spec *contest.Spec, offer *catalog.Offer, entries []contest.Entry) (r driver.Request, clock *protocol.Clock) {
	players := len(entries)
	m := contest.Match{Spec: spec, Entries: entries}
	r = driver.Request{Players: &players}
	r.Args, r.Levels = m.Args()
	offer.Unpace(r.Args)
	for _, e := range entries {
		if e.Bot != "" {
			r.Bots++
		}
	}
	clock = spec.MatchClock()
	switch {
	case spec.Timeout > 0:
		r.Timeout = &spec.Timeout
	case clock != nil: // as in the lobby
		r.Timeout = new(clock.Timeout(offer.Timeout))
	}
	return r, clock
}

// note counts a match, and keeps what its programs did wrong.
func (f *Runner) note(m contest.Match, r *record.Match, seats []SeatResult) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults.addMatch(r.ID, fmt.Sprintf("round %d", m.Round+1), r.State, r.Reason)
	f.stats.Matches++
	for number, s := range seats {
		f.stats.Answers += len(s.Used)
		for _, used := range s.Used {
			f.stats.Thinking += used.Charged(f.config.Wall)
		}
		if r.Clock == nil {
			f.faults.addTimes(s.Name, s.Used, time.Duration(r.Timeout*float64(time.Second)), f.config.Wall)
		}
		f.faults.addSeat(r.ID, fmt.Sprintf("round %d, seat %d", m.Round+1, number), s, m.Entries[number].Command != nil)
	}
}

// warnAfter is after how many answers a program can be said to use most of its time often.
const warnAfter = 20

// warn keeps warnings about the programs of a match.
func (f *Runner) warn(ctx context.Context, m contest.Match, seats []SeatResult) {
	if f.config.Warn == nil {
		return
	}
	for number, s := range seats {
		f.mu.Lock()
		times := f.faults.tight[s.Name]
		f.mu.Unlock()
		if times.answers >= warnAfter && times.warns() {
			f.config.Warn(ctx, m.Entries[number].Name, contest.NearlyLate)
		}
		if s.Exit.OutOfTurn >= outOfTurn {
			f.config.Warn(ctx, m.Entries[number].Name, contest.OutOfTurn)
		}
	}
}

// Stats returns what was played since the start of the runner.
func (f *Runner) Stats() RunnerStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}

// Faults describes aborted matches, forfeits and programs that failed since the start of
// the runner, for people; "" if there are none.
func (f *Runner) Faults() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.faults.String()
}
