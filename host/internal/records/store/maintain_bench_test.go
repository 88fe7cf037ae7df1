package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/records/sqlite"
)

// fill writes the records of n matches of 1,000 rounds.
func fill(b *testing.B, s *Store, n int) {
	b.Helper()
	r := match(1000)
	r.ID = "first"
	finish(b, s, r)
	_, err := s.db.Exec(`INSERT INTO matches (id, name, game, plugin, version, args, params, timeout, seed, verified, seats, started, ended, state, reason, answers, stream)
		WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
		SELECT hex(randomblob(7)), name, game, plugin, version, args, params, timeout, seed, verified, seats, started, ended - (? - n) * 1000000000, state, reason, answers, stream
		FROM n, matches WHERE matches.id = 'first'`, n, n)
	if err == nil {
		_, err = s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFinishDuring measures how long matches wait for their record, alone, during
// a backup of 50,000 records of 1,000 rounds (430 MB), and while a tenth of them is
// removed. Run it with -benchtime 1x.
func BenchmarkFinishDuring(b *testing.B) {
	for _, load := range []struct {
		name    string
		players int
		pause   time.Duration
	}{{"100/s", 10, 100 * time.Millisecond}, {"1000/s", 100, 100 * time.Millisecond}, {"full", 100, 0}} {
		s, path, _ := openTemp(b)
		fill(b, s, 50_000)
		for _, task := range []struct {
			name string
			do   func() error
		}{
			{"nothing", func() error { time.Sleep(5 * time.Second); return nil }},
			{"backup", func() error {
				_, err := sqlite.Backup(b.Context(), path, filepath.Join(b.TempDir(), "copy.db"), false, nil)
				return err
			}},
			{"retention", func() error {
				used, err := s.retainer.measure(b.Context())
				if err == nil {
					_, err = s.retainer.retain(b.Context(), Retention{MaxBytes: used * 9 / 10}, time.Now())
				}
				return err
			}},
		} {
			b.Run(load.name+"/"+task.name, func(b *testing.B) {
				before := s.Stats().Removed
				for b.Loop() {
					finishDuring(b, s, path, load.players, load.pause, task.do)
				}
				b.ReportMetric(float64(s.Stats().Removed-before), "removed")
			})
		}
	}
}

func finishDuring(b *testing.B, s *Store, path string, players int, pause time.Duration, do func() error) {
	ctx, stop := context.WithCancel(context.Background())
	waits := make([][]time.Duration, players)
	var wg sync.WaitGroup
	for i := range players {
		wg.Go(func() { // ends with stop
			r := match(1000)
			time.Sleep(rand.N(pause + 1))
			for ctx.Err() == nil {
				begun := time.Now()
				r.ID, r.Ended = fmt.Sprintf("%d-%d", i, begun.UnixNano()), begun
				if err := s.Finish(context.Background(), r); err != nil {
					b.Error(err)
				}
				waits[i] = append(waits[i], time.Since(begun))
				time.Sleep(pause - time.Since(begun))
			}
		})
	}
	var log int64 // most bytes
	wg.Go(func() {
		for ctx.Err() == nil {
			if info, err := os.Stat(path + "-wal"); err == nil {
				log = max(log, info.Size())
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	begun := time.Now()
	if err := do(); err != nil {
		b.Error(err)
	}
	took := time.Since(begun)
	time.Sleep(300 * time.Millisecond) // what it leaves to the next commits counts, too
	stop()
	wg.Wait()
	all := slices.Concat(waits...)
	slices.Sort(all)
	for p, name := range map[int]string{500: "p50-ms", 990: "p99-ms", 1000: "max-ms"} {
		b.ReportMetric(float64(all[min(len(all)*p/1000, len(all)-1)].Microseconds())/1000, name)
	}
	b.ReportMetric(float64(len(all))/(took.Seconds()+0.3), "matches/s")
	b.ReportMetric(took.Seconds(), "task-s")
	b.ReportMetric(float64(log)/(1<<20), "log-MiB")
}
