package contest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/pairing"
	"colosseum/host/internal/record"
	"colosseum/host/internal/store"
	"colosseum/sdk/driver"
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

	last         int64          // number of the last event
	lastRead     int64          // number of the last result
	numbers      map[string]int // of entries, by name in lower case
	missing      int            // legs that are not decided
	firstPlanned int            // the pairings before this one are decided
}

// Entrant is an entry of a contest.
type Entrant struct {
	Entry
	Seed      int // its place in the seeding, from 0
	Entered   time.Time
	Withdrawn bool
	Barred    bool // the organizer has withdrawn it: it cannot come back by itself
	Returns   int  // how often it came back
}

// Pair is a pairing and its legs.
type Pair struct {
	pairing.Pairing
	Legs []Leg // none for a bye
}

// LegState is how far a leg has come.
type LegState string

// The states of a leg.
const (
	Planned  LegState = "planned"  // also while it is played
	Played   LegState = "finished" // it has a result
	Walkover LegState = "walkover" // decided without a match
	Void     LegState = "void"     // its match was aborted too often
)

// Leg is one match of a pairing.
type Leg struct {
	State   LegState
	Aborted int           // matches of the leg that were aborted
	Result  *store.Result // of the match that was finished; nil: none
	Absent  []int         // of a walkover: the entries that did not come or had withdrawn
	Ended   time.Time     // zero: it has not
}

// Fixture is a match to be played.
type Fixture struct {
	Pairing, Leg, Round int
	Seats               []int // the entry on each seat
	Seed                uint64
}

// Match is a match to be played, for a field.
type Match struct {
	Fixture
	Spec    *Spec   // of the contest; it must not be changed
	Entries []Entry // on each seat
}

// Name returns the name of the match in the lobby: that of its contest, shortened if
// necessary, and the round.
func (m *Match) Name() string {
	suffix := fmt.Sprintf(" %d", m.Round+1)
	if m.Spec.Format == Ladder {
		suffix = ""
	}
	return m.Spec.Name[:min(len(m.Spec.Name), maxMatchName-len(suffix))] + suffix
}

// maxMatchName is the longest name of a match in the lobby.
const maxMatchName = 24

// Args returns the parameters of the match: those of the contest, and the level of the
// bot. It returns an error if two bots would have to play each other.
func (m *Match) Args() (map[string]string, error) {
	args := maps.Clone(m.Spec.Args)
	if args == nil {
		args = map[string]string{}
	}
	level := ""
	for _, e := range m.Entries {
		switch {
		case e.Bot == "" || e.Bot == level:
		case level != "":
			return nil, fmt.Errorf("the bots %s and %s cannot play each other", level, e.Bot)
		default:
			level = e.Bot
		}
	}
	if level != "" && level != DefaultBot {
		args["bot"] = level
	}
	return args, nil
}

// Record returns the place of the match for its record.
func (m *Match) Record() *record.Fixture {
	return &record.Fixture{Contest: m.Spec.Name, Pairing: m.Pairing, Leg: m.Leg, Entries: m.Seats}
}

// NewState returns a contest without entries.
func NewState(c store.Contest) (*State, error) {
	spec, err := ReadSpec([]byte(c.Spec))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnreadable, c.Name, err)
	}
	return &State{Spec: spec, Seed: c.Seed, Created: c.Created, Phase: Open, numbers: map[string]int{}}, nil
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
	if s.Spec.Format != Ladder { // a ladder has many results, and only its ratings need them
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
			s.enter(entry, e.At)
		}
	case Withdraw:
		for _, n := range d.Numbers {
			if n < 0 || n >= len(s.Entries) {
				return fmt.Errorf("there is no entry %d", n)
			}
			s.Entries[n].Withdrawn, s.Entries[n].Barred = true, d.Barred
		}
		s.walkovers(e.At)
	case Start:
		if len(d.Numbers) != len(s.Entries) {
			return fmt.Errorf("the seeding has %d of %d entries", len(d.Numbers), len(s.Entries))
		}
		for place, n := range d.Numbers {
			s.Entries[n].Seed = place
		}
		s.Phase, s.Started = Running, e.At
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
		s.walkovers(e.At)
	case Absent, Abandon:
		leg, err := s.leg(d.Pairing, d.Leg)
		if err != nil {
			return err
		}
		if leg.State != Planned {
			return nil
		}
		leg.State, leg.Absent, leg.Ended = Walkover, d.Numbers, e.At
		if Kind(e.Kind) == Abandon {
			leg.State = Void
		}
		s.missing--
	case End:
		s.Phase, s.Reason, s.Ended, s.Table = Ended, d.Reason, e.At, d.Standings
	default:
		return fmt.Errorf("a newer host wrote it")
	}
	return nil
}

