package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/plugin"
	"colosseum/sdk/wire"
)

// limit is for what has to be given one: no test lives to see it. A slow machine
// is no fault, and go test's own timeout ends what hangs.
const limit = time.Hour

// This program is also the games under test, good and bad ones.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "be" {
		be(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// parity asks each player once; who says "exit" takes the process down.
var parity = sdk.Game{
	Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10,
	Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 1, 1, 9)},
	Play: func(m *sdk.Match) error {
		m.TellAll("go")
		for seat := range 2 {
			line, err := m.AskLine(seat, nil)
			if err != nil {
				return nil
			}
			switch word, rest, _ := strings.Cut(line, " "); word {
			case "exit":
				os.Exit(7)
			case "stderr": // N lines
				n, _ := strconv.Atoi(rest)
				for i := range n {
					fmt.Fprintf(os.Stderr, "line %d\n", i)
				}
			case "loop":
				for n := 0; ; n++ {
					if n < 0 {
						break
					}
				}
			case "stdout":
				fmt.Println("printed by mistake")
			}
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error {
		b.Write("1")
		return nil
	},
}

// be is a game's main function.
func be(what string) {
	// Whoever started this may want to know that it is gone.
	if err := os.WriteFile("pid", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		panic(err)
	}
	never := make(chan os.Signal, 1)
	switch what {
	case "garbage":
		fmt.Println("hello, world")
		<-never
	case "exit":
		fmt.Fprintln(os.Stderr, "no luck today")
		os.Exit(3)
	case "hang":
		<-never
	case "nobody": // a handshake that leads nowhere
		fmt.Printf("1|%d|unix|%s|grpc\n", wire.Protocol, filepath.Join(os.TempDir(), "nobody"))
		<-never
	case "future":
		fmt.Println("1|99|unix|/x|grpc")
		<-never
	case "misnamed":
		serve(&oddity{description: &wire.Description{Name: "Bad Name", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}})
	case "seatless":
		serve(&oddity{description: &wire.Description{Name: "odd", MinPlayers: 0, MaxPlayers: 1, Timeout: 1}})
	case "mute":
		serve(&oddity{})
	case "deaf": // does not hold on to its lifeline
		serve(&oddity{description: &wire.Description{Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}})
	case "thrower":
		serve(&oddity{
			description: &wire.Description{Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}, throws: errors.New("Traceback: line 3"),
		})
	case "family": // leaves a child in its group
		start("sleep", "100")
		plugin.Serve(parity)
	case "runaway": // leaves a child that has run away, with our pipes
		start("setsid", "sleep", "100")
		plugin.Serve(parity)
	case "heir": // its child has run away with the socket as well
		go func() { // ends with the process
			for {
				if _, err := os.Stat("inherit"); err == nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			inherit()
		}()
		plugin.Serve(parity)
	case "reader":
		b, err := io.ReadAll(os.Stdin)
		fmt.Fprintf(os.Stderr, "read %d bytes, %v\n", len(b), err)
		plugin.Serve(parity)
	default:
		plugin.Serve(parity)
	}
}

// inherit starts a child outside of our group with a copy of every socket.
func inherit() {
	cmd := exec.Command("setsid", "sleep", "100")
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	for _, entry := range open {
		fd, _ := strconv.Atoi(entry.Name()) // the system's own digits
		if target, _ := os.Readlink("/proc/self/fd/" + entry.Name()); !strings.HasPrefix(target, "socket:") {
			continue
		}
		own, err := syscall.Dup(fd)
		if err != nil {
			panic(err)
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(own), "socket"))
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile("heir", []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o600); err != nil {
		panic(err)
	}
}

func start(name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile("child", []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		panic(err)
	}
}

// oddity is a game that was not made with the SDK.
type oddity struct {
	wire.UnimplementedGameServer
	goplugin.NetRPCUnsupportedPlugin
	description *wire.Description // nil: it never says
	throws      error             // what Prepare answers, if it is not nil
}

func (o *oddity) Describe(ctx context.Context, _ *wire.DescribeRequest) (*wire.Description, error) {
	if o.description == nil {
		<-make(chan int)
	}
	return o.description, nil
}

func (o *oddity) Prepare(context.Context, *wire.PrepareRequest) (*wire.PrepareReply, error) {
	return &wire.PrepareReply{Players: 1000, Timeout: 1}, o.throws
}

func (o *oddity) Play(s grpc.BidiStreamingServer[wire.HostBatch, wire.GameBatch]) error {
	<-s.Context().Done()
	return nil
}

func (o *oddity) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterGameServer(s, o)
	return nil
}

func (o *oddity) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("no client")
}

