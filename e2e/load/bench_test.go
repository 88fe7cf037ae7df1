package load

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/programs"
)

// The benchmarks below play roshambo with pace 0 on a real host. They report the
// rounds per second of all matches together, the time of a round as a player measures
// it, and the CPU time of host and game for a round. The clients run on the same
// machine. Each benchmark runs two workloads in turn, because the speed of a machine
// varies: only the ratios are meaningful.

// BenchmarkRounds compares the host to a floor: the same moves through a bare relay
// without lobby, match, record or game. x-rate is the host's rate divided by the
// floor's, x-cpu the CPU time of host and game divided by the relay's, and over-µs the
// host's median round minus the floor's.
func BenchmarkRounds(b *testing.B) {
	for _, matches := range []int{1, 10, 100, 400, 1000} {
		b.Run(fmt.Sprintf("matches=%d", matches), func(b *testing.B) {
			rounds := perMatch(b, matches)
			compare(b,
				func() figures { return workload{matches: matches, rounds: rounds}.play(b) },
				func() figures { return floorRounds(b, matches, rounds) })
		})
	}
}

// BenchmarkMany compares 1,000 matches to 100.
func BenchmarkMany(b *testing.B) {
	compare(b,
		func() figures { return workload{matches: 1000, rounds: perMatch(b, 1000)}.play(b) },
		func() figures { return workload{matches: 100, rounds: perMatch(b, 100)}.play(b) })
}

// BenchmarkSpectators compares 100 matches with spectators to the same without, and
// with some that stop reading to the same without those.
func BenchmarkSpectators(b *testing.B) {
	b.Run("10 each", func(b *testing.B) {
		rounds := perMatch(b, 100)
		compare(b,
			func() figures { return workload{matches: 100, rounds: rounds, spectators: 10}.play(b) },
			func() figures { return workload{matches: 100, rounds: rounds}.play(b) })
	})
	b.Run("10 and one stalled", func(b *testing.B) {
		rounds := perMatch(b, 100)
		compare(b,
			func() figures { return workload{matches: 100, rounds: rounds, spectators: 10, stalled: 1}.play(b) },
			func() figures { return workload{matches: 100, rounds: rounds, spectators: 10}.play(b) })
	})
}

// BenchmarkResume compares 100 matches whose players could come back after a broken
// connection to the same without.
func BenchmarkResume(b *testing.B) {
	rounds := perMatch(b, 100)
	compare(b,
		func() figures { return workload{matches: 100, rounds: rounds, resume: true}.play(b) },
		func() figures { return workload{matches: 100, rounds: rounds}.play(b) })
}

// BenchmarkIsolation compares 100 matches of a confined game to the same without
// isolation.
func BenchmarkIsolation(b *testing.B) {
	rounds := perMatch(b, 100)
	compare(b,
		func() figures { return workload{matches: 100, rounds: rounds}.play(b) },
		func() figures { return workload{matches: 100, rounds: rounds, unconfined: true}.play(b) })
}

// BenchmarkScriptRounds compares the game as a script to the compiled one.
func BenchmarkScriptRounds(b *testing.B) {
	rounds := perMatch(b, 100)
	compare(b,
		func() figures { return workload{matches: 100, rounds: rounds, script: true}.play(b) },
		func() figures { return workload{matches: 100, rounds: rounds}.play(b) })
}

// turns is how many times two workloads are measured in turn.
const turns = 3

// perMatch divides b.N rounds among matches and turns.
func perMatch(b *testing.B, matches int) int { return min(max(b.N/matches/turns, 1), 9999) }

