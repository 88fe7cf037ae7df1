package director

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// List returns the running contests first, then those that are paused, open and ended,
// of each the newest first.
func (d *Director) List(ctx context.Context) ([]contest.Summary, error) {
	list := []contest.Summary{}
	for _, t := range d.all() {
		switch v, err := d.readBrief(ctx, t); {
		case errors.Is(err, store.ErrNoContest), errors.Is(err, contest.ErrUnreadable): // it was just removed, or is logged once
		case err != nil:
			return nil, err
		default:
			list = append(list, v.Summary)
		}
	}
	contest.SortSummaries(list)
	return list, nil
}

func (d *Director) all() []*tracked {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]*tracked, 0, len(d.contests))
	for _, t := range d.contests {
		list = append(list, t)
	}
	return list
}

// View returns a contest, or contest.ErrUnknown. It must not be changed.
func (d *Director) View(ctx context.Context, name string) (*contest.View, error) {
	t, err := d.find(ctx, name)
	if err != nil {
		return nil, err
	}
	v, err := d.read(ctx, t)
	if errors.Is(err, store.ErrNoContest) { // it was just removed
		err = &contest.UnknownError{Name: t.Name}
	}
	return v, err
}

// readBrief returns the view of a contest, which can be without matches.
func (d *Director) readBrief(ctx context.Context, t *tracked) (*contest.View, error) {
	t.mu.Lock()
	brief := t.brief
	if t.viewed < t.last {
		brief = nil
	}
	t.mu.Unlock()
	if brief != nil {
		return brief, nil
	}
	return d.read(ctx, t)
}

// read returns the view of a contest, which is computed if the contest has changed.
func (d *Director) read(ctx context.Context, t *tracked) (*contest.View, error) {
	t.reading.Lock()
	defer t.reading.Unlock() // another reader waits for the same view
	if view := t.current(); view != nil {
		return view, nil
	}
	begun := time.Now()
	matches := d.lobby.Fixtures(t.Name) // before the results: a match can end in between
	view, err := d.computeLocked(ctx, t, matches)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.stale = true
		return nil, err
	}
	t.view, t.matches, t.viewed = view, matches, t.state.Last()
	if final(view) {
		t.state, t.brief = nil, view.Brief()
	}
	d.spent(time.Since(begun))
	return view, nil
}

// final reports whether a view only changes with another event of its contest. A cup also
// changes with its contests.
func final(v *contest.View) bool { return v.Phase == contest.Ended && v.Format != contest.Cup }

// current returns the view if it is that of now. Otherwise it returns nil, and what changes
// from now on makes a new one stale.
func (t *tracked) current() *contest.View {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used = time.Now()
	if t.view != nil && (!t.stale || final(t.view) && t.viewed >= t.last) {
		return t.view
	}
	t.stale = false
	return nil
}

// computeLocked returns a new view. It needs t.reading.
func (d *Director) computeLocked(ctx context.Context, t *tracked, matches map[string]record.Fixture) (*contest.View, error) {
	if t.state == nil {
		state, err := contest.LoadLeague(ctx, d.store, t.Name)
		if err != nil {
			return nil, err
		}
		t.state = state
	} else if err := t.state.Refresh(ctx, d.store); err != nil {
		return nil, err
	}
	v, err := t.state.View(matches)
	if err == nil && v.Format == contest.Cup {
		err = d.sum(ctx, t.state, v)
	}
	if err != nil || v.Format != contest.Ladder {
		return v, err
	}
	return v, d.rank(ctx, v)
}

// spent notes the cost of a view.
func (d *Director) spent(cost time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cost = max(d.cost, cost)
}

// rank fills in the standings of a ladder from the ratings of its game.
func (d *Director) rank(ctx context.Context, v *contest.View) error {
	ratings, err := d.ratingsOf(ctx, v.Game)
	if err != nil {
		return err
	}
	v.Rank(ratings, time.Now())
	return nil
}

// ratingsOf returns the ratings of a game, with all results so far.
func (d *Director) ratingsOf(ctx context.Context, game string) (*contest.Ratings, error) {
	d.mu.Lock()
	r := d.ratings[game]
	if r == nil {
		r = contest.NewRatings(game, d.organizer.HalfLife)
		d.ratings[game] = r
	}
	d.mu.Unlock()
	if d.organizer.Players != nil {
		aliases, err := d.organizer.Players.Aliases(ctx) // before the results: a player has a name before it plays under it
		if err != nil {
			return nil, err
		}
		r.Follow(aliases)
	}
	if err := r.Refresh(ctx, d.store); err != nil {
		return nil, err
	}
	if d.improving.CompareAndSwap(false, true) {
		go func() { // ends after seconds at most
			defer d.improving.Store(false)
			r.Improve(time.Now())
		}()
	}
	return r, nil
}

// games returns the games of all contests.
func (d *Director) games() []string {
	var list []string
	for _, t := range d.all() {
		if t.Game != "" { // else it is a cup
			list = append(list, t.Game)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Ratings returns the ratings of a game, the best first, or contest.ErrUnknown if it
// has no rated match.
func (d *Director) Ratings(ctx context.Context, game string) ([]contest.Standing, error) {
	if !slices.Contains(d.games(), game) {
		return nil, contest.ErrUnknown
	}
	begun := time.Now()
	ratings, err := d.ratingsOf(ctx, game)
	if err != nil {
		return nil, err
	}
	list := ratings.Standings(time.Now())
	if len(list) == 0 {
		return nil, contest.ErrUnknown
	}
	d.spent(time.Since(begun))
	return list, nil
}

// Player returns a registered player, by a name that it has or had, or a bot with a rating, or
// contest.ErrUnknown.
func (d *Director) Player(ctx context.Context, name string) (*contest.Profile, error) {
	p := &contest.Profile{Name: name, Games: []contest.GameProfile{}, Contests: []contest.Participation{}}
	known, names := false, []string{name}
	if d.organizer.Players != nil && !strings.HasPrefix(name, contest.BotPrefix) {
		all, err := d.organizer.Players.Names(ctx, name)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 {
			known, names = true, all
			p.Name, p.Former = all[0], all[1:]
		}
	}
	for _, game := range d.games() {
		ratings, err := d.ratingsOf(ctx, game)
		if err != nil {
			return nil, err
		}
		g, ok, err := ratings.Profile(p.Name, time.Now())
		if err != nil {
			return nil, err
		}
		if ok {
			p.Name, p.Bot, p.Games = g.Name, g.Bot, append(p.Games, g)
		}
	}
	known = known || len(p.Games) > 0
	for _, t := range d.all() {
		v, err := d.readBrief(ctx, t)
		if errors.Is(err, store.ErrNoContest) || errors.Is(err, contest.ErrUnreadable) { // as in List
			continue
		}
		if err != nil {
			return nil, err
		}
		if v.Local {
			continue // its entries are programs
		}
		for _, name := range names {
			if part, ok := v.Participation(name); ok {
				known = true
				p.Contests = append(p.Contests, part)
				break
			}
		}
	}
	slices.SortFunc(p.Contests, func(a, b contest.Participation) int { return b.Created.Compare(a.Created) })
	if !known {
		return nil, contest.ErrUnknown
	}
	return p, nil
}

// History returns the rating of a player, or of a bot, in a game since a time; nil if it has no
// rated match there.
func (d *Director) History(ctx context.Context, name, game string, since time.Time) ([]contest.Point, error) {
	if !slices.Contains(d.games(), game) {
		return nil, nil
	}
	ratings, err := d.ratingsOf(ctx, game)
	if err != nil {
		return nil, err
	}
	return ratings.History(name, since, time.Now())
}