func (s *State) enter(entry Entry, at time.Time) {
	if n, ok := s.Number(entry.Name); ok { // it comes back
		s.Entries[n].Withdrawn, s.Entries[n].Barred = false, false
		s.Entries[n].Returns++
		return
	}
	s.numbers[strings.ToLower(entry.Name)] = len(s.Entries)
	s.Entries = append(s.Entries, Entrant{Entry: entry, Seed: len(s.Entries), Entered: at})
}

func (s *State) pair(p pairing.Pairing) error {
	for _, n := range p.Entrants {
		if n < 0 || n >= len(s.Entries) {
			return fmt.Errorf("there is no entry %d", n)
		}
	}
	one := Pair{Pairing: p}
	if !p.Bye() {
		one.Legs = make([]Leg, s.Spec.Matches)
		for i := range one.Legs {
			one.Legs[i].State = Planned
		}
	}
	s.missing += len(one.Legs)
	s.Pairs = append(s.Pairs, one)
	return nil
}

// walkovers decides the legs that cannot be played because an entry has withdrawn.
func (s *State) walkovers(at time.Time) {
	for i := range s.Pairs {
		p := &s.Pairs[i]
		var absent []int
		for _, n := range p.Entrants {
			if s.Entries[n].Withdrawn {
				absent = append(absent, n)
			}
		}
		if absent == nil {
			continue
		}
		for j := range p.Legs {
			if l := &p.Legs[j]; l.State == Planned {
				l.State, l.Absent, l.Ended = Walkover, absent, at
				s.missing--
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
	l, err := s.leg(r.Pairing, r.Leg)
	if err != nil {
		return fmt.Errorf("the match %s of the contest %s: %w", r.Match, s.Spec.Name, err)
	}
	switch {
	case l.Result != nil:
		if l.Result.Match != r.Match && !r.Aborted {
			return fmt.Errorf("leg %d of pairing %d was played twice, in the matches %s and %s", r.Leg, r.Pairing, l.Result.Match, r.Match)
		}
		return nil
	case r.Aborted:
		l.Aborted++
		return nil
	}
	if l.State == Planned {
		s.missing--
	}
	l.State, l.Result, l.Absent, l.Ended = Played, &r, nil, r.Ended
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

// Fixture returns the match of a leg. Legs share a seed until every entry has had
// every seat.
func (s *State) Fixture(pairing, leg int) Fixture {
	p := &s.Pairs[pairing]
	size := len(p.Entrants)
	f := Fixture{Pairing: pairing, Leg: leg, Round: p.Round, Seats: make([]int, size)}
	for i, n := range p.Entrants {
		f.Seats[(i+leg)%size] = n
	}
	f.Seed = derive(s.Seed, pairing, leg/size)
	return f
}

// LadderFixture returns the match of a ladder with the given number, between entries in
// the order of their seats.
func (s *State) LadderFixture(number int, entries []int) Fixture {
	return Fixture{Pairing: number, Seats: entries, Seed: derive(s.Seed, number, 0)}
}

// Match returns a fixture with everything that a field needs to play it.
func (s *State) Match(f Fixture) Match {
	m := Match{Fixture: f, Spec: s.Spec}
	for _, n := range f.Seats {
		m.Entries = append(m.Entries, s.Entries[n].Entry)
	}
	return m
}

// Due returns at most the given number of legs that can be played now, in the order of
// their pairings. Running has the legs that are being played. If busy is not nil, an
// entry plays one match at a time, and busy has the entries that play.
func (s *State) Due(most int, running map[[2]int]bool, busy map[int]bool) []Fixture {
	if s.Phase != Running {
		return nil
	}
	for s.firstPlanned < len(s.Pairs) && !slices.ContainsFunc(s.Pairs[s.firstPlanned].Legs, func(l Leg) bool { return l.State == Planned }) {
		s.firstPlanned++
	}
	var list []Fixture
	taken := map[int]bool{}
	for i := s.firstPlanned; i < len(s.Pairs); i++ {
		for j := range s.Pairs[i].Legs {
			if len(list) >= most {
				return list
			}
			if s.Pairs[i].Legs[j].State != Planned || running[[2]int{i, j}] {
				continue
			}
			occupied := func(n int) bool { return s.Entries[n].Bot == "" && (busy[n] || taken[n]) }
			if busy != nil && slices.ContainsFunc(s.Pairs[i].Entrants, occupied) {
				continue
			}
			for _, n := range s.Pairs[i].Entrants {
				taken[n] = true
			}
			list = append(list, s.Fixture(i, j))
		}
	}
	return list
}

// History returns what the pairings and the standings depend on.
func (s *State) History() *pairing.History {
	h := &pairing.History{
		Format: s.Spec.Format, Size: s.Spec.Players, Legs: s.Spec.Matches, Rounds: s.Spec.Rounds, Replays: s.Spec.Replays, Seed: s.Draw(),
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
					Points: l.Points(p.Entrants), Unplayed: l.State == Walkover, Void: l.State == Void,
				})
			}
		}
		h.Pairings = append(h.Pairings, played)
	}
	return h
}

