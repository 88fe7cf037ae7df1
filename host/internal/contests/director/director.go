package director

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// Desk finds the players of matches. See *serving.Desk.
type Desk interface {
	Play(ctx context.Context, f serving.ContestMatch) (id string, absent []string, err error)
	Engage(players []string) (release func())
	EngageFor(game string, players []string) (release func())
	Free(game string) []serving.Waiting
	Serving(game string) []string
	Changed() <-chan struct{}
}

// Lobby lists the matches of all hosts. See *lobby.Lobby.
type Lobby interface {
	Fixtures(contest string) map[string]record.Fixture
	FixturesGeneration() uint64
}

// Settings of a director.
type Settings struct {
	Parallel int // most matches of one contest at the same time
	// Written, if not nil, is called after any process has written to the store.
	Written  func(ctx context.Context) error
	Programs Programs // nil: players have to connect
}

// Director plays the contests of a host, and shows them to readers. In a cluster, each
// host shows them, and the leader plays them. Its methods can be called concurrently.
type Director struct {
	organizer contest.Organizer
	store     contest.Store
	desk      Desk
	lobby     Lobby
	settings  Settings
	log       *slog.Logger

	generation atomic.Uint64 // see Generation
	improving  atomic.Bool   // some ratings are being improved
	noHost     atomic.Bool   // no host ran programs the last time that was asked
	woken      chan struct{} // one value: the store has changed, and Run should look at it now

	aliases map[string]string // that followNames has seen; for Run's goroutine alone

	mu       sync.Mutex // guards the fields below
	leading  *leading   // see Lead; nil: this host plays no contests
	contests map[string]*tracked
	ratings  map[string]*contest.Ratings // by game
	cost     time.Duration               // of the most expensive view in this generation
	matches  int                         // see Stats
	absent   uint64                      // see Stats
}

// leading is a call of Lead.
type leading struct {
	ctx      context.Context
	contests sync.WaitGroup // goroutines that play them
}

// tracked is a contest of the director.
type tracked struct {
	store.Contest               // as it was created, without Spec: another one can have its name later
	wake          chan struct{} // one value: the contest might have changed

	// The director's mu guards these three.
	seen  bool               // Run has found it in the store
	stop  context.CancelFunc // of its goroutine; nil: it has not begun since this host leads
	phase contest.Phase      // empty: this host does not play it, or does not know it yet

	programs gate // of its matches between programs alone, if it has rounds

	reading sync.Mutex     // held while a view is computed; locked before mu, and that of a cup before those of its contests; guards the field below
	state   *contest.State // for readers: it is refreshed when a reader needs it; nil: not read yet

	mu      sync.Mutex                // guards the fields below; held for a moment, because players wait for it
	matches map[string]record.Fixture // those that wait or run, by ID, as the view shows them
	missed  map[string]int            // matches in a row to which an entry, or a player of a team, did not come
	stale   bool                      // view is older than the contest
	last    int64                     // the number of the last event that Run has seen
	viewed  int64                     // the number of the last event in view
	view    *contest.View             // nil: there is none
	used    time.Time                 // when a reader last got the view
	brief   *contest.View             // of a contest that has ended, without its matches; nil: not read yet
}

const (
	// watchEvery is the time between two looks for changes by other processes.
	watchEvery = 250 * time.Millisecond
	// refreshEvery is the least time between two generations, so that many readers of
	// a contest with many results cost little. It grows with the cost of a view, so
	// that computing views takes at most one part in refreshShare of the time.
	refreshEvery = time.Second
	refreshShare = 10
)

// New returns a director. Run shows the contests, and Lead plays them.
func New(organizer contest.Organizer, desk Desk, l Lobby, settings Settings, log *slog.Logger) *Director {
	return &Director{
		organizer: organizer, store: organizer.Store, desk: desk, lobby: l, settings: settings, log: log,
		woken: make(chan struct{}, 1), contests: map[string]*tracked{}, ratings: map[string]*contest.Ratings{},
	}
}

// Lead plays all contests until ctx ends, while Run runs. It returns when the desk has
// returned from all matches. If this host is alone, that is when those that have started are
// over, so code that aborts them must not wait for Lead. It can be called again then.
func (d *Director) Lead(ctx context.Context) {
	l := &leading{ctx: ctx}
	d.mu.Lock()
	d.leading = l
	for _, t := range d.contests {
		d.beginLocked(t)
	}
	d.mu.Unlock()
	<-ctx.Done()
	d.mu.Lock()
	d.leading = nil
	d.mu.Unlock()
	l.contests.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.contests {
		t.stop, t.phase = nil, ""
	}
}

// beginLocked begins to play a contest, unless that has begun or another host leads.
func (d *Director) beginLocked(t *tracked) {
	if d.leading == nil || t.stop != nil || !t.seen {
		return
	}
	ctx, stop := context.WithCancel(d.leading.ctx)
	t.stop = stop
	d.leading.contests.Go(func() { d.play(ctx, t) }) // ends with the contest, or with its context
}

