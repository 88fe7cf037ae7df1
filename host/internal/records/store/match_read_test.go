package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// pastMatches records ten matches, m0 to m9. They ended one minute after the other,
// except for m4 and m5, which ended at the same moment.
func pastMatches(t *testing.T, on kind) (s *Store, noon time.Time) {
	s, _, _ = on.openTemp(t)
	noon = time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)
	for i := range 10 {
		r := sample(fmt.Sprint("m", i))
		r.Game, r.State = []string{"roshambo", "dama"}[i%2], record.Finished
		r.Ended = noon.Add(time.Duration(i) * time.Minute)
		if i == 5 {
			r.Ended = noon.Add(4 * time.Minute)
		}
		r.Seats[0].Name = fmt.Sprint("player", i%3)
		if i == 8 {
			r.Seats[1].Name = `x","name":"player0",`
		}
		if i == 9 {
			r.State = record.Aborted
		}
		finish(t, s, r)
	}
	s.Begin(&record.Match{ID: "running", Game: "dama"})
	return s, noon
}

func ids(page []*record.Match) []string {
	list := []string{}
	for _, r := range page {
		list = append(list, r.ID)
	}
	return list
}

func TestSelectFindsMatchesByEachFilter(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, noon := pastMatches(t, on)
		tests := []struct {
			name  string
			query Query
			want  []string
		}{
			{"all, the newest first", Query{}, []string{"m9", "m8", "m7", "m6", "m5", "m4", "m3", "m2", "m1", "m0"}},
			{"of a game", Query{Game: "dama"}, []string{"m9", "m7", "m5", "m3", "m1"}},
			{"of an unknown game", Query{Game: "chess"}, []string{}},
			{"of a player", Query{Player: "player0"}, []string{"m9", "m6", "m3", "m0"}},
			{"of a player with several names", Query{Player: "player0", Others: []string{"player1", "player0", "nobody"}}, []string{"m9", "m7", "m6", "m4", "m3", "m1", "m0"}},
			{"not of a player whose name is a part", Query{Player: "player"}, []string{}},
			{"of a player and a game", Query{Player: "player0", Game: "roshambo"}, []string{"m6", "m0"}},
			{"of a name that looks like two", Query{Player: `x","name":"player0",`}, []string{"m8"}},
			{"aborted", Query{State: record.Aborted}, []string{"m9"}},
			{"since", Query{Since: noon.Add(7 * time.Minute)}, []string{"m9", "m8", "m7"}},
			{"until", Query{Until: noon.Add(2 * time.Minute)}, []string{"m1", "m0"}},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				tt.query.Limit = 100
				page, next, err := s.Select(context.Background(), tt.query)
				if err != nil || next != "" {
					t.Fatalf("got cursor %q, error %v, want neither", next, err)
				}
				if got := ids(page); !reflect.DeepEqual(got, tt.want) {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			})
		}
	})
}

func TestPagesHaveEachMatchOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, noon := pastMatches(t, on)
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
				t.Errorf("pages of %d: got %v, want every match once", limit, got)
			}
		}
	})
}

func TestSelectLeavesOutAnswersAndStreams(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _ := pastMatches(t, on)
		page, _, err := s.Select(context.Background(), Query{Limit: 1})
		if err != nil || page[0].Answers != nil || page[0].Stream != nil || len(page[0].Seats) != 2 {
			t.Errorf("got %+v, error %v, want 2 seats, no answers and no stream", page, err)
		}
	})
}

func TestSelectRefusesAForeignCursor(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _ := pastMatches(t, on)
		for _, cursor := range []string{"x", "1", "1.", ".1", "1.x", "1.2.3"} {
			if _, _, err := s.Select(context.Background(), Query{After: cursor, Limit: 1}); !errors.Is(err, ErrCursor) {
				t.Errorf("cursor %q: got %v, want ErrCursor", cursor, err)
			}
		}
	})
}

