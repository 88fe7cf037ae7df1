package analysis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"colosseum/host/internal/play/verify"
	"colosseum/host/internal/records/record"
)

// Limits of an [Analyst].
const (
	maxWaiting = 16               // matches that wait for their analysis; more are refused
	maxKept    = 64               // analyses
	maxTotal   = 200_000          // positions of the kept analyses
	patience   = 20 * time.Second // an analysis that nobody has asked for in this time ends
	failureFor = time.Minute      // how long a failure is kept
)

// ErrBusy is the error of Start when too many matches wait.
var ErrBusy = errors.New("too many matches wait for their analysis: try again later")

var errAbandoned = errors.New("nobody asked for it any more")

// Process is the process of a game, for one analysis.
type Process interface {
	verify.Game
	Close()
}

// Games are the games of the host.
type Games interface {
	// Judges returns an error, for people, unless the host has this version of the
	// plugin and it can judge positions.
	Judges(plugin, version string) error
	// Spare starts a process of the version that plays no matches and has a low
	// priority.
	Spare(ctx context.Context, plugin, version string) (Process, error)
}

// Status is how far the analysis of a match has come.
type Status struct {
	Running   bool      // false and no Analysis: it waits
	Done, All int       // answers of the match
	Analysis  *Analysis // nil: not yet
	Err       error     // it failed; for people
}

// Analyst analyses ended matches, one at a time. Its methods can be called
// concurrently.
type Analyst struct {
	games Games
	stall time.Duration // how long a referee can be silent
	log   *slog.Logger
	ctx   context.Context // of all analyses
	stop  context.CancelFunc
	wait  sync.WaitGroup
	turn  chan struct{} // holds a value while an analysis runs

	hinting chan struct{} // holds a value while a hint is looked for

	mu   sync.Mutex      // guards the fields below
	jobs map[string]*job // by match
	kept []string        // matches with an ended job; the one asked for last is last
}

// job is the analysis of one match; Analyst.mu guards it.
type job struct {
	status Status
	cancel context.CancelCauseFunc
	asked  time.Time // when somebody asked for it last
	watch  *time.Timer
	ended  time.Time // zero: it has not
}

// New returns an analyst. Close must be called.
func New(games Games, stall time.Duration, log *slog.Logger) *Analyst {
	ctx, stop := context.WithCancel(context.Background())
	return &Analyst{games: games, stall: stall, log: log, ctx: ctx, stop: stop, turn: make(chan struct{}, 1), hinting: make(chan struct{}, 1), jobs: map[string]*job{}}
}

// Close ends all analyses and returns when their processes have ended.
func (a *Analyst) Close() {
	a.mu.Lock()
	a.stop() // Start begins nothing from here on
	a.mu.Unlock()
	a.wait.Wait()
}

// Look returns the status of the analysis of a match; ok is false if there is none.
// A caller that waits for one must call Look again within some seconds, or it ends.
func (a *Analyst) Look(match string) (status Status, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j := a.jobs[match]
	switch {
	case j == nil:
		return Status{}, false
	case j.status.Err != nil && time.Since(j.ended) > failureFor:
		a.removeLocked(match)
		return Status{}, false
	}
	j.asked = time.Now()
	if i := slices.Index(a.kept, match); i >= 0 {
		a.kept = append(slices.Delete(a.kept, i, i+1), match)
	}
	return j.status, true
}

// Start begins the analysis of an ended match, unless it has begun, and returns its
// status. The error is a Refusal or ErrBusy.
func (a *Analyst) Start(rec *record.Match) (Status, error) {
	if err := check(rec); err != nil {
		return Status{}, err
	}
	if status, ok := a.Look(rec.ID); ok {
		return status, nil
	}
	if err := a.games.Judges(rec.Plugin, rec.Version); err != nil {
		return Status{}, Refusal(err.Error())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if j := a.jobs[rec.ID]; j != nil {
		return j.status, nil
	}
	if a.ctx.Err() != nil || len(a.jobs)-len(a.kept) > maxWaiting {
		return Status{}, ErrBusy
	}
	ctx, cancel := context.WithCancelCause(a.ctx)
	j := &job{status: Status{All: len(rec.Answers)}, cancel: cancel, asked: time.Now()}
	j.watch = time.AfterFunc(patience, func() { a.watch(j) })
	a.jobs[rec.ID] = j
	a.wait.Go(func() { a.run(ctx, j, rec) }) // ends with ctx, or with the analysis, which is bounded
	return j.status, nil
}

// run analyses a match when it is its turn.
func (a *Analyst) run(ctx context.Context, j *job, rec *record.Match) {
	defer j.cancel(nil)
	result, err := a.analyse(ctx, j, rec)
	a.mu.Lock()
	defer a.mu.Unlock()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	j.watch.Stop()
	j.ended = time.Now()
	j.status = Status{Done: j.status.Done, All: j.status.All, Analysis: result, Err: err}
	switch {
	case errors.Is(err, errAbandoned) || a.ctx.Err() != nil:
		delete(a.jobs, rec.ID)
		return
	case err != nil:
		a.log.Warn("could not analyse a match", "match", rec.ID, "game", rec.Plugin, "error", err)
	}
	a.kept = append(a.kept, rec.ID)
	a.trimLocked()
}

// watch ends a job that nobody has asked for, or calls itself again later.
func (a *Analyst) watch(j *job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := patience - time.Since(j.asked)
	switch {
	case !j.ended.IsZero():
	case left <= 0:
		j.cancel(errAbandoned)
	default:
		j.watch.Reset(left)
	}
}

func (a *Analyst) analyse(ctx context.Context, j *job, rec *record.Match) (*Analysis, error) {
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-a.turn }()
	a.mu.Lock()
	j.status.Running = true
	a.mu.Unlock()
	game, err := a.games.Spare(ctx, rec.Plugin, rec.Version)
	if err != nil {
		return nil, fmt.Errorf("the game could not be started: %w", err)
	}
	defer game.Close()
	return analyse(ctx, game, rec, a.stall, func(answers int) {
		a.mu.Lock()
		defer a.mu.Unlock()
		j.status.Done = answers
	})
}

// trimLocked removes the ended jobs that nobody has asked for the longest.
func (a *Analyst) trimLocked() {
	for len(a.kept) > maxKept || a.positionsLocked() > maxTotal {
		a.removeLocked(a.kept[0])
	}
}

func (a *Analyst) positionsLocked() int {
	n := 0
	for _, match := range a.kept {
		if result := a.jobs[match].status.Analysis; result != nil {
			n += len(result.Positions)
		}
	}
	return n
}

func (a *Analyst) removeLocked(match string) {
	delete(a.jobs, match)
	if i := slices.Index(a.kept, match); i >= 0 {
		a.kept = slices.Delete(a.kept, i, i+1)
	}
}
