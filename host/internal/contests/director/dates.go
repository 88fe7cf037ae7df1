package director

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// Attendance says who can play a match now, in a contest whose rounds have dates.
type Attendance interface {
	// There returns the registered players that can be called to a match, by name in lower
	// case: they serve the game.
	There() map[string]bool
	// Automatic reports whether an entry needs no player: it is a bot, or a program that the
	// host runs.
	Automatic(e contest.Entry) bool
	// Listed returns the legs whose matches wait or run, also for an earlier leader.
	Listed() map[legKey]bool
	// Changed returns a channel that is closed when the result of There might have changed.
	// To miss nothing, call it before There.
	Changed() <-chan struct{}
}

const (
	// lookEvery is the least time between two looks at who is there, because players come and
	// go all the time.
	lookEvery = 250 * time.Millisecond
	// clockEvery is the most time between two looks at the clock, which can be set.
	clockEvery = time.Minute
	// maxWritten is how many matches are decided with one write when a round closes, and how many
	// passes are noted with one.
	maxWritten = 500
)

// dated reports whether the rounds of the contest have dates.
func (r *run) dated() bool { return r.Attendance != nil && r.state.Spec.Dates != nil }

// pairOnDate is pair for rounds with dates: each is paired when it opens.
func (r *run) pairOnDate(ctx context.Context) (wait time.Duration, err error) {
	if !r.planned.known || r.planned.last != r.state.Last() {
		next, over, err := pairing.Next(r.state.History())
		if err != nil {
			return r.pair(ctx) // it returns the same error
		}
		r.planned.known, r.planned.last, r.planned.round = true, r.state.Last(), -1
		if !over {
			r.planned.round = r.newRound(next)
		}
	}
	if r.planned.round < 0 {
		return r.pair(ctx)
	}
	w, ok := r.state.Window(r.planned.round)
	if !ok {
		return -1, nil // until an organizer gives it dates
	}
	if left := time.Until(w.Opens); left > 0 {
		return min(left, clockEvery), nil
	}
	return r.pair(ctx)
}

// planned is the round that comes next.
type planned struct {
	known bool
	last  int64 // the event after which it was computed
	round int   // -1: the contest is over, or what comes next belongs to rounds that have been paired
}

// newRound returns the first round of pairings that has none yet; -1: they all have some.
func (r *run) newRound(next []pairing.Pairing) int {
	paired := -1
	for i := range r.state.Pairs {
		paired = max(paired, r.state.Pairs[i].Round)
	}
	first := -1
	for _, p := range next {
		if p.Round > paired && (first < 0 || p.Round < first) {
			first = p.Round
		}
	}
	return first
}

// look is what there is to do in rounds with dates.
type look struct {
	held   map[legKey]bool // legs that do not begin now
	events []store.Event
	wait   time.Duration // until something is due
}

// lookAtDates notes who is there, decides what was not played when its round has closed, and
// returns the legs that do not begin now. After it has written events, it must be called again.
func (r *run) lookAtDates(ctx context.Context) (held map[legKey]bool, wait time.Duration, written bool, err error) {
	now := time.Now()
	l := look{held: maps.Clone(r.running), wait: clockEvery}
	there, listed := r.Attendance.There(), r.Attendance.Listed()
	rounds := map[int][]contest.Match{}
	for _, m := range r.state.Undecided() {
		rounds[m.Round] = append(rounds[m.Round], m)
	}
	for _, round := range slices.Sorted(maps.Keys(rounds)) {
		r.lookAtRound(&l, round, rounds[round], now, there, listed)
	}
	if len(l.events) == 0 {
		return l.held, l.wait, false, nil
	}
	return nil, 0, true, r.append(ctx, l.events[:min(len(l.events), maxWritten)]...)
}