func serve(o *oddity) {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: plugin.Handshake(), Plugins: goplugin.PluginSet{wire.PluginName: o},
		GRPCServer: goplugin.DefaultGRPCServer, Logger: hclog.NewNullLogger(),
	})
}

// stage is where a game of this program runs.
type stage struct {
	t       *testing.T
	dir     string // working folder of the game
	sockets string // where the host keeps its socket folders
	log     *buffer
	spec    Spec
}

type buffer struct {
	mu sync.Mutex // guards the field below
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newStage(t *testing.T, what string) *stage {
	t.Helper()
	dir := t.TempDir()
	sockets, err := os.MkdirTemp("", "e") // a short path: a socket's has at most 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", sockets)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector lets a process linger
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, dir: dir, sockets: sockets, log: &buffer{}}
	s.spec = Spec{
		Name: "odd", Command: []string{self, "be", what}, Dir: s.dir, StartTimeout: limit,
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
	}
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		left, err := os.ReadDir(sockets)
		if err != nil || len(left) > 0 {
			t.Errorf("left in the folder of sockets: %v, %v", left, err)
		}
		_ = os.RemoveAll(sockets)
		for _, file := range []string{"pid", "child"} {
			if b, err := os.ReadFile(filepath.Join(s.dir, file)); err == nil && !(file == "child" && what == "runaway") {
				pid, _ := strconv.Atoi(string(b)) // our own digits
				s.eventually("the "+file+" of the game is gone", func() bool { return !alive(pid) })
			}
		}
		s.eventually("all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	})
	return s
}

// eventually waits for what can only be polled.
func (s *stage) eventually(what string, ok func() bool) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	s.t.Logf("waiting until %s", what)
	for !ok() {
		<-tick.C
	}
}

// alive tells whether a process exists and is no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// start starts the game and closes it at the end.
func (s *stage) start() *Game {
	s.t.Helper()
	g, err := Start(context.Background(), s.spec)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(g.Close)
	return g
}

// freeze stops the game, so that it does nothing but lives.
func (s *stage) freeze(g *Game) {
	s.t.Helper()
	if err := syscall.Kill(g.Pid(), syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	s.eventually("the game is stopped", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", g.Pid()))
		return err == nil && strings.Contains(string(stat), ") T ")
	})
}

// seat takes what the game says of one match.
type seat struct {
	frames chan *wire.GameFrame // 64: more than parity ever says
	lost   chan error           // 2: more than there may be
}

func newSeat() *seat { return &seat{make(chan *wire.GameFrame, 64), make(chan error, 2)} }

func (s *seat) Frame(f *wire.GameFrame) { s.frames <- f }
func (s *seat) Lost(err error)          { s.lost <- err }

// next returns the next frame.
func (s *seat) next(t *testing.T) *wire.GameFrame {
	t.Helper()
	select {
	case f := <-s.frames:
		return f
	case err := <-s.lost:
		t.Fatalf("the match is lost: %v", err)
	}
	return nil
}

// loss returns why no frame will come any more.
func (s *seat) loss(t *testing.T) error {
	t.Helper()
	return <-s.lost
}

// open begins a match of parity and reads to its first question.
func (s *stage) open(g *Game) (*seat, Table) {
	s.t.Helper()
	at := newSeat()
	table, err := g.Open(&wire.Start{
		Seed: 1, Timeout: 10, Params: map[string]string{"rounds": "1"}, Seats: []*wire.Seat{{Name: "A"}, {Name: "B"}},
	}, at)
	if err != nil {
		s.t.Fatal(err)
	}
	if f := at.next(s.t); f.Ask == nil || string(f.Texts[0].Lines) != "go\n" {
		s.t.Fatalf("it begins with %v", f)
	}
	return at, table
}

func says(seat uint32, line string) []*wire.Answer {
	return []*wire.Answer{{Seat: seat, Line: []byte(line)}}
}

