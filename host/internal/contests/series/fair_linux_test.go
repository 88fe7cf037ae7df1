package series

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/long"
	"colosseum/internal/test/waits"
	"colosseum/sdk/driver"
)

const programKey = "SERIES_TEST"

// The test binary is also the programs that the tests start.
func TestMain(m *testing.M) {
	mode := os.Getenv(programKey)
	if mode == "" {
		waits.Together()
		os.Exit(m.Run())
	}
	var turn atomic.Bool // it is the program's turn
	spin := func(always bool) {
		runtime.LockOSThread()
		for {
			if turn.Load() && !always {
				time.Sleep(time.Millisecond)
			}
		}
	}
	switch mode {
	case "threads":
		for range 8 {
			go spin(true)
		}
	case "forks":
		for range 4 {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = []string{programKey + "=fork"}
			_ = cmd.Start()
		}
	case "fork":
		spin(true)
	case "memory":
		go func() {
			b := make([]byte, 64<<20)
			for i := 0; ; i = (i + 4096) % len(b) {
				b[i]++
			}
		}()
	case "sly": // computes in the opponent's time alone
		go spin(false)
	}
	random := randomOf(os.Getenv("COLOSSEUM_SEED"))
	in := bufio.NewReader(os.Stdin)
	for {
		if _, err := in.ReadString('\n'); err != nil {
			os.Exit(0)
		}
		turn.Store(true)
		answer := "0"
		switch mode {
		case "think":
			think(thinking)
		case "sly", "equal":
			if tooMuch(random) {
				think(2 * limit)
			} else {
				think(limit / 10)
			}
		}
		turn.Store(false)
		fmt.Println(answer)
	}
}

// limit is the time for an answer in the matches of the programs sly and equal, which use
// too much once in ten answers.
const limit = 20 * time.Millisecond

// thinking is the CPU time of an answer of the program think.
const thinking = 10 * time.Millisecond

func think(most time.Duration) {
	runtime.LockOSThread()
	clock := func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
		return time.Duration(t.Nano())
	}
	for begin := clock(); clock()-begin < most; {
	}
}

// self returns the command of a program of this test.
func self(mode string) []string {
	return []string{"sh", "-c", "GOMAXPROCS=2 " + programKey + "=" + mode + ` exec "$0"`, os.Args[0]}
}

// turnGame asks two seats in turn for a number, each turns times. The larger sum wins.
type turnGame struct{ turns int }

func (g turnGame) Open(start *driver.Setup, in engine.Receiver) (engine.Match, error) {
	m := &turnMatch{Receiver: in, turns: g.turns, timeout: start.Settings.Timeout}
	m.ask(0)
	return m, nil
}

type turnMatch struct {
	engine.Receiver
	turns   int
	timeout float64
	asked   int
	sums    [2]float64
	ended   [2]driver.Ended
}

func (m *turnMatch) ask(seat int) {
	m.asked++
	m.Put(&driver.Frame{
		Texts: []driver.Text{{To: driver.ToSeat, Seat: seat, Lines: []byte("go\n")}}, Question: &driver.Question{Seconds: m.timeout, Seats: []int{seat}},
	})
}

func (m *turnMatch) Answer(answers []driver.Answer) {
	a := answers[0]
	n, _ := strconv.Atoi(a.Line)
	m.sums[a.Seat] += float64(n)
	if a.Outcome != driver.Answered {
		m.ended[a.Seat] = "forfeit: " + driver.Ended(a.Outcome)
	}
	if m.asked < 2*m.turns && a.Outcome == driver.Answered {
		go m.ask(1 - a.Seat) // ends at once
		return
	}
	end := &driver.Result{}
	for seat, sum := range m.sums {
		s := driver.SeatResult{Score: sum, Rank: 1, Ended: driver.EndedFinished}
		if m.ended[seat] != "" {
			s.Ended, s.Rank = m.ended[seat], 2
		} else if other := 1 - seat; m.ended[other] == "" && m.sums[other] > sum {
			s.Rank = 2
		}
		end.Seats = append(end.Seats, s)
	}
	go m.Put(&driver.Frame{End: end}) // ends at once
}

func (*turnMatch) Stop() {}

// fairConfig is a series of two programs of this test that take turns on the cores.
func fairConfig(t *testing.T, turns int, a, b string) Config {
	t.Helper()
	c := configOf(t, nil, self(a), self(b))
	c.Game, c.Cores = turnGame{turns}, program.NewCores(2)
	return c
}

func TestOpponentCostsNoTime(t *testing.T) {
	for _, opponent := range []string{"quiet", "threads", "forks", "memory"} {
		t.Run(opponent, func(t *testing.T) {
			c := fairConfig(t, 10, "think", opponent)
			c.Matches = 2
			_, r := run(t, c)
			s := r.Standings[0]
			if len(s.CPU) == 0 || len(s.Forfeits) > 0 {
				t.Fatalf("got %d counted answers and the forfeits %v, want all answers counted, and no forfeit\n%s", len(s.CPU), s.Forfeits, r.Faults())
			}
			if median := quantile(s.CPU, 0.5); median < thinking || median > thinking*2 {
				t.Errorf("the median of its answers is %v, want little more than %v", median, thinking)
			}
		})
	}
}

// A program that computes in the opponent's time gains nothing by it: each match ends as the
// random numbers of the two programs decide, but for a few on a busy machine, where a program
// can be late without having used its time.
func TestSlyProgramGainsNothing(t *testing.T) {
	long.Only(t, "the opponents of TestOpponentCostsNoTime")
	const turns = 3
	c := fairConfig(t, turns, "sly", "equal")
	c.Matches, c.Record.Timeout, c.StartGrace = 200, limit.Seconds(), time.Minute
	played, r := run(t, c)
	late, other := 0, 0
	for _, p := range played {
		want := [2]driver.Ended{driver.EndedFinished, driver.EndedFinished}
		if seat := lateSeat(&p, turns); seat >= 0 {
			want[seat] = driver.ForfeitTimeout
			late++
		}
		if got := [2]driver.Ended{p.Seats[0].Ended, p.Seats[1].Ended}; got != want {
			t.Logf("match %d of the entrants %v: got %q, want %q", p.Number, p.Seating, got, want)
			other++
		}
	}
	if other > c.Matches/20 {
		t.Errorf("got %d of %d matches that ended otherwise, want a twentieth at most", other, c.Matches)
	}
	if len(played) != c.Matches || late < c.Matches/4 {
		t.Errorf("got %d matches, %d of them with a late program, want %d, and more than a quarter: the test shows little\n%s", len(played), late, c.Matches, r.Faults())
	}
}

// lateSeat returns the seat whose program is the first to use too much time for an answer;
// -1: there is none. The grace of the start covers the first answers.
func lateSeat(p *Played, turns int) int {
	var random [2]*rand.Rand
	for seat := range random {
		value := environment(&lineup{record: record.Match{Seed: p.Seed}, group: p.Group}, seat)[0]
		random[seat] = randomOf(strings.TrimPrefix(value, "COLOSSEUM_SEED="))
	}
	for turn := range turns {
		for seat := range random {
			if tooMuch(random[seat]) && turn > 0 {
				return seat
			}
		}
	}
	return -1
}

// randomOf returns the random numbers of a program, by its COLOSSEUM_SEED.
func randomOf(seed string) *rand.Rand {
	n, _ := strconv.ParseUint(seed, 10, 64)
	return rand.New(rand.NewPCG(n, 0))
}

// tooMuch decides whether the programs sly and equal use too much time for an answer.
func tooMuch(random *rand.Rand) bool { return random.IntN(10) == 0 }
