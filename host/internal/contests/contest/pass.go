package contest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// PassMark is what an entry has to reach.
type PassMark struct {
	Against string   `yaml:"against"` // the level of the game's bot; "default": without one
	Wins    int      `yaml:"wins"`
	Of      int      `yaml:"of"`     // matches of one try
	Draws   bool     `yaml:"draws"`  // a draw counts as half a win
	Seeds   Seeds    `yaml:"seeds"`  // empty: fresh
	Tries   int      `yaml:"tries"`  // of an entry in 24 hours; 0: 5
	Groups  []string `yaml:"groups"` // of the class list: only their players can enter; none: everybody
}

// Seeds says which seeds the matches of a try have.
type Seeds string

// The seeds of tries.
const (
	FreshSeeds     Seeds = "fresh"     // other ones in each try
	SameSeeds      Seeds = "same"      // the same in each try of each entry; nobody knows them before
	PublishedSeeds Seeds = "published" // the same, and everybody can read them from the start
)

// Bounds of a pass mark.
const (
	maxTryMatches  = 100
	maxTriesPerDay = 1000

	tryWindow = 24 * time.Hour // in which the tries of an entry are counted
)

var errPassBot = errors.New("entries: in a pass mark the bot of pass.against enters by itself, and stays: leave bots out")

func (s *Spec) completePass() {
	if s.Format != Pass || s.Pass == nil {
		return
	}
	if s.Matches == 0 {
		s.Matches = s.Pass.Of
	}
	s.Unrated = true // the same seeds again and again say little about strength
	s.Pass.Seeds = cmp.Or(s.Pass.Seeds, FreshSeeds)
	s.Pass.Tries = cmp.Or(s.Pass.Tries, 5)
}

func (s *Spec) checkPass() error {
	p := s.Pass
	switch {
	case p == nil && s.Format == Pass:
		return errors.New("pass: it is missing: write which level of the bot is to be beaten how often, like {against: medium, wins: 8, of: 10}")
	case p == nil:
		return nil
	case s.Format != Pass:
		return fmt.Errorf("pass: a %s has no pass mark; use the format pass", s.Format)
	case !entryName.MatchString(p.Against) || len(p.Against) > maxEntry:
		return fmt.Errorf("pass.against: %q is not a level of the game's bot; write default for a bot without levels", p.Against)
	case p.Of < 1 || p.Of > maxTryMatches:
		return fmt.Errorf("pass.of: %d is not from 1 to %d", p.Of, maxTryMatches)
	case p.Wins < 1 || p.Wins > p.Of:
		return fmt.Errorf("pass.wins: %d is not from 1 to %d, the matches of a try", p.Wins, p.Of)
	case !slices.Contains([]Seeds{FreshSeeds, SameSeeds, PublishedSeeds}, p.Seeds):
		return fmt.Errorf("pass.seeds: %q is not one of %s, %s, %s", p.Seeds, FreshSeeds, SameSeeds, PublishedSeeds)
	case p.Tries < 1 || p.Tries > maxTriesPerDay:
		return fmt.Errorf("pass.tries: %d is not from 1 to %d", p.Tries, maxTriesPerDay)
	case slices.ContainsFunc(p.Groups, func(g string) bool { return !validClass(g) }):
		return fmt.Errorf("pass.groups: the name of a group is one line of at most %d bytes", maxClass)
	case s.Players != 2:
		return errors.New("players: a pass mark is for games between two; leave it out")
	case s.Matches != p.Of:
		return errors.New("matches: pass.of says how many matches a try has; leave it out")
	case len(s.TieBreak) > 0:
		return errors.New("tie_breaks: a pass mark has none; leave them out")
	case s.Local():
		return errors.New("entries: a pass mark is for registered players, and not for programs on this machine")
	case slices.ContainsFunc(s.Entries.List, func(e Entry) bool { return e.Bot != "" }):
		return errPassBot
	}
	return nil
}

// against returns the entry of the bot that is to be beaten.
func (p *PassMark) against() Entry { return Entry{Name: BotPrefix + p.Against, Bot: p.Against} }

