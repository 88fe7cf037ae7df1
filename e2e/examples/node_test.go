// Package examples tests the games that are not written in Go, in examples/games,
// with a host and its clients.
package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
	"colosseum/protocol"
)

func TestMain(m *testing.M) {
	waits.Together()
	programs.Main(m, nil)
}

// interpreter returns the path of an interpreter that a confined game can use, whatever
// the search path of the tests is. It skips a test where there is none.
func interpreter(t testing.TB, name string) string {
	t.Helper()
	for _, folder := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		if path := filepath.Join(folder, name); exec.Command(path, "--version").Run() == nil {
			return path
		}
	}
	t.Skip("there is no " + name + " in /usr/local/bin, /usr/bin or /bin, where confined games look for it (on Debian: apt-get install nodejs python3)")
	return ""
}

// nodeGames returns the folder of the games for node.
func nodeGames(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(programs.Root, "examples", "games"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// startNodeHost starts a host with the built game and those for node.
func startNodeHost(t testing.TB) *programs.Host {
	t.Helper()
	interpreter(t, "node")
	return programs.StartHostWith(t, t.TempDir(), "plugins: {folders: ["+programs.Plugins+", "+nodeGames(t)+"]}\nlobby: {matches: 6000}\ndrain: 0s\n")
}

// TestScripts runs testdata/*.txtar. $NODE is node, and $GAMES the folder of the games for
// it, which the file games.yaml configures.
func TestScripts(t *testing.T) {
	t.Parallel()
	node := interpreter(t, "node")
	programs.Scripts(t, "testdata", func(env *testscript.Env) error {
		env.Setenv("GAMES", nodeGames(t))
		env.Setenv("NODE", node)
		return os.WriteFile(filepath.Join(env.WorkDir, "games.yaml"), []byte("plugins: {folders: ["+programs.Plugins+", "+nodeGames(t)+"]}\ngames: {}\n"), 0o644)
	})
}

// goofspiel starts a match of two players.
func goofspiel(t testing.TB, h *programs.Host, args map[string]string, timeout *float64) []*programs.Player {
	t.Helper()
	pair, err := h.PairOf(protocol.GameNew{Game: "goofspiel", Args: args, Params: protocol.GameParams{Timeout: timeout}})
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// playBids plays a match of goofspiel, and returns the lines that it received and the
// result. bid chooses a card for each prize, or "" to stop playing.
func playBids(c *programs.Client, bid func(prize, cards int) string) (seen []string, result *protocol.MatchResult, err error) {
	l := &programs.Lines{C: c}
	cards := 0
	for {
		line, ended, err := l.Next()
		if err != nil || ended != nil {
			if ended != nil {
				result = ended.Result
			}
			return seen, result, err
		}
		seen = append(seen, line)
		n, _ := strconv.Atoi(line) // 0 for RETIRE and names
		switch {
		case len(seen) == 3:
			cards = n
		case len(seen) >= 4 && len(seen)%2 == 0:
			card := bid(n, cards)
			if card == "" {
				return seen, nil, nil
			}
			if err := c.SendLine(card); err != nil {
				return seen, nil, err
			}
		}
	}
}

func honest(prize, _ int) string    { return strconv.Itoa(prize) }
func above(prize, cards int) string { return strconv.Itoa(prize%cards + 1) }

func resultOf(r *protocol.MatchResult, name string) protocol.PlayerResult {
	got := r.Players[slices.IndexFunc(r.Players, func(p protocol.PlayerResult) bool { return p.Name == name })]
	got.Lag, got.Forgiven = 0, 0 // measured
	return got
}

func TestForfeitsInAGameForNode(t *testing.T) {
	t.Parallel()
	h := startNodeHost(t)
	tests := []struct {
		name  string
		fault func(c *programs.Client) // of p1, instead of its third bid
		ended string
	}{
		{"illegal", func(c *programs.Client) { _ = c.SendLine("0") }, "forfeit: illegal"},
		{"nothing", func(c *programs.Client) { _ = c.SendLine("") }, "forfeit: illegal"},
		{"not UTF-8", func(c *programs.Client) { _ = c.SendLine("\xff\xfe") }, "forfeit: illegal"},
		{"late", func(*programs.Client) {}, "forfeit: timeout"},
		{"disconnected", func(c *programs.Client) { c.Close() }, "forfeit: disconnected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			timeout := 600.0
			if tt.name == "late" {
				timeout = 10 // for p0, too
			}
			pair := goofspiel(t, h, nil, &timeout)
			defer pair[0].Close()
			defer pair[1].Close()
			var wait sync.WaitGroup
			wait.Go(func() {
				bids := 0
				_, _, err := playBids(pair[1].Client, func(prize, cards int) string {
					if bids++; bids == 3 {
						return ""
					}
					return above(prize, cards)
				})
				if err != nil {
					t.Error(err)
				}
				tt.fault(pair[1].Client)
			})
			seen, result, err := playBids(pair[0].Client, honest)
			wait.Wait()
			if err != nil {
				t.Fatal(err)
			}
			p0, p1 := resultOf(result, "p0"), resultOf(result, "p1")
			if p1.Ended != tt.ended || p1.Rank != 2 || p0.Ended != protocol.EndedFinished || p0.Rank != 1 {
				t.Errorf("got the result %+v, want %q for p1, and that p0 wins", result, tt.ended)
			}
			if len(seen) != 3+3*2 || seen[len(seen)-1] != "RETIRE" {
				t.Errorf("other player: got %q, want 9 lines with RETIRE at the end", seen)
			}
		})
	}
}

// The results are known: p0 always bids the prize, and p1 one more.
func TestManyMatchesAtOnceInAGameForNode(t *testing.T) {
	t.Parallel()
	const cards, matches = 50, 20
	h := startNodeHost(t)
	errs := make(chan error, 2*matches)
	var wait sync.WaitGroup
	for range matches {
		pair := goofspiel(t, h, map[string]string{"cards": fmt.Sprint(cards)}, nil)
		for i, strategy := range []func(int, int) string{honest, above} {
			wait.Go(func() {
				defer pair[i].Close()
				seen, result, err := playBids(pair[i].Client, strategy)
				if err != nil {
					errs <- err
					return
				}
				const all = cards * (cards + 1) / 2
				p0 := protocol.PlayerResult{Name: "p0", Score: cards, Rank: 2, Ended: protocol.EndedFinished}
				p1 := protocol.PlayerResult{Name: "p1", Score: all - cards, Rank: 1, Ended: protocol.EndedFinished}
				if resultOf(result, "p0") != p0 || resultOf(result, "p1") != p1 || len(seen) != 3+2*cards {
					errs <- fmt.Errorf("match %s: got %+v, %d lines, want %+v, %+v, %d lines", pair[i].ID, result, len(seen), p0, p1, 3+2*cards)
				}
			})
		}
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

func TestGameForNodeEndsWithItsHost(t *testing.T) {
	long.Only(t, "in the short run, games in an endless loop end with their host")
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			h := startNodeHost(t)
			pair := goofspiel(t, h, nil, nil)
			defer pair[0].Close()
			defer pair[1].Close()
			bids := 0
			if _, _, err := playBids(pair[0].Client, func(prize, cards int) string {
				if bids++; bids == 2 {
					return ""
				}
				go playBids(pair[1].Client, honest) // ends with the host
				return honest(prize, cards)
			}); err != nil {
				t.Fatal(err)
			}
			if h.Child("goofspiel") == 0 {
				t.Fatal("got no process of the game, want one")
			}
			h.Stop(t, sig) // fails if the process still runs
		})
	}
}

// hanging is a game for node with a referee that does not go on after the line "hang".
const hanging = `#!/usr/bin/env node
const { serve } = require('LIBRARY');
serve({
  name: 'hanging', minPlayers: 1, maxPlayers: 1, timeout: 600,
  async play(m) {
    m.tellAll('hello');
    for (let line; (line = await m.ask(0)) !== null; m.tell(0, line)) {
      if (line === 'hang') HANG;
    }
  },
});
`

// startHanging starts a host with the game hanging.
func startHanging(t *testing.T, stall string) *programs.Host {
	t.Helper()
	interpreter(t, "node")
	games := t.TempDir()
	if err := os.Mkdir(filepath.Join(games, "hanging"), 0o755); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(nodeGames(t), "goofspiel", "colosseum")
	hang := "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)" // holds the thread as a loop does, and needs no CPU time
	if long.Run() {
		hang = "for (;;)"
	}
	source := strings.NewReplacer("LIBRARY", library, "HANG", hang).Replace(hanging)
	if err := os.WriteFile(filepath.Join(games, "hanging", "game"), []byte(source), 0o755); err != nil {
		t.Fatal(err)
	}
	return programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], stall: %s, exceptions: {hanging: {read: [%s]}}}\ndrain: 0s\n", games, stall, library))
}

