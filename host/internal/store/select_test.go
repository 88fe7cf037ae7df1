package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"
)

// pastMatches records ten matches, m0 to m9, that ended one minute after the
// other; m4 and m5 at the same moment.
func pastMatches(t *testing.T) (s *Store, noon time.Time) {
	s, _, _ = openTemp(t)
	noon = time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)
	for i := range 10 {
		r := sample(fmt.Sprint("m", i))
		r.Game, r.State = []string{"roshambo", "dama"}[i%2], Finished
		r.Ended = noon.Add(time.Duration(i) * time.Minute)
		if i == 5 {
			r.Ended = noon.Add(4 * time.Minute)
		}
		r.Seats[0].Name = fmt.Sprint("player", i%3)
		if i == 8 {
			r.Seats[1].Name = `x","name":"player0",`
		}
		if i == 9 {
			r.State = Aborted
		}
		finish(t, s, r)
	}
	s.Begin(&Record{ID: "running", Game: "dama"})
	return s, noon
}

func ids(page []*Record) []string {
	list := []string{}
	for _, r := range page {
		list = append(list, r.ID)
	}
	return list
}

func TestSelectFindsMatchesByWhatIsAskedFor(t *testing.T) {
	s, noon := pastMatches(t)
	tests := []struct {
		name  string
		query Query
		want  []string
	}{
		{"all, the newest first", Query{}, []string{"m9", "m8", "m7", "m6", "m5", "m4", "m3", "m2", "m1", "m0"}},
		{"of a game", Query{Game: "dama"}, []string{"m9", "m7", "m5", "m3", "m1"}},
		{"of an unknown game", Query{Game: "chess"}, []string{}},
		{"of a player", Query{Player: "player0"}, []string{"m9", "m6", "m3", "m0"}},
		{"not of a player whose name is a part", Query{Player: "player"}, []string{}},
		{"of a player and a game", Query{Player: "player0", Game: "roshambo"}, []string{"m6", "m0"}},
		{"of a name that looks like two", Query{Player: `x","name":"player0",`}, []string{"m8"}},
		{"aborted", Query{State: Aborted}, []string{"m9"}},
		{"since", Query{Since: noon.Add(7 * time.Minute)}, []string{"m9", "m8", "m7"}},
		{"until", Query{Until: noon.Add(2 * time.Minute)}, []string{"m1", "m0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.query.Limit = 100
			page, next, err := s.Select(context.Background(), tt.query)
			if err != nil || next != "" {
				t.Fatalf("next %q, %v", next, err)
			}
			if got := ids(page); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPagesHoldEachMatchOnce(t *testing.T) {
	s, noon := pastMatches(t)
	for limit := 1; limit <= 11; limit++ {
		got, cursor := []string{}, ""
		for {
			page, next, err := s.Select(context.Background(), Query{After: cursor, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ids(page)...)
			if next == "" {
				break
			}
			cursor = next
			if len(got) == 2 { // a match that ends now comes before the first page
				late := sample(fmt.Sprint("late", limit))
				late.Ended = noon.Add(time.Duration(limit) * time.Hour)
				finish(t, s, late)
			}
		}
		if got = got[len(got)-10:]; got[0] != "m9" || got[9] != "m0" {
			t.Errorf("pages of %d: %v", limit, got)
		}
	}
}

func TestSelectLeavesTheLongPartsOut(t *testing.T) {
	s, _ := pastMatches(t)
	page, _, err := s.Select(context.Background(), Query{Limit: 1})
	if err != nil || page[0].Answers != nil || page[0].Stream != nil || len(page[0].Seats) != 2 {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestSelectRefusesAForeignCursor(t *testing.T) {
	s, _ := pastMatches(t)
	for _, cursor := range []string{"x", "1", "1.", ".1", "1.x", "1.2.3"} {
		if _, _, err := s.Select(context.Background(), Query{After: cursor, Limit: 1}); !errors.Is(err, ErrCursor) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

// BenchmarkSelect asks a record of 20,000 matches for a page.
func BenchmarkSelect(b *testing.B) {
	s, _, _ := openTemp(b)
	var wg sync.WaitGroup
	for worker := range 100 {
		wg.Go(func() {
			r := *match(100)
			for i := range 200 {
				r.ID = fmt.Sprint(worker, "-", i)
				if err := s.Finish(context.Background(), &r); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for name, query := range map[string]Query{
		"the newest": {}, "of a game": {Game: "roshambo"}, "of a player": {Player: "Ann"}, "of nobody": {Player: "Zoe"},
	} {
		b.Run(name, func(b *testing.B) {
			query.Limit = 50
			for b.Loop() {
				if _, _, err := s.Select(context.Background(), query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
