//go:build unix

package load

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

var contestPlayed = regexp.MustCompile(`(\d+) matches in ([0-9.]+) s, \d+ at once: the programs took ([0-9.]+) s for (\d+) answers`)

// BenchmarkContest plays a round robin of kamisado between confined programs that use a
// fixed CPU time for each move, with host contest run: 40 programs with COLOSSEUM_LONG,
// else 8. The first two metrics should be at most 1.15:
//
//	x-wall      the whole time, divided by what the programs' own thinking would take on
//	            all cores; meaningful only on a machine without other load
//	x-measured  the same with the times for answers that the host has measured; other
//	            load is in both
//	x-cpu       the CPU time of all processes, divided by the programs' thinking
//	over-ms     CPU time in addition to thinking, for each match
func BenchmarkContest(b *testing.B) {
	entries := 8
	if long.Run() {
		entries = 40
	}
	plugins := b.TempDir()
	if err := os.Mkdir(filepath.Join(plugins, "kamisado"), 0o755); err != nil {
		b.Fatal(err)
	}
	build := func(pkg, path string) {
		if err := programs.Build(pkg, path, false); err != nil {
			b.Fatal(err)
		}
	}
	build("colosseum/plugins/kamisado", filepath.Join(plugins, "kamisado", "kamisado"))
	dir := b.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bots"), 0o755); err != nil {
		b.Fatal(err)
	}
	build("colosseum/e2e/load/testdata/thinker", filepath.Join(dir, "bots", "thinker"))
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("host.yaml", "plugins: {folders: ["+plugins+"]}\n")
	for _, think := range []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		b.Run(fmt.Sprintf("think=%v", think), func(b *testing.B) {
			for range b.N {
				var list strings.Builder
				for i := range entries {
					fmt.Fprintf(&list, "  - {name: bot-%d, command: [./bots/thinker, %v]}\n", i, think)
				}
				write("cup.yaml", "name: cup\ngame: kamisado\nformat: round-robin\ntimeout: 30\nentries:\n"+list.String())
				data := b.TempDir()
				cmd := programs.Tool(b, dir, "--config", "host.yaml", "--data", data, "contest", "run", "cup.yaml")
				cmd.Dir = dir
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				before := children()
				if out, err := cmd.Output(); err != nil {
					b.Fatalf("got %v, %s%s", err, out, stderr.Bytes())
				}
				cpu := (children() - before).Seconds()
				m := contestPlayed.FindStringSubmatch(stderr.String())
				if m == nil {
					b.Fatalf("got %s, want how much was played", stderr.Bytes())
				}
				var figures [5]float64
				for i, text := range m[1:] {
					figures[i], _ = strconv.ParseFloat(text, 64)
				}
				matches, wall, measured, answers := figures[0], figures[1], figures[2], figures[3]
				own, cores := answers*think.Seconds(), float64(runtime.GOMAXPROCS(0))
				b.ReportMetric(wall/(own/cores), "x-wall")
				b.ReportMetric(wall/(measured/cores), "x-measured")
				b.ReportMetric(cpu/own, "x-cpu")
				b.ReportMetric((cpu-own)/matches*1000, "over-ms/match")
				b.ReportMetric(matches, "matches")
				b.ReportMetric(answers/matches, "answers/match")
			}
		})
	}
}

// children returns the CPU time of all processes that have ended below this one.
func children() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
