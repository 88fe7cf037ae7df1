package program

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"colosseum/internal/test/poll"
)

const programKey = "PROGRAM_TEST"

// The test binary is also the programs that the tests start.
func TestMain(m *testing.M) {
	mode := os.Getenv(programKey)
	if mode == "" {
		os.Exit(m.Run())
	}
	in := bufio.NewReader(os.Stdin)
	switch mode {
	case "threads":
		for range 4 {
			go spin(time.Hour)
		}
	case "child":
		start("spin")
	case "grandchild":
		_ = start("parent").Wait()
	case "parent": // of a process that outlives it
		start("spin")
		os.Exit(0)
	case "spin":
		spin(time.Hour)
	case "burn":
		spin(burnt)
		os.Exit(0)
	case "lost": // its child is nobody's
		burner := self("burn")
		burner.ExtraFiles = []*os.File{os.NewFile(3, "pipe")}
		_ = burner.Start()
		os.Exit(0)
	case "busy":
		go spin(time.Hour)
	}
	for {
		if _, err := in.ReadString('\n'); err != nil {
			os.Exit(0)
		}
		switch mode {
		case "orphan": // which has ended when the answer is there
			r, w, _ := os.Pipe()
			burner := self("lost")
			burner.ExtraFiles = []*os.File{w}
			_ = burner.Run()
			_ = w.Close()
			_, _ = io.Copy(io.Discard, r)
		case "cores":
			var set unix.CPUSet
			_ = unix.SchedGetaffinity(0, &set)
			fmt.Println(set.Count())
			continue
		}
		fmt.Println("answer")
	}
}

// burnt is the CPU time of the program burn.
const burnt = 50 * time.Millisecond

func self(mode string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{programKey + "=" + mode}
	return cmd
}

func start(mode string) *exec.Cmd {
	cmd := self(mode)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return cmd
}

// spin uses CPU time in a thread of its own.
func spin(most time.Duration) {
	runtime.LockOSThread()
	var t unix.Timespec
	for time.Duration(t.Nano()) < most {
		_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	}
}

// onCore starts a program on a core.
func onCore(t *testing.T, core *Core, mode string) (*Program, *fakeMatch) {
	t.Helper()
	p, err := Start(Command{Args: []string{os.Args[0]}}.With(programKey+"="+mode).On(core), limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.group.Kill() // its children might not end
		end(p)
	})
	m := newMatch(1000)
	p.Play(m, 0)
	return p, m
}

// ended has the programs that end has ended.
var ended = map[*Program]Exit{}

// end ends a program, unless it has been called for it.
func end(p *Program) Exit {
	if _, done := ended[p]; !done {
		ended[p] = p.End(ample)
	}
	return ended[p]
}

// bySignals makes a program, which has not been asked yet, one on a system without control
// groups.
func bySignals(p *Program, c counting) {
	p.turn.mu.Lock()
	defer p.turn.mu.Unlock()
	p.control.Thaw()
	p.group.Stop()
	p.freezes, p.counting = false, c
}

// answer asks a program and waits for its line.
func answer(t *testing.T, p *Program, m *fakeMatch) (used time.Duration, known bool) {
	t.Helper()
	p.Send([]byte("question\n"))
	if !p.Resume(1) {
		t.Fatal("the core is not free, want that the program runs")
	}
	poll.Receive(t, "the program has answered", m.lines)
	return p.Pause()
}

// atRest waits until a program uses no time.
func atRest(t *testing.T, p *Program) {
	t.Helper()
	poll.Until(t, "the program and its children stand still", func() bool {
		before := p.group.Work()
		time.Sleep(30 * time.Millisecond)
		return p.group.Work() == before
	})
}

func TestProgramComputesOnlyWhileItIsAskedAndIsChargedAllOfIt(t *testing.T) {
	ways := map[string]func(*Program){
		"as the system can": func(*Program) {},
		"by signals":        func(p *Program) { bySignals(p, countScan) },
	}
	for name, way := range ways {
		for _, mode := range []string{"threads", "child", "grandchild"} {
			t.Run(mode+" "+name, func(t *testing.T) {
				p, m := onCore(t, NewCores(1).Take(), mode)
				way(p)
				atRest(t, p)
				answer(t, p, m)
				atRest(t, p)
				p.Resume(1)
				const used = 50 * time.Millisecond
				poll.Until(t, "it has used some time", func() bool {
					now, known := p.Used()
					return known && now > used
				})
				if got, known := p.Pause(); !known || got < used {
					t.Errorf("got %v, %t, want that it is charged at least %v", got, known, used)
				}
				atRest(t, p)
			})
		}
	}
}

