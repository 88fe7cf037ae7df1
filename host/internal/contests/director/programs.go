package director

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/play/serving"
)

// Programs are those that players have handed in, and that hosts run. A player with such a
// program is played by it in all contests of its game, also if it is connected.
type Programs interface {
	// Versions returns the version that plays for each player of a game, by the player's
	// name in lower case. It must not be changed.
	Versions(game string) map[string]int
	// Concurrency returns how many matches of one ladder a program plays at the same time,
	// at least 1.
	Concurrency() int
	// Hourly returns how many matches with other programs alone a program can begin in an
	// hour in one ladder; 0: any number.
	Hourly() int
	// Limit returns how many matches between programs alone keep all hosts busy. A contest
	// begins no more at the same time. 0: no host runs programs now, and no program plays.
	Limit() int
	// Changed returns a channel that is closed when the result of Versions changes for any
	// game. To miss nothing, call it before Versions.
	Changed() <-chan struct{}
}

// versions are those of Programs, if there are any.
func (d *Director) versions(game string) map[string]int {
	if d.settings.Programs == nil {
		return nil
	}
	return d.settings.Programs.Versions(game)
}

// programsChanged is Changed of Programs; nil: there are none.
func (d *Director) programsChanged() <-chan struct{} {
	if d.settings.Programs == nil {
		return nil
	}
	return d.settings.Programs.Changed()
}

// versionOf returns the version that plays for an entry; 0: the player has to connect.
func versionOf(versions map[string]int, e contest.Entry) int {
	if e.Player == "" {
		return 0
	}
	return versions[strings.ToLower(e.Player)]
}

// limit is Limit of Programs; 0: no program can play now.
func (d *Director) limit() int {
	if d.settings.Programs == nil {
		return 0
	}
	n := d.settings.Programs.Limit()
	if none := n == 0; d.noHost.Swap(none) != none {
		if none {
			d.log.Warn("no host runs the programs of players now: their matches wait for one")
		} else {
			d.log.Info("hosts run the programs of players again")
		}
	}
	return n
}

// seat has programs play for players of a match. It reports whether some do, and whether all
// players are programs.
func seat(m contest.Match, versions map[string]int, f *serving.ContestMatch) (some, alone bool) {
	f.Versions = nil
	alone = true
	for _, e := range m.Entries {
		version := versionOf(versions, e)
		f.Versions = append(f.Versions, version)
		alone = alone && (version > 0 || e.Player == "")
	}
	some = slices.Max(f.Versions) > 0
	return some, some && alone
}

// gate lets as many matches between programs alone begin as keep the hosts busy.
type gate struct {
	mu    sync.Mutex // guards the fields below
	used  int
	freed chan struct{} // closed by leave; nil: nobody waits
}

// lookAgain is after which time the limit can have changed.
const lookAgain = time.Second

// enter waits until a match can begin: seat, which it calls again and again, is that of its
// programs. Leave must be called after the match.
func (g *gate) enter(ctx context.Context, limit func() int, seat func() (some, alone bool)) (leave func(), err error) {
	for {
		some, alone := seat()
		if !some {
			return func() {}, nil
		}
		most := limit()
		if !alone && most > 0 {
			return func() {}, nil
		}
		g.mu.Lock()
		if g.used < most {
			g.used++
			g.mu.Unlock()
			return g.leave, nil
		}
		if g.freed == nil {
			g.freed = make(chan struct{})
		}
		freed := g.freed
		g.mu.Unlock()
		select {
		case <-freed:
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used--
	if g.freed != nil {
		close(g.freed)
		g.freed = nil
	}
}