// Run looks for changes by other processes and hosts until ctx ends. It must be called at
// most once.
func (d *Director) Run(ctx context.Context) {
	programs := d.programsChanged()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var version, followed int64 = -1, -1
	var shown time.Time
	changed, failing := false, false
	fixtures := d.lobby.FixturesGeneration()
	for {
		now, err := d.store.Version(ctx)
		if err == nil && now != version {
			if err = d.look(ctx); err == nil {
				version, changed = now, true
			}
		}
		if err == nil {
			followed, err = d.followNames(ctx, version, followed)
		}
		if err != nil && ctx.Err() == nil && !failing {
			d.log.Error("could not read the contests; trying again", "error", err)
		}
		failing = err != nil
		d.forget()
		changed = d.expire(time.Now()) || changed
		playing := d.lobby.FixturesGeneration()
		if (changed || playing != fixtures) && time.Since(shown) >= d.pause() {
			if playing != fixtures {
				d.compareMatches()
			}
			changed, fixtures, shown = false, playing, time.Now()
			d.nextGeneration()
		}
		select {
		case <-tick.C:
		case <-d.woken:
		case <-programs: // nil: never
			programs = d.programsChanged()
			for _, t := range d.all() { // other players have to be free for its matches
				t.changed()
			}
		case <-ctx.Done():
			return
		}
	}
}

// followNames gives the players of contests the names that they have now, if this host leads
// and the store has changed since the version before. It returns the version with which it
// has done that.
func (d *Director) followNames(ctx context.Context, version, before int64) (int64, error) {
	d.mu.Lock()
	leads := d.leading != nil
	d.mu.Unlock()
	if !leads {
		return -1, nil
	}
	if version == before || d.organizer.Players == nil {
		return before, nil
	}
	aliases, err := d.organizer.Players.Aliases(ctx)
	if err != nil {
		return before, err
	}
	if before < 0 || !maps.Equal(aliases, d.aliases) {
		if err := d.organizer.FollowNames(ctx); err != nil {
			return before, err
		}
		d.aliases = aliases
	}
	return version, nil
}

// keepViews is how long the view of a contest that has ended is kept for readers.
const keepViews = 10 * time.Minute

// forget drops the views that have not been read for some time.
func (d *Director) forget() {
	for _, t := range d.all() {
		t.mu.Lock()
		if t.brief != nil && time.Since(t.used) > keepViews {
			t.view = nil
		}
		t.mu.Unlock()
	}
}

// compareMatches marks the views as stale that show other matches than those that wait or
// run now.
func (d *Director) compareMatches() {
	for _, t := range d.all() {
		t.mu.Lock()
		compare := t.view != nil && t.brief == nil && !t.stale
		shown := t.matches
		t.mu.Unlock()
		if compare && !maps.EqualFunc(shown, d.lobby.Fixtures(t.Name), func(record.Fixture, record.Fixture) bool { return true }) {
			t.mu.Lock()
			t.stale = true
			t.mu.Unlock()
		}
	}
}

// pause returns the least time between this generation and the next one.
func (d *Director) pause() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return max(refreshEvery, refreshShare*d.cost)
}

// nextGeneration makes readers compute their views again.
func (d *Director) nextGeneration() {
	d.mu.Lock()
	d.cost = 0
	d.mu.Unlock()
	d.generation.Add(1)
}