func TestGameDescribesPreparesAndPlays(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	d := g.Description()
	if d.Name != "parity" || d.Title != "Odds and evens" || d.MinPlayers != 2 || d.MaxBots != 1 || d.Timeout != 10 || len(d.Params) != 1 || d.Params[0].Name != "rounds" {
		t.Errorf("it describes itself as %+v", d)
	}
	settings, err := g.Prepare(context.Background(), driver.Request{Bots: 1, Args: map[string]string{"rounds": "3"}})
	if err != nil || settings.Players != 2 || settings.Bots != 1 || settings.Timeout != 10 || settings.Params["rounds"] != "3" {
		t.Errorf("it prepares %+v, %v", settings, err)
	}
	var refusal Refusal
	if _, err := g.Prepare(context.Background(), driver.Request{Args: map[string]string{"rounds": "x"}}); !errors.As(err, &refusal) || !strings.HasPrefix(err.Error(), "Invalid number of rounds") {
		t.Errorf("it refuses with %v", err)
	}
	a, tableA := s.open(g)
	b, tableB := s.open(g)
	if g.Matches() != 2 {
		t.Errorf("it plays %d matches", g.Matches())
	}
	tableB.Stop()
	tableB.Stop()
	tableA.Answer(says(0, "1"))
	if f := a.next(t); f.Ask == nil || !slices.Equal(f.Ask.Seats, []uint32{1}) {
		t.Errorf("it goes on with %v", f)
	}
	tableA.Answer(says(1, "2"))
	if f := a.next(t); f.End == nil || len(f.End.Seats) != 2 {
		t.Errorf("it ends with %v", f)
	}
	s.eventually("both matches are forgotten", func() bool { return g.Matches() == 0 })
	tableA.Stop() // too late, harmless
	if len(b.frames)+len(b.lost) != 0 {
		t.Error("a match that was stopped was told something")
	}
	g.Close()
	g.Close()
	if _, err := g.Open(&wire.Start{}, newSeat()); !errors.Is(err, ErrGone) {
		t.Errorf("a match began after the end: %v", err)
	}
}

func TestGameThatDoesNotStartIsExplainedAndLeavesNothing(t *testing.T) {
	tests := []struct {
		what     string
		timeout  time.Duration // of the start, until the handshake
		patience time.Duration // of who starts it
		want     []string
	}{
		{"garbage", limit, limit, []string{"start odd: ", "hello, world"}},
		{"exit", limit, limit, []string{"start odd: it ended with exit status 3; it wrote:\nno luck today"}},
		{"hang", 300 * time.Millisecond, limit, []string{"timeout while waiting for plugin to start"}},
		{"nobody", limit, limit, []string{"ask what it is"}},
		{"future", limit, limit, []string{"Plugin version: 99"}},
		{"misnamed", limit, limit, []string{`game name "Bad Name"`}},
		{"seatless", limit, limit, []string{"players from 0 to 1"}},
		{"mute", limit, 3 * time.Second, []string{"deadline exceeded"}},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			s := newStage(t, tt.what)
			s.spec.StartTimeout = tt.timeout
			ctx, cancel := context.WithTimeout(context.Background(), tt.patience)
			defer cancel()
			g, err := Start(ctx, s.spec)
			if err == nil {
				g.Close()
				t.Fatal("it started")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %q, want it to say %q", err, want)
				}
			}
		})
	}
	t.Run("no program", func(t *testing.T) {
		s := newStage(t, "")
		s.spec.Command = []string{"/nowhere"}
		if _, err := Start(context.Background(), s.spec); err == nil || !strings.Contains(err.Error(), "/nowhere") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestStartEndsWithItsContext(t *testing.T) {
	s := newStage(t, "hang")
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the start of the child
		s.eventually("the child runs", func() bool {
			_, err := os.Stat(filepath.Join(s.dir, "pid"))
			return err == nil
		})
		cancel()
	}()
	if _, err := Start(ctx, s.spec); err == nil {
		t.Error("it started")
	}
}

func TestKilledGameIsToldToAllItsMatches(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	a, _ := s.open(g)
	b, _ := s.open(g)
	if err := syscall.Kill(g.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, at := range []*seat{a, b} {
		if err := at.loss(t); !errors.Is(err, ErrGone) || err.Error() != "the game has stopped: its process was ended by SIGKILL" {
			t.Errorf("the match was told %v", err)
		}
	}
	<-g.Done()
	if err := g.Err(); !errors.Is(err, ErrGone) || err.Error() != "the game has stopped: its process was ended by SIGKILL" {
		t.Errorf("the game ended with %v", err)
	}
	if _, err := g.Open(&wire.Start{}, newSeat()); !errors.Is(err, ErrGone) {
		t.Errorf("a match began after the end: %v", err)
	}
	if _, err := g.Prepare(context.Background(), driver.Request{}); !errors.Is(err, ErrGone) || err.Error() != "the game has stopped" {
		t.Errorf("a match was prepared after the end: %v", err)
	}
}

func TestGameThatExitsIsToldWithItsStatus(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	at, table := s.open(g)
	table.Answer(says(0, "exit"))
	if err := at.loss(t); err.Error() != "the game has stopped: its process ended with status 7" {
		t.Errorf("the match was told %v", err)
	}
	<-g.Done()
}

func TestCloseEndsEveryKindOfChild(t *testing.T) {
	tests := []struct {
		name, what string
		signal     syscall.Signal
		atMost     time.Duration
	}{
		{"healthy", "parity", 0, stopGrace},
		{"stopped", "parity", syscall.SIGSTOP, 15 * time.Second},
		{"deaf to its lifeline", "deaf", 0, 15 * time.Second},
		{"with a child", "family", 0, 15 * time.Second},
		{"with a child that ran away", "runaway", 0, 15 * time.Second},
		{"killed, with a child that ran away", "runaway", syscall.SIGKILL, 15 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, tt.what)
			g := s.start()
			if b, err := os.ReadFile(filepath.Join(s.dir, "child")); err == nil && tt.what == "runaway" {
				pid, _ := strconv.Atoi(string(b)) // our own digits
				defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
			}
			var at *seat
			if tt.what != "deaf" {
				at, _ = s.open(g)
			}
			switch tt.signal {
			case syscall.SIGSTOP:
				s.freeze(g)
			case syscall.SIGKILL:
				if err := syscall.Kill(g.Pid(), tt.signal); err != nil {
					t.Fatal(err)
				}
			}
			begin := time.Now()
			g.Close()
			if d := time.Since(begin); d > tt.atMost {
				t.Errorf("it took %v", d)
			}
			if alive(g.Pid()) {
				t.Error("it lives")
			}
			if at != nil {
				if err := at.loss(t); !errors.Is(err, ErrGone) {
					t.Errorf("its match was told %v", err)
				}
			}
		})
	}
}

