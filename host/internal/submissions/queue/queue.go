// Package queue builds the programs that players hand in, and tries them: it takes one
// version after the other from the store, builds it confined, lets it play the matches of
// a trial, and accepts it, or says why not and whose fault it is.
package queue

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/contests/series"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/build"
	"colosseum/host/internal/submissions/language"
)

// Store keeps the versions. See *store.Submissions.
type Store interface {
	Claim(ctx context.Context, host string) (store.Submission, bool, error)
	Release(ctx context.Context, host string) (int, error)
	SetState(ctx context.Context, number int64, host string, state store.SubmissionState, fault, reason string) error
	AddLog(ctx context.Context, number int64, text []byte) error
	Source(ctx context.Context, number int64) ([]byte, error)
	Accept(ctx context.Context, number int64, host string, run []string, program []byte) (store.Submission, error)
}

// Games are the games of a *catalog.Catalog.
type Games interface {
	Find(name string) (*catalog.Offer, error)
}

// Config describes a queue.
type Config struct {
	Host      string // the name of this host among those that use the store; it can be empty if it is alone
	Store     Store
	Games     Games
	Languages *language.Set
	Allowed   []string // languages; nil: all
	Folder    string   // for the files of builds and trials, private; what is in it is removed at the start
	Prepared  string   // a folder for what is built once for all programs of a language
	Archive   archive.Limits
	Build     build.Limits
	Level     sandbox.Level
	// Command returns the confined command of a program that is in a folder.
	Command  func(run []string, l *language.Language, folder string) (program.Command, error)
	Setup    series.Setup // of the matches of trials
	Parallel int          // versions that are being built or tried at the same time
	Changed  func()       // called when a version was accepted
	Log      *slog.Logger
}

// Queue takes the versions that wait. Its methods can be called concurrently.
type Queue struct {
	config Config
	woken  chan struct{} // one value: the store might have something new

	preparing sync.Mutex      // held while the builds of a language are prepared; guards the field below
	prepared  map[string]bool // languages for which that was tried

	mu    sync.Mutex // guards the field below
	stats Stats
}

// Stats counts what a queue has done.
type Stats struct {
	Working  int               // versions that are being built or tried now
	Ended    map[string]uint64 // by what came of it: accepted, refused, or failed for a fault of the host
	Building time.Duration     // the sum of the times of all builds
}

const (
	// lookEvery is the time between two looks at the store: other hosts and commands add
	// versions too.
	lookEvery = time.Second
	// After a fault of the host nothing is taken for firstDelay, twice as long each further
	// time in a row, up to maxDelay.
	firstDelay = time.Second
	maxDelay   = time.Minute
)

// New returns a queue. Run works on it.
func New(c Config) *Queue {
	return &Queue{config: c, woken: make(chan struct{}, 1), prepared: map[string]bool{}, stats: Stats{Ended: map[string]uint64{}}}
}

// Wake makes Run look at the store at once.
func (q *Queue) Wake() {
	select {
	case q.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// Stats returns what was done since the start.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Ended = map[string]uint64{}
	for k, n := range q.stats.Ended {
		s.Ended[k] = n
	}
	return s
}

// Run works until ctx ends, and returns when nothing is being built any more. What was not
// finished waits again. It must be called once, and before it ends nobody else must have the
// name of this host.
func (q *Queue) Run(ctx context.Context) {
	if err := q.clear(); err != nil {
		q.config.Log.Error("could not empty the folder of builds", "error", err)
	}
	q.release(ctx)
	var workers sync.WaitGroup
	for range max(1, q.config.Parallel) {
		workers.Go(func() { q.work(ctx) })
	}
	workers.Wait()
}

// release puts back what this host had taken before it was killed.
func (q *Queue) release(ctx context.Context) {
	for {
		_, err := q.config.Store.Release(ctx, q.config.Host)
		if err == nil || ctx.Err() != nil {
			return
		}
		q.config.Log.Error("could not put back the versions that this host was building; trying again", "error", err)
		if !sleep(ctx, firstDelay) {
			return
		}
	}
}

// work takes versions until ctx ends.
func (q *Queue) work(ctx context.Context) {
	delay, blind := firstDelay, firstDelay
	for ctx.Err() == nil {
		s, ok, err := q.config.Store.Claim(ctx, q.config.Host)
		switch {
		case err != nil && ctx.Err() == nil:
			q.config.Log.Error("could not read the programs that wait to be built; trying again", "error", err)
			sleep(ctx, blind)
			blind = min(2*blind, maxDelay)
			continue
		case !ok:
			blind = firstDelay
			q.wait(ctx)
			continue
		}
		q.Wake() // another worker can take the next one
		if q.take(ctx, s) {
			delay = firstDelay
			continue
		}
		sleep(ctx, delay)
		delay = min(2*delay, maxDelay)
	}
}

// wait waits for something new.
func (q *Queue) wait(ctx context.Context) {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-q.woken:
	case <-ctx.Done():
	}
}

// sleep waits for a time, and reports false if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// take builds and tries one version, and reports whether the host did its part.
func (q *Queue) take(ctx context.Context, s store.Submission) bool {
	log := q.config.Log.With("player", s.Player, "game", s.Game, "version", s.Version)
	q.count(func(n *Stats) { n.Working++ })
	defer q.count(func(n *Stats) { n.Working-- })
	err := q.process(ctx, s)
	refusal, refused := errors.AsType[*refusal](err)
	result := "accepted"
	switch {
	case err == nil:
		log.Info("a program was accepted")
	case errors.Is(err, store.ErrNotClaimed), errors.Is(err, store.ErrNoSubmission): // it was removed, or given to another host
		return true
	case refused:
		result = "refused"
		log.Info("a program was refused", "reason", refusal.text)
		q.set(ctx, s, store.Refused, store.FaultOfProgram, refusal.text)
	case ctx.Err() != nil:
		q.set(ctx, s, store.Queued, "", "") // otherwise the next start does it
		return true
	default:
		result = "failed"
		log.Error("could not build or try a program; trying again", "error", err)
		text := "the host could not build or try it, and does so again by itself: nothing has to be sent again"
		q.set(ctx, s, store.Queued, store.FaultOfHost, text)
	}
	q.count(func(n *Stats) { n.Ended[result]++ })
	return result != "failed"
}

// storeTimeout bounds one attempt to write the state of a version.
const storeTimeout = 30 * time.Second

// set stores what came of a version. As long as the store fails it tries again, because
// nobody else has the version now; if the host stops meanwhile, its next start puts it back.
func (q *Queue) set(ctx context.Context, s store.Submission, state store.SubmissionState, fault, reason string) {
	for delay := firstDelay; ; delay = min(2*delay, maxDelay) {
		// Not with ctx: it must be stored also if the host stops.
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		err := q.config.Store.SetState(attempt, s.Number, q.config.Host, state, fault, reason)
		cancel()
		if err == nil || errors.Is(err, store.ErrNotClaimed) || errors.Is(err, store.ErrNoSubmission) {
			return
		}
		q.config.Log.Error("could not store what came of a program; trying again", "player", s.Player, "game", s.Game, "version", s.Version, "error", err, "retry_in", delay)
		if !sleep(ctx, delay) {
			return
		}
	}
}

func (q *Queue) count(change func(*Stats)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change(&q.stats)
}

// refusal is the reason for which a version is not accepted, for its player.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }
