package director

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/ladder"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/serving"
)

const (
	// chooseEvery is the least time between two choices of matches. Players that become
	// free at about the same time can then meet.
	chooseEvery = 250 * time.Millisecond
	// chooseSoon is that time after a match between programs alone: they are always free, and
	// the cores should not be idle.
	chooseSoon = 10 * time.Millisecond
	// mostPrograms is among how many programs matches are chosen, those that wait for the
	// longest time, because a choice takes time that grows with their square.
	mostPrograms = 64
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

// ladderRun is a ladder or a league that is being played, for the goroutine of its contest alone.
type ladderRun struct {
	director *Director
	contest  *tracked
	state    *contest.State
	log      *slog.Logger

	players  map[string]*ladderPlayer  // by name
	number   int                       // of the next match
	rated    time.Time                 // when the ratings were last read
	every    time.Duration             // the least time until they are read again
	usual    time.Duration             // of a match: a moving average
	playing  int                       // matches
	busy     map[int]int               // matches by division; those of a ladder are all in one
	alone    int                       // of them, those between programs alone
	retry    time.Time                 // after an error no match begins before
	programs map[string]*ladderProgram // by name of the player

	done chan ladderReport // each running match sends one value; play receives all of them

	mu       sync.Mutex     // guards the field below
	starting map[string]int // matches that the desk does not count yet, by player
}

// ladderPlayer is a player or a bot of a ladder.
type ladderPlayer struct {
	version       int // of the program that plays for it; 0: none
	rating, width float64
	played        int
	last          []string // opponents, the latest first
}

// ladderProgram is what is known about the program of a player.
type ladderProgram struct {
	playing int       // matches
	since   time.Time // of the last change of playing
	failed  int       // matches in a row that could not be played
	retry   time.Time // after an error no match begins before
	budget  float64   // matches with other programs alone that it can begin
	at      time.Time // when that was; zero: it has begun none
}

// rest returns how long a program has to wait for its next match with other programs alone,
// if it can begin a number of them in an hour; 0: any number. They can come all at once.
func (p *ladderProgram) rest(hourly int, now time.Time) time.Duration {
	if hourly == 0 {
		return 0
	}
	most := float64(hourly)
	if p.at.IsZero() {
		p.budget = most
	}
	p.budget, p.at = min(most, p.budget+now.Sub(p.at).Hours()*most), now
	if p.budget >= 1 {
		return 0
	}
	return time.Duration((1-p.budget)/most*float64(time.Hour)) + time.Millisecond // rounded up
}

// ladderReport is a match that is over.
type ladderReport struct {
	programs []string // players for which programs played
	alone    bool     // nobody else played
	division int
	took     time.Duration
	err      error
}

// playLadder plays a ladder or a league until it has ended, or ctx ends.
func (d *Director) playLadder(ctx context.Context, t *tracked) error {
	state, err := contest.LoadLeague(ctx, d.store, t.Name)
	if err != nil {
		return err
	}
	r := &ladderRun{
		director: d, contest: t, state: state, log: d.log.With("contest", t.Name), players: map[string]*ladderPlayer{}, programs: map[string]*ladderProgram{}, usual: usualMatch,
		busy: map[int]int{}, done: make(chan ladderReport), starting: map[string]int{},
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
		changed, programs := d.desk.Changed(), d.programsChanged()
		wait, err := r.step(matches)
		d.setPhase(t, r.state.Phase)
		if r.state.Phase == contest.Ended {
			return nil
		}
		engaged.set(playing(r.state, d.versions(t.Game)))
		if err != nil && ctx.Err() == nil {
			r.log.Error("could not go on with a contest", "error", err, "retry_in", maxDelay)
			wait = maxDelay
		}
		if err := r.wait(ctx, changed, programs, wait); err != nil {
			return err
		}
	}
}

// wait waits until the next matches can be chosen. After an event, it returns when
// chooseEvery has passed since its call, or chooseSoon if that was the end of a match between
// programs alone; without one, after the given time; 0: never.
func (r *ladderRun) wait(ctx context.Context, changed, programs <-chan struct{}, most time.Duration) error {
	least, soon := time.NewTimer(chooseEvery), time.NewTimer(chooseSoon)
	defer least.Stop()
	defer soon.Stop()
	var timeout <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		timeout = timer.C
	}
	var early, earlier <-chan time.Time // nil until something has happened
	for {
		select {
		case o := <-r.done:
			r.over(o)
			if o.alone {
				earlier = soon.C
			}
			early = least.C
		case <-programs:
			programs, early = nil, least.C
		case <-changed:
			changed, early = nil, least.C
		case <-r.contest.wake:
			early = least.C
		case <-timeout:
			return nil
		case <-early:
			return nil
		case <-earlier:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// over counts a match that is over.
func (r *ladderRun) over(o ladderReport) {
	r.playing--
	r.busy[o.division]--
	if o.alone {
		r.alone--
	}
	for _, name := range o.programs {
		p := r.program(name)
		p.playing--
		p.since = time.Now()
		if o.err == nil {
			p.failed = 0
		}
	}
	if o.err != nil && (o.alone || errors.Is(o.err, lobby.ErrNoPrograms)) {
		r.delay(o)
		return
	}
	if o.err != nil {
		r.retry = time.Now().Add(firstDelay)
		if !errors.Is(o.err, context.Canceled) {
			r.log.Warn("could not play a match of a contest", "error", o.err, "retry_in", firstDelay)
		}
		return
	}
	r.usual = (7*r.usual + o.took) / 8
	if !o.alone { // otherwise there can be many, and Run looks soon anyway
		r.director.wake()
	}
}

// delay handles that a match between programs could not be played. One program that the
// host can't start must not hold up the others.
func (r *ladderRun) delay(o ladderReport) {
	delay := firstDelay
	for _, name := range o.programs {
		p := r.program(name)
		delay = min(firstDelay<<min(p.failed, 10), maxDelay)
		p.failed++
		p.retry = time.Now().Add(delay)
	}
	if !errors.Is(o.err, context.Canceled) {
		r.log.Warn("could not play a match between programs", "players", o.programs, "error", o.err, "retry_in", delay)
	}
}

// program returns what is known about the program of a player.
func (r *ladderRun) program(name string) *ladderProgram {
	p := r.programs[name]
	if p == nil {
		p = &ladderProgram{since: time.Now()}
		r.programs[name] = p
	}
	return p
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
		if r.state.Spec.Format == contest.League {
			return r.open(ctx)
		}
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
	season, err := r.season(ctx)
	if err != nil {
		return 0, err
	}
	defer func() {
		if season > 0 && (wait == 0 || season < wait) {
			wait = season
		}
	}()
	if r.state.Phase == contest.Ended {
		return 0, nil
	}
	if wait := time.Until(r.retry); wait > 0 {
		return wait, nil
	}
	versions := d.versions(r.contest.Game)
	c := r.candidates(d.desk.Free(r.contest.Game), versions)
	if c.players == 0 && c.programs == 0 {
		return c.again, nil
	}
	if err := r.rate(ctx); err != nil {
		return 0, err
	}
	for i := range c.list {
		c.list[i] = r.know(c.list[i], versionOf(versions, r.state.Entries[c.entries[i]].Entry))
	}
	least := minWait
	if c.players == 0 {
		least = chooseSoon
	}
	groups, again := r.choose(c, min(max(r.usual/4, least), maxWait))
	for _, g := range groups {
		if r.playing >= d.parallel(r.state.Spec) {
			break
		}
		entries := make([]int, len(g.seats))
		for i, candidate := range g.seats {
			entries[i] = c.entries[candidate]
		}
		if r.begin(ctx, entries, g.division, versions) && c.again == 0 { // a program can have room for more
			c.again = chooseSoon
		}
	}
	if again == 0 || c.again > 0 && c.again < again {
		again = c.again
	}
	return again, nil
}

// ladderCandidates are those that can get a match now.
type ladderCandidates struct {
	list     []ladder.Candidate // with Name, Since, Bot and Later
	entries  []int              // by candidate
	players  int                // that are connected
	programs int
	again    time.Duration // after which there can be more even if nothing changes; 0: never
}

// candidates returns those that can get a match now: players that are connected and free, or
// whose programs have room, and bots.
func (r *ladderRun) candidates(free []serving.Waiting, versions map[string]int) (c ladderCandidates) {
	add := func(n int, since time.Time, later bool) {
		e := r.state.Entries[n]
		c.list, c.entries = append(c.list, ladder.Candidate{Name: e.Name, Since: since, Bot: e.Bot != "", Later: later}), append(c.entries, n)
	}
	for _, p := range free {
		n, ok := r.state.Number(p.Player)
		// One that serves under a former name will connect again soon.
		if !ok || !strings.EqualFold(r.state.Entries[n].Player, p.Player) || r.state.Entries[n].Withdrawn || versionOf(versions, r.state.Entries[n].Entry) > 0 || r.isStarting(r.state.Entries[n].Name) {
			continue
		}
		c.players++
		add(n, p.Since, false)
	}
	var programs []int
	for n, e := range r.state.Entries {
		switch {
		case e.Bot != "":
			add(n, time.Time{}, false)
		case !e.Withdrawn && versionOf(versions, e.Entry) > 0:
			p := r.program(e.Name)
			wait := time.Until(p.retry)
			if c.players == 0 { // else it can play one of them
				wait = max(wait, p.rest(r.director.settings.Programs.Hourly(), time.Now()))
			}
			if wait > 0 {
				if c.again == 0 || wait < c.again {
					c.again = wait
				}
			} else if p.playing < r.director.settings.Programs.Concurrency() {
				programs = append(programs, n)
			}
		}
	}
	if len(programs) > 0 && r.director.limit() == 0 {
		c.again = lookAgain
		return c
	}
	if c.players == 0 && r.room() <= 0 {
		return c
	}
	since := func(n int) time.Time { return r.program(r.state.Entries[n].Name).since }
	slices.SortStableFunc(programs, func(a, b int) int { return since(a).Compare(since(b)) })
	for _, n := range programs[:min(len(programs), mostPrograms)] {
		c.programs++
		add(n, since(n), true)
	}
	return c
}

// room returns how many matches between programs alone can begin.
func (r *ladderRun) room() int { return r.director.limit() - r.alone }

// know adds to a candidate what is known about the version that plays for it.
func (r *ladderRun) know(c ladder.Candidate, version int) ladder.Candidate {
	x := r.player(c.Name)
	if x.version != version { // it is about as strong as the one before it
		x.version, x.width, x.played = version, 0, 0
	}
	c.Rating, c.Width, c.Played, c.Last = x.rating, x.width, x.played, x.last
	return c
}

// rate reads the ratings, unless it has just read them.
func (r *ladderRun) rate(ctx context.Context) error {
	if time.Since(r.rated) < r.every {
		return nil
	}
	begun := time.Now()
	competitors, next, err := r.competitors(ctx, begun)
	if err != nil {
		return err
	}
	for _, k := range competitors {
		x := r.players[k.Name]
		if x == nil {
			x = &ladderPlayer{version: k.Version, rating: k.Rating, played: k.Played, last: k.Last}
			r.players[k.Name] = x
		}
		if x.version == k.Version { // else the one that plays now has no match yet
			x.rating, x.width = k.Rating, k.High-k.Low
		}
	}
	r.number = max(r.number, next)
	for _, f := range r.director.lobby.Fixtures(r.contest.Name) { // another host can have created some
		r.number = max(r.number, f.Pairing+1)
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

// begin begins a match between entries, in the order of their seats, unless it is one of
// programs alone for which there is no room. It reports whether it has begun such a match.
func (r *ladderRun) begin(ctx context.Context, entries []int, division int, versions map[string]int) (alone bool) {
	m := r.state.Match(r.state.LadderFixture(r.number, entries))
	match := matchOf(m)
	_, alone = seat(m, versions, &match)
	if alone && (r.room() <= 0 || r.resting(m, match.Versions)) {
		return false
	}
	r.number++
	r.playing++
	r.busy[division]++
	if alone {
		r.alone++
	}
	var names, connected, programs []string
	r.mu.Lock()
	for i, e := range m.Entries {
		names = append(names, e.Name)
		if match.Versions[i] > 0 {
			programs = append(programs, e.Name)
		} else if e.Bot == "" {
			connected = append(connected, e.Name)
			r.starting[e.Name]++
		}
	}
	r.mu.Unlock()
	for _, name := range programs {
		p := r.program(name)
		p.playing++
		p.since = time.Now()
		if alone {
			p.budget--
		}
	}
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
		started := sync.OnceFunc(func() { r.started(connected) })
		match.Created = func(string) { started() }
		// A player that does not come does not lose, but the desk does not choose it for
		// some time.
		_, err := r.director.playMatch(ctx, match)
		started()
		r.done <- ladderReport{programs, alone, division, time.Since(begun), err}
	}()
	return alone
}

// resting reports whether a program of a match has begun as many matches as it can.
func (r *ladderRun) resting(m contest.Match, versions []int) bool {
	now, hourly := time.Now(), r.director.settings.Programs.Hourly()
	for i, e := range m.Entries {
		if versions[i] > 0 && r.program(e.Name).rest(hourly, now) > 0 {
			return true
		}
	}
	return false
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