func TestGameWhoseChildHoldsItsSocketEndsWithItsProcess(t *testing.T) {
	for name, end := range map[string]func(g *Game){
		"closed": (*Game).Close,
		"killed": func(g *Game) { _ = syscall.Kill(g.Pid(), syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "heir")
			g := s.start()
			at, _ := s.open(g)
			if err := os.WriteFile(filepath.Join(s.dir, "inherit"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			var pid int
			s.eventually("the child has run away", func() bool {
				b, _ := os.ReadFile(filepath.Join(s.dir, "heir"))
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				return strings.HasSuffix(string(b), "\n")
			})
			defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
			end(g)
			<-g.Done()
			if err := at.loss(t); !errors.Is(err, ErrGone) {
				t.Errorf("its match was told %v", err)
			}
		})
	}
}

func TestStoppedGameAnswersNoPreparation(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	s.freeze(g)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := g.Prepare(ctx, driver.Request{}); !errors.Is(err, ErrSilent) || err.Error() != "the game does not answer" {
		t.Errorf("got %v", err)
	}
}

// A frozen game takes no frames. Thousands of matches must end all the same.
func TestStoppedGameKeepsNoMatchFromItsEnd(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	s.freeze(g)
	const matches = 20_000 // two frames each: far more than the queue and the socket hold
	done := make(chan error, 1)
	go func() { // ends with the last Stop
		for range matches {
			table, err := g.Open(&wire.Start{Seats: []*wire.Seat{{Name: "A"}, {Name: "B"}}}, newSeat())
			if err != nil {
				done <- err
				return
			}
			table.Stop()
		}
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A game may ask on and on and read no answer. Its matches must not wait for it:
// else nobody could stop them.
func TestStoppedGameKeepsNoMatchFromAnswering(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	_, table := s.open(g)
	s.freeze(g)
	done := make(chan struct{})
	go func() { // ends with the last answer
		defer close(done)
		for range 200_000 { // far more than the queue and the socket hold
			table.Answer(says(0, "1"))
		}
	}()
	<-done
}

func TestPreparationBeyondTheLimitsIsNotBelieved(t *testing.T) {
	s := newStage(t, "deaf")
	if _, err := s.start().Prepare(context.Background(), driver.Request{}); err == nil || !strings.Contains(err.Error(), "1000 players") {
		t.Errorf("got %v", err)
	}
}

func TestGameSeesNothingOfTheHostsEnvironment(t *testing.T) {
	t.Setenv("COLOSSEUM_VERIFICATION_PASSWORD", "open sesame")
	s := newStage(t, "parity")
	g := s.start()
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", g.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{
		"LANG", procsKey, "PATH", "TMPDIR", "GORACE", wire.CookieKey, wire.LifelineKey,
		"PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR",
	}
	for _, entry := range strings.Split(strings.TrimRight(string(env), "\x00"), "\x00") {
		if key, _, _ := strings.Cut(entry, "="); !slices.Contains(allowed, key) {
			t.Errorf("it sees %s", entry)
		}
	}
}

func TestGameHasNoStandardInput(t *testing.T) {
	s := newStage(t, "reader")
	s.start()
	s.eventually("it has read", func() bool { return strings.Contains(s.log.String(), "read 0 bytes, <nil>") })
}

func TestGameIsInAGroupOfItsOwn(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	if group, err := syscall.Getpgid(g.Pid()); err != nil || group != g.Pid() {
		t.Errorf("its group is %d, %v", group, err)
	}
}

// The race detector's own memory does not fit into any limit, so this needs a
// game that was built without it.
func TestMemoryOfAGameIsLimited(t *testing.T) {
	s := newStage(t, "")
	program := filepath.Join(t.TempDir(), "roshambo")
	if out, err := exec.Command("go", "build", "-o", program, "../../../plugins/roshambo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.spec.Command, s.spec.Memory = []string{program}, 200<<20
	g := s.start()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", g.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range strings.Lines(string(limits)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "Max data size") {
			found = f[3] == "209715200" && f[4] == "209715200"
		}
	}
	if !found {
		t.Errorf("its limits are\n%s", limits)
	}
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", g.Pid()))
	if err != nil || !strings.Contains(string(env), "GOMEMLIMIT=167772160\x00") {
		t.Errorf("its environment is %q, %v", env, err)
	}
}

// The host may itself run under a limit that is lower.
func TestGameWhoseMemoryCanNotBeLimitedIsLeftNowhere(t *testing.T) {
	p, err := newProcess(exec.Command("sleep", "100"), t.TempDir(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	p.limit = func(int, int64) error { return errors.New("no") }
	if err := p.Start(context.Background()); err == nil || !strings.Contains(err.Error(), "limit its memory: no") {
		t.Errorf("the error is %v", err)
	}
	if err := syscall.Kill(p.cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("there is a process, perhaps a zombie: %v", err)
	}
	for name, file := range map[string]io.Closer{"its output": p.stdout, "its errors": p.stderr, "the lifeline": p.lifeline} {
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s was left open: %v", name, err)
		}
	}
}

func TestOutputOfAGameReachesTheLog(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	at, table := s.open(g)
	table.Answer(says(0, "stderr 3"))
	at.next(t)
	table.Answer(says(1, "stdout"))
	at.next(t)
	s.eventually("all lines are in the log", func() bool {
		log := s.log.String()
		return strings.Contains(log, `msg="line 2"`) && strings.Contains(log, `msg="printed by mistake"`)
	})
}

func TestFloodOfOutputIsBounded(t *testing.T) {
	s := newStage(t, "parity")
	g := s.start()
	at, table := s.open(g)
	table.Answer(says(0, "stderr 100000"))
	at.next(t)
	g.Close()
	if n := strings.Count(s.log.String(), "\n"); n < linesPerSecond || n > 2000 {
		t.Errorf("the log has %d lines", n)
	}
}

func TestEachGameGetsHalfOfTheCoresAndTheHostTwoAtLeast(t *testing.T) {
	tests := []struct {
		name, says string
		cores      int
		game, host int
	}{
		{"one core", "", 1, 1, 1}, {"two", "", 2, 1, 2}, {"three", "", 3, 2, 2}, {"eight", "", 8, 4, 4},
		{"the operator says one", "1", 8, 1, 1}, {"the operator says three", "3", 8, 3, 3},
		{"the operator says nonsense", "many", 8, 4, 4}, {"the operator says none", "0", 8, 4, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := share(tt.says, tt.cores, 1); got != tt.game {
				t.Errorf("a game gets %d, want %d", got, tt.game)
			}
			if got := share(tt.says, tt.cores, 2); got != tt.host {
				t.Errorf("the host gets %d, want %d", got, tt.host)
			}
		})
	}
}