// compare reports the medians of ours and of its ratios to other.
func compare(b *testing.B, ours, other func() figures) {
	got := map[string][]float64{}
	for range turns {
		f, base := ours(), other()
		for unit, value := range map[string]float64{
			"rounds/s": f.rate, "p50-µs": f.p50, "p99-µs": f.p99, "p99/p50": f.p99 / f.p50,
			"host-µs/round": f.host, "game-µs/round": f.game, "other-µs/round": base.host + base.game, "other-rounds/s": base.rate,
			"x-rate": f.rate / base.rate, "x-cpu": (f.host + f.game) / (base.host + base.game), "over-µs": f.p50 - base.p50, "x-p50": f.p50 / base.p50,
		} {
			got[unit] = append(got[unit], value)
		}
	}
	for unit, values := range got {
		slices.Sort(values)
		b.ReportMetric(values[turns/2], unit)
	}
	b.ReportMetric(0, "ns/op")
}

// figures are the measurements of one run; times are in µs.
type figures struct{ rate, p50, p99, host, game float64 }

// workload is what is played on a host at once.
type workload struct {
	matches, rounds int
	spectators      int // of each match, reading all
	stalled         int // of each match, reading nothing
	script          bool
	resume          bool // players get tickets
	unconfined      bool // the game has the host's rights
}

func (l workload) play(b *testing.B) figures {
	config := "plugins: {folders: [" + programs.Plugins + "]}\nlobby: {matches: 6000}\n"
	if l.script {
		folder := b.TempDir()
		if err := os.CopyFS(filepath.Join(folder, "roshambo"), os.DirFS(programs.Root+"/plugins/roshambo")); err != nil {
			b.Fatal(err)
		}
		config = "plugins: {folders: [" + folder + "], mode: script}\n"
	}
	if l.unconfined {
		config = strings.Replace(config, "plugins: {", "plugins: {isolation: off, ", 1)
	}
	h := programs.StartHostWith(b, b.TempDir(), config)
	defer h.Stop(b, syscall.SIGTERM)
	var players []*programs.Player
	var spectators []*programs.Client
	for range l.matches {
		start := h.Pair
		if l.resume {
			start = h.ResumablePair
		}
		pair, err := start(l.rounds)
		if err != nil {
			b.Fatal(err)
		}
		players = append(players, pair...)
		for n := range l.spectators + l.stalled {
			c, err := h.Spectate(pair[0].ID)
			if err != nil {
				b.Fatal(err)
			}
			spectators = append(spectators, c)
			if n < l.spectators {
				go c.Drain() // ends with the connection
			}
		}
	}
	f := measure(b, players, l.rounds*l.matches, func() [2]float64 { return h.CPU(b) })
	for _, c := range spectators {
		c.Close()
	}
	return f
}

// floorRounds measures the same moves through the relay.
func floorRounds(b *testing.B, matches, rounds int) figures {
	cmd := exec.Command("relay")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	var players []*programs.Player
	for range matches {
		for range 2 {
			conn, _, err := new(websocket.Dialer).Dial("ws://"+strings.TrimSpace(address), nil)
			if err != nil {
				b.Fatal(err)
			}
			players = append(players, &programs.Player{Client: &programs.Client{Conn: conn}, Rounds: rounds, Bare: true})
		}
	}
	return measure(b, players, rounds*matches, func() [2]float64 { return [2]float64{programs.CPUOf(b, cmd.Process.Pid), 0} })
}

// measure runs all players to their end.
func measure(b *testing.B, players []*programs.Player, total int, cpu func() [2]float64) figures {
	before := cpu()
	begin := time.Now()
	var wait sync.WaitGroup
	for _, p := range players {
		wait.Go(p.Play)
	}
	wait.Wait()
	took := time.Since(begin)
	after := cpu()
	var times []time.Duration
	for _, p := range players {
		if p.Err != nil {
			b.Fatal(p.Err)
		}
		times = append(times, p.Times...)
		p.Close()
	}
	slices.Sort(times)
	micro := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	return figures{
		rate: float64(total) / took.Seconds(), p50: micro(times[len(times)/2]), p99: micro(times[len(times)*99/100]),
		host: (after[0] - before[0]) / float64(total) * 1e6, game: (after[1] - before[1]) / float64(total) * 1e6,
	}
}
