package director

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/contest"
	"colosseum/host/internal/ladder"
)

const (
	// chooseEvery is the least time between two choices of matches. Players that become
	// free at about the same time are chosen from together.
	chooseEvery = 250 * time.Millisecond
	// rateEvery is the least time between two looks at the ratings. It grows with their
	// cost, like refreshEvery.
	rateEvery = 2 * time.Second
	// The time that a player waits for a good opponent is a quarter of that of a usual
	// match, within these bounds.
	minPatience, maxPatience = 200 * time.Millisecond, 10 * time.Second
	// usualMatch is the time of a match before one was played.
	usualMatch = 10 * time.Second
	// maxLast is how many opponents of a player are remembered.
	maxLast = 16
)

// climb is a ladder that is being played, for the goroutine of its contest alone.
type climb struct {
	director *Director
	contest  *held
	state    *contest.State
	log      *slog.Logger

	climbers map[string]*climber // by name
	number   int                 // of the next match
	rated    time.Time           // when the ratings were last read
	every    time.Duration       // the least time until they are read again
	usual    time.Duration       // of a match: a moving average
	playing  int                 // matches
	retry    time.Time           // after an error no match begins before

	done chan climbed // each running match sends one value; play receives all of them

	mu       sync.Mutex     // guards the field below
	starting map[string]int // matches that the desk does not count yet, by player
}

// climber is a player or a bot of a ladder.
type climber struct {
	rating, width float64
	played        int
	last          []string // opponents, the latest first
}

// climbed is a match that is over.
type climbed struct {
	took time.Duration
	err  error
}

// climb plays a ladder until it has ended, or ctx ends.
func (d *Director) climb(ctx context.Context, h *held, state *contest.State) error {
	c := &climb{
		director: d, contest: h, state: state, log: d.log.With("contest", h.Name), climbers: map[string]*climber{}, usual: usualMatch,
		done: make(chan climbed), starting: map[string]int{},
	}
	matches, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		for c.playing > 0 {
			c.over(<-c.done)
		}
	}()
	engaged := engagement{engage: func(players []string) func() { return d.desk.EngageFor(h.Game, players) }}
	defer engaged.set(nil)
	for {
		changed := d.desk.Changed()
		wait, err := c.step(matches)
		d.setPhase(h, c.state.Phase)
		if c.state.Phase == contest.Ended {
			return nil
		}
		engaged.set(playing(c.state))
		if err != nil && ctx.Err() == nil {
			c.log.Error("could not go on with a ladder", "error", err, "retry_in", maxDelay)
			wait = maxDelay
		}
		if err := c.wait(ctx, changed, wait); err != nil {
			return err
		}
	}
}

