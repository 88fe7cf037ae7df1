// Package director plays contests: it pairs their entries, has their matches played,
// and ends them. [Run] plays one contest with any runner; a [Director] plays those of a
// host, between connected players and programs that were handed in.
package director

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// Contest is a contest to be played. A Run owns it.
type Contest struct {
	Store    contest.Store
	Runner   Runner
	Name     string
	Parallel int             // most matches at the same time, at least 1
	OneEach  bool            // an entry, or a player of a team, plays one match at a time
	Wake     <-chan struct{} // signals that another process might have changed the contest
	// Changed, if not nil, is called after each change, in the goroutine of Run. It must
	// not keep the state.
	Changed    func(s *contest.State)
	Attendance Attendance // for rounds with dates; nil: their dates do not count
	Log        *slog.Logger
}

const (
	// maxAborted is how many matches of a leg are aborted before the leg is void.
	maxAborted = 3
	// After an error no match begins for firstDelay, and its leg is tried again after
	// that time. Both double each time up to maxDelay: the lobby is full, or the game is
	// being replaced.
	firstDelay = time.Second
	maxDelay   = 30 * time.Second
)

// leg identifies a match of a contest.
type legKey = [2]int

// report is how a match ended, as the runner reports it.
type report struct {
	match  contest.Match
	absent []int
	err    error
}

// run is the state of Run, for its goroutine alone.
type run struct {
	Contest
	state   *contest.State
	running map[legKey]bool // legs that are being played
	busy    map[string]bool // names of entries and players of teams that play; nil: they can play several matches at a time
	aborted map[legKey]int  // matches
	errors  int             // in a row
	retry   time.Time       // after an error no match begins before
	done    chan report     // each running match sends one value; Run receives all of them
	planned planned         // see pairOnDate
	begun   map[legKey]bool // legs that this Run has begun; nil: the rounds have no dates
}

// Run plays a contest until it has ended, or ctx ends: then it waits for the matches
// that the runner does not stop, and returns the error of ctx. It starts a contest at
// the time in its description; without one, it waits for the event of the start.
func Run(ctx context.Context, c Contest) error {
	state, err := contest.Load(ctx, c.Store, c.Name)
	if err != nil {
		return err
	}
	r := &run{
		Contest: c, state: state, running: map[legKey]bool{}, aborted: map[legKey]int{}, done: make(chan report),
	}
	if c.OneEach {
		r.busy = map[string]bool{}
	}
	if r.dated() {
		r.begun = map[legKey]bool{}
	}
	playing, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		for len(r.running) > 0 {
			r.ended(<-r.done)
		}
	}()
	for {
		if c.Changed != nil {
			c.Changed(r.state)
		}
		if r.state.Phase == contest.Ended {
			return nil
		}
		var came <-chan struct{} // nil: never
		if r.dated() && r.state.Phase == contest.Running {
			came = r.Attendance.Changed()
		}
		wait, err := r.step(playing)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, store.ErrChanged):
			wait = 0
		case err != nil:
			r.Log.Error("could not go on with a contest", "contest", c.Name, "error", err, "retry_in", maxDelay)
			wait = maxDelay
		}
		if err := r.wait(playing, came, wait); err != nil {
			return err
		}
	}
}

