package director

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/ladder"
)

const (
	// chooseEvery is the least time between two choices of matches. Players that become
	// free at about the same time can then meet.
	chooseEvery = 250 * time.Millisecond
	// rateEvery is the least time between two looks at the ratings. It grows with their
	// cost, like refreshEvery.
	rateEvery = 2 * time.Second
	// The time that a player waits for a good opponent is a quarter of that of a usual
	// match, within these bounds.
	minWait, maxWait = 200 * time.Millisecond, 10 * time.Second
	// usualMatch is the time of a match before one was played.
	usualMatch = 10 * time.Second
	// maxLast is how many opponents of a player are remembered.
	maxLast = 16
)

// ladderRun is a ladder that is being played, for the goroutine of its contest alone.
type ladderRun struct {
	director *Director
	contest  *tracked
	state    *contest.State
	log      *slog.Logger

	players map[string]*ladderPlayer // by name
	number  int                      // of the next match
	rated   time.Time                // when the ratings were last read
	every   time.Duration            // the least time until they are read again
	usual   time.Duration            // of a match: a moving average
	playing int                      // matches
	retry   time.Time                // after an error no match begins before

	done chan ladderReport // each running match sends one value; play receives all of them

	mu       sync.Mutex     // guards the field below
	starting map[string]int // matches that the desk does not count yet, by player
}

// ladderPlayer is a player or a bot of a ladder.
type ladderPlayer struct {
	rating, width float64
	played        int
	last          []string // opponents, the latest first
}

// ladderReport is a match that is over.
type ladderReport struct {
	took time.Duration
	err  error
}

// playLadder plays a ladder until it has ended, or ctx ends.
func (d *Director) playLadder(ctx context.Context, t *tracked, state *contest.State) error {
	r := &ladderRun{
		director: d, contest: t, state: state, log: d.log.With("contest", t.Name), players: map[string]*ladderPlayer{}, usual: usualMatch,
		done: make(chan ladderReport), starting: map[string]int{},
	}
	matches, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		for r.playing > 0 {
			r.over(<-r.done)
		}
	}()
	engaged := engagement{engage: func(players []string) func() { return d.desk.EngageFor(t.Game, players) }}
	defer engaged.set(nil)
	for {
		changed := d.desk.Changed()
		wait, err := r.step(matches)
		d.setPhase(t, r.state.Phase)
		if r.state.Phase == contest.Ended {
			return nil
		}
		engaged.set(playing(r.state))
		if err != nil && ctx.Err() == nil {
			r.log.Error("could not go on with a ladder", "error", err, "retry_in", maxDelay)
			wait = maxDelay
		}
		if err := r.wait(ctx, changed, wait); err != nil {
			return err
		}
	}
}