// Bots returns the entries of bots, also of one that enters by itself.
func (s *Spec) Bots() (list []Entry) {
	for _, e := range s.Entries.List {
		if e.Bot != "" {
			list = append(list, e)
		}
	}
	if s.Format == Pass {
		list = append(list, s.Pass.against())
	}
	return list
}

// try applies that an entry has begun a try.
func (s *State) try(e store.Event, d eventData) error {
	if s.Spec.Format != Pass || len(d.Numbers) != 1 {
		return fmt.Errorf("the contest %s has no pass mark, or it is not the try of one entry", s.Spec.Name)
	}
	bot, ok := s.Number(s.Spec.Pass.against().Name)
	n := d.Numbers[0]
	if !ok || n < 0 || n >= len(s.Entries) || n == bot {
		return fmt.Errorf("there is no entry %d, or no bot", n)
	}
	if err := s.pair(pairing.Pairing{Round: len(s.tried[n]), Slot: n, Entrants: []int{n, bot}}); err != nil {
		return err
	}
	last := len(s.Pairs) - 1
	s.Pairs[last].Begun, s.Pairs[last].Given = e.At, !strings.EqualFold(d.By, s.Entries[n].Player)
	if s.tried == nil {
		s.tried = map[int][]int{}
	}
	s.tried[n] = append(s.tried[n], last)
	s.walkovers(e) // it has withdrawn since
	return nil
}

// triesOf yields the tries of an entry, the oldest first.
func (s *State) triesOf(entry int) func(yield func(p *Pair) bool) {
	return func(yield func(p *Pair) bool) {
		for _, i := range s.tried[entry] {
			if !yield(&s.Pairs[i]) {
				return
			}
		}
	}
}

// decided returns how many legs of a try are decided.
func (p *Pair) decided() int {
	n := 0
	for i := range p.Legs {
		if p.Legs[i].State != Planned {
			n++
		}
	}
	return n
}

// reached returns the wins of a try, and when they reached the pass mark; zero: they have
// not.
func (m *PassMark) reached(p *Pair) (wins float64, at time.Time) {
	type win struct {
		at    time.Time
		worth float64
	}
	var list []win
	for i := range p.Legs {
		l := &p.Legs[i]
		if l.State != Played {
			continue
		}
		switch points := l.Points(p.Entrants)[0]; {
		case points > 0.5:
			list = append(list, win{l.Ended, 1})
		case points == 0.5 && m.Draws:
			list = append(list, win{l.Ended, 0.5})
		}
	}
	slices.SortStableFunc(list, func(a, b win) int { return a.at.Compare(b.at) })
	for _, w := range list {
		if wins += w.worth; at.IsZero() && wins >= float64(m.Wins) {
			at = w.at
		}
	}
	return wins, at
}

// lookAtTry notes whether a try has reached the pass mark.
func (s *State) lookAtTry(pairing int) {
	if s.Spec.Format != Pass {
		return
	}
	p := &s.Pairs[pairing]
	if _, at := s.Spec.Pass.reached(p); at.IsZero() || s.passes[p.Entrants[0]] {
		return
	}
	if s.passes == nil {
		s.passes = map[int]bool{}
	}
	s.passes[p.Entrants[0]] = false
}

// reach applies that entries have reached the pass mark.
func (s *State) reach(d eventData) error {
	if s.passes == nil {
		s.passes = map[int]bool{}
	}
	for _, n := range d.Numbers {
		if n < 0 || n >= len(s.Entries) {
			return fmt.Errorf("there is no entry %d", n)
		}
		s.passes[n] = true
	}
	return nil
}

// hasPassed reports whether a try of an entry has reached the pass mark.
func (s *State) hasPassed(entry int) bool {
	for p := range s.triesOf(entry) {
		if _, at := s.Spec.Pass.reached(p); !at.IsZero() {
			return true
		}
	}
	return false
}

// NewReached returns the events that entries have reached the pass mark, one for each that has
// none yet.
func (s *State) NewReached() []store.Event {
	var list []store.Event
	for _, n := range slices.Sorted(maps.Keys(s.passes)) {
		if !s.passes[n] && s.hasPassed(n) { // an organizer can have annulled it in between
			list = append(list, newEvent(Reach, eventData{Numbers: []int{n}, Results: s.lastRead}))
		}
	}
	return list
}