// BenchmarkSelect compares pages of a record with a thousand matches and of one with
// a million, which takes a minute or two to write. COLOSSEUM_RECORDS is a path at
// which the large file is kept, and used if it exists: as colosseum.db in a data
// folder it is the record of a host.
func BenchmarkSelect(b *testing.B) {
	for _, size := range []int{1000, 1_000_000} {
		path := filepath.Join(b.TempDir(), "record.db")
		if kept := os.Getenv("COLOSSEUM_RECORDS"); size > 1000 && kept != "" {
			path = kept
		}
		_, err := os.Stat(path)
		s := reopen(b, path, io.Discard)
		if err != nil {
			fillWithMatches(b, s, size)
		}
		for _, bench := range []struct {
			name  string
			query Query
		}{
			{"the newest", Query{}}, {"of a game", Query{Game: "dama"}}, {"aborted", Query{State: record.Aborted}},
			{"of a player of many", Query{Player: "heavy"}}, {"of nobody", Query{Player: "nobody"}},
			{"rare", Query{Player: "heavy", Game: "taacoca", State: record.Aborted}},
		} {
			for _, limit := range []int{50, 500} {
				b.Run(fmt.Sprintf("matches=%d/%s/limit=%d", size, bench.name, limit), func(b *testing.B) {
					bench.query.Limit = limit
					for b.Loop() {
						if _, _, err := s.Select(context.Background(), bench.query); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
		b.Run(fmt.Sprintf("matches=%d/IDs", size), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Reader.List(context.Background(), 10_000); err != nil {
					b.Fatal(err)
				}
			}
		})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// fillWithMatches records matches of 20 rounds at six games. They end ten seconds
// apart, the last one now. "heavy" plays every fourth, and a thousand players the
// rest. About one of a hundred is aborted, but none of taacoca.
func fillWithMatches(b *testing.B, s *Store, matches int) {
	b.Helper()
	games := []string{"roshambo", "royalur", "dama", "damath", "kamisado", "taacoca"}
	r := match(20)
	r.ID = "any"
	row, err := valuesOf(r, &s.writer.pack)
	if err != nil {
		b.Fatal(err)
	}
	answers, stream := row[17], row[19] // the same for all: packing them takes longest
	begin := time.Now().Add(-10 * time.Second * time.Duration(matches))
	batch := make([]*dialect.Row, 0, 5000)
	none := *r
	none.Answers, none.Stream = nil, nil
	for i := range matches {
		none.ID = strconv.FormatInt(1<<60+int64(i)*7919, 32)
		none.Game = games[i%len(games)]
		none.Ended = begin.Add(10 * time.Second * time.Duration(i+1))
		none.Started = none.Ended.Add(-5 * time.Second)
		none.State = record.Finished
		if i%100 == 1 && none.Game != "taacoca" {
			none.State = record.Aborted
		}
		first := fmt.Sprint("player", i*31%1000)
		if i%4 == 0 {
			first = "heavy"
		}
		none.Seats = []record.Seat{{Name: first, Score: 3, Rank: 1, Ended: "finished"}, {Name: fmt.Sprint("player", i*17%1000), Score: 2, Rank: 2, Ended: "finished"}}
		if row, err = valuesOf(&none, &s.writer.pack); err != nil {
			b.Fatal(err)
		}
		row[17], row[19] = answers, stream
		if batch = append(batch, &dialect.Row{Values: row, Late: true}); len(batch) == cap(batch) || i == matches-1 {
			if err := s.writer.commit(batch); err != nil { // the writer goroutine has nothing to do
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
}

func TestPagesOfAPlayerWithSeveralNamesAreWithoutGaps(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _ := pastMatches(t, on)
		var got []string
		q := Query{Player: "player1", Others: []string{"player2"}, Limit: 2}
		for {
			page, next, err := s.Select(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ids(page)...)
			if q.After = next; next == "" {
				break
			}
		}
		if want := []string{"m8", "m7", "m5", "m4", "m2", "m1"}; !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