// wait waits until there can be something to do, at least for the time between two
// choices. A wait of 0 is any.
func (c *climb) wait(ctx context.Context, changed <-chan struct{}, most time.Duration) error {
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
		case o := <-c.done:
			c.over(o)
			early = least.C
		case <-changed:
			changed, early = nil, least.C
		case <-c.contest.wake:
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
func (c *climb) over(o climbed) {
	c.playing--
	if o.err != nil {
		c.retry = time.Now().Add(firstDelay)
		if !errors.Is(o.err, context.Canceled) {
			c.log.Warn("could not play a match of a ladder", "error", o.err, "retry_in", firstDelay)
		}
		return
	}
	c.usual = (7*c.usual + o.took) / 8
	c.director.poke()
}

// step begins the matches that are due. It returns after what time there can be more
// without any change; 0: never.
func (c *climb) step(ctx context.Context) (wait time.Duration, err error) {
	d := c.director
	if err := c.state.Refresh(ctx, d.store); err != nil {
		return 0, err
	}
	switch c.state.Phase {
	case contest.Open:
		if wait := time.Until(c.state.Spec.Start); wait > 0 {
			return min(wait, time.Minute), nil
		}
		if err := d.organizer.Start(ctx, c.contest.Name); err != nil { // a ladder is always on
			return 0, err
		}
		return chooseEvery, nil
	case contest.Running:
	default:
		return 0, nil
	}
	if wait := time.Until(c.retry); wait > 0 {
		return wait, nil
	}
	free := d.desk.Free(c.contest.Game)
	if len(free) == 0 {
		return 0, nil
	}
	if err := c.rate(ctx); err != nil {
		return 0, err
	}
	var candidates []ladder.Candidate
	var numbers []int // of entries, by candidate
	add := func(name string, since time.Time, bot bool) {
		n, ok := c.state.Number(name)
		if !ok || c.state.Entries[n].Withdrawn || c.isStarting(name) {
			return
		}
		x := c.climber(c.state.Entries[n].Name)
		candidates = append(candidates, ladder.Candidate{
			Name: c.state.Entries[n].Name, Rating: x.rating, Width: x.width, Played: x.played, Since: since, Last: x.last, Bot: bot,
		})
		numbers = append(numbers, n)
	}
	for _, p := range free {
		add(p.Player, p.Since, false)
	}
	for _, e := range c.state.Entries {
		if e.Bot != "" {
			add(e.Name, time.Time{}, true)
		}
	}
	spec := c.state.Spec
	groups, again := ladder.Next(candidates, ladder.Options{
		Players: spec.Players, Seed: c.state.Draw(), Now: time.Now(), Patience: min(max(c.usual/4, minPatience), maxPatience), Busy: c.playing * spec.Players,
	})
	most := d.settings.Parallel
	if spec.Parallel > 0 {
		most = min(most, spec.Parallel)
	}
	for _, g := range groups {
		if c.playing >= most {
			break
		}
		entries := make([]int, len(g))
		for i, candidate := range g {
			entries[i] = numbers[candidate]
		}
		c.begin(ctx, entries)
	}
	return again, nil
}

// rate reads the ratings, if that was long ago.
func (c *climb) rate(ctx context.Context) error {
	if time.Since(c.rated) < c.every {
		return nil
	}
	begun := time.Now()
	ratings, err := c.director.ratingsOf(ctx, c.contest.Game)
	if err != nil {
		return err
	}
	for _, k := range ratings.Known(begun) {
		x := c.climbers[k.Name]
		if x == nil {
			x = &climber{played: k.Played, last: k.Last}
			c.climbers[k.Name] = x
		}
		x.rating, x.width = k.Rating, k.High-k.Low
	}
	c.number = max(c.number, ratings.Matches(c.contest.Name))
	c.rated = time.Now()
	c.every = max(rateEvery, refreshShare*time.Since(begun))
	return nil
}

// climber returns what is known about a player.
func (c *climb) climber(name string) *climber {
	x := c.climbers[name]
	if x == nil {
		x = &climber{rating: contest.Anchor}
		c.climbers[name] = x
	}
	return x
}

func (c *climb) isStarting(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.starting[name] > 0
}

// begin begins a match between entries, in the order of their seats.
func (c *climb) begin(ctx context.Context, entries []int) {
	m := c.state.Match(c.state.Rung(c.number, entries))
	c.number++
	c.playing++
	var names []string
	for _, e := range m.Entries {
		names = append(names, e.Name)
	}
	c.mu.Lock()
	for i, name := range names {
		if m.Entries[i].Bot == "" {
			c.starting[name]++
		}
	}
	c.mu.Unlock()
	for _, name := range names {
		x := c.climber(name)
		x.played++
		for _, other := range names {
			if other != name {
				x.last = append([]string{other}, x.last[:min(len(x.last), maxLast-1)]...)
			}
		}
	}
	go func() { // ends with the match
		begun := time.Now()
		started := sync.OnceFunc(func() { c.started(names) })
		err := c.play(ctx, m, started)
		started()
		c.done <- climbed{time.Since(begun), err}
	}()
}

// started forgets that players have a match that the desk does not count yet.
func (c *climb) started(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		if c.starting[name]--; c.starting[name] <= 0 {
			delete(c.starting, name)
		}
	}
}

// play plays a match. Nobody forfeits one to which it does not come: the desk does not
// choose that player for some time.
func (c *climb) play(ctx context.Context, m contest.Match, started func()) error {
	fixture, err := fixtureOf(m)
	if err != nil {
		return err
	}
	fixture.Created = func(string) { started() }
	c.director.counted(1, 0)
	_, absent, err := c.director.desk.Play(ctx, fixture)
	c.director.counted(-1, len(absent))
	return err
}