func TestShortAnswersGiveNoCredit(t *testing.T) {
	p, m := onCore(t, NewCores(1).Take(), "answer")
	bySignals(p, countScan)
	for range 20 {
		answer(t, p, m)
	}
	if work := p.group.Work(); p.turn.charged > work {
		t.Errorf("%v is charged, want at most the %v that it has used", p.turn.charged, work)
	}
}

func TestTimeOfOrphansThatHaveEndedIsCharged(t *testing.T) {
	p, m := onCore(t, NewCores(1).Take(), "orphan")
	if p.counting != countGroup {
		t.Skip("this process can't create control groups")
	}
	answer(t, p, m)
	if got, known := answer(t, p, m); !known || got < burnt {
		t.Errorf("got %v, %t, want at least the %v of the process that nobody has waited for", got, known, burnt)
	}
}

// A program can have a timer of the system continue it. Here the test does so: when a signal of
// a timer is pending while the program is stopped, the system drops it and ends the timer.
func TestProgramThatContinuesItselfIsChargedAndReported(t *testing.T) {
	p, m := onCore(t, NewCores(1).Take(), "busy")
	bySignals(p, countProcess)
	answer(t, p, m)
	before, _ := p.group.LeaderWork()
	const stolen = 150 * time.Millisecond
	if err := unix.Kill(p.cmd.Process.Pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "it has computed out of turn", func() bool {
		now, _ := p.group.LeaderWork()
		return now-before > stolen
	})
	if got, known := answer(t, p, m); !known || got < stolen {
		t.Errorf("got %v, %t, want at least the %v that it used before the question", got, known, stolen)
	}
	p.group.Kill()
	if exit := end(p); exit.OutOfTurn < stolen {
		t.Errorf("the report has %v out of turn, want at least %v", exit.OutOfTurn, stolen)
	}
}

func TestProgramsTakeTurnsOnACore(t *testing.T) {
	core := NewCores(1).Take()
	first, m := onCore(t, core, "answer")
	second, n := onCore(t, core, "answer")
	third, _ := onCore(t, core, "answer")
	first.Send([]byte("question\n"))
	second.Send([]byte("question\n"))
	if !first.Resume(1) || second.Resume(1) || third.Resume(1) {
		t.Fatal("want that only the first program runs")
	}
	third.Pause() // the match waits no longer
	poll.Receive(t, "the first has answered", m.lines)
	first.Pause()
	poll.Receive(t, "the second has begun", n.began)
	poll.Receive(t, "the second has answered", n.lines)
	second.Pause()
	if !third.Resume(1) {
		t.Error("the core is not free, want that the third program runs")
	}
}

func TestProgramRunsOnOneCore(t *testing.T) {
	core := NewCores(100).Take()
	p, m := onCore(t, core, "cores")
	p.Send([]byte("question\n"))
	p.Resume(1)
	if got := poll.Receive(t, "the program has counted its cores", m.lines); got != "1" {
		t.Errorf("it has %s cores, want 1", got)
	}
}

func TestPonderingProgramIsNotStoppedAndPaysForItsTurnsAlone(t *testing.T) {
	p, err := Start(Command{Args: []string{os.Args[0]}}.With(programKey+"=threads").On(NewCores(1).Take()).Pondering(), limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(ample) })
	m := newMatch(1000)
	p.Play(m, 0)
	const free = 500 * time.Millisecond
	poll.Until(t, "it has computed without a question", func() bool { return p.group.Work() > free })
	if used, _ := answer(t, p, m); used > p.group.Work()-free {
		t.Errorf("the answer took %v, want it without what was used before", used)
	}
}

func TestMatchesAreSpreadOverTheCores(t *testing.T) {
	cores := &Cores{}
	for range 2 {
		cores.list = append(cores.list, &Core{all: cores})
	}
	a, b, c := cores.Take(), cores.Take(), cores.Take()
	a.Free()
	c.Free()
	if d := cores.Take(); a == b || d == b {
		t.Errorf("got the cores %v, want another one for each match while one is free", []int{slices.Index(cores.list, a), slices.Index(cores.list, b), slices.Index(cores.list, d)})
	}
}

func TestStoppedProgramReadsWhatIsTooMuch(t *testing.T) {
	p, _ := onCore(t, NewCores(1).Take(), "answer")
	p.Send(make([]byte, limits.Backlog*3/4))
	poll.Until(t, "all is read", func() bool {
		_, done := p.Written()
		return done
	})
	atRest(t, p)
}

func TestStoppedProgramEndsWithItsInput(t *testing.T) {
	p, _ := onCore(t, NewCores(1).Take(), "answer")
	if exit := end(p); !exit.OK {
		t.Errorf("got %+v, want that it ends by itself", exit)
	}
}
