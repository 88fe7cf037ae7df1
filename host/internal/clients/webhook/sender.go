package webhook

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/store"
)

const (
	watchEvery = 500 * time.Millisecond // between two looks for changes of the store
	pause      = 5 * time.Second        // after an error of the store
	purgeEvery = 10 * time.Minute
	batch      = 20              // messages of a webhook that are read at once
	giveUp     = 72 * time.Hour  // after this time a message is not tried again
	firstDelay = 5 * time.Second // after the first try; then four times as long each time
	maxDelay   = 6 * time.Hour
	jitter     = 0.2 // the part of a delay by which chance makes it shorter or longer
)

// Sender makes messages from what happens, and sends them. Only one of the hosts with the
// same store runs it. Its methods can be called concurrently.
type Sender struct {
	store    *store.Webhooks
	contests *store.Contests
	log      *slog.Logger

	states     map[int64]*contest.State // of contests that have not ended, without results; for Run alone
	unreadable map[int64]bool           // contests that were logged; for Run alone

	mu      sync.Mutex // guards the fields below
	hooks   []*Hook
	address string        // of the pages; "": not known
	changed chan struct{} // closed by Set
	stats   map[string]*HookStats
}

// HookStats are the counters of a webhook since the start of the host.
type HookStats struct {
	Waiting   int    // messages
	Delivered uint64 // messages
	Failed    uint64 // tries
	GivenUp   uint64 // messages
}

// New returns a sender without webhooks.
func New(w *store.Webhooks, contests *store.Contests, log *slog.Logger) *Sender {
	return &Sender{store: w, contests: contests, log: log, states: map[int64]*contest.State{}, unreadable: map[int64]bool{}, changed: make(chan struct{}), stats: map[string]*HookStats{}}
}

// Set changes the webhooks, and the address of the pages in messages.
func (s *Sender) Set(hooks []*Hook, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks, s.address = hooks, address
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Sender) settings() (hooks []*Hook, address string, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hooks, s.address, s.changed
}

// Stats returns the counters of the webhooks that this host has sent to.
func (s *Sender) Stats() map[string]HookStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]HookStats{}
	for name, n := range s.stats {
		all[name] = *n
	}
	return all
}

