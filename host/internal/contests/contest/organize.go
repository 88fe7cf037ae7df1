package contest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// Organizer changes contests, next to a running host or without. Its errors are for
// people. Its methods can be called concurrently.
type Organizer struct {
	Store    Store
	HalfLife time.Duration // of the weight of a match in the ratings; see NewRatings
	Players  interface {   // the registered players; nil: contests have none
		// Owner returns the player that has or had a name, in any case, or "".
		Owner(ctx context.Context, name string) (player string, err error)
		// Names returns all names of that player, the one that it has now first; none if
		// there is no such player.
		Names(ctx context.Context, name string) ([]string, error)
		// Aliases returns all names that players had before, in lower case, with the names
		// that they have now.
		Aliases(ctx context.Context) (map[string]string, error)
	}
	By      string  // the registered player that acts, which must be an organizer of the contest; empty: the operator of the host
	Classes Classes // nil: nobody is in a class
	// Present reports whether a registered player can be called to a match of a game now; nil:
	// not known.
	Present func(game, player string) bool
}

// maxReturns is how often a player can come back by itself after it has withdrawn. Each
// time adds to the events, which are never removed.
const maxReturns = 10

// tries bounds how often a change is tried again because the contest has changed.
const tries = 100

// Create adds a contest.
func (o *Organizer) Create(ctx context.Context, text []byte) (*Spec, error) {
	spec, err := ReadSpec(text)
	if err != nil {
		return nil, err
	}
	entries, err := o.expand(ctx, spec.Entries.List)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if err := o.checkPlayer(ctx, &entries[i]); err != nil {
			return nil, err
		}
	}
	if _, err := o.checkRegistered(ctx, spec.Organizers); err != nil {
		return nil, fmt.Errorf("organizers: %w", err)
	}
	if err := o.checkFollows(ctx, spec); err != nil {
		return nil, err
	}
	if err := o.checkParts(ctx, spec); err != nil {
		return nil, err
	}
	entries = append(entries, spec.Bosses()...)
	if spec.Format == Pass {
		entries = append(entries, spec.Pass.against())
	}
	c := store.Contest{Name: spec.Name, Game: spec.Game, Spec: string(text), Seed: spec.Seed, Created: time.Now()}
	if c.Seed == 0 {
		c.Seed = randomSeed()
	}
	var events []store.Event
	if len(entries) > 0 {
		events = append(events, newEvent(Enter, eventData{Entries: entries}))
	}
	if err := o.Store.Create(ctx, c, events); err != nil {
		if errors.Is(err, store.ErrContestExists) {
			return nil, fmt.Errorf("there is already a contest %s: choose another name, or remove it with host contest remove %s", spec.Name, spec.Name)
		}
		return nil, err
	}
	return spec, nil
}

func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// checkPlayer returns an error if an entry is a player that is not registered. It gives
// the entry the name of the player in the case in which it is registered.
func (o *Organizer) checkPlayer(ctx context.Context, e *Entry) error {
	if e.Team != nil {
		return o.checkMembers(ctx, e)
	}
	if e.Player == "" || o.Players == nil {
		return nil
	}
	owner, err := o.Players.Owner(ctx, e.Player)
	if err != nil {
		return err
	}
	if owner == "" {
		return fmt.Errorf("the player %s is not registered: use host players add %s", e.Player, e.Player)
	}
	e.Player, e.Name = owner, owner
	return nil
}

// change appends the event that decide returns for the state of a contest; nil means that
// there is nothing to do. If the contest has changed in between, it calls decide again.
func (o *Organizer) change(ctx context.Context, name string, decide func(s *State) (*store.Event, error)) error {
	return o.changeAll(ctx, name, func(s *State) ([]store.Event, error) {
		e, err := decide(s)
		if err != nil || e == nil {
			return nil, err
		}
		return []store.Event{*e}, nil
	})
}

// changeAll is change with several events, which are appended together.
func (o *Organizer) changeAll(ctx context.Context, name string, decide func(s *State) ([]store.Event, error)) error {
	s, err := o.Load(ctx, name)
	if err != nil {
		return err
	}
	for range tries {
		events, err := decide(s)
		if err != nil || len(events) == 0 {
			return err
		}
		for i := range events {
			if err := o.sign(s, &events[i]); err != nil {
				return err
			}
		}
		err = o.Store.Append(ctx, s.Spec.Name, s.Last(), events)
		if !errors.Is(err, store.ErrChanged) {
			return err
		}
		if err := s.Refresh(ctx, o.Store); err != nil {
			return err
		}
	}
	return fmt.Errorf("the contest %s is being changed by others all the time: try again", name)
}

