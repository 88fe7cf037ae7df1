package contest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// Phase is how far a contest has come.
type Phase string

// The phases of a contest.
const (
	Open    Phase = "open"    // players can enter; it has not started
	Running Phase = "running" // its matches are played
	Paused  Phase = "paused"  // no match begins
	Ended   Phase = "ended"   // its standings are final
)

// State is a contest as its events and results describe it. The same events and
// results give the same state, in whatever order results are added between events.
// It must not be used concurrently.
type State struct {
	Spec    *Spec
	Seed    uint64
	Phase   Phase
	Created time.Time
	Started time.Time // zero: it has not started
	Ended   time.Time // zero: it has not ended
	Reason  string    // why it ended or paused; empty: none was given
	Entries []Entrant // by number, in the order in which they entered
	Pairs   []Pair    // by number, in the order in which they were paired
	Table   []Row     // the standings as they were recorded at the end

	Organizers []string // the registered players that can run it

	decisions    []decision     // of the organizers, in their order
	late         bool           // there is one after the end, so that Table is no longer right
	final        int64          // the number of the last result that counts; 0: the contest has not ended
	last         int64          // number of the last event
	lastRead     int64          // number of the last result
	numbers      map[string]int // of entries, by name in lower case
	missing      int            // legs that are not decided
	earlier      bool           // as in pairing.History
	firstPlanned int            // the pairings before this one are decided
	league       *league        // nil: it is of another format
	dates        roundDates
	tried        map[int][]int // by entry: the pairings that are its tries
	passes       map[int]bool  // the entries that have reached the pass mark: whether there is an event of it
}

// Entrant is an entry of a contest.
type Entrant struct {
	Entry
	Seed      int // its place in the seeding, from 0
	Withdrawn bool
	Barred    bool // the organizer has withdrawn it: it cannot come back by itself
	Returns   int  // how often it came back
	Warnings  []Warning
	Changes   int    // of a team
	Reason    string // why it was withdrawn; empty: none was given

	own string // its name without those of organizers; empty: Name
	out int64  // the number of the event with which it has withdrawn
	bar int64  // of the last one that says whether an organizer did it
}

// Pair is a pairing and its legs.
type Pair struct {
	pairing.Pairing
	Legs    []Leg      // none for a bye; of teams those of one board after the other
	LineUps [][]string // of teams: the players of the boards of each entrant, as they were when it was paired

	Begun time.Time // of a try
	Given bool      // the try does not count for those that the entry can begin in a day: an organizer began it
}

// NewState returns a contest without entries.
func NewState(c store.Contest) (*State, error) {
	spec, err := ReadSpec([]byte(c.Spec))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnreadable, c.Name, err)
	}
	s := &State{Spec: spec, Seed: c.Seed, Created: c.Created, Phase: Open, Organizers: spec.Organizers, numbers: map[string]int{}}
	switch spec.Format {
	case League:
		s.league = &league{}
	case Cup: // there is nothing to start
		s.Phase, s.Started = Running, c.Created
	}
	return s, nil
}

// Load returns the state of a contest, or store.ErrNoContest.
func Load(ctx context.Context, from Store, name string) (*State, error) {
	c, err := from.Contest(ctx, name)
	if err != nil {
		return nil, err
	}
	s, err := NewState(c)
	if err != nil {
		return nil, err
	}
	return s, s.Refresh(ctx, from)
}

// ErrUnreadable is the error for a contest in the store with which this version of the
// host can do nothing: a newer one wrote it, or it is damaged.
var ErrUnreadable = errors.New("the contest cannot be read")

