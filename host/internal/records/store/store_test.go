package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
)

// sample returns a record with a value in every field, always the same for an ID.
func sample(id string) *record.Match {
	started := time.Date(2025, 3, 4, 5, 6, 7, 89, time.UTC)
	return &record.Match{
		ID: id, Name: "the \"match\" of <" + id + ">", Game: "damath", Plugin: "dama", Version: "v-" + id,
		Args:    map[string]string{"rules": "x", "": "empty key"},
		Params:  map[string]string{"rules": "damath", "name": "Žofie & 象"},
		Timeout: 12.5, Retries: 4, Branch: &record.Branch{Match: "0123456789abc", Line: 7, Answers: 2}, Seed: math.MaxUint64 - 5, Salt: []byte("salt \xff of " + id), Verified: true,
		Seats: []record.Seat{
			{Name: "Ann", Score: 1.0 / 3, Rank: 1, Ended: "finished", Version: 3},
			{Name: "", Bot: true, Score: math.Inf(-1), Rank: 2, Ended: "forfeit: timeout"},
		},
		Started: started, Ended: started.Add(time.Hour + time.Nanosecond), State: record.Finished, Reason: "white has no moves left",
		Answers: []record.Answer{
			{Seat: 0, Line: "\xff\x00\xfe " + id, At: time.Millisecond},
			{Seat: 1, Outcome: "timeout", At: 3 * time.Second, Note: "of " + id, Lines: 3},
			{Seat: 1, Outcome: "disconnected", Line: "", At: 2 * time.Second},
			{Seat: 0, Line: strings.Repeat("a1 b2 ", 100), At: time.Hour, Spent: record.Spent{Wall: 3 * time.Second, CPU: 2 * time.Second, Counted: true}},
		},
		Stream: append(bytes.Repeat([]byte("move a1\n"), 100), "\xff\xc0\x00"+id...),
	}
}

// journal is a log that the writer can write while a test reads.
type journal struct {
	mu sync.Mutex // guards the field below
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

func openTemp(t testing.TB) (s *Store, path string, log *journal) {
	t.Helper()
	return inFile.openTemp(t)
}

func reopen(t testing.TB, path string, log io.Writer) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func finish(t testing.TB, s *Store, r *record.Match) {
	t.Helper()
	if err := s.Finish(context.Background(), r); err != nil {
		t.Fatal(err)
	}
}

func wantRecord(t testing.TB, r *Reader, want *record.Match) {
	t.Helper()
	got, err := r.Get(context.Background(), want.ID)
	if err != nil {
		t.Error(err)
	} else if !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
}

func TestARecordIsReadBackAsItWasWritten(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		tests := []struct {
			name   string
			change func(*record.Match)
		}{
			{"everything in use", func(*record.Match) {}},
			{"only the necessary fields", func(r *record.Match) { *r = record.Match{ID: r.ID, Ended: r.Ended, State: record.Aborted} }},
			{"a clock", func(r *record.Match) {
				r.Clock = &record.Clock{Bank: 60, Increment: 0.5}
				r.Answers[0].Left, r.Answers[1].Left = 59*time.Second, time.Microsecond
			}},
			{"a clock without answers", func(r *record.Match) { r.Clock, r.Answers = &record.Clock{Bank: 60}, nil }},
			{"a match of a contest", func(r *record.Match) {
				r.Fixture = &record.Fixture{Contest: "cup", Pairing: 3, Leg: 1, Entries: []int{0, 40}}
			}},
			{"empty instead of nil", func(r *record.Match) {
				r.Args, r.Params, r.Answers, r.Stream = map[string]string{}, map[string]string{}, []record.Answer{}, []byte{}
			}},
			{"all seeds fit", func(r *record.Match) { r.Seed = 1 << 63 }},
			{"bytes that do not compress", func(r *record.Match) { r.Stream = []byte("\x00") }},
			{"a large stream", func(r *record.Match) { r.Stream = bytes.Repeat([]byte("0123456789abcdef"), 1<<18) }},
			{"an infinite score", func(r *record.Match) { r.Seats[0].Score = math.Inf(1) }},
			{"time runs backwards and before the start", func(r *record.Match) { r.Answers[1].At = -time.Second }},
		}
		s, path, log := on.openTemp(t)
		for i, tt := range tests {
			r := sample(fmt.Sprint("ID", i))
			tt.change(r)
			finish(t, s, r)
			t.Run(tt.name, func(t *testing.T) { wantRecord(t, s.Reader, r) })
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = reopen(t, path, log)
		for i, tt := range tests {
			r := sample(fmt.Sprint("ID", i))
			tt.change(r)
			t.Run(tt.name+", opened again", func(t *testing.T) { wantRecord(t, s.Reader, r) })
		}
	})
}