// Load returns the state of the contest with a name, in any case, or an *UnknownError.
func (o *Organizer) Load(ctx context.Context, name string) (*State, error) {
	if !ValidName(strings.ToLower(name)) {
		return nil, unknown(name)
	}
	s, err := Load(ctx, o.Store, strings.ToLower(name))
	if errors.Is(err, store.ErrNoContest) {
		return nil, unknown(name)
	}
	return s, err
}

// UnknownError is the error for a contest that does not exist.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string { return fmt.Sprintf("there is no contest %q", e.Name) }

// Unwrap returns ErrUnknown.
func (e *UnknownError) Unwrap() error { return ErrUnknown }

func unknown(name string) error {
	if len(name) > maxName {
		name = name[:maxName] + "…"
	}
	return &UnknownError{name}
}

// Enter adds entries to a contest, or lets those that have withdrawn come back. ByPlayer
// means that the player itself does it, and not the organizer.
func (o *Organizer) Enter(ctx context.Context, name string, entries []Entry, byPlayer bool) error {
	for i := range entries {
		if err := o.checkPlayer(ctx, &entries[i]); err != nil {
			return err
		}
		if err := entries[i].Check(); err != nil {
			return err
		}
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		var added []Entry
		for _, e := range entries {
			if _, member := s.teamOf(e.Player); member && byPlayer { // a program that serves enters by itself
				continue
			}
			n, ok := s.Number(e.Name)
			switch {
			case e.Player != "" && s.Organizes(e.Player):
				return nil, fmt.Errorf("%s is an organizer of the contest %s, and cannot play in it", e.Name, s.Spec.Name)
			case ok && !strings.EqualFold(s.Entries[n].Player, e.Player):
				return nil, fmt.Errorf("another entry of the contest %s has or had the name %s: ask the organizer", s.Spec.Name, e.Name)
			case ok && byPlayer && s.Entries[n].Barred:
				return nil, fmt.Errorf("the organizer of the contest %s has withdrawn %s: ask the organizer", s.Spec.Name, e.Name)
			case ok && e.Team != nil && s.Entries[n].Team != nil && !s.Entries[n].Withdrawn && !slices.Equal(e.Team.Players, s.Entries[n].Team.Players):
				return nil, fmt.Errorf("there is already a team %s: host contest lineup %s %s PLAYER... changes its players", e.Name, s.Spec.Name, e.Name)
			case ok && byPlayer && s.Entries[n].Withdrawn && s.Entries[n].Returns >= maxReturns:
				return nil, fmt.Errorf("%s came back to the contest %s %d times: ask the organizer", e.Name, s.Spec.Name, maxReturns)
			}
			if !ok || s.Entries[n].Withdrawn {
				added = append(added, e)
			}
		}
		if len(added) == 0 {
			return nil, nil
		}
		if byPlayer {
			for _, e := range added {
				if err := o.inGroups(ctx, s.Spec, e.Player); err != nil {
					return nil, err
				}
			}
		}
		return new(newEvent(Enter, eventData{Entries: added})), s.admits(added, byPlayer)
	})
}

// admits returns an error if entries cannot enter now.
func (s *State) admits(entries []Entry, byPlayer bool) error {
	name := s.Spec.Name
	late := s.Phase != Open && !s.Spec.Rolling()
	switch {
	case s.Phase == Ended:
		return fmt.Errorf("the contest %s has ended", name)
	case s.Spec.Format == Cup:
		return fmt.Errorf("the contest %s is a cup: it counts other contests, so enter one of those", name)
	case byPlayer && !s.Spec.Entries.Open:
		return fmt.Errorf("the contest %s is not open: its organizer enters the players", name)
	case late && (s.Spec.Format == pairing.Knockout || s.Spec.Format == pairing.DoubleElimination):
		return fmt.Errorf("the contest %s has started: nobody can enter a %s later", name, s.Spec.Format)
	case len(s.Entries)+len(entries) > MaxEntries:
		return fmt.Errorf("the contest %s is full: it has %d entries", name, len(s.Entries))
	}
	for _, e := range entries {
		if s.Spec.Local() != (e.Command != nil) && e.Bot == "" {
			return fmt.Errorf("%s cannot enter the contest %s: programs on this machine and registered players cannot meet", e.Name, name)
		}
		switch {
		case e.Bot != "" && s.Spec.Format == pairing.Score:
			return errBotAlone
		case e.Bot != "" && s.Spec.Format == Pass:
			return errPassBot
		}
		if e.Bot != "" && s.league != nil {
			return errLeagueBot
		}
	}
	return s.admitsTeams(entries, byPlayer)
}