// Passed is an entry of a pass mark.
type Passed struct {
	At    time.Time `json:"passed_at,omitzero"` // when the first try reached the mark; zero: none has
	Best  float64   `json:"best"`               // wins of the best try
	Tries int       `json:"tries"`              // that have begun
	// Left is how many tries the entry can begin now by itself, and Next when it will be one
	// more; zero: not by time alone. Both are of the moment, and not in recorded standings.
	Left   int       `json:"left_today"`
	Next   time.Time `json:"next_try,omitzero"`
	Trying bool      `json:"trying,omitempty"` // a try is being played
}

// PassView is a pass mark for readers.
type PassView struct {
	Against string   `json:"against"` // the name of the bot's entry
	Wins    int      `json:"wins"`
	Of      int      `json:"of"`
	Draws   bool     `json:"draws,omitempty"`
	Seeds   Seeds    `json:"seeds"`
	Values  []string `json:"values,omitempty"` // the seed of each match of a try, if they are published
	Tries   int      `json:"tries"`            // of an entry in 24 hours
	Passed  int      `json:"passed"`           // entries that have passed
}

// passStandings returns those that have passed, in the order of the time, and then the others
// by their best try.
func (s *State) passStandings() []Row {
	rows := []Row{}
	forfeits := s.forfeits()
	for n, e := range s.Entries {
		if e.Bot != "" {
			continue
		}
		r := Row{Name: e.Name, TieBreaks: []float64{}, Withdrawn: e.Withdrawn, Forfeits: forfeits[n], Pass: &Passed{}}
		for p := range s.triesOf(n) {
			wins, at := s.Spec.Pass.reached(p)
			r.Pass.Tries++
			r.Pass.Best = max(r.Pass.Best, wins)
			if r.Pass.At.IsZero() {
				r.Pass.At = at
			}
			r.count(p)
		}
		if !r.Pass.At.IsZero() {
			r.Points = 1
		}
		rows = append(rows, r)
	}
	order := func(a, b Row) int {
		if x, y := a.Pass.At, b.Pass.At; !x.IsZero() && !y.IsZero() {
			return x.Compare(y)
		}
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.Pass.Best, a.Pass.Best))
	}
	slices.SortStableFunc(rows, order)
	for i := range rows {
		rows[i].Rank = i + 1
		if i > 0 && order(rows[i-1], rows[i]) == 0 {
			rows[i].Rank = rows[i-1].Rank
		}
	}
	return rows
}

// count adds the matches of a try.
func (r *Row) count(p *Pair) {
	for i := range p.Legs {
		l := &p.Legs[i]
		if l.State != Played {
			continue
		}
		r.Played++
		switch points := l.Points(p.Entrants)[0]; {
		case points > 0.5:
			r.Wins++
		case points == 0.5:
			r.Draws++
		default:
			r.Losses++
		}
	}
}

// samePass reports whether two recorded results of a pass mark are equal.
func samePass(a, b *Passed) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.At.Equal(b.At) && near(a.Best, b.Best) && a.Tries == b.Tries
}

// passTable is View.table for a pass mark.
func (v *View) passTable() [][]string {
	rows := [][]string{{"rank", "name", "passed_at", "best", "of", "tries", "played", "wins", "draws", "losses", "forfeits", "withdrawn"}}
	for _, r := range v.Standings {
		passed := ""
		if !r.Pass.At.IsZero() {
			passed = r.Pass.At.UTC().Format(time.RFC3339)
		}
		row := []string{strconv.Itoa(r.Rank), CSVText(r.Name), passed, CSVNumber(r.Pass.Best)}
		rows = append(rows, append(append(row, CSVIntegers(v.Pass.Of, r.Pass.Tries, r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits)...), strconv.FormatBool(r.Withdrawn)))
	}
	return rows
}

// left returns how many tries an entry can begin now by itself, and when it will be one more;
// zero: not by time alone.
func (s *State) left(entry int, now time.Time) (left int, next time.Time) {
	left = s.Spec.Pass.Tries
	for p := range s.triesOf(entry) {
		if until := p.Begun.Add(tryWindow); !p.Given && now.Before(until) {
			left--
			if next.IsZero() || until.Before(next) {
				next = until
			}
		}
	}
	return max(left, 0), next
}

