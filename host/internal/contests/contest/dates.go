package contest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// Dates are when the rounds of a contest open and close. A round that is open is played when
// all players of a match are there; when it closes, what was not played is decided.
type Dates struct {
	First  time.Time     `yaml:"first"`  // when round 1 opens
	Every  time.Duration `yaml:"every"`  // between the openings of two rounds
	Open   time.Duration `yaml:"open"`   // how long a round is open; 0: until the next one opens
	Rounds []Window      `yaml:"rounds"` // of the first rounds, instead of First, Every and Open
	Remind time.Duration `yaml:"remind"` // before a round closes, its reminder is sent; 0: 24h, or half of the round if that is less
}

// Window is the time in which a round is played.
type Window struct {
	Opens  time.Time `yaml:"opens" json:"opens"`
	Closes time.Time `yaml:"closes" json:"closes"`
}

const (
	maxEvery      = 366 * 24 * time.Hour
	usualReminder = 24 * time.Hour
)

// The years of dates. JSON cannot express years after 9999.
const minYear, maxYear = 2000, 3000

func (s *Spec) checkDates() error {
	d := s.Dates
	switch {
	case d == nil:
		return nil
	case !slices.Contains([]pairing.Format{pairing.RoundRobin, pairing.Swiss, pairing.Knockout, pairing.DoubleElimination, pairing.Gauntlet, pairing.Score}, s.Format):
		return fmt.Errorf("dates: a %s has no rounds; leave them out", s.Format)
	case s.Format == pairing.RoundRobin && s.Players > 2:
		return errors.New("dates: a round-robin has them only with 2 players to a match; use swiss")
	case s.Local():
		return errors.New("dates: they are for registered players; programs on this machine play at once")
	case d.Remind < 0:
		return errors.New("dates.remind: it must not be negative")
	}
	if err := s.checkWindows(); err != nil {
		return err
	}
	if first, _ := d.window(0); s.Start.After(first.Opens) {
		return errors.New("start: it is after round 1 opens (dates)")
	}
	return nil
}

func (s *Spec) checkWindows() error {
	d := s.Dates
	if len(d.Rounds) == 0 {
		switch {
		case d.First.IsZero():
			return errors.New("dates: write first and every, or a list of rounds")
		case d.Every <= 0 || d.Every > maxEvery:
			return fmt.Errorf("dates.every: it is not from 1ns to %s", maxEvery)
		case d.Open < 0 || d.Open > d.Every:
			return errors.New("dates.open: a round is open until the next one opens at most (dates.every)")
		}
	}
	switch {
	case len(d.Rounds) > 0 && (!d.First.IsZero() || d.Every != 0 || d.Open != 0):
		return errors.New("dates: write first, every and open, or a list of rounds, not both")
	case len(d.Rounds) > MaxRounds:
		return fmt.Errorf("dates.rounds: more than %d", MaxRounds)
	case len(d.Rounds) > 0 && s.Rounds > len(d.Rounds):
		return fmt.Errorf("dates.rounds: there are %d, for %d rounds", len(d.Rounds), s.Rounds)
	}
	for i := range max(len(d.Rounds), 1) {
		w, _ := d.window(i)
		if err := w.check(); err != nil {
			return fmt.Errorf("dates: round %d: %w", i+1, err)
		}
		if i > 0 && w.Opens.Before(d.Rounds[i-1].Closes) {
			return fmt.Errorf("dates: round %d opens before round %d closes", i+1, i)
		}
		if d.Remind >= w.length() {
			return fmt.Errorf("dates.remind: round %d is open for %s only", i+1, w.length())
		}
	}
	return nil
}

func (w *Window) length() time.Duration { return w.Closes.Sub(w.Opens) }

func (w *Window) check() error {
	switch {
	case w.Opens.IsZero() || w.Closes.IsZero():
		return errors.New("it needs both opens and closes")
	case !w.Closes.After(w.Opens):
		return errors.New("it closes before it opens")
	case w.Opens.Year() < minYear || w.Closes.Year() > maxYear:
		return fmt.Errorf("its year is not from %d to %d", minYear, maxYear)
	case w.length() > maxEvery:
		return fmt.Errorf("it is open for more than %s", maxEvery)
	}
	return nil
}

// window returns the window of a round, from 0; false: the description has none for it.
func (d *Dates) window(round int) (Window, bool) {
	if len(d.Rounds) > 0 {
		if round >= len(d.Rounds) {
			return Window{}, false
		}
		return d.Rounds[round], true
	}
	opens := d.First.Add(time.Duration(min(round, MaxRounds)) * d.Every)
	return Window{opens, opens.Add(cmp.Or(d.Open, d.Every))}, true
}