// wait waits until the contest might have changed, or who is there, at most for the given
// time, and reads it. A negative time means forever.
func (r *run) wait(ctx context.Context, came <-chan struct{}, most time.Duration) error {
	var timeout <-chan time.Time
	if most >= 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		timeout = timer.C
	}
	var ended *report
	select {
	case o := <-r.done:
		r.ended(o)
		ended = &o
	case <-r.Wake:
	case <-came:
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	case <-timeout:
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		err := r.state.Refresh(ctx, r.Store)
		if err == nil && ended != nil {
			err = r.decide(ctx, *ended)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, store.ErrNoContest): // it was removed
			return err
		case errors.Is(err, store.ErrChanged):
			continue
		}
		r.Log.Error("could not read or write a contest", "contest", r.Name, "error", err, "retry_in", firstDelay)
		select {
		case <-time.After(firstDelay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ended counts a match that the runner no longer plays.
func (r *run) ended(o report) {
	delete(r.running, legKey{o.match.Pairing, o.match.Leg})
	if r.busy != nil {
		for _, e := range o.match.Entries {
			delete(r.busy, e.Name)
		}
	}
}

// decide decides a leg without a result: entries were absent, or its match was
// aborted too often. Otherwise it is played again.
func (r *run) decide(ctx context.Context, o report) error {
	f := o.match.Fixture
	l := legKey{f.Pairing, f.Leg}
	if o.err == nil {
		r.errors = 0
	}
	if r.state.Fixture(f.Pairing, f.Leg).Attempt != f.Attempt { // an organizer has decided in between
		delete(r.aborted, l)
		return nil
	}
	if r.state.Pairs[f.Pairing].Legs[f.Leg].State != contest.Planned || r.state.Phase == contest.Ended {
		delete(r.aborted, l)
		return nil
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case o.err != nil:
		if now := time.Now(); !now.Before(r.retry) { // otherwise it began before the last error
			delay := min(firstDelay<<min(r.errors, 10), maxDelay)
			r.retry = now.Add(delay)
			r.errors++
			r.Log.Warn("could not play a match of a contest", "contest", r.Name, "round", f.Round+1, "pairing", f.Pairing+1, "error", o.err, "retry_in", delay)
		}
		return nil
	case o.absent != nil && r.dated():
		return r.missed(ctx, f, o.absent)
	case o.absent != nil:
		return r.append(ctx, contest.NewAbsent(f, o.absent))
	}
	r.aborted[l]++
	if r.aborted[l] < maxAborted {
		return nil
	}
	return r.append(ctx, contest.NewAbandon(f, fmt.Sprintf("%d matches were aborted", maxAborted)))
}

// append appends events and reads them.
func (r *run) append(ctx context.Context, events ...store.Event) error {
	if err := r.Store.Append(ctx, r.Name, r.state.Last(), events); err != nil {
		if errors.Is(err, store.ErrChanged) {
			return errors.Join(err, r.state.Refresh(ctx, r.Store))
		}
		return err
	}
	return r.state.Refresh(ctx, r.Store)
}

// step does what the contest needs now. Wait is the time after which it must be called
// again even if nothing changes; negative: never.
func (r *run) step(ctx context.Context) (wait time.Duration, err error) {
	switch r.state.Phase {
	case contest.Open:
		return r.start(ctx)
	case contest.Paused:
		return -1, r.reached(ctx)
	}
	if err := r.reached(ctx); err != nil {
		return 0, err
	}
	held, wait := r.running, time.Duration(-1)
	switch over := r.state.Complete() && len(r.running) == 0; {
	case over && r.state.Spec.Format == contest.Pass: // its entries begin their tries
		return -1, nil
	case over && r.dated():
		return r.pairOnDate(ctx)
	case over:
		return r.pair(ctx)
	case r.dated():
		var written bool
		if held, wait, written, err = r.lookAtDates(ctx); err != nil || written {
			return 0, err
		}
	}
	if wait := time.Until(r.retry); wait > 0 { // else all legs would fail, one after the other
		return wait, nil
	}
	for _, f := range r.state.Due(r.Parallel-len(r.running), held, r.busy) {
		r.running[legKey{f.Pairing, f.Leg}] = true
		m := r.state.Match(f)
		if r.begun != nil {
			r.begun[legKey{f.Pairing, f.Leg}] = true
		}
		if r.busy != nil {
			for _, e := range m.Entries {
				r.busy[e.Name] = true
			}
		}
		go func() { // ends with the match
			absent, err := r.Runner.Play(ctx, m)
			r.done <- report{m, absent, err}
		}()
	}
	return wait, nil
}

// reached notes which entries have reached a pass mark.
func (r *run) reached(ctx context.Context) error {
	events := r.state.NewReached()
	if len(events) == 0 {
		return nil
	}
	return r.append(ctx, events[:min(len(events), maxWritten)]...)
}

// start starts the contest if its time has come.
func (r *run) start(ctx context.Context) (wait time.Duration, err error) {
	at := r.state.Starts()
	if at.IsZero() && r.state.Spec.Format != contest.Pass { // which is always on
		return -1, nil
	}
	if wait := time.Until(at); wait > 0 {
		return min(wait, clockEvery), nil
	}
	o := contest.Organizer{Store: r.Store}
	if err := o.Start(ctx, r.Name); err != nil {
		return 0, err
	}
	return 0, r.state.Refresh(ctx, r.Store)
}

// pair appends the next pairings, or the end.
func (r *run) pair(ctx context.Context) (wait time.Duration, err error) {
	next, over, err := pairing.Next(r.state.History())
	if err != nil {
		return 0, fmt.Errorf("pair the next round: %w", err)
	}
	e := r.state.NewPairs(next)
	if over {
		if e, err = r.state.NewEnd("", false); err != nil {
			return 0, err
		}
	}
	return 0, r.append(ctx, e)
}