// Withdraw takes entries out of a contest: they are not paired again, and their
// opponents win what was not played. ByPlayer means that the player itself does it, and not
// the organizer: then it can come back by itself.
func (o *Organizer) Withdraw(ctx context.Context, name string, entries []string, byPlayer bool) error {
	return o.withdraw(ctx, name, entries, byPlayer, "")
}

func (o *Organizer) withdraw(ctx context.Context, name string, entries []string, byPlayer bool, reason string) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		d := eventData{Barred: !byPlayer, Reason: reason}
		for _, e := range entries {
			n, ok := s.Number(e)
			if !ok || byPlayer && s.entryOf(e) != &s.Entries[n] {
				return nil, fmt.Errorf("%s is not in the contest %s", e, s.Spec.Name)
			}
			if s.league != nil && s.Entries[n].Bot != "" {
				return nil, fmt.Errorf("%s is the boss of a division of the league %s: it cannot leave", e, s.Spec.Name)
			}
			if s.Entries[n].Bot != "" && s.Spec.Format == Pass {
				return nil, errPassBot
			}
			if !s.Entries[n].Withdrawn || !byPlayer && !s.Entries[n].Barred {
				d.Numbers = append(d.Numbers, n)
			}
		}
		switch {
		case s.Phase == Ended:
			return nil, fmt.Errorf("the contest %s has ended", s.Spec.Name)
		case len(d.Numbers) == 0:
			return nil, nil
		}
		return new(newEvent(Withdraw, d)), nil
	})
}

// Warn keeps a warning about the program of an entry, once.
func (o *Organizer) Warn(ctx context.Context, name, entry string, w Warning) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		n, ok := s.Number(entry)
		if !ok || s.Phase == Ended || slices.Contains(s.Entries[n].Warnings, w) {
			return nil, nil
		}
		return new(newEvent(Warn, eventData{Numbers: []int{n}, Warning: w})), nil
	})
}

// Start starts a contest: it draws the seeding. It does nothing to a ladder or a pass mark
// that runs, because a host starts those by itself.
func (o *Organizer) Start(ctx context.Context, name string) error {
	return o.changeAll(ctx, name, func(s *State) ([]store.Event, error) {
		switch {
		case s.Spec.Format == Cup:
			return nil, fmt.Errorf("the contest %s is a cup: it counts other contests, and there is nothing to start", s.Spec.Name)
		case s.Phase == Running && s.Spec.alwaysOn():
			return nil, nil
		case s.Phase != Open:
			return nil, fmt.Errorf("the contest %s has already started", s.Spec.Name)
		}
		order, err := o.seeding(ctx, s)
		if err != nil {
			return nil, err
		}
		var events []store.Event
		if short := s.incomplete(); short != nil {
			events = append(events, s.withdrawIncomplete(short))
		}
		start, err := o.newStart(ctx, s, order)
		return append(events, start...), err
	})
}