// hang joins a match and lets its referee hang.
func hang(t *testing.T, h *programs.Host) *programs.Client {
	t.Helper()
	c, line := h.Begin(t, "hanging")
	if line != "hello" {
		t.Fatalf("got %q, want hello", line)
	}
	c.Answer(t, "echo")
	c.Answer(t, "hang")
	if line, _, err := (&programs.Lines{C: c}).Next(); err != nil || line != "echo" {
		t.Fatalf("got %q, %v, want echo", line, err)
	}
	return c
}

func TestGameForNodeInAnEndlessLoopEndsWithItsHost(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			h := startHanging(t, "10m")
			hang(t, h)
			h.Stop(t, sig) // fails if the process still runs
		})
	}
}

// All matches of a process share its one thread, so one referee can block them all.
func TestGameForNodeInAnEndlessLoopIsReplaced(t *testing.T) {
	t.Parallel()
	h := startHanging(t, "5s")
	first := h.Child("hanging")
	bystander, _ := h.Begin(t, "hanging")
	c := hang(t, h)
	if r, _ := c.AwaitEnd(t); !r.Aborted {
		t.Errorf("got %+v, want an aborted match", r)
	}
	// A new process plays the next match.
	h.Await(t, "new process")
	poll.Until(t, "the log has the new process", func() bool { return h.Child("hanging") != first })
	next, line := h.Begin(t, "hanging")
	if line != "hello" {
		t.Errorf("got %q, want hello", line)
	}
	next.Answer(t, "again")
	if line, _, err := (&programs.Lines{C: next}).Next(); err != nil || line != "again" {
		t.Errorf("got %q, %v, want again", line, err)
	}
	// The old process is killed after its last match has been aborted.
	bystander.Answer(t, "is anyone there?")
	if r, _ := bystander.AwaitEnd(t); !r.Aborted {
		t.Errorf("match in the old process: got %+v, want it aborted", r)
	}
	programs.AwaitExit(t, first)
}

