// Package conformance tests that games keep the rules of the wire, in whatever
// language they are written, with whole matches in the game's own process.
package conformance_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/wire"
)

// limit is a timeout that no test reaches: slowness is not an error, and go test's
// own timeout ends a test that hangs.
const limit = time.Hour

// candidate is a game, in any language, that the tests below play.
type candidate struct {
	name string
	args map[string]string // of the matches that are played
	// find returns the game's program, or skips the test.
	find func(t testing.TB) string
	// legal returns the legal answers of a seat after a stream: the lines that the
	// seat received and, each after a >, those that it sent.
	legal func(stream string) []string
	// kills is set if a thread kills the game whose main thread does not end it in 0.3 s,
	// because it is busy or gets no processor for as long.
	kills bool

	program string // as found
}

var candidates = []candidate{
	{
		name: "roshambo", args: map[string]string{"rounds": "13", "pace": "0"},
		find:  func(t testing.TB) string { return build(t, "../../../../plugins/roshambo") },
		legal: func(string) []string { return []string{"ROCK", "PAPER", "SCISSORS"} },
	},
	{
		name: "goofspiel", args: map[string]string{"ties": "carry", "bot": "random"},
		find: func(t testing.TB) string {
			interpreter(t, "node")
			return filepath.Join(goofspiel, "game")
		},
		legal: unusedCards, kills: true,
	},
	{
		name: "undercut", args: map[string]string{"rounds": "13", "bot": "random"},
		find: func(t testing.TB) string {
			interpreter(t, "python3")
			return filepath.Join(undercut, "game")
		},
		legal: func(string) []string { return []string{"1", "2", "3", "4", "5"} },
	},
}

// interpreter returns the path of an interpreter that a confined game can use.
func interpreter(t testing.TB, name string) string {
	t.Helper()
	path, err := sandbox.Look(name)
	if err != nil {
		t.Skipf("%v: install it there (on Debian: apt-get install nodejs python3)", err)
	}
	return path
}

// startExample starts the example game with a name.
func startExample(t *testing.T, name string) (candidate, *engine.Game) {
	t.Helper()
	c := candidates[slices.IndexFunc(candidates, func(c candidate) bool { return c.name == name })].found(t)
	return c, c.start(t)
}

const undercut = "../../../../examples/games/undercut"

const goofspiel = "../../../../examples/games/goofspiel"

// unusedCards returns the cards that a player of goofspiel still holds.
func unusedCards(stream string) []string {
	lines := strings.Split(stream, "\n")
	cards, _ := strconv.Atoi(lines[2]) // the referee's line; 0 cards would fail the match
	var left []string
	for card := range cards {
		if line := strconv.Itoa(card + 1); !slices.Contains(lines, ">"+line) {
			left = append(left, line)
		}
	}
	return left
}

func build(t testing.TB, folder string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(folder))
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", program, folder).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", folder, err, out)
	}
	return program
}

