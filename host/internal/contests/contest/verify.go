package contest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// Records are the records of matches.
type Records interface {
	// Get returns a record, or store.ErrNotFound.
	Get(ctx context.Context, id string) (*record.Match, error)
}

// Verification is what [Verify] has found.
type Verification struct {
	Pairings int      // that were computed again
	Matches  int      // whose result was compared with the record
	Missing  int      // records that were removed
	Problems []string // the differences that were found; none: everything is right
}

// Verify computes a contest again from its description, its seed and the records of
// its matches, and compares the pairings, the results and the final standings with
// those in the store.
func Verify(ctx context.Context, from Store, records Records, name string) (*Verification, error) {
	c, err := from.Contest(ctx, name)
	if errors.Is(err, store.ErrNoContest) {
		return nil, unknown(name)
	}
	if err != nil {
		return nil, err
	}
	results, err := from.Results(ctx, name, 0)
	if err != nil {
		return nil, err
	}
	events, err := from.Events(ctx, name, 0) // after the results, so that each has its pairing
	if err != nil {
		return nil, err
	}
	s, err := NewState(c)
	if err != nil {
		return nil, err
	}
	v := &Verification{}
	if s.Spec.Format == Ladder {
		for _, r := range results {
			if err := v.compare(ctx, records, r, s.LadderFixture(r.Pairing, nil).Seed); err != nil {
				return nil, err
			}
		}
		return v, nil
	}
	if s.league != nil {
		return v, v.verifyLeague(ctx, from, records, s, events, results)
	}
	if s.Spec.Format == Cup {
		return v, v.verifyCup(ctx, from, s, events)
	}
	for _, e := range events {
		if err := v.replay(s, e, &results); err != nil {
			return nil, err
		}
	}
	for _, r := range results { // of the pairings that were not complete
		if err := s.Add(r); err != nil {
			v.add("%v", err)
		}
	}
	for i := range s.Pairs {
		for j := range s.Pairs[i].Legs {
			l := &s.Pairs[i].Legs[j]
			for n := range l.attempts() {
				if r := l.attemptNumber(n).Result; r != nil {
					v.check(s, *r)
					if err := v.compare(ctx, records, *r, s.fixture(i, j, n).Seed); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return v, nil
}

func (v *Verification) add(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// replay applies an event after the results on which it depends, and checks what it
// holds. It takes those results out of the list.
func (v *Verification) replay(s *State, e store.Event, results *[]store.Result) error {
	var d eventData
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return fmt.Errorf("event %d: %w", e.Number, err)
	}
	kind := Kind(e.Kind)
	if kind != PairUp && kind != End && kind != Reach {
		return s.Apply(e)
	}
	*results = slices.DeleteFunc(*results, func(r store.Result) bool {
		old := kind == PairUp && d.Results == 0 // an older host did not write the number of the last result
		if r.Pairing >= len(s.Pairs) || r.Number > d.Results && !old || old && r.Attempt > 0 {
			return false
		}
		if err := s.Add(r); err != nil {
			v.add("%v", err)
		}
		return true
	})
	if kind == Reach {
		for _, n := range d.Numbers {
			if !s.hasPassed(n) {
				v.add("event %d: entry %d had not reached the pass mark", e.Number, n)
			}
		}
		return s.Apply(e)
	}
	if !d.Early {
		v.checkPairs(s, e.Number, d.Pairings)
	}
	if kind == End {
		v.checkStandings(s, d.Standings)
	}
	return s.Apply(e)
}

func (v *Verification) checkPairs(s *State, event int64, recorded []pairing.Pairing) {
	if !s.Complete() {
		v.add("event %d came before all matches of the pairings before it were decided", event)
		return
	}
	next, over, err := pairing.Next(s.History())
	switch {
	case err != nil:
		v.add("event %d: %v", event, err)
	case over != (recorded == nil):
		v.add("event %d: the contest is over: got %t, want %t", event, recorded == nil, over)
	case !slices.EqualFunc(next, recorded, equal):
		v.add("event %d: the recorded pairings are not those of its history", event)
	}
	v.Pairings += len(next)
}

func equal(a, b pairing.Pairing) bool {
	same := slices.Equal(a.Entrants, b.Entrants)
	a.Entrants, b.Entrants = nil, nil
	return same && a.Round == b.Round && a.Bracket == b.Bracket && a.Slot == b.Slot && a.Replay == b.Replay && a.Alone == b.Alone
}

func (v *Verification) checkStandings(s *State, recorded []Row) {
	rows, err := s.Standings()
	if err != nil {
		v.add("%v", err)
		return
	}
	if len(rows) != len(recorded) {
		v.add("the recorded standings have %d entries, and not %d", len(recorded), len(rows))
		return
	}
	for i, got := range recorded {
		want := rows[i]
		ratings := near(got.Rating, want.Rating) && near(got.Low, want.Low) && near(got.High, want.High)
		ties := slices.EqualFunc(got.TieBreaks, want.TieBreaks, near) && slices.EqualFunc(got.Boards, want.Boards, BoardRow.equal)
		got.Rating, got.Low, got.High, got.TieBreaks = want.Rating, want.Low, want.High, nil
		want.TieBreaks = nil
		same := got.Rank == want.Rank && got.Name == want.Name && near(got.Points, want.Points) && got.Played == want.Played &&
			got.Wins == want.Wins && got.Draws == want.Draws && got.Losses == want.Losses && got.Forfeits == want.Forfeits && got.Withdrawn == want.Withdrawn &&
			got.Division == want.Division && got.Move == want.Move && got.Version == want.Version && slices.EqualFunc(got.Parts, want.Parts, nearPart) &&
			(got.Scores == nil) == (want.Scores == nil) && (got.Scores == nil || near(got.Scores.Mean, want.Scores.Mean) && near(got.Scores.Best, want.Scores.Best) &&
			near(got.Scores.Sum, want.Scores.Sum) && got.Scores.Missed == want.Scores.Missed) && samePass(got.Pass, want.Pass)
		if !same || !ratings || !ties {
			v.add("place %d of the recorded standings, %s, is not that of the results", i+1, got.Name)
		}
	}
}

// near reports whether two figures are equal: other processors round differently.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a)) }

// check compares the seats and the seed of a result with its pairing.
func (v *Verification) check(s *State, r store.Result) {
	want := s.Fixture(r.Pairing, r.Leg).Seats
	var got []int
	for _, seat := range r.Seats {
		got = append(got, seat.Entry)
	}
	if !slices.Equal(got, want) {
		v.add("the match %s has the entries %v on its seats, and not %v", r.Match, got, want)
	}
}

// compare compares a result and the seed of its match with the record.
func (v *Verification) compare(ctx context.Context, records Records, r store.Result, seed uint64) error {
	rec, err := records.Get(ctx, r.Match)
	if errors.Is(err, store.ErrNotFound) {
		v.Missing++
		return nil
	}
	if err != nil {
		return err
	}
	v.Matches++
	f := rec.Fixture
	if f == nil || f.Contest != r.Contest || f.Pairing != r.Pairing || f.Leg != r.Leg || f.Attempt != r.Attempt || len(rec.Seats) != len(r.Seats) || len(f.Entries) != len(r.Seats) {
		v.add("the record of the match %s is not that of leg %d of pairing %d", r.Match, r.Leg+1, r.Pairing+1)
		return nil
	}
	if rec.Seed != seed {
		v.add("the match %s has the seed %d, and not %d", r.Match, rec.Seed, seed)
	}
	teams := teamsOf(&r)
	for i, seat := range r.Seats {
		in := rec.Seats[i]
		if teams == nil { // an older host stored none
			in.Team = 0
		}
		if in.Rank != seat.Rank || in.Score != seat.Score || in.Ended != seat.Ended || in.Team != seat.Team || f.Entries[i] != seat.Entry {
			v.add("the record of the match %s has another result for seat %d", r.Match, i)
		}
	}
	return nil
}