// remind returns how long before the end of a window its reminder is due.
func (d *Dates) remind(w Window) time.Duration {
	return cmp.Or(d.Remind, min(usualReminder, w.length()/2))
}

// roundDates is what the events of a contest say about the dates of its rounds.
type roundDates struct {
	shifts   []shifted
	changes  map[int]int       // by round: how often its window has changed
	opened   map[int]time.Time // by round: when a host first saw that it was open
	reminded map[int]bool      // by round
	attended map[attendant]attendance
	again    map[[2]int]time.Time // by pairing and leg: when a leg was planned again
}

func (d *roundDates) clone() roundDates {
	return roundDates{
		slices.Clone(d.shifts), maps.Clone(d.changes), maps.Clone(d.opened), maps.Clone(d.reminded), maps.Clone(d.attended), maps.Clone(d.again),
	}
}

// shifted is another window of a round.
type shifted struct {
	event  int64
	round  int
	window Window
	reason string
}

// attendant is a player of an entry in a round.
type attendant struct {
	round, entry int
	player       string // of a team, in lower case; of a single player empty, because it can be renamed
}

// attendance is whether somebody came to a round.
type attendance struct {
	seen   bool
	missed bool      // it did not come to a match that began
	until  time.Time // it has said that it is there until then; zero: it has not, or it missed a match since
}

func (s *State) attendant(round, entry int, player string) attendant {
	if s.Entries[entry].Team == nil {
		player = ""
	}
	return attendant{round, entry, strings.ToLower(player)}
}

// shift applies another window for a round.
func (s *State) shift(e store.Event, d eventData) error {
	if s.Spec.Dates == nil || d.Round < 0 || d.Round >= MaxRounds {
		return fmt.Errorf("it has no dates of round %d", d.Round+1)
	}
	s.dates.shifts = append(s.dates.shifts, shifted{e.Number, d.Round, Window{d.Opens, d.Closes}, d.Reason})
	s.windowChanged(d.Round)
	return nil
}

// unshift applies that the event of a shift no longer holds.
func (s *State) unshift(event int64) error {
	i := slices.IndexFunc(s.dates.shifts, func(x shifted) bool { return x.event == event })
	if i < 0 {
		return fmt.Errorf("event %d has shifted no round, or was undone before", event)
	}
	round := s.dates.shifts[i].round
	s.dates.shifts = slices.Delete(s.dates.shifts, i, i+1)
	s.windowChanged(round)
	return nil
}

func (s *State) windowChanged(round int) {
	if s.dates.changes == nil {
		s.dates.changes = map[int]int{}
	}
	s.dates.changes[round]++
	delete(s.dates.reminded, round) // it closes at another time
}

// seen applies that entries were there while a round was open, or did not come to a match.
func (s *State) seen(e store.Event, d eventData) error {
	if s.dates.opened == nil {
		s.dates.opened, s.dates.attended = map[int]time.Time{}, map[attendant]attendance{}
	}
	if _, ok := s.dates.opened[d.Round]; !ok {
		s.dates.opened[d.Round] = e.At
	}
	for i, n := range d.Numbers {
		if n < 0 || n >= len(s.Entries) {
			return fmt.Errorf("there is no entry %d", n)
		}
		player := ""
		if i < len(d.Players) {
			player = d.Players[i]
		}
		key := s.attendant(d.Round, n, player)
		a := s.dates.attended[key]
		if d.Missed {
			a.missed, a.until = true, time.Time{}
		} else {
			a.seen = true
			if !d.Until.IsZero() {
				a.until = d.Until
			}
		}
		s.dates.attended[key] = a
	}
	return nil
}

// remind applies that the reminder of a round was sent.
func (s *State) remind(d eventData) {
	if s.dates.reminded == nil {
		s.dates.reminded = map[int]bool{}
	}
	s.dates.reminded[d.Round] = true
}

// Starts returns when the contest starts by itself; zero: by command.
func (s *State) Starts() time.Time {
	if w, ok := s.Window(0); ok && s.Spec.Start.IsZero() {
		return w.Opens
	}
	return s.Spec.Start
}

// Window returns when a round, from 0, opens and closes; false: it has no dates. A round that
// no host had opened before it would have closed, because none ran or the contest was behind,
// is open for its whole time after that.
func (s *State) Window(round int) (Window, bool) {
	if s.Spec.Dates == nil || round < 0 || round >= MaxRounds {
		return Window{}, false
	}
	w, ok := s.Spec.Dates.window(round)
	for _, x := range s.dates.shifts {
		if x.round == round {
			w, ok = x.window, true
		}
	}
	if at := s.dates.opened[round]; ok && !at.IsZero() && !at.Before(w.Closes) {
		w = Window{at, at.Add(w.length())}
	}
	return w, ok
}