// lookAtRound adds what there is to do in a round.
func (r *run) lookAtRound(l *look, round int, matches []contest.Match, now time.Time, there map[string]bool, listed map[legKey]bool) {
	w, ok := r.state.Window(round)
	if !ok || now.Before(w.Opens) {
		for _, m := range matches {
			l.held[legOf(m)] = true
		}
		if ok {
			l.wait = min(l.wait, w.Opens.Sub(now))
		}
		return
	}
	seen := map[contest.Attendant]bool{}
	opened := r.state.Opened(round)
	for _, m := range matches {
		w, _ := r.state.WindowOf(&m)
		ready, closed := true, !now.Before(w.Closes)
		if !closed {
			l.wait = min(l.wait, w.Closes.Sub(now))
		}
		for seat, e := range m.Entries {
			if r.Attendance.Automatic(e) {
				continue
			}
			serves := there[strings.ToLower(e.Player)]
			if serves && (!closed || !opened) && !r.state.Seen(&m, seat) {
				seen[contest.Attendant{Entry: m.Seats[seat], Player: e.Player}] = true
			}
			ready = ready && (serves || r.state.Here(&m, seat, now))
		}
		key := legOf(m)
		switch {
		case r.running[key], listed[key] && !r.begun[key]: // its end decides, or that of the match of an earlier leader
		case closed && opened && !r.automatic(m):
			l.events = append(l.events, r.state.NewClosed(m, func(seat int) bool { return r.Attendance.Automatic(m.Entries[seat]) }))
		case !ready:
			l.held[key] = true
		}
	}
	if !opened || len(seen) > 0 { // the first one says when the round was opened
		l.events = append(l.events, r.state.NewSeen(round, slices.SortedFunc(maps.Keys(seen), func(a, b contest.Attendant) int {
			return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Player, b.Player))
		})))
		return
	}
	if at := r.state.RemindAt(round); !at.IsZero() && now.Before(w.Closes) {
		if left := at.Sub(now); left > 0 {
			l.wait = min(l.wait, left)
		} else {
			l.events = append(l.events, r.state.NewRemind(round))
		}
	}
}

func legOf(m contest.Match) legKey { return legKey{m.Pairing, m.Leg} }

// automatic reports whether a match needs no player.
func (r *run) automatic(m contest.Match) bool {
	return !slices.ContainsFunc(m.Entries, func(e contest.Entry) bool { return !r.Attendance.Automatic(e) })
}

// missed notes that entries did not come to a match that had begun.
func (r *run) missed(ctx context.Context, f contest.Fixture, absent []int) error {
	m := r.state.Match(f)
	var list []contest.Attendant
	for seat, n := range f.Seats {
		if slices.Contains(absent, n) {
			list = append(list, contest.Attendant{Entry: n, Player: m.Entries[seat].Player})
		}
	}
	return r.append(ctx, r.state.NewMissed(f.Round, list))
}

// deskAttendance is the attendance at a contest of a director.
type deskAttendance struct {
	director *Director
	contest  *tracked
}

// There implements Attendance.
func (a deskAttendance) There() map[string]bool {
	list := map[string]bool{}
	for _, name := range a.director.desk.Serving(a.contest.Game) {
		list[strings.ToLower(name)] = true
	}
	return list
}

// Automatic implements Attendance.
func (a deskAttendance) Automatic(e contest.Entry) bool {
	return e.Player == "" || versionOf(a.director.versions(a.contest.Game), e) > 0
}

// Listed implements Attendance.
func (a deskAttendance) Listed() map[legKey]bool {
	legs := map[legKey]bool{}
	for _, f := range a.director.lobby.Fixtures(a.contest.Name) {
		legs[legKey{f.Pairing, f.Leg}] = true
	}
	return legs
}

// Changed implements Attendance.
func (a deskAttendance) Changed() <-chan struct{} { return a.director.desk.Changed() }

// Here notes that a registered player is there for a match of a contest until the time that it
// returns. The errors are for the client.
func (d *Director) Here(ctx context.Context, name, player string) (until time.Time, err error) {
	until, err = d.organizer.Here(ctx, name, player)
	d.wake()
	return until, err
}