// Refresh adds the events and results that have been stored since.
func (s *State) Refresh(ctx context.Context, from Store) error {
	// First the results: a pairing is stored before any result of it, so one that
	// follows now is found the next time.
	var results []store.Result
	if s.readsResults() {
		var err error
		if results, err = from.Results(ctx, s.Spec.Name, s.lastRead); err != nil {
			return err
		}
	}
	events, err := from.Events(ctx, s.Spec.Name, s.last)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := s.Apply(e); err != nil {
			return fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
	}
	for _, r := range results {
		if err := s.Add(r); err != nil {
			return fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
	}
	return nil
}

// readsResults reports whether Refresh reads the results: a ladder has many, and only its
// ratings need them.
func (s *State) readsResults() bool {
	return s.Spec.Format != Ladder && (s.league == nil || s.league.results != nil)
}

// Last returns the number of the last event.
func (s *State) Last() int64 { return s.last }

// Number returns the number of the entry with a name, in any case.
func (s *State) Number(name string) (n int, ok bool) {
	n, ok = s.numbers[strings.ToLower(name)]
	return n, ok
}

// Apply adds an event. Events must be applied in their order.
func (s *State) Apply(e store.Event) error {
	if e.Number <= s.last {
		return nil
	}
	if err := s.apply(e); err != nil {
		return fmt.Errorf("event %d of the contest %s (%s): %w", e.Number, s.Spec.Name, e.Kind, err)
	}
	s.last = e.Number
	return nil
}

func (s *State) apply(e store.Event) error {
	var d eventData
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return err
	}
	switch Kind(e.Kind) {
	case Enter:
		for _, entry := range d.Entries {
			s.forgive(e, d, entry)
			s.enter(entry)
		}
	case Withdraw:
		for _, n := range d.Numbers {
			if n < 0 || n >= len(s.Entries) {
				return fmt.Errorf("there is no entry %d", n)
			}
			x := &s.Entries[n]
			if !x.Withdrawn {
				x.Withdrawn, x.out = true, e.Number
			}
			x.Barred, x.Reason, x.bar = d.Barred, d.Reason, e.Number
		}
		if d.Barred {
			s.note(e, d, decision{kind: Bar, entries: d.Numbers})
		}
		s.walkovers(e)
	case Start:
		if len(d.Numbers) != len(s.Entries) {
			return fmt.Errorf("the seeding has %d of %d entries", len(d.Numbers), len(s.Entries))
		}
		for place, n := range d.Numbers {
			s.Entries[n].Seed = place
		}
		s.Phase, s.Started, s.earlier = Running, e.At, !d.Groups
	case Pause:
		s.Phase, s.Reason = Paused, d.Reason
	case Resume:
		s.Phase, s.Reason = Running, ""
	case PairUp:
		for _, p := range d.Pairings {
			if err := s.pair(p); err != nil {
				return err
			}
		}
		s.walkovers(e)
	case Absent, Abandon:
		leg, err := s.leg(d.Pairing, d.Leg)
		if err != nil {
			return err
		}
		how := Outcome{State: Walkover, Absent: d.Numbers, Ended: e.At, event: e.Number}
		if Kind(e.Kind) == Abandon {
			how.State = Void
		}
		s.alter(leg, func() { leg.attempt().decide(how) })
	case Warn:
		for _, n := range d.Numbers {
			if n < 0 || n >= len(s.Entries) {
				return fmt.Errorf("there is no entry %d", n)
			}
			s.Entries[n].Warnings = append(s.Entries[n].Warnings, d.Warning)
		}
	case End:
		s.Phase, s.Reason, s.Ended, s.Table, s.final = Ended, d.Reason, e.At, d.Standings, d.Results
		if s.league != nil {
			return s.divide(e, d)
		}
	case Divide:
		return s.divide(e, d)
	case Accept:
		return s.accept(d)
	case LineUp:
		return s.lineUp(d)
	case Try:
		return s.try(e, d)
	case Reach:
		return s.reach(d)
	case Shift:
		s.note(e, d, decision{kind: Postpone})
		return s.shift(e, d)
	case Seen:
		return s.seen(e, d)
	case Remind:
		s.remind(d)
	case Rule:
		return s.rule(e, d)
	case Undo:
		return s.undo(e, d)
	case Rename:
		return s.rename(e, d)
	case Organize:
		s.note(e, d, decision{kind: Appoint, players: d.Players})
		s.Organizers = d.Players
	default:
		return errNewer
	}
	return nil
}

var errNewer = errors.New("a newer host wrote it")

func (s *State) enter(entry Entry) {
	if n, ok := s.Number(entry.Name); ok { // it comes back
		s.Entries[n].Withdrawn, s.Entries[n].Barred, s.Entries[n].Reason, s.Entries[n].out, s.Entries[n].bar = false, false, "", 0, 0
		s.Entries[n].Returns++
		if entry.Team != nil {
			s.Entries[n].Team = entry.Team
		}
		return
	}
	s.numbers[strings.ToLower(entry.Name)] = len(s.Entries)
	s.Entries = append(s.Entries, Entrant{Entry: entry, Seed: len(s.Entries)})
	s.enterDivision()
}

