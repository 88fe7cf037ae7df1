package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestALogKeepsItsBeginningAndItsEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one := submit(t, s, "Ana", "dama", "1")
		var all []byte
		check := func(from int) {
			t.Helper()
			want := all[min(from, len(all)):]
			if gap := len(all) - logTail - max(from, logHead); gap > 0 {
				want = fmt.Appendf(slices.Clone(all[min(from, logHead):logHead]), "\n[%d bytes are missing here]\n%s", gap, all[len(all)-logTail:])
			}
			text, total, err := s.Log(ctx, one.Number, from)
			if err != nil || total != len(all) || !bytes.Equal(text, want) {
				t.Errorf("from %d of %d: got %d bytes of %d, %v, want %d", from, len(all), len(text), total, err, len(want))
			}
		}
		r := rand.New(rand.NewPCG(7, 7))
		check(0)
		for _, n := range []int{0, 1, 1000, logHead - 1001, 1, logTail - 2, 1, 1, 5, 100_000, 3} {
			text := noise(n + 1)[1:]
			all = append(all, text...)
			if err := s.AddLog(ctx, one.Number, text); err != nil {
				t.Fatal(err)
			}
			check(0)
			check(len(all))
			check(max(0, len(all)-5))
			check(r.IntN(len(all) + 1))
		}
		if text, _, err := s.Log(ctx, one.Number, len(all)+1); err != nil || len(text) < logHead+logTail {
			t.Errorf("from after the end: got %d bytes, %v, want all", len(text), err)
		}
		if err := s.AddLog(ctx, 99, []byte("x")); err != ErrNoSubmission {
			t.Errorf("an unknown submission: got %v, want %v", err, ErrNoSubmission)
		}
	})
}

func TestTheJournalsOfTheLastMatchesAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one, other := submit(t, s, "Ana", "dama", "1"), submit(t, s, "Bob", "dama", "1")
		long := strings.Repeat("x", journalBytes) + "\x00\xff the end"
		if err := s.AddJournal(ctx, other.Number, "first", long); err != nil {
			t.Fatal(err)
		}
		for i := range journalMatches + 2 {
			if err := s.AddJournal(ctx, one.Number, fmt.Sprint("m", i), fmt.Sprint("text ", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.AddJournal(ctx, one.Number, "m5", "new"); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			number int64
			match  string
			want   string
		}{{one.Number, "m0", ""}, {one.Number, "m1", ""}, {one.Number, "m2", "text 2"}, {one.Number, "m5", "new"}, {one.Number, "m51", "text 51"}, {one.Number, "first", ""},
			{other.Number, "first", long[len(long)-journalBytes:]}} {
			if got, found, err := s.Journal(ctx, tt.number, tt.match); got != tt.want || found != (tt.want != "") || err != nil {
				t.Errorf("match %s: got %q (%v), %v, want %q", tt.match, got, found, err, tt.want)
			}
		}
		list, err := s.Journals(ctx, one.Number)
		if err != nil || len(list) != journalMatches || list[0].Match != "m51" || list[49].Match != "m2" || list[0].At.IsZero() {
			t.Errorf("got %v, %v, want the last %d, the last one first", list, err, journalMatches)
		}
	})
}
