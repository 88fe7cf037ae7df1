package contest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Season is the time and the divisions of a league.
type Season struct {
	Start     time.Time     `yaml:"start"` // zero: by command
	End       time.Time     `yaml:"end"`   // zero: by command
	Divisions []string      `yaml:"divisions"`
	Promote   int           `yaml:"promote"` // most entries that go up, and down, at one line and date; 0: 2
	Every     time.Duration `yaml:"every"`   // between two dates of promotion; 0: none
	Moves     []time.Time   `yaml:"moves"`   // dates of promotion; none: by Every or After
	After     int           `yaml:"after"`   // promotion when the entries have played so many matches on average since the last one; 0: by date
	Matches   int           `yaml:"matches"` // least matches of an entry in its division before it moves; 0: 10
	Follows   string        `yaml:"follows"` // the league whose final divisions this one begins with; empty: none
}

// Bounds of a season.
const (
	maxDivisions = 20
	maxDates     = 1000
	minEvery     = time.Minute // each date is an event that stays
)

// Rolling reports whether there are no rounds: matches are chosen one by one among those that
// are free.
func (s *Spec) Rolling() bool { return s.Format == Ladder || s.Format == League }

// completeSeason sets what the file leaves out.
func (s *Spec) completeSeason() {
	if s.Format != League {
		return
	}
	if s.Seeding == "" {
		s.Seeding = SeedByRating
	}
	if x := s.Season; x != nil {
		if x.Promote == 0 {
			x.Promote = 2
		}
		if x.Matches == 0 {
			x.Matches = 10
		}
	}
}

func (s *Spec) checkSeason() error {
	x := s.Season
	switch {
	case s.Format != League && x != nil:
		return errors.New("season: only a league has one")
	case s.Format != League && s.Boss != nil:
		return errors.New("boss: only a league has some")
	case s.Format != League:
		return nil
	case x == nil:
		return errors.New("season: a league needs it; write at least season: {divisions: [gold, silver]}")
	case !s.Start.IsZero():
		return errors.New("start: a league begins at season.start; leave start out")
	case s.Matches != 1:
		return errors.New("matches: each match of a league is one of its own; leave it out, or use season.matches")
	}
	if err := x.check(s.Name); err != nil {
		return err
	}
	for division, level := range s.Boss {
		switch {
		case !slices.Contains(x.Divisions, division):
			return fmt.Errorf("boss: %q is not one of the divisions %s", division, strings.Join(x.Divisions, ", "))
		case !entryName.MatchString(level) || len(level) > maxEntry:
			return fmt.Errorf("boss: %q is not a level of the bot of the game; %s is the one without levels", level, DefaultBot)
		}
	}
	for _, e := range s.Entries.List {
		if e.Bot != "" {
			return errLeagueBot
		}
	}
	return nil
}

var errLeagueBot = errors.New("entries: the bots of a league are the bosses of its divisions; use boss")

// check returns an error if the season of the league with a name is not complete.
func (x *Season) check(league string) error {
	if n := len(x.Divisions); n < 1 || n > maxDivisions {
		return fmt.Errorf("season.divisions: list 1 to %d names, the highest division first", maxDivisions)
	}
	for i, name := range x.Divisions {
		same := func(other string) bool { return strings.EqualFold(other, name) }
		switch {
		case name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return fmt.Errorf("season.divisions: %q is not one line of 1 to %d bytes", name, maxName)
		case slices.ContainsFunc(x.Divisions[:i], same):
			return fmt.Errorf("season.divisions: %q is listed twice", name)
		}
	}
	ways := 0
	for _, given := range []bool{x.Every != 0, x.Moves != nil, x.After != 0} {
		if given {
			ways++
		}
	}
	begins := x.Start
	switch {
	case ways > 1:
		return errors.New("season: it has more than one of every, moves and after; choose one, or none for promotion at the end alone")
	case x.Promote < 1 || x.Promote > MaxEntries:
		return fmt.Errorf("season.promote: %d is not from 1 to %d", x.Promote, MaxEntries)
	case x.Matches < 1 || x.Matches > MaxMatches:
		return fmt.Errorf("season.matches: %d is not from 1 to %d", x.Matches, MaxMatches)
	case x.After < 0 || x.After > MaxMatches:
		return fmt.Errorf("season.after: %d is not from 1 to %d", x.After, MaxMatches)
	case !x.End.IsZero() && !x.End.After(begins):
		return errors.New("season.end: it is not after season.start")
	case x.Every != 0 && x.Every < minEvery:
		return fmt.Errorf("season.every: it is not at least %v", minEvery)
	case len(x.Moves) > maxDates:
		return fmt.Errorf("season.moves: more than %d", maxDates)
	case x.Follows != "" && (!ValidName(x.Follows) || x.Follows == league):
		return fmt.Errorf("season.follows: %q is not the name of another league", x.Follows)
	}
	for i, at := range x.Moves {
		switch {
		case i > 0 && !at.After(x.Moves[i-1]):
			return errors.New("season.moves: they are not in their order")
		case !at.After(begins) || !x.End.IsZero() && !at.Before(x.End):
			return errors.New("season.moves: they are not between season.start and season.end; at the end there is promotion in any case")
		}
	}
	return nil
}

// Bosses returns the entries of the bots, one for each level, that of the highest division
// first.
func (s *Spec) Bosses() []Entry {
	var list []Entry
	if s.Season == nil {
		return nil
	}
	for _, division := range s.Season.Divisions {
		level := s.Boss[division]
		if level != "" && !slices.ContainsFunc(list, func(e Entry) bool { return e.Bot == level }) {
			list = append(list, Entry{Name: BotPrefix + level, Bot: level})
		}
	}
	return list
}

// date returns the k-th date of promotion by Every, from 1.
func (x *Season) date(started time.Time, k int) time.Time {
	if !x.Start.IsZero() {
		started = x.Start
	}
	return started.Add(time.Duration(k) * x.Every)
}

// dates returns the last date of promotion up to a time, and the first one after it; zero:
// there is none. Started is when the league started.
func (x *Season) dates(started, now time.Time) (last, next time.Time) {
	take := func(at time.Time) {
		switch {
		case !x.End.IsZero() && !at.Before(x.End):
		case !at.After(now):
			last = at
		case next.IsZero():
			next = at
		}
	}
	for _, at := range x.Moves {
		take(at)
	}
	if x.Every > 0 {
		k := max(0, int(now.Sub(x.date(started, 0))/x.Every))
		if k > 0 {
			take(x.date(started, k))
		}
		take(x.date(started, k+1))
	}
	return last, next
}
