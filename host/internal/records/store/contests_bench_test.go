package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
)

// BenchmarkFinishOfContest records matches of 10 rounds from 100 goroutines, in turn
// without and with a contest: the machine is not equally busy all the time. Then one
// goroutine records those of a contest as a process next to a host does.
func BenchmarkFinishOfContest(b *testing.B) {
	const matches = 2000
	s, path, _ := openTemp(b)
	create(b, s.Contests(), "cup")
	other := openContestsAt(b, path)
	var id atomic.Int64
	run := func(goroutines int, fixture bool, finish func(context.Context, *record.Match) error) time.Duration {
		begun := time.Now()
		var left atomic.Int64
		left.Store(matches)
		var wg sync.WaitGroup
		for range goroutines {
			wg.Go(func() {
				r := match(10)
				for left.Add(-1) >= 0 {
					n := int(id.Add(1))
					r.ID = fmt.Sprintf("%013d", n)
					if fixture {
						r.Fixture = &record.Fixture{Contest: "cup", Pairing: n, Entries: []int{n % 40, n % 39}}
					}
					if err := finish(b.Context(), r); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		return time.Since(begun)
	}
	var without, with, next time.Duration
	for b.Loop() {
		without += run(100, false, s.Finish)
		with += run(100, true, s.Finish)
		next += run(1, true, other.Finish)
	}
	all := float64(b.N) * matches
	b.ReportMetric(float64(without.Nanoseconds())/1e3/all, "without-µs")
	b.ReportMetric(float64(with.Nanoseconds())/1e3/all, "with-µs")
	b.ReportMetric(float64(next.Nanoseconds())/1e3/all, "next-µs")
}

// BenchmarkVersion asks for the version of a file that a host has open.
func BenchmarkVersion(b *testing.B) {
	s, path, _ := openTemp(b)
	finish(b, s, sample("ID"))
	c := openContestsAt(b, path)
	for b.Loop() {
		if _, err := c.Version(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkResults loads a million results of two contests of a game, next to a tenth
// as many of another game. Run it with -benchtime 1x.
func BenchmarkResults(b *testing.B) {
	const results, others = 1_000_000, 100_000
	s, path, _ := openTemp(b)
	for i, game := range []string{"damath", "damath", "dama"} {
		one := cup(fmt.Sprint("cup", i))
		one.Game = game
		if err := s.Contests().Create(b.Context(), one, nil); err != nil {
			b.Fatal(err)
		}
	}
	begun := time.Now()
	r := match(1)
	for i := 0; i < results+others; {
		if err := s.contests.update.transact(b.Context(), func(ctx context.Context, tx *sql.Tx) error {
			stmt, err := tx.PrepareContext(ctx, `INSERT INTO contest_results (contest, game, pairing, leg, match, ended, aborted, seats)
				SELECT number, game, $2, $3, $4, $5, $6, $7 FROM contests WHERE name = $1`)
			if err != nil {
				return err
			}
			for range 1000 {
				contest := i % 2
				if i%11 == 10 {
					contest = 2
				}
				r.ID, r.Ended = fmt.Sprintf("%013d", i), begun.Add(time.Duration(i)*time.Second)
				r.Fixture = &record.Fixture{Contest: fmt.Sprint("cup", contest), Pairing: i / 2, Leg: i % 2, Entries: []int{i % 991, i % 997}}
				if _, err := stmt.Exec(resultOf(r)...); err != nil {
					return err
				}
				i++
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("a result was inserted in %v", time.Since(begun)/(results+others))
	s.Close()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	c := openContestsAt(b, path)
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	b.Run("game", func(b *testing.B) {
		for b.Loop() {
			n := 0
			if err := c.GameResults(b.Context(), "damath", 0, func(Result) error { n++; return nil }); err != nil || n != results {
				b.Fatal(n, err)
			}
		}
		b.ReportMetric(float64(info.Size())/(results+others), "disk-B/result")
	})
	b.Run("contest", func(b *testing.B) {
		before := heap()
		for b.Loop() {
			list, err := c.Results(b.Context(), "cup0", 0)
			if err != nil || len(list) != results/2 {
				b.Fatal(len(list), err)
			}
			b.ReportMetric(heap()-before, "MiB")
			runtime.KeepAlive(list)
		}
	})
	b.Run("one more", func(b *testing.B) {
		for b.Loop() {
			n := 0
			if err := c.GameResults(b.Context(), "damath", results+others-2, func(Result) error { n++; return nil }); err != nil || n != 1 {
				b.Fatal(n, err)
			}
		}
	})
}