// startGame starts a game as the host does, confined and with the host's default limit
// of memory.
func startGame(t testing.TB, name, dir string, command ...string) *engine.Game {
	t.Helper()
	needs, err := sandbox.Examine(command[0])
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Start(t.Context(), engine.Spec{
		Name: name, Command: command, Dir: dir, StartTimeout: limit, Isolation: sandbox.BestEffort,
		Policy: sandbox.Policy{Execute: append(needs.Execute, dir), Read: needs.Read, Listen: true, Memory: 512 << 20},
		Log:    slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// start starts the candidate, which must have been found.
func (c candidate) start(t testing.TB) *engine.Game {
	t.Helper()
	g := startGame(t, c.name, filepath.Dir(c.program), c.program)
	if got := g.Description().Name; got != c.name {
		t.Errorf("the game is named %q, want %q", got, c.name)
	}
	return g
}

// found returns the candidate with its program.
func (c candidate) found(t testing.TB) candidate {
	t.Helper()
	var err error
	if c.program, err = filepath.Abs(c.find(t)); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGamesKeepTheRulesOfTheWire(t *testing.T) {
	rules := []struct {
		name string
		test func(t *testing.T, c candidate, g *engine.Game)
	}{
		{"completes and refuses like the SDK", completesAndRefusesLikeTheSDK},
		{"matches end by the rules", matchesEndByTheRules},
		{"same seed and answers give the same match", sameSeedAndAnswersGiveTheSameMatch},
		{"a fault at any question forfeits the seat", faultAtAnyQuestionForfeitsTheSeat},
		{"a stop at any question disturbs no other match", stopAtAnyQuestionDisturbsNoOtherMatch},
		{"matches at once do not mix", matchesAtOnceDoNotMix},
		{"ends when its lifeline closes", endsWhenItsLifelineCloses},
	}
	for _, c := range candidates {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c := c.found(t)
			g := c.start(t)
			for _, r := range rules {
				t.Run(r.name, func(t *testing.T) { r.test(t, c, g) })
			}
		})
	}
}

// play plays a match that must end by the rules.
func (c candidate) play(t *testing.T, g *engine.Game, seed uint64, players ...gametest.Player) *gametest.Transcript {
	t.Helper()
	return c.playMatch(t, g, gametest.Match{Players: players, Seed: seed})
}

func (c candidate) playMatch(t *testing.T, g *engine.Game, m gametest.Match) *gametest.Transcript {
	t.Helper()
	tr, err := (&wireMatch{Match: m, candidate: c}).play(g)
	if err != nil || tr.Result.Aborted {
		t.Fatalf("seed %d: got %v, error %v, want an end by the rules", m.Seed, tr, err)
	}
	return tr
}

// pair returns two random players, or one and a bot of the game.
func pair(seed uint64, bot bool) []gametest.Player {
	players := []gametest.Player{gametest.Random(seed), gametest.Random(seed + 1<<32)}
	if bot {
		players[seed%2] = nil
	}
	return players
}

// seeds returns the number of matches of a rule: n, or a fifth of it in the short run.
func seeds(n int) int { return long.Number(n/5, n) }

func questions(tr *gametest.Transcript, seat int) int {
	n := 0
	for _, a := range tr.Answers {
		if a.Seat == seat {
			n++
		}
	}
	return n
}

func completesAndRefusesLikeTheSDK(t *testing.T, c candidate, g *engine.Game) {
	d := g.Description()
	same := sdk.Game{
		Name: d.Name, MinPlayers: d.MinPlayers, MaxPlayers: d.MaxPlayers, MaxBots: d.MaxBots, Timeout: d.Timeout, Params: d.Params,
	}
	number := func(n int) *int { return &n }
	seconds := func(s float64) *float64 { return &s }
	requests := []driver.Request{
		{}, {Players: number(2)}, {Players: number(0)}, {Players: number(1)}, {Players: number(99)},
		{Bots: 1}, {Bots: 2}, {Bots: 99},
		{Timeout: seconds(0.1)}, {Timeout: seconds(0.099)}, {Timeout: seconds(600)}, {Timeout: seconds(600.5)}, {Timeout: seconds(0)}, {Timeout: seconds(-1)},
		{Args: map[string]string{"no-such": "1"}}, {Args: map[string]string{"": ""}}, {Args: map[string]string{"__proto__": "1"}},
		{Args: map[string]string{strings.Repeat("n", 100): "1"}},
	}
	for _, p := range d.Params {
		values := []string{"", " 1", "1", "+2", "-1", "007", "3.5", "0.25", "1e9", "1e1", "25E-2", "0x10", ".5", "5.", "+.5", ".", "-0", "NaN", "inf", "99999999999999999999", "ä", strings.Repeat("9", 100)}
		values = append(values, p.Default, fmt.Sprint(p.Min), fmt.Sprint(p.Max), fmt.Sprint(p.Max+1))
		for _, v := range append(values, p.Choices...) {
			requests = append(requests, driver.Request{Args: map[string]string{p.Name: v}})
		}
	}
	for _, r := range requests {
		want, wantErr := driver.Of(&same).Prepare(r)
		got, err := g.Prepare(t.Context(), r)
		switch refusal, refused := err.(engine.Refusal); {
		case wantErr != nil && (!refused || string(refusal) != wantErr.Error()):
			t.Errorf("%+v: got %v, want the refusal %v", r, err, wantErr)
		case wantErr == nil && err != nil:
			t.Errorf("%+v: got %v, want no error", r, err)
		case wantErr == nil && !reflect.DeepEqual(got, want):
			t.Errorf("%+v: got %+v, want %+v", r, got, want)
		}
	}
}

func matchesEndByTheRules(t *testing.T, c candidate, g *engine.Game) {
	for seed := range uint64(seeds(100)) {
		for _, bot := range []bool{false, true} {
			tr := c.play(t, g, seed, pair(seed, bot)...)
			best := 0
			for seat, r := range tr.Result.Seats {
				if r.Ended != driver.EndedFinished {
					t.Errorf("seed %d: seat %d ended as %q, want %q", seed, seat, r.Ended, driver.EndedFinished)
				}
				if r.Score >= tr.Result.Seats[1-seat].Score && r.Rank != 1 {
					t.Errorf("seed %d: got %+v, want rank 1 for seat %d", seed, tr.Result.Seats, seat)
				}
				if r.Rank == 1 {
					best++
				}
			}
			if best == 0 || questions(tr, 0) == 0 || questions(tr, 0) != questions(tr, 1) {
				t.Errorf("seed %d: got %d winners and %d and %d questions, want winners, and as many questions for both", seed, best, questions(tr, 0), questions(tr, 1))
			}
		}
	}
}

func sameSeedAndAnswersGiveTheSameMatch(t *testing.T, c candidate, g *engine.Game) {
	other := c.start(t)
	different := map[string]bool{}
	matches := seeds(25)
	for seed := range uint64(matches) {
		first, second := c.play(t, g, seed, pair(seed, true)...), c.play(t, other, seed, pair(seed, true)...)
		if first.String() != second.String() || !reflect.DeepEqual(first.Answers, second.Answers) {
			t.Errorf("seed %d, played again: got\n%s\nwant\n%s", seed, second, first)
		}
		different[first.String()] = true
	}
	if len(different) < matches {
		t.Errorf("%d seeds gave %d different matches, want as many", matches, len(different))
	}
}

func faultAtAnyQuestionForfeitsTheSeat(t *testing.T, c candidate, g *engine.Game) {
	sends := func(line string) gametest.Player { return func(gametest.Question) (string, error) { return line, nil } }
	faults := []struct {
		name  string
		fault gametest.Player
		ended driver.Ended
	}{
		{"nothing", sends(""), "forfeit: illegal"},
		{"nonsense", sends("no move of any game"), "forfeit: illegal"},
		{"not UTF-8", sends("\xff\x00\xfe"), "forfeit: illegal"},
		{"4 KiB", sends(strings.Repeat("1", 4096)), "forfeit: illegal"},
		{"late", gametest.Late, "forfeit: timeout"},
		{"gone", gametest.Gone, "forfeit: disconnected"},
	}
	whole := c.play(t, g, 7, pair(7, false)...)
	for seat := range 2 {
		for at := range questions(whole, seat) {
			for _, f := range faults {
				players := pair(7, false)
				legal := players[seat]
				players[seat] = func(q gametest.Question) (string, error) {
					if q.Number == at {
						return f.fault(q)
					}
					return legal(q)
				}
				tr := c.play(t, g, 7, players...)
				got, other := tr.Result.Seats[seat], tr.Result.Seats[1-seat]
				if got.Ended != f.ended || got.Rank != 2 || other.Ended != driver.EndedFinished || other.Rank != 1 {
					t.Errorf("%s at question %d of seat %d: got %+v, want it to lose by %q", f.name, at, seat, tr.Result, f.ended)
				}
				if n := questions(tr, seat); n != at+1 {
					t.Errorf("%s at question %d of seat %d: it was asked %d times, want %d", f.name, at, seat, n, at+1)
				}
			}
		}
	}
	both := c.play(t, g, 7, gametest.Gone, gametest.Late)
	for seat, want := range []driver.Ended{driver.ForfeitDisconnected, driver.ForfeitTimeout} {
		if got := both.Result.Seats[seat]; got.Ended != want {
			t.Errorf("both at once: seat %d ended as %q, want %q", seat, got.Ended, want)
		}
	}
}

func stopAtAnyQuestionDisturbsNoOtherMatch(t *testing.T, c candidate, g *engine.Game) {
	whole := c.play(t, g, 7, pair(7, true)...)
	for at := 1; at <= questions(whole, 0); at++ {
		m := &wireMatch{Match: gametest.Match{Players: pair(7, true), Seed: 7}, candidate: c, stopAt: at}
		if tr, err := m.play(g); err != nil || tr.Result != nil {
			t.Fatalf("stopped at question %d: got %v, error %v, want no result", at, tr, err)
		}
		if n := g.Matches(); n != 0 {
			t.Fatalf("%d matches are left, want none", n)
		}
		if again := c.play(t, g, 7, pair(7, true)...); again.String() != whole.String() {
			t.Fatalf("after a stop at question %d:\n%s\nwant\n%s", at, again, whole)
		}
	}
	// Stop a match at its start, and one just after an answer was sent.
	for _, answered := range []bool{false, true} {
		m := &wireMatch{Match: gametest.Match{Players: pair(7, false), Seed: 7}, candidate: c}
		start, err := m.prepare(g)
		if err != nil {
			t.Fatal(err)
		}
		inbox := newInbox()
		remote, err := g.Open(start, inbox)
		if err != nil {
			t.Fatal(err)
		}
		if answered {
			for asked := false; !asked; {
				f, err := inbox.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				asked = f.Question != nil
			}
			remote.Answer([]driver.Answer{{Seat: 0, Line: c.legal("\n\n2\n")[0]}, {Seat: 1, Outcome: driver.Timeout}})
		}
		remote.Stop()
	}
	if again := c.play(t, g, 7, pair(7, true)...); again.String() != whole.String() {
		t.Errorf("after the stops:\n%s\nwant\n%s", again, whole)
	}
}

func matchesAtOnceDoNotMix(t *testing.T, c candidate, g *engine.Game) {
	matches := seeds(200)
	alone := make([]string, matches)
	for seed := range alone {
		alone[seed] = c.play(t, g, uint64(seed), pair(uint64(seed), seed%3 == 0)...).String()
	}
	together := make([]string, matches)
	errs := make([]error, matches)
	var wait sync.WaitGroup
	for seed := range together {
		wait.Go(func() {
			m := &wireMatch{Match: gametest.Match{Players: pair(uint64(seed), seed%3 == 0), Seed: uint64(seed)}, candidate: c}
			var tr *gametest.Transcript
			if tr, errs[seed] = m.play(g); errs[seed] == nil {
				together[seed] = tr.String()
			}
		})
	}
	wait.Wait()
	for seed := range together {
		if errs[seed] != nil || together[seed] != alone[seed] {
			t.Errorf("seed %d: %v\n%s\nwant\n%s", seed, errs[seed], together[seed], alone[seed])
		}
	}
	if n := g.Matches(); n != 0 {
		t.Errorf("%d matches are left, want none", n)
	}
}

// endsWhenItsLifelineCloses starts the game without an engine, which would kill it.
func endsWhenItsLifelineCloses(t *testing.T, c candidate, _ *engine.Game) {
	sockets, err := os.MkdirTemp("", "") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(sockets)
	game, host, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer game.Close()
	defer host.Close()
	cmd := exec.CommandContext(t.Context(), c.program)
	cmd.Dir, cmd.Stderr, cmd.ExtraFiles = filepath.Dir(c.program), t.Output(), []*os.File{game}
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PATH="+sandbox.Path, wire.CookieKey+"="+wire.CookieValue, wire.LifelineKey+"=3", "PLUGIN_UNIX_SOCKET_DIR="+sockets, "PLUGIN_PROTOCOL_VERSIONS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(poll.Limit, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(out)
	lines.Scan()
	if line := lines.Text(); !strings.HasPrefix(line, "1|1|unix|"+sockets+"/") || !strings.HasSuffix(strings.TrimSuffix(line, "|"), "|grpc") {
		t.Errorf("its handshake is %q, want 1|1|unix|%s/…|grpc", line, sockets)
	}
	_ = host.Close()
	for lines.Scan() {
		t.Errorf("then it writes %q, want nothing", lines.Text())
	}
	err = cmd.Wait()
	if !late.Stop() {
		t.Fatalf("it still runs after %v, want its end", poll.Limit)
	}
	if status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && !(c.kills && status.Signaled() && status.Signal() == syscall.SIGKILL) {
		t.Errorf("it ended with %v, want status 0", err)
	}
}