func (s *State) pair(p pairing.Pairing) error {
	for _, n := range p.Entrants {
		if n < 0 || n >= len(s.Entries) {
			return fmt.Errorf("there is no entry %d", n)
		}
	}
	one := Pair{Pairing: p, LineUps: s.lineUps(p.Entrants)}
	if !p.Bye() {
		one.Legs = make([]Leg, s.Spec.Legs())
		for i := range one.Legs {
			one.Legs[i].State = Planned
		}
	}
	s.missing += len(one.Legs)
	s.Pairs = append(s.Pairs, one)
	return nil
}

// walkovers decides the legs that cannot be played because an entry has withdrawn.
func (s *State) walkovers(e store.Event) {
	for i := range s.Pairs {
		p := &s.Pairs[i]
		var absent []int
		for _, n := range p.Entrants {
			if s.Entries[n].Withdrawn {
				absent = append(absent, n)
			}
		}
		if absent == nil && p.LineUps == nil {
			continue
		}
		for j := range p.Legs {
			missing := absent
			if missing == nil {
				missing = s.short(p, j)
			}
			if missing != nil {
				l := &p.Legs[j]
				s.alter(l, func() { l.attempt().decide(Outcome{State: Walkover, Absent: missing, Ended: e.At, event: e.Number}) })
			}
		}
	}
}

func (s *State) leg(pairing, leg int) (*Leg, error) {
	if pairing < 0 || pairing >= len(s.Pairs) || leg < 0 || leg >= len(s.Pairs[pairing].Legs) {
		return nil, fmt.Errorf("there is no leg %d of pairing %d", leg, pairing)
	}
	return &s.Pairs[pairing].Legs[leg], nil
}

// Add adds the result of a match. The result of a finished match replaces a walkover:
// the match was running when an entry withdrew.
func (s *State) Add(r store.Result) error {
	s.lastRead = max(s.lastRead, r.Number)
	if s.league != nil {
		return s.addLeague(r)
	}
	l, err := s.leg(r.Pairing, r.Leg)
	if err != nil {
		return fmt.Errorf("the match %s of the contest %s: %w", r.Match, s.Spec.Name, err)
	}
	o := l.attemptNumber(r.Attempt)
	switch {
	case r.Aborted:
		return nil // the leg is played again
	case o == nil:
		return fmt.Errorf("the match %s is attempt %d at leg %d of pairing %d, which was not to be played again", r.Match, r.Attempt, r.Leg, r.Pairing)
	case o.Result != nil:
		if o.Result.Match != r.Match {
			return fmt.Errorf("leg %d of pairing %d was played twice, in the matches %s and %s", r.Leg, r.Pairing, o.Result.Match, r.Match)
		}
		return nil
	}
	var before *Outcome
	if o.State != Planned {
		before = new(*o)
	}
	s.alter(l, func() { *o = Outcome{State: Played, Result: &r, Ended: r.Ended, before: before} })
	s.lookAtTry(r.Pairing)
	return nil
}

// Complete reports whether all legs of all pairings are decided.
func (s *State) Complete() bool { return s.missing == 0 }

// Count returns how many legs are decided, and how many there are.
func (s *State) Count() (done, all int) {
	for _, p := range s.Pairs {
		all += len(p.Legs)
	}
	return all - s.missing, all
}

// History returns what the pairings and the standings depend on.
func (s *State) History() *pairing.History {
	h := &pairing.History{
		Format: s.Spec.Format, Size: s.Spec.Players, Legs: s.Spec.Legs(), Rounds: s.Spec.Rounds, Replays: s.Spec.Replays, Seed: s.Draw(), Earlier: s.earlier,
		MatchPoints: s.Spec.Teams != nil && s.Spec.Teams.Points == byMatch,
	}
	for _, e := range s.Entries {
		h.Entrants = append(h.Entrants, pairing.Entrant{Seed: e.Seed, Withdrawn: e.Withdrawn})
	}
	for i := range s.Pairs {
		p := &s.Pairs[i]
		played := pairing.Played{Pairing: p.Pairing}
		for j := range p.Legs {
			if l := &p.Legs[j]; l.State != Planned {
				played.Legs = append(played.Legs, pairing.Leg{
					Points: l.Points(p.Entrants), Teams: l.teams(p.Entrants), Unplayed: l.State == Walkover, Void: l.State == Void,
				})
				if p.Alone {
					played.Legs[len(played.Legs)-1].Score = l.Score()
				}
			}
		}
		h.Pairings = append(h.Pairings, played)
	}
	return h
}
