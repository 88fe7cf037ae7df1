package director

import (
	"context"
	"fmt"
	"slices"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/play/serving"
)

// Runner plays the matches of contests.
type Runner interface {
	// Play plays a match, and returns when its result is in the store, or when it is
	// clear that there will be none: it was aborted, or entries did not come to it,
	// which it returns by number. After an error the match is played again later. When
	// ctx ends, it stops the match, or waits for it. It is called concurrently.
	Play(ctx context.Context, m contest.Match) (absent []int, err error)
}

// deskRunner has connected players, and programs of hosts, play the matches of a contest.
type deskRunner struct {
	director *Director
	contest  *tracked
}

// Play implements Runner.
func (f deskRunner) Play(ctx context.Context, m contest.Match) ([]int, error) {
	match := matchOf(m)
	leave, err := f.contest.programs.enter(ctx, f.director.limit, func() (some, alone bool) { return seat(m, f.director.versions(m.Spec.Game), &match) })
	if err != nil {
		return nil, err
	}
	defer leave()
	if m.Spec.Dates == nil {
		match.Grace = f.contest.grace(m)
	} else {
		defer f.director.desk.Engage(connected(match))()
	}
	names, err := f.director.playMatch(ctx, match)
	if err != nil {
		return nil, err
	}
	var absent []int
	for seat, e := range m.Entries {
		if e.Player != "" && slices.Contains(names, e.Player) {
			absent = append(absent, m.Seats[seat])
		}
	}
	f.contest.countMissed(m, absent)
	if len(names) > 0 && len(absent) == 0 {
		return nil, fmt.Errorf("the desk missed %v, which do not play", names)
	}
	return absent, nil
}

// connected returns the players of a match that no program plays for.
func connected(m serving.ContestMatch) []string {
	var list []string
	for seat, name := range m.Players {
		if name != "" && m.Versions[seat] == 0 {
			list = append(list, name)
		}
	}
	return list
}

// playMatch has the desk play a match, and counts it.
func (d *Director) playMatch(ctx context.Context, f serving.ContestMatch) (absent []string, err error) {
	d.counted(1, 0)
	_, absent, err = d.desk.Play(ctx, f)
	d.counted(-1, len(absent))
	return absent, err
}

// leastGrace is the least time that a player has to come to its match.
const leastGrace = 5 * time.Second

// grace returns how long the players of a match have to come to it. Each match in a row
// to which a player did not come halves the time, so that its opponents do not wait as
// long for it again and again.
func (t *tracked) grace(m contest.Match) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	grace := m.Spec.Grace
	for _, e := range m.Entries {
		grace = min(grace, max(m.Spec.Grace>>min(t.missed[e.Name], 30), leastGrace))
	}
	return grace
}

// countMissed counts the matches in a row to which those of a match did not come.
func (t *tracked) countMissed(m contest.Match, absent []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, n := range m.Seats {
		if name := m.Entries[i].Name; slices.Contains(absent, n) {
			t.missed[name]++
		} else {
			delete(t.missed, name)
		}
	}
}

// matchOf returns a match for the desk.
func matchOf(m contest.Match) serving.ContestMatch {
	args, levels := m.Args()
	f := serving.ContestMatch{
		Name: m.Name(), Game: m.Spec.Game, Args: args, Levels: levels, Timeout: m.Spec.Timeout, Clock: m.Spec.MatchClock(), Retries: m.Spec.Retries, NoHints: m.Spec.Hints != nil && !*m.Spec.Hints,
		Seed: m.Seed, Contest: m.Record(), Grace: m.Spec.Grace,
	}
	for _, e := range m.Entries {
		f.Players = append(f.Players, e.Player)
	}
	return f
}