// Points returns the points of entries in a leg: see [pairing.Leg].
func (l *Leg) Points(entries []int) []float64 {
	points := make([]float64, len(entries))
	others := float64(len(entries) - 1)
	switch l.State {
	case Void:
		for i := range points {
			points[i] = 0.5
		}
	case Walkover:
		present := len(entries) - len(l.Absent)
		for i, n := range entries {
			if !slices.Contains(l.Absent, n) {
				points[i] = (float64(len(l.Absent)) + float64(present-1)/2) / others
			}
		}
	case Played:
		rank := make(map[int]int, len(entries))
		for _, seat := range l.Result.Seats {
			rank[seat.Entry] = seat.Rank
		}
		for i, n := range entries {
			for _, m := range entries {
				switch {
				case n == m:
				case rank[n] < rank[m]:
					points[i] += 1 / others
				case rank[n] == rank[m]:
					points[i] += 0.5 / others
				}
			}
		}
	}
	return points
}

// Forfeited reports whether an entry lost its seat in a leg that was played.
func (l *Leg) Forfeited(entry int) bool {
	if l.Result == nil {
		return false
	}
	for _, seat := range l.Result.Seats {
		if seat.Entry == entry {
			return seat.Ended != driver.EndedFinished
		}
	}
	return false
}

// derive returns the seed of a match. The seeds of ended matches are public, so nobody
// must be able to compute from them the seed of the contest and those of later matches:
// SHA-256 is not reversible, unlike mix.
func derive(seed uint64, pairing, sample int) uint64 {
	var b [24]byte
	for i, v := range []uint64{seed, uint64(pairing), uint64(sample)} {
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
	h := sha256.Sum256(b[:])
	return binary.LittleEndian.Uint64(h[:])
}

// Draw returns the seed of what is drawn by lot: the seeding and the pairings. These are
// public at once, and the generators that they use are reversible.
func (s *State) Draw() uint64 { return derive(s.Seed, -1, 0) }

// mix returns a number that depends on all bits of its arguments: SplitMix64
// (Steele, Lea, Flood 2014) over their sequence.
func mix(values ...uint64) uint64 {
	var h uint64
	for _, v := range values {
		h += v + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