// seeding returns the entries in the order of their strength. Those that have
// withdrawn are the last.
func (o *Organizer) seeding(ctx context.Context, s *State) ([]int, error) {
	present, gone := 0, make([]bool, len(s.Entries))
	for _, n := range s.incomplete() {
		gone[n] = true
	}
	order := make([]int, len(s.Entries))
	keys := make([]float64, len(s.Entries))
	for i, e := range s.Entries {
		order[i] = i
		gone[i] = gone[i] || e.Withdrawn
		if !gone[i] {
			present++
		}
	}
	if s.Spec.Teams != nil && present < 2 {
		return nil, fmt.Errorf("the contest %s has %d teams of %d players, and needs at least 2", s.Spec.Name, present, s.Spec.Teams.Size)
	}
	if present < s.Spec.Players && !s.Spec.Rolling() && !s.Spec.alwaysOn() {
		return nil, fmt.Errorf("the contest %s has %d entries, and needs at least %d", s.Spec.Name, present, s.Spec.Players)
	}
	switch s.Spec.Seeding {
	case SeedRandomly:
		for i := range keys {
			keys[i] = float64(mix(s.Draw(), uint64(i)))
		}
	case SeedByRating:
		ratings, err := o.ratings(ctx, s.Spec.Game)
		if err != nil {
			return nil, err
		}
		for i, e := range s.Entries {
			if r, ok := s.strength(&e.Entry, ratings); ok {
				keys[i] = -r
			} else {
				keys[i] = 1e9
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := gone[a], gone[b]; {
		case x != y && x:
			return 1
		case x != y:
			return -1
		}
		return cmp.Compare(keys[a], keys[b])
	})
	return order, nil
}

// Pause stops new matches of a contest. Those that run go on.
func (o *Organizer) Pause(ctx context.Context, name, reason string) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		if s.Spec.Format == Cup {
			return nil, fmt.Errorf("the contest %s is a cup: it counts other contests, and there is nothing to pause", s.Spec.Name)
		}
		if s.Phase != Running {
			return nil, fmt.Errorf("the contest %s is %s: only a running one can be paused", s.Spec.Name, s.Phase)
		}
		return new(newEvent(Pause, eventData{Reason: reason})), nil
	})
}

// Resume lets a paused contest go on.
func (o *Organizer) Resume(ctx context.Context, name string) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		if s.Phase != Paused {
			return nil, fmt.Errorf("the contest %s is %s: only a paused one can be resumed", s.Spec.Name, s.Phase)
		}
		if err := s.closedWhilePaused(time.Now()); err != nil {
			return nil, err
		}
		return new(newEvent(Resume, eventData{})), nil
	})
}

// End ends a contest with the standings of the moment. Matches that run do not count.
func (o *Organizer) End(ctx context.Context, name, reason string) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		if s.Phase == Ended {
			return nil, fmt.Errorf("the contest %s has already ended", s.Spec.Name)
		}
		if s.Spec.Format == Cup {
			e, err := o.newCupEnd(ctx, s, reason, true)
			return &e, err
		}
		if err := s.readSeason(ctx, o.Store); err != nil {
			return nil, err
		}
		e, err := s.NewEnd(reason, true)
		return &e, err
	})
}

// View returns a contest for readers; that of a ladder has the ratings of its game.
func (o *Organizer) View(ctx context.Context, name string) (*View, error) {
	s, err := o.Load(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := s.readSeason(ctx, o.Store); err != nil {
		return nil, err
	}
	v, err := s.View(nil)
	if err == nil && s.Spec.Format == Cup {
		err = v.Sum(s, func(name string) (*View, error) { return o.View(ctx, name) })
	}
	if err != nil || s.Spec.Format != Ladder {
		return v, err
	}
	ratings, err := o.ratings(ctx, s.Spec.Game)
	if err != nil {
		return nil, err
	}
	v.Rank(ratings, time.Now())
	return v, nil
}

// Remove removes a contest that has ended or never started. The records of its
// matches stay.
func (o *Organizer) Remove(ctx context.Context, name string) error {
	s, err := o.Load(ctx, name)
	switch {
	case err != nil:
		return err
	case (s.Phase == Running || s.Phase == Paused) && s.Spec.Format != Cup:
		return fmt.Errorf("the contest %s is %s: end it first with host contest end %s", s.Spec.Name, s.Phase, s.Spec.Name)
	}
	return o.Store.Remove(ctx, s.Spec.Name)
}

// List returns all contests: the running ones, then those that are paused, open and
// ended, of each the newest first.
func (o *Organizer) List(ctx context.Context) ([]Summary, error) {
	all, err := o.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	list := []Summary{}
	for _, c := range all {
		s, err := Load(ctx, o.Store, c.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, s.Summary())
	}
	SortSummaries(list)
	return list, nil
}

// SortSummaries puts contests in the order of [Organizer.List].
func SortSummaries(list []Summary) {
	order := []Phase{Running, Paused, Open, Ended}
	slices.SortStableFunc(list, func(a, b Summary) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Phase), slices.Index(order, b.Phase)), b.Created.Compare(a.Created))
	})
}