func (s *Sender) count(hook string, change func(*HookStats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stats[hook] == nil {
		s.stats[hook] = &HookStats{}
	}
	change(s.stats[hook])
}

// Run makes and sends messages until ctx ends. It can be called again then.
func (s *Sender) Run(ctx context.Context) {
	clear(s.states) // another host can have gone on
	for ctx.Err() == nil {
		hooks, address, changed := s.settings()
		inner, cancel := context.WithCancel(ctx)
		var working sync.WaitGroup
		working.Go(func() { s.run(inner, hooks, address) }) // ends with inner
		select {
		case <-changed:
		case <-ctx.Done():
		}
		cancel()
		working.Wait()
	}
}

// run makes and sends the messages for some webhooks until ctx ends.
func (s *Sender) run(ctx context.Context, hooks []*Hook, address string) {
	if !s.insist(ctx, func() error { return s.begin(ctx, hooks, address) }) || len(hooks) == 0 {
		return
	}
	s.log.Info("sending messages to webhooks", "webhooks", len(hooks))
	var working sync.WaitGroup
	defer working.Wait()
	var wakes []chan struct{}
	for _, h := range hooks {
		wake := make(chan struct{}, 1) // full: it will look anyway
		wakes = append(wakes, wake)
		working.Go(func() { s.work(ctx, h, wake) }) // ends with ctx
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var version int64
	var purged time.Time
	for first := true; ; first = false {
		now, err := s.contests.Version(ctx)
		if err == nil && (first || now != version) {
			if err = s.collect(ctx, hooks, address); err == nil {
				version = now
			}
			for _, wake := range wakes {
				select {
				case wake <- struct{}{}:
				default:
				}
			}
		}
		if err == nil && time.Since(purged) > purgeEvery {
			purged = time.Now()
			err = s.store.Purge(ctx, purged)
		}
		if err != nil && !s.failed(ctx, err) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// begin makes the webhooks known. Those that are new get nothing of what has happened before.
func (s *Sender) begin(ctx context.Context, hooks []*Hook, address string) error {
	if len(hooks) == 0 {
		return s.store.Forget(ctx)
	}
	known, err := s.store.Known(ctx)
	if err != nil {
		return err
	}
	old := map[string]bool{}
	for _, name := range known {
		old[name] = true
	}
	var names []string
	var earlier []*Hook
	for _, h := range hooks {
		names = append(names, h.Name)
		if old[h.Name] {
			earlier = append(earlier, h)
		}
	}
	if len(known) > 0 {
		if err := s.collect(ctx, earlier, address); err != nil {
			return err
		}
	}
	return s.store.Add(ctx, names)
}

// insist calls a function until it succeeds. It returns false if ctx ends before.
func (s *Sender) insist(ctx context.Context, do func() error) bool {
	for {
		err := do()
		if err == nil {
			return true
		}
		if !s.failed(ctx, err) {
			return false
		}
	}
}

// failed logs an error of the store and waits for a moment. It returns false if ctx has ended.
func (s *Sender) failed(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	s.log.Error("the messages for webhooks cannot be read or written; trying again", "error", err)
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// collect makes messages from what is new.
func (s *Sender) collect(ctx context.Context, hooks []*Hook, address string) error {
	list, err := s.store.Contests(ctx)
	if err != nil {
		return err
	}
	for i := range list {
		if err := s.collectContest(ctx, &list[i], hooks, address); err != nil {
			return err
		}
	}
	for {
		programs, err := s.store.Programs(ctx)
		if err != nil || len(programs) == 0 {
			return err
		}
		for i := range programs {
			all, err := deliveries([]message{ofProgram(&programs[i], address)}, hooks)
			if err == nil {
				err = s.store.AddOfProgram(ctx, programs[i].Number, all)
			}
			if err != nil && !errors.Is(err, store.ErrChanged) {
				return err
			}
		}
	}
}

// collectContest makes messages from the new events of a contest. One that cannot be read is
// left to a newer host.
func (s *Sender) collectContest(ctx context.Context, n *store.ContestNews, hooks []*Hook, address string) error {
	state := s.states[n.Number]
	if state == nil || state.Last() != max(n.Position, 0) {
		var err error
		if state, err = contest.NewState(n.Contest); err != nil {
			return s.skip(n, err)
		}
	}
	delete(s.states, n.Number) // until its messages are stored
	events, err := s.contests.Events(ctx, n.Name, state.Last())
	if errors.Is(err, store.ErrNoContest) {
		return nil
	}
	if err != nil {
		return err
	}
	var messages []message
	if n.Position < 0 {
		messages = append(messages, ofContest(n, 0, state.AnnounceCreation(), address))
	}
	for _, e := range events {
		err := state.Apply(e)
		var all []contest.Announcement
		if err == nil && e.Number > n.Position {
			all, err = state.Announce(e)
		}
		if err != nil {
			return s.skip(n, err)
		}
		for _, a := range all {
			messages = append(messages, ofContest(n, e.Number, a, address))
		}
	}
	all, err := deliveries(messages, hooks)
	if err == nil {
		err = s.store.AddOfContest(ctx, n, state.Last(), all)
	}
	if err != nil {
		if errors.Is(err, store.ErrChanged) { // another host leads now, or the contest was removed
			return nil
		}
		return err
	}
	if state.Phase != contest.Ended && len(s.states) < maxStates {
		s.states[n.Number] = state
	}
	return nil
}

// maxStates is how many contests are kept in memory; the events of others are read again when
// something happens in them.
const maxStates = 100

// skip logs once that a contest cannot be read.
func (s *Sender) skip(n *store.ContestNews, err error) error {
	if !s.unreadable[n.Number] {
		s.unreadable[n.Number] = true
		s.log.Error("no messages are sent about a contest that cannot be read", "contest", n.Name, "error", err)
	}
	return nil
}

// deliveries returns the messages for each webhook that wants them.
func deliveries(messages []message, hooks []*Hook) (all []store.Delivery, err error) {
	for i := range messages {
		for _, h := range hooks {
			if !h.Wants(messages[i].Type) {
				continue
			}
			d, err := messages[i].delivery(h.Name)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// work sends the messages of one webhook, one after the other, until ctx ends.
func (s *Sender) work(ctx context.Context, h *Hook, wake <-chan struct{}) {
	failing := false
	for {
		next := time.Now().Add(time.Minute)
		due, err := s.store.Due(ctx, h.Name, time.Now(), batch)
		for i := 0; i < len(due) && err == nil; i++ {
			err = s.deliver(ctx, h, &due[i], &failing)
		}
		if err == nil {
			var waiting int
			var at time.Time
			if waiting, at, err = s.store.Waiting(ctx, h.Name); err == nil {
				s.count(h.Name, func(n *HookStats) { n.Waiting = waiting })
				if !at.IsZero() && at.Before(next) {
					next = at
				}
			}
		}
		if err != nil {
			if !s.failed(ctx, err) {
				return
			}
			continue
		}
		select {
		case <-wake:
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
			return
		}
	}
}

// deliver sends a message once, and stores the result. A try that the end of ctx has
// interrupted does not count.
func (s *Sender) deliver(ctx context.Context, h *Hook, d *store.Delivery, failing *bool) error {
	status, wait, err := h.Send(ctx, d.ID, []byte(d.Body))
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	settle(d, status, wait, err, time.Now(), rand.Float64())
	switch {
	case err == nil:
		if *failing {
			s.log.Info("a webhook works again", "webhook", h.Name)
		}
		*failing = false
		s.count(h.Name, func(n *HookStats) { n.Delivered++ })
	case d.Next.IsZero():
		s.log.Warn("a message for a webhook was given up", "webhook", h.Name, "message", d.Number, "event", d.Event, "problem", d.Problem)
		s.count(h.Name, func(n *HookStats) { n.Failed++; n.GivenUp++ })
	default:
		if !*failing {
			s.log.Warn("a webhook fails; its messages are tried again", "webhook", h.Name, "problem", d.Problem)
		}
		*failing = true
		s.count(h.Name, func(n *HookStats) { n.Failed++ })
	}
	return s.store.Tried(context.WithoutCancel(ctx), d)
}

// settle writes the result of a try into a delivery, and when it is tried again: never after
// success, nor later than giveUp after it was created. Chance is from 0 to 1.
func settle(d *store.Delivery, status int, wait time.Duration, err error, now time.Time, chance float64) {
	d.Tries++
	d.Status, d.Problem, d.Next = status, "", time.Time{}
	if err == nil {
		return
	}
	d.Problem = err.Error()
	next := now.Add(max(delay(d.Tries, chance), wait))
	if next.Before(d.Created.Add(giveUp)) {
		d.Next = next
	}
}

// delay returns the time after a number of tries.
func delay(tries int, chance float64) time.Duration {
	d := firstDelay
	for i := 1; i < tries && d < maxDelay; i++ {
		d *= 4
	}
	return time.Duration(float64(min(d, maxDelay)) * (1 - jitter + 2*jitter*chance))
}

// SendOnce sends a message to a webhook now, whether or not a host runs, and writes the result
// into it. It is not tried again.
func (h *Hook) SendOnce(ctx context.Context, d *store.Delivery) error {
	status, _, err := h.Send(ctx, d.ID, []byte(d.Body))
	settle(d, status, 0, err, time.Now(), 0)
	d.Next = time.Time{}
	return err
}