func TestAScoreThatIsNotANumberIsKept(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		r := sample("ID")
		r.Seats[0].Score = math.NaN()
		finish(t, s, r)
		got, err := s.Get(context.Background(), "ID")
		if err != nil || !math.IsNaN(got.Seats[0].Score) {
			t.Errorf("got %+v, %v, want a score of NaN", got, err)
		}
	})
}

func TestAnUnknownMatchIsNotFound(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		if r, err := s.Get(context.Background(), "0123456789ABC"); r != nil || err != ErrNotFound {
			t.Errorf("got %v, %v, want ErrNotFound", r, err)
		}
	})
}

func TestFinishCompletesTheRowOfBegin(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		r := sample("ID")
		s.Begin(r)
		r.Name = "changed after Begin"
		finish(t, s, sample("OTHER")) // commits the Begin too

		begun := sample("ID")
		begun.State, begun.Ended, begun.Reason, begun.Answers, begun.Stream = record.Running, time.Time{}, "", nil, nil
		wantRecord(t, s.Reader, begun)

		finish(t, s, r)
		wantRecord(t, s.Reader, r)

		s.Begin(r) // too late to change anything
		r.Reason = "the second Finish counts"
		finish(t, s, r)
		wantRecord(t, s.Reader, r)
	})
}

func TestFinishRefusesAnInvalidRecord(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		tests := []struct {
			name   string
			change func(*record.Match)
			want   string
		}{
			{"no ID", func(r *record.Match) { r.ID = "" }, "no ID"},
			{"running", func(r *record.Match) { r.State = record.Running }, "not ended"},
			{"no state", func(r *record.Match) { r.State = "" }, "not ended"},
			{"no end", func(r *record.Match) { r.Ended = time.Time{} }, "not ended"},
			{"timeout", func(r *record.Match) { r.Timeout = math.NaN() }, "timeout"},
			{"stream", func(r *record.Match) { r.Stream = make([]byte, record.MaxBlob+1) }, "stream: more than 256 MB"},
		}
		s, _, _ := on.openTemp(t)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				r := sample("ID")
				tt.change(r)
				if err := s.Finish(context.Background(), r); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want one with %q", err, tt.want)
				}
			})
		}
	})
}

func TestListBeginsWithTheMatchThatEndedLast(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		end := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, m := range []struct {
			id    string
			after time.Duration
		}{{"second", 2}, {"fourth", 4}, {"first", 1}, {"third", 3}, {"fourth too", 4}} {
			r := sample(m.id)
			r.Ended = end.Add(m.after)
			s.Begin(r)
			finish(t, s, r)
		}
		s.Begin(sample("running"))
		finish(t, s, &record.Match{ID: "zeroth", Ended: end, State: record.Aborted})

		all := []string{"fourth too", "fourth", "third", "second", "first", "zeroth"}
		for _, tt := range []struct {
			limit int
			want  []string
		}{{100, all}, {6, all}, {2, all[:2]}, {1, all[:1]}, {0, nil}, {-1, nil}} {
			t.Run(fmt.Sprint("limit ", tt.limit), func(t *testing.T) {
				got, err := s.List(context.Background(), tt.limit)
				if err != nil || !reflect.DeepEqual(got, tt.want) {
					t.Errorf("got %q, %v, want %q", got, err, tt.want)
				}
			})
		}
	})
}

func TestManyMatchesCanEndAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		const matches = 200
		var wg sync.WaitGroup
		for i := range matches {
			wg.Go(func() {
				r := sample(fmt.Sprintf("%013d", i))
				s.Begin(r)
				if err := s.Finish(context.Background(), r); err != nil {
					t.Error(err)
				}
				wantRecord(t, s.Reader, r)
				if _, err := s.List(context.Background(), 10); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if ids, err := s.List(context.Background(), matches+1); len(ids) != matches || err != nil {
			t.Errorf("listed %d matches, error %v, want %d", len(ids), err, matches)
		}
	})
}

func TestCloseCommitsTheQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, log := on.openTemp(t)
		for i := range 100 {
			s.Begin(sample(fmt.Sprint("ID", i)))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("the second Close: got %v, want nil", err)
		}
		s.Begin(sample("late"))
		if err := s.Finish(context.Background(), sample("late")); !errors.Is(err, errClosed) {
			t.Errorf("Finish after Close: got %v, want errClosed", err)
		}
		s = reopen(t, path, log)
		if ids, err := s.List(context.Background(), 1000); len(ids) != 100 || err != nil {
			t.Errorf("listed %d matches after reopening, error %v, want 100", len(ids), err)
		}
	})
}