// playAgain gives a leg that is planned again after its round has closed the time of the round
// once more.
func (s *State) playAgain(pairing, leg int, at time.Time) {
	if s.dates.again == nil {
		s.dates.again = map[[2]int]time.Time{}
	}
	s.dates.again[[2]int{pairing, leg}] = at
}

// WindowOf returns when a match can be played: that is the window of its round, unless it is
// played again.
func (s *State) WindowOf(m *Match) (Window, bool) {
	w, ok := s.Window(m.Round)
	if at := s.dates.again[[2]int{m.Pairing, m.Leg}]; ok && !at.IsZero() && !at.Before(w.Closes) {
		w = Window{at, at.Add(w.length())}
	}
	return w, ok
}

// Opened reports whether a host has seen that a round is open.
func (s *State) Opened(round int) bool { return !s.dates.opened[round].IsZero() }

// RemindAt returns when the reminder of a round is due; zero: it was sent, or the round has no
// dates.
func (s *State) RemindAt(round int) time.Time {
	w, ok := s.Window(round)
	if !ok || s.dates.reminded[round] {
		return time.Time{}
	}
	return w.Closes.Add(-s.Spec.Dates.remind(w))
}

// Undecided returns the matches that are not decided, in the order of their pairings.
func (s *State) Undecided() []Match {
	var list []Match
	for i := s.firstPlanned; i < len(s.Pairs); i++ {
		for j := range s.Pairs[i].Legs {
			if s.Pairs[i].Legs[j].State == Planned {
				list = append(list, s.Match(s.Fixture(i, j)))
			}
		}
	}
	return list
}

// HereFor is how long a player that says that it is there is expected to be.
const HereFor = 30 * time.Minute

// Here reports whether the player on a seat of a match has said that it is there now.
func (s *State) Here(m *Match, seat int, now time.Time) bool {
	left := s.attended(m, seat).until.Sub(now)
	return left > 0 && left <= HereFor // the clock can be set
}

// Seen reports whether the player on a seat of a match was there while its round was open.
func (s *State) Seen(m *Match, seat int) bool { return s.attended(m, seat).seen }

func (s *State) attended(m *Match, seat int) attendance {
	return s.dates.attended[s.attendant(m.Round, m.Seats[seat], m.Entries[seat].Player)]
}

// Attendant is the player on a seat of a match in a round.
type Attendant struct {
	Entry  int
	Player string
}

func (s *State) attendants(round int, list []Attendant) eventData {
	d := eventData{Round: round}
	teams := slices.ContainsFunc(list, func(a Attendant) bool { return s.Entries[a.Entry].Team != nil })
	for _, a := range list {
		d.Numbers = append(d.Numbers, a.Entry)
		if teams {
			d.Players = append(d.Players, a.Player)
		}
	}
	return d
}

// NewSeen returns the event that a round is open, and that players were there, which can be
// none.
func (s *State) NewSeen(round int, list []Attendant) store.Event {
	return newEvent(Seen, s.attendants(round, list))
}

// NewMissed returns the event that players did not come to a match that had begun because
// they seemed to be there.
func (s *State) NewMissed(round int, list []Attendant) store.Event {
	d := s.attendants(round, list)
	d.Missed = true
	return newEvent(Seen, d)
}

// NewRemind returns the event that a round will close soon, with the entries that have
// matches to play.
func (s *State) NewRemind(round int) store.Event {
	w, _ := s.Window(round)
	d := eventData{Round: round, Closes: w.Closes}
	for _, m := range s.Undecided() {
		if m.Round == round {
			d.Numbers = append(d.Numbers, m.Seats...)
		}
	}
	slices.Sort(d.Numbers)
	d.Numbers = slices.Compact(d.Numbers)
	return newEvent(Remind, d)
}

// NewClosed returns the event that decides a match that was not played when its round closed.
// Automatic reports whether the entry on a seat needs no player. The entries that were never
// there lose, or else those that did not come when the match began. If all are alike, nobody
// does.
func (s *State) NewClosed(m Match, automatic func(seat int) bool) store.Event {
	var away, missed []int
	for seat, n := range m.Seats {
		switch a := s.attended(&m, seat); {
		case automatic(seat):
		case !a.seen:
			away = append(away, n)
		case a.missed:
			missed = append(missed, n)
		}
	}
	switch {
	case len(away) > 0:
		return NewAbsent(m.Fixture, away)
	case len(missed) > 0 && (len(missed) < len(m.Seats) || len(m.Seats) == 1):
		return NewAbsent(m.Fixture, missed)
	}
	return NewAbandon(m.Fixture, "the round has closed: its players had been there, but it was not played")
}