// trying reports whether a try of an entry is being played.
func (s *State) trying(entry int) bool {
	for p := range s.triesOf(entry) {
		if p.decided() < len(p.Legs) {
			return true
		}
	}
	return false
}

// showPass adds the pass mark to a view.
func (s *State) showPass(v *View, now time.Time) {
	m := s.Spec.Pass
	v.Pass = &PassView{Against: m.against().Name, Wins: m.Wins, Of: m.Of, Draws: m.Draws, Seeds: m.Seeds, Tries: m.Tries}
	if m.Seeds == PublishedSeeds {
		for leg := range m.Of {
			v.Pass.Values = append(v.Pass.Values, fmt.Sprint(s.trySeed(0, leg)))
		}
	}
	v.Standings = slices.Clone(v.Standings)
	for i := range v.Standings {
		r := &v.Standings[i]
		r.Pass = new(*r.Pass)
		if !r.Pass.At.IsZero() {
			v.Pass.Passed++
		}
		n, ok := s.Number(r.Name)
		if !ok || s.Phase == Ended {
			continue
		}
		r.Pass.Left, r.Pass.Next = s.left(n, now)
		r.Pass.Trying = s.trying(n)
		if !r.Pass.Next.IsZero() && (v.Until.IsZero() || r.Pass.Next.Before(v.Until)) {
			v.Until = r.Pass.Next
		}
	}
}

// trySeed returns the seed of a leg of a try. Two legs share it, with the seats swapped.
func (s *State) trySeed(pair, leg int) uint64 {
	if s.Spec.Pass.Seeds == FreshSeeds {
		return derive(s.Seed, pair, leg/2)
	}
	return derive(s.Seed, -2, leg/2) // -1 is that of Draw
}

// Try begins a try of an entry. By is the player that asks for it: the entry's own, whose
// tries in a day are limited, or an organizer; "" is the operator.
func (o *Organizer) Try(ctx context.Context, name, entry, by string) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		n, ok := s.Number(entry)
		switch {
		case s.Spec.Format != Pass:
			return nil, fmt.Errorf("the contest %s is a %s: only a pass mark has tries", s.Spec.Name, s.Spec.Format)
		case !ok && by != "" && !s.Spec.Entries.Open:
			return nil, fmt.Errorf("%s is not in the contest %s: its organizer enters the players", entry, s.Spec.Name)
		case !ok:
			return nil, fmt.Errorf("%s is not in the contest %s: enter first", entry, s.Spec.Name)
		case s.Entries[n].Bot != "":
			return nil, fmt.Errorf("%s is the bot of the contest %s: its players try to beat it", entry, s.Spec.Name)
		case s.Entries[n].Withdrawn:
			return nil, fmt.Errorf("%s has withdrawn from the contest %s: enter again first", entry, s.Spec.Name)
		case s.Phase == Open && s.Spec.Start.IsZero():
			return nil, fmt.Errorf("the contest %s has not started: the host starts it in a moment; try again then", s.Spec.Name)
		case s.Phase != Running:
			return nil, fmt.Errorf("the contest %s is %s: a try begins only while it runs", s.Spec.Name, s.Phase)
		}
		for p := range s.triesOf(n) {
			if done := p.decided(); done < len(p.Legs) {
				return nil, fmt.Errorf("%s is being tried by %s now: %d of %d matches are decided", s.Spec.Name, s.Entries[n].Name, done, len(p.Legs))
			}
		}
		if strings.EqualFold(by, s.Entries[n].Player) {
			if left, next := s.left(n, time.Now()); left == 0 {
				return nil, fmt.Errorf("%s has begun %d tries in the last 24 hours, which is all that the contest %s allows: the next one can begin at %s", s.Entries[n].Name, s.Spec.Pass.Tries, s.Spec.Name, next.UTC().Format("2006-01-02 15:04:05 MST"))
			}
			if o.Present != nil && !o.Present(s.Spec.Game, s.Entries[n].Player) {
				return nil, fmt.Errorf("no program of %s is here to play: let it serve with coco serve %s -- PROGRAM, or hand it in, and then begin the try", s.Entries[n].Player, s.Spec.Game)
			}
		}
		return new(newEvent(Try, eventData{Numbers: []int{n}, By: by})), nil
	})
}
