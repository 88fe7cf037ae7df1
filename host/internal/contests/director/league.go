package director

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/ladder"
	"colosseum/host/internal/records/store"
)

// open starts a league when its season begins.
func (r *ladderRun) open(ctx context.Context) (wait time.Duration, err error) {
	at := r.state.Spec.Season.Start
	if at.IsZero() {
		return 0, nil
	}
	if wait := time.Until(at); wait > 0 {
		return min(wait, time.Minute), nil // the clock can be set
	}
	if err := r.director.organizer.Start(ctx, r.contest.Name); err != nil {
		return 0, err
	}
	return chooseEvery, nil
}

// season does what the season of a league needs now: a date of promotion, or the end. Wait is
// the time until the next one; 0: there is none.
func (r *ladderRun) season(ctx context.Context) (wait time.Duration, err error) {
	if r.state.Spec.Format != contest.League {
		return 0, nil
	}
	for r.state.Phase == contest.Running {
		e, wait, err := r.state.SeasonEvent(time.Now())
		if err != nil || e == nil {
			return min(wait, time.Minute), err // the clock can be set
		}
		err = r.director.store.Append(ctx, r.contest.Name, r.state.Last(), []store.Event{*e})
		if err != nil && !errors.Is(err, store.ErrChanged) {
			return 0, err
		}
		if err := r.state.Refresh(ctx, r.director.store); err != nil {
			return 0, err
		}
		r.director.wake()
	}
	return 0, nil
}

// competitors returns what is known about the strength of all: by the game's ratings, or in a
// league by its own. Next is the number after that of the last match.
func (r *ladderRun) competitors(ctx context.Context, now time.Time) (list []contest.Competitor, next int, err error) {
	if r.state.Spec.Format == contest.League {
		return r.state.LeagueCompetitors()
	}
	ratings, err := r.director.ratingsOf(ctx, r.contest.Game)
	if err != nil {
		return nil, 0, err
	}
	return ratings.Competitors(now), ratings.Matches(r.contest.Name), nil
}

// chosen is a match that can begin.
type chosen struct {
	seats    []int // candidates
	division int
	later    bool      // nobody in it is connected
	since    time.Time // when the one that has waited for the longest time was free
}

// choose returns the next matches: of a league, those of all divisions, in the order in which
// their players have waited.
func (r *ladderRun) choose(c ladderCandidates, patience time.Duration) (groups []chosen, again time.Duration) {
	for division, members := range r.divisions(c) {
		free := make([]ladder.Candidate, len(members))
		for i, m := range members {
			free[i] = c.list[m]
		}
		players := r.state.Spec.Players
		list, wait := ladder.Next(free, ladder.Options{
			Players: players, Seed: r.state.Draw(), Now: time.Now(), MaxWait: patience, Busy: r.busy[division] * players,
		})
		if wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
		for _, g := range list {
			one := chosen{division: division, later: true}
			for _, i := range g {
				one.seats = append(one.seats, members[i])
				if f := free[i]; !f.Bot {
					one.later = one.later && f.Later
					if one.since.IsZero() || f.Since.Before(one.since) {
						one.since = f.Since
					}
				}
			}
			groups = append(groups, one)
		}
	}
	if r.state.Spec.Format == contest.League {
		slices.SortStableFunc(groups, func(a, b chosen) int {
			if a.later != b.later {
				if b.later {
					return -1
				}
				return 1
			}
			return cmp.Compare(a.since.UnixNano(), b.since.UnixNano())
		})
	}
	return groups, again
}

// divisions returns the candidates of each division of a league; those of a ladder are all in
// one.
func (r *ladderRun) divisions(c ladderCandidates) [][]int {
	if r.state.Spec.Format != contest.League {
		all := make([]int, len(c.list))
		for i := range all {
			all[i] = i
		}
		return [][]int{all}
	}
	lists := make([][]int, len(r.state.Spec.Season.Divisions))
	for i, n := range c.entries {
		for d := range lists {
			if r.state.PlaysIn(n, d) {
				lists[d] = append(lists[d], i)
			}
		}
	}
	return lists
}
