package series

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/program"
	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
)

const programKey = "SERIES_TEST"

// The test binary is also the programs that the tests start.
func TestMain(m *testing.M) {
	mode := os.Getenv(programKey)
	if mode == "" {
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
	seed, _ := strconv.ParseUint(os.Getenv("COLOSSEUM_SEED"), 10, 64)
	random := rand.New(rand.NewPCG(seed, 0))
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
			if random.IntN(10) == 0 {
				think(4 * limit)
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

// An equal program that computes in the opponent's time has nothing from it.
func TestSlyProgramWinsHalfOfItsMatches(t *testing.T) {
	long.Only(t, "the opponents of TestOpponentCostsNoTime")
	c := fairConfig(t, 3, "sly", "equal")
	c.Matches, c.Record.Timeout, c.StartGrace = 1000, limit.Seconds(), time.Minute
	_, r := run(t, c)
	s := r.Standings[0]
	// Four standard deviations: by chance it fails once in 15,000 times, and the seeds are
	// always the same.
	if off := math.Abs(s.Rate() - 0.5); s.Matches != c.Matches || off > 4*0.5/math.Sqrt(float64(c.Matches)) {
		t.Errorf("it won %v of %d matches, want half\n%s", s.Rate(), s.Matches, r.Faults())
	}
	if late := r.Standings[1].Forfeits["timeout"]; late < c.Matches/10 {
		t.Errorf("its opponent was late in %d matches, want more: the test shows little", late)
	}
}
