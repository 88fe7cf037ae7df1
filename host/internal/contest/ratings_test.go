package contest

import (
	"context"
	"errors"
	"testing"
	"time"

	"colosseum/host/internal/store"
)

// interrupted is a store with results that cannot be read after some of them.
type interrupted struct {
	Store
	contest store.Contest
	events  []store.Event
	results []store.Result
	most    int // of one call
}

var errInterrupted = errors.New("interrupted")

func (s *interrupted) GameResults(_ context.Context, _ string, after int64, f func(store.Result) error) error {
	for i, r := range s.results[after:] {
		if i == s.most {
			return errInterrupted
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *interrupted) Contest(context.Context, string) (store.Contest, error) { return s.contest, nil }

func (s *interrupted) Events(_ context.Context, _ string, after int64) ([]store.Event, error) {
	return s.events[after:], nil
}

// TestRatingsCountEachResultOnceAfterErrors: a reader that goes away interrupts the
// reading for all.
func TestRatingsCountEachResultOnceAfterErrors(t *testing.T) {
	var entries []Entry
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		entries = append(entries, Entry{Name: name, Player: name})
	}
	s := &interrupted{contest: store.Contest{Name: "cup", Game: "duel", Spec: head + "entries: open"}, most: 1}
	enter := newEvent(Enter, eventData{Entries: entries})
	enter.Number = 1
	s.events = []store.Event{enter}
	for i, pair := range [][2]int{{0, 1}, {2, 3}, {4, 5}, {0, 2}, {1, 2}} {
		s.results = append(s.results, store.Result{
			Number: int64(i + 1), Contest: "cup", Pairing: i, Match: string(rune('m' + i)), Ended: time.Unix(int64(i), 0),
			Seats: []store.ResultSeat{{Entry: pair[0], Rank: 1}, {Entry: pair[1], Rank: 2}},
		})
	}
	now := time.Unix(100, 0)
	got := NewRatings("duel", 0)
	for i := range s.results[1:] {
		if err := got.Refresh(t.Context(), s); !errors.Is(err, errInterrupted) {
			t.Fatalf("call %d: got the error %v, want %v", i, err, errInterrupted)
		}
		_ = got.Standings(now)
	}
	if err := got.Refresh(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.most = len(s.results)
	want, err := LoadRatings(t.Context(), s, "duel", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want.Standings(now) {
		if g := got.Standings(now)[i]; g.Name != w.Name || g.Played != w.Played || !near(g.Rating, w.Rating) || !near(g.Low, w.Low) {
			t.Errorf("place %d: got %+v, want %+v", i+1, g, w)
		}
	}
}