// look finds new contests, and wakes those that have not ended.
func (d *Director) look(ctx context.Context) error {
	list, err := d.store.List(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, c := range list {
		known[c.Name] = true
		t, isNew := d.track(c)
		t.happened(c.Last)
		if isNew {
			d.generation.Add(1) // at once: a client might wait for it
			continue
		}
		t.changed()
	}
	d.drop(known)
	if d.settings.Written == nil {
		return nil
	}
	return d.settings.Written(ctx)
}

// drop forgets the contests that were removed.
func (d *Director) drop(known map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, t := range d.contests {
		if !known[name] {
			d.dropLocked(t)
		}
	}
}

func (d *Director) dropLocked(t *tracked) {
	delete(d.contests, t.Name)
	delete(d.ratings, t.Game) // they have its results
	if t.stop != nil {
		t.stop()
	}
}

// track returns a contest of the store, and whether Run has not seen it before. Then it
// begins to be played if this host leads.
func (d *Director) track(c store.Contest) (t *tracked, isNew bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t = d.trackLocked(c)
	isNew = !t.seen
	t.seen = true
	d.beginLocked(t)
	return t, isNew
}

func (d *Director) trackLocked(c store.Contest) *tracked {
	t := d.contests[c.Name]
	if t != nil && (t.Seed != c.Seed || !t.Created.Equal(c.Created)) { // it was removed, and another one created
		d.dropLocked(t)
		t = nil
	}
	if t == nil {
		c.Spec = "" // it can be long
		t = &tracked{Contest: c, wake: make(chan struct{}, 1), missed: map[string]int{}, stale: true}
		d.contests[c.Name] = t
	}
	return t
}

// changed wakes the goroutine of the contest, and marks its view as stale.
func (t *tracked) changed() {
	t.mu.Lock()
	t.stale = true
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// happened notes the number of the last event. In a contest that has ended nothing changes
// until there is another one.
func (t *tracked) happened(last int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = last
}

// play plays one contest until it has ended or was removed. One that cannot be read is
// read again later.
func (d *Director) play(ctx context.Context, t *tracked) {
	for failing := false; ; failing = true {
		err := d.playNow(ctx, t)
		if err == nil || ctx.Err() != nil || errors.Is(err, store.ErrNoContest) {
			return
		}
		if !failing {
			d.log.Error("could not read a contest; trying again", "contest", t.Name, "error", err)
		}
		select {
		case <-time.After(maxDelay):
		case <-ctx.Done():
			return
		}
	}
}

func (d *Director) playNow(ctx context.Context, t *tracked) error {
	state, err := contest.Load(ctx, d.store, t.Name)
	if err != nil {
		return err
	}
	if !state.Spec.Local() {
		d.setPhase(t, state.Phase)
	}
	switch {
	case state.Phase == contest.Ended, state.Spec.Local():
		return nil // host contest run plays it
	case state.Spec.Rolling():
		return d.playLadder(ctx, t)
	case state.Spec.Format == contest.Cup:
		return d.playCup(ctx, t, state.Spec.Cup)
	default:
		return d.playRounds(ctx, t, state.Spec)
	}
}

// playRounds plays a contest with rounds.
func (d *Director) playRounds(ctx context.Context, t *tracked, spec *contest.Spec) error {
	engaged := engagement{engage: d.desk.Engage}
	defer engaged.set(nil)
	var phase contest.Phase
	return Run(ctx, Contest{
		Store: d.store, Runner: deskRunner{d, t}, Name: t.Name, Parallel: d.parallel(spec), OneEach: true, Wake: t.wake, Log: d.log, Attendance: deskAttendance{d, t},
		Changed: func(s *contest.State) {
			if s.Phase != phase {
				phase = s.Phase
				d.setPhase(t, phase)
				d.log.Info("contest", "contest", t.Name, "state", phase)
			}
			engaged.set(playing(s, d.versions(t.Game)))
			d.wake()
		},
	})
}

// parallel returns how many matches of a contest can be played at the same time.
func (d *Director) parallel(spec *contest.Spec) int {
	if spec.Parallel > 0 {
		return min(d.settings.Parallel, spec.Parallel)
	}
	return d.settings.Parallel
}

// wake makes Run look at the store at once.
func (d *Director) wake() {
	select {
	case d.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// playing returns the players of a contest that must be free for its matches: no program
// plays for them.
func playing(s *contest.State, versions map[string]int) []string {
	if s.Phase != contest.Running || s.Spec.Dates != nil { // a round can be open for weeks: they are kept for each match
		return nil
	}
	return slices.DeleteFunc(s.Needed(), func(player string) bool { return versions[strings.ToLower(player)] > 0 })
}

// engagement is a set of engaged players, for one goroutine.
type engagement struct {
	engage  func(players []string) (release func())
	players []string
	release func() // nil: the set is empty
}

// set changes the set.
func (e *engagement) set(players []string) {
	if slices.Equal(players, e.players) {
		return
	}
	before := e.release
	e.players, e.release = players, nil
	if len(players) > 0 {
		e.release = e.engage(players)
	}
	if before != nil {
		before()
	}
}

// Generation changes with anything that the methods for readers return, but at most
// once a second.
func (d *Director) Generation() uint64 { return d.generation.Load() }

// find returns a contest, or an error for the client. A contest that another process has
// just created is found at once.
func (d *Director) find(ctx context.Context, name string) (*tracked, error) {
	name = strings.ToLower(name)
	d.mu.Lock()
	t := d.contests[name]
	d.mu.Unlock()
	if t != nil {
		return t, nil
	}
	if !contest.ValidName(name) {
		return nil, &contest.UnknownError{Name: name}
	}
	c, err := d.store.Contest(ctx, name)
	if errors.Is(err, store.ErrNoContest) {
		return nil, &contest.UnknownError{Name: name}
	}
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trackLocked(c), nil
}

// Enter enters a registered player, which does it by itself. The errors are for the
// client.
func (d *Director) Enter(ctx context.Context, name, player string) error {
	err := d.organizer.Enter(ctx, name, []contest.Entry{{Name: player, Player: player}}, true)
	d.wake()
	return err
}

// Withdraw is the reverse of Enter.
func (d *Director) Withdraw(ctx context.Context, name, player string) error {
	err := d.organizer.Leave(ctx, name, player)
	d.wake()
	return err
}