// wait waits until the next matches can be chosen. After an event, it returns when
// chooseEvery has passed since its call; without one, after the given time; 0: never.
func (r *ladderRun) wait(ctx context.Context, changed <-chan struct{}, most time.Duration) error {
	least := time.NewTimer(chooseEvery)
	defer least.Stop()
	var timeout <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		timeout = timer.C
	}
	var early <-chan time.Time // nil until something has happened
	for {
		select {
		case o := <-r.done:
			r.over(o)
			early = least.C
		case <-changed:
			changed, early = nil, least.C
		case <-r.contest.wake:
			early = least.C
		case <-timeout:
			return nil
		case <-early:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// over counts a match that is over.
func (r *ladderRun) over(o ladderReport) {
	r.playing--
	if o.err != nil {
		r.retry = time.Now().Add(firstDelay)
		if !errors.Is(o.err, context.Canceled) {
			r.log.Warn("could not play a match of a ladder", "error", o.err, "retry_in", firstDelay)
		}
		return
	}
	r.usual = (7*r.usual + o.took) / 8
	r.director.wake()
}

// step begins the matches that are due. Wait is the time after which more can be due even
// if nothing changes; 0: never.
func (r *ladderRun) step(ctx context.Context) (wait time.Duration, err error) {
	d := r.director
	if err := r.state.Refresh(ctx, d.store); err != nil {
		return 0, err
	}
	switch r.state.Phase {
	case contest.Open:
		if wait := time.Until(r.state.Spec.Start); wait > 0 {
			return min(wait, time.Minute), nil
		}
		if err := d.organizer.Start(ctx, r.contest.Name); err != nil { // a ladder is always on
			return 0, err
		}
		return chooseEvery, nil
	case contest.Running:
	default:
		return 0, nil
	}
	if wait := time.Until(r.retry); wait > 0 {
		return wait, nil
	}
	free := d.desk.Free(r.contest.Game)
	if len(free) == 0 {
		return 0, nil
	}
	if err := r.rate(ctx); err != nil {
		return 0, err
	}
	var candidates []ladder.Candidate
	var numbers []int // of entries, by candidate
	add := func(name string, since time.Time, bot bool) {
		n, ok := r.state.Number(name)
		if !ok || r.state.Entries[n].Withdrawn || r.isStarting(name) {
			return
		}
		x := r.player(r.state.Entries[n].Name)
		candidates = append(candidates, ladder.Candidate{
			Name: r.state.Entries[n].Name, Rating: x.rating, Width: x.width, Played: x.played, Since: since, Last: x.last, Bot: bot,
		})
		numbers = append(numbers, n)
	}
	for _, p := range free {
		add(p.Player, p.Since, false)
	}
	for _, e := range r.state.Entries {
		if e.Bot != "" {
			add(e.Name, time.Time{}, true)
		}
	}
	spec := r.state.Spec
	groups, again := ladder.Next(candidates, ladder.Options{
		Players: spec.Players, Seed: r.state.Draw(), Now: time.Now(), MaxWait: min(max(r.usual/4, minWait), maxWait), Busy: r.playing * spec.Players,
	})
	for _, g := range groups {
		if r.playing >= d.parallel(spec) {
			break
		}
		entries := make([]int, len(g))
		for i, candidate := range g {
			entries[i] = numbers[candidate]
		}
		r.begin(ctx, entries)
	}
	return again, nil
}

// rate reads the ratings, unless it has just read them.
func (r *ladderRun) rate(ctx context.Context) error {
	if time.Since(r.rated) < r.every {
		return nil
	}
	begun := time.Now()
	ratings, err := r.director.ratingsOf(ctx, r.contest.Game)
	if err != nil {
		return err
	}
	for _, k := range ratings.Competitors(begun) {
		x := r.players[k.Name]
		if x == nil {
			x = &ladderPlayer{played: k.Played, last: k.Last}
			r.players[k.Name] = x
		}
		x.rating, x.width = k.Rating, k.High-k.Low
	}
	r.number = max(r.number, ratings.Matches(r.contest.Name))
	for l := range r.director.lobby.Fixtures(r.contest.Name) { // another host can have created some
		r.number = max(r.number, l[0]+1)
	}
	r.rated = time.Now()
	r.every = max(rateEvery, refreshShare*time.Since(begun))
	return nil
}

// player returns what is known about a player.
func (r *ladderRun) player(name string) *ladderPlayer {
	x := r.players[name]
	if x == nil {
		x = &ladderPlayer{rating: contest.Anchor}
		r.players[name] = x
	}
	return x
}

func (r *ladderRun) isStarting(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starting[name] > 0
}

// begin begins a match between entries, in the order of their seats.
func (r *ladderRun) begin(ctx context.Context, entries []int) {
	m := r.state.Match(r.state.LadderFixture(r.number, entries))
	r.number++
	r.playing++
	var names []string
	for _, e := range m.Entries {
		names = append(names, e.Name)
	}
	r.mu.Lock()
	for i, name := range names {
		if m.Entries[i].Bot == "" {
			r.starting[name]++
		}
	}
	r.mu.Unlock()
	for _, name := range names {
		x := r.player(name)
		x.played++
		for _, other := range names {
			if other != name {
				x.last = append([]string{other}, x.last[:min(len(x.last), maxLast-1)]...)
			}
		}
	}
	go func() { // ends with the match
		begun := time.Now()
		started := sync.OnceFunc(func() { r.started(names) })
		err := r.play(ctx, m, started)
		started()
		r.done <- ladderReport{time.Since(begun), err}
	}()
}

// started forgets that players have a match that the desk does not count yet.
func (r *ladderRun) started(names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		if r.starting[name]--; r.starting[name] <= 0 {
			delete(r.starting, name)
		}
	}
}

// play plays a match. A player that does not come to it does not lose it, but the desk
// does not choose that player for some time.
func (r *ladderRun) play(ctx context.Context, m contest.Match, started func()) error {
	match, err := matchOf(m)
	if err != nil {
		return err
	}
	match.Created = func(string) { started() }
	_, err = r.director.playMatch(ctx, match)
	return err
}