// writeNim writes the game in the README of a game into a folder. Language is that of its
// block there.
func writeNim(t *testing.T, nim, game, language string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(nodeGames(t), game, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```"+language+"\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("got no game in README.md, want one")
	}
	var source strings.Builder
	for line := range strings.Lines(block) {
		source.WriteString(strings.TrimPrefix(line, "   ")) // the block is in a list
	}
	if err := os.WriteFile(filepath.Join(nim, "game"), []byte(source.String()), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestGameInTheReadmeForNodeIsPlayed(t *testing.T) {
	t.Parallel()
	interpreter(t, "node")
	goofspiel := filepath.Join(nodeGames(t), "goofspiel")
	nim := filepath.Join(t.TempDir(), "nim")
	if err := os.Mkdir(nim, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(nim, "colosseum"), os.DirFS(filepath.Join(goofspiel, "colosseum"))); err != nil {
		t.Fatal(err)
	}
	writeNim(t, nim, "goofspiel", "js")
	one := []string{"--", "sh", "-c", "while read heap; do echo 1; done"}
	play := append([]string{"play", nim, "-a", "matches=9", "-n", "2"}, append(one, one...)...)
	out, err := exec.Command(filepath.Join(programs.Bin, "host"), play...).CombinedOutput()
	// The first player also takes the ninth match.
	if err != nil || !strings.Contains(string(out), "sh-1 1, sh-2 0") || !strings.Contains(string(out), "sh-2 1, sh-1 0") {
		t.Errorf("got %v, want that each program wins\n%s", err, out)
	}
}

// BenchmarkLanguages plays the same number of rounds of two similar games on a real host,
// one compiled and one for node. It reports the rounds per second of all matches together,
// and the CPU time of host and game for a round. The clients run on the same machine.
func BenchmarkLanguages(b *testing.B) {
	const rounds = 100 // of a match
	for _, game := range []string{"roshambo", "goofspiel"} {
		for _, matches := range []int{1, 10, 100, 400} {
			b.Run(fmt.Sprintf("%s/matches=%d", game, matches), func(b *testing.B) {
				h := startNodeHost(b)
				var total float64
				var took time.Duration
				var cpu [2]float64
				for range max(b.N/matches/rounds, 1) {
					var players []*programs.Player
					for range matches {
						if game == "goofspiel" {
							players = append(players, goofspiel(b, h, map[string]string{"cards": fmt.Sprint(rounds)}, nil)...)
							continue
						}
						pair, err := h.Pair(rounds)
						if err != nil {
							b.Fatal(err)
						}
						players = append(players, pair...)
					}
					before, begin := h.CPU(b), time.Now()
					var wait sync.WaitGroup
					for i, p := range players {
						wait.Go(func() {
							var err error
							if game == "roshambo" {
								_, _, err = p.Roshambo(func(int) string { return "ROCK" })
							} else {
								_, _, err = playBids(p.Client, []func(int, int) string{honest, above}[i%2])
							}
							if err != nil {
								b.Error(err)
							}
							p.Close()
						})
					}
					wait.Wait()
					took += time.Since(begin)
					for i, seconds := range h.CPU(b) {
						cpu[i] += seconds - before[i]
					}
					total += float64(matches * rounds)
				}
				b.ReportMetric(total/took.Seconds(), "rounds/s")
				b.ReportMetric(cpu[0]/total*1e6, "host-µs/round")
				b.ReportMetric(cpu[1]/total*1e6, "games-µs/round")
				b.ReportMetric(0, "ns/op")
				h.Stop(b, syscall.SIGTERM)
			})
		}
	}
}
