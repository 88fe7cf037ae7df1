// Package examples tests a game that is not written in Go, examples/games/goofspiel,
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
	"colosseum/protocol"
)

func TestMain(m *testing.M) { programs.Main(m, nil) }

// needNode skips a test where node is not installed.
func needNode(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
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

// startNodeHost starts a host with the built games and those for node.
func startNodeHost(t testing.TB) *programs.Host {
	t.Helper()
	needNode(t)
	return programs.StartHostWith(t, t.TempDir(), "plugins: {folders: ["+programs.Plugins+", "+nodeGames(t)+"]}\nlobby: {matches: 6000}\ndrain: 0s\n")
}

// TestScripts runs testdata/*.txtar. $GAMES is the folder of the games for node. The file
// games.yaml configures it.
func TestScripts(t *testing.T) {
	needNode(t)
	programs.Scripts(t, "testdata", func(env *testscript.Env) error {
		env.Setenv("GAMES", nodeGames(t))
		return os.WriteFile(filepath.Join(env.WorkDir, "games.yaml"), []byte("plugins: {folders: ["+programs.Plugins+", "+nodeGames(t)+"]}\ngames: {}\n"), 0o644)
	})
}

// seated are two players of a match of goofspiel that has started.
type seated struct {
	id      string
	players [2]*programs.Client // alice and bob
}

// goofspiel creates a match and joins it with two players.
func goofspiel(h *programs.Host, args map[string]string, timeout *float64) (*seated, error) {
	m := &seated{}
	for i, name := range []string{"alice", "bob"} {
		c, err := programs.Dial(h.URL)
		if err != nil {
			return nil, err
		}
		m.players[i] = c
		if i == 0 {
			request := protocol.GameNew{Game: "goofspiel", Args: args}
			request.Params.Timeout = timeout
			if m.id, err = c.Create(request); err != nil {
				return nil, err
			}
		}
		if err := c.Join(m.id, name); err != nil {
			return nil, err
		}
	}
	for _, c := range m.players {
		if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *seated) close() {
	for _, c := range m.players {
		c.Close()
	}
}

// playBids plays a match of goofspiel. bid chooses a card for each prize, or "" to stop
// playing. playBids returns the lines received and the result.
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
			if err := c.Conn.WriteMessage(2, []byte(card+"\n")); err != nil {
				return seen, nil, err
			}
		}
	}
}

func honest(prize, _ int) string    { return strconv.Itoa(prize) }
func above(prize, cards int) string { return strconv.Itoa(prize%cards + 1) }

func resultOf(r *protocol.MatchResult, name string) protocol.PlayerResult {
	return r.Players[slices.IndexFunc(r.Players, func(p protocol.PlayerResult) bool { return p.Name == name })]
}

func TestForfeitsInAGameForNode(t *testing.T) {
	h := startNodeHost(t)
	tests := []struct {
		name  string
		fault func(c *programs.Client) // bob's, at its third bid
		ended string
	}{
		{"illegal", func(c *programs.Client) { _ = c.Conn.WriteMessage(2, []byte("0\n")) }, "forfeit: illegal"},
		{"nothing", func(c *programs.Client) { _ = c.Conn.WriteMessage(2, []byte("\n")) }, "forfeit: illegal"},
		{"not UTF-8", func(c *programs.Client) { _ = c.Conn.WriteMessage(2, []byte("\xff\xfe\n")) }, "forfeit: illegal"},
		{"late", func(*programs.Client) {}, "forfeit: timeout"},
		{"disconnected", func(c *programs.Client) { c.Close() }, "forfeit: disconnected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			timeout := 600.0
			if tt.name == "late" {
				timeout = 10 // for alice, too
			}
			m, err := goofspiel(h, nil, &timeout)
			if err != nil {
				t.Fatal(err)
			}
			defer m.close()
			var wait sync.WaitGroup
			wait.Go(func() {
				bids := 0
				_, _, err := playBids(m.players[1], func(prize, cards int) string {
					if bids++; bids == 3 {
						return ""
					}
					return above(prize, cards)
				})
				if err != nil {
					t.Error(err)
				}
				tt.fault(m.players[1])
			})
			seen, result, err := playBids(m.players[0], honest)
			wait.Wait()
			if err != nil {
				t.Fatal(err)
			}
			alice, bob := resultOf(result, "alice"), resultOf(result, "bob")
			if bob.Ended != tt.ended || bob.Rank != 2 || alice.Ended != "finished" || alice.Rank != 1 {
				t.Errorf("ended as %+v, want %q for bob and that alice wins", result, tt.ended)
			}
			if len(seen) != 3+3*2 || seen[len(seen)-1] != "RETIRE" {
				t.Errorf("the other player received %q, want 9 lines with RETIRE at the end", seen)
			}
		})
	}
}

// The results are known: one player always bids the prize, the other one more.
func TestManyMatchesAtOnceInAGameForNode(t *testing.T) {
	const matches, cards = 200, 50
	h := startNodeHost(t)
	errs := make(chan error, 2*matches)
	var wait sync.WaitGroup
	for range matches {
		m, err := goofspiel(h, map[string]string{"cards": fmt.Sprint(cards)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, strategy := range []func(int, int) string{honest, above} {
			wait.Go(func() {
				defer m.players[i].Close()
				seen, result, err := playBids(m.players[i], strategy)
				if err != nil {
					errs <- err
					return
				}
				const all = cards * (cards + 1) / 2
				alice := protocol.PlayerResult{Name: "alice", Score: cards, Rank: 2, Ended: "finished"}
				bob := protocol.PlayerResult{Name: "bob", Score: all - cards, Rank: 1, Ended: "finished"}
				if resultOf(result, "alice") != alice || resultOf(result, "bob") != bob || len(seen) != 3+2*cards {
					errs <- fmt.Errorf("match %s: %+v, %d lines, want %+v, %+v, %d lines", m.id, result, len(seen), alice, bob, 3+2*cards)
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
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			h := startNodeHost(t)
			m, err := goofspiel(h, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer m.close()
			bids := 0
			if _, _, err := playBids(m.players[0], func(prize, cards int) string {
				if bids++; bids == 2 {
					return ""
				}
				go playBids(m.players[1], honest) // ends with the host
				return honest(prize, cards)
			}); err != nil {
				t.Fatal(err)
			}
			if h.Child("goofspiel") == 0 {
				t.Fatal("the game has no process, want one")
			}
			h.Stop(t, sig) // fails if the process still runs
		})
	}
}

// hanging is a game for node with a referee that goes into an endless loop at the line
// "hang".
const hanging = `#!/usr/bin/env node
const { serve } = require('LIBRARY');
serve({
  name: 'hanging', minPlayers: 1, maxPlayers: 1, timeout: 600,
  async play(m) {
    m.tellAll('hello');
    for (let line; (line = await m.ask(0)) !== null; m.tell(0, line)) {
      while (line === 'hang');
    }
  },
});
`

// startHanging starts a host with the game hanging.
func startHanging(t *testing.T, stall string) *programs.Host {
	t.Helper()
	needNode(t)
	games := t.TempDir()
	if err := os.Mkdir(filepath.Join(games, "hanging"), 0o755); err != nil {
		t.Fatal(err)
	}
	source := strings.ReplaceAll(hanging, "LIBRARY", filepath.Join(nodeGames(t), "goofspiel", "colosseum"))
	if err := os.WriteFile(filepath.Join(games, "hanging", "game"), []byte(source), 0o755); err != nil {
		t.Fatal(err)
	}
	return programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], stall: %s}\ndrain: 0s\n", games, stall))
}

// hang joins a match and makes its referee go into the endless loop.
func hang(t *testing.T, h *programs.Host) *programs.Client {
	t.Helper()
	c, line := h.Begin(t, "hanging")
	if line != "hello" {
		t.Fatalf("got %q, want hello", line)
	}
	for _, say := range []string{"echo", "hang"} {
		if err := c.Conn.WriteMessage(2, []byte(say+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	if line, _, err := (&programs.Lines{C: c}).Next(); err != nil || line != "echo" {
		t.Fatalf("got %q, error %v, want echo", line, err)
	}
	return c
}

func TestGameForNodeInAnEndlessLoopEndsWithItsHost(t *testing.T) {
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
	h := startHanging(t, "5s")
	first := h.Child("hanging")
	bystander, _ := h.Begin(t, "hanging")
	c := hang(t, h)
	var ended protocol.EndedReply
	if _, err := c.Skip(protocol.NameMatchEnded, &ended); err != nil {
		t.Fatal(err)
	}
	if !ended.Result.Aborted {
		t.Errorf("the match ended as %+v, want it aborted", ended.Result)
	}
	// A new process plays the next match.
	h.AwaitAfter(t, 0, "new process")
	for h.Child("hanging") == first {
		time.Sleep(time.Millisecond) // the log can only be polled
	}
	if next, line := h.Begin(t, "hanging"); line != "hello" {
		t.Errorf("got %q, want hello", line)
	} else if err := next.Conn.WriteMessage(2, []byte("again\n")); err != nil {
		t.Error(err)
	} else if line, _, err := (&programs.Lines{C: next}).Next(); err != nil || line != "again" {
		t.Errorf("got %q, error %v, want again", line, err)
	}
	// The old process is killed after its last match has been aborted.
	if err := bystander.Conn.WriteMessage(2, []byte("anybody there?\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bystander.Skip(protocol.NameMatchEnded, &ended); err != nil || !ended.Result.Aborted {
		t.Errorf("the match in the old process: %+v, error %v, want it aborted", ended.Result, err)
	}
	for programs.Alive(first) {
		time.Sleep(time.Millisecond) // the process is not a child of the test, so it can only be polled
	}
}

func TestGameInTheReadmeForNodeIsPlayed(t *testing.T) {
	needNode(t)
	goofspiel := filepath.Join(nodeGames(t), "goofspiel")
	text, err := os.ReadFile(filepath.Join(goofspiel, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```js\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("README.md has no game, want one")
	}
	var source strings.Builder
	for line := range strings.Lines(block) {
		source.WriteString(strings.TrimPrefix(line, "   ")) // the block is in a list
	}
	nim := filepath.Join(t.TempDir(), "nim")
	if err := os.Mkdir(nim, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(goofspiel, "colosseum"), filepath.Join(nim, "colosseum")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(nim, "game"), []byte(source.String()), 0o755); err != nil {
		t.Fatal(err)
	}
	one := []string{"--", "sh", "-c", "while read heap; do echo 1; done"}
	play := append([]string{"play", nim, "-a", "matches=9", "-n", "2"}, append(one, one...)...)
	out, err := exec.Command(filepath.Join(programs.Bin, "host"), play...).CombinedOutput()
	// The first player also takes the ninth match.
	if err != nil || !strings.Contains(string(out), "sh-1 1, sh-2 0") || !strings.Contains(string(out), "sh-2 1, sh-1 0") {
		t.Errorf("error %v, want a win of each program\n%s", err, out)
	}
}

// BenchmarkLanguages plays the same number of rounds of two similar games on a real host,
// one compiled and one for node. It reports the rounds per second of all matches together,
// and the CPU time of host and game for a round. The clients, which are the same for both,
// run on the same machine.
func BenchmarkLanguages(b *testing.B) {
	const rounds = 100 // of a match
	plays := map[string]func(h *programs.Host) (*seated, error){
		"roshambo": func(h *programs.Host) (*seated, error) {
			pair, err := h.Pair(rounds)
			if err != nil {
				return nil, err
			}
			return &seated{players: [2]*programs.Client{pair[0].Client, pair[1].Client}}, nil
		},
		"goofspiel": func(h *programs.Host) (*seated, error) {
			return goofspiel(h, map[string]string{"cards": fmt.Sprint(rounds)}, nil)
		},
	}
	for _, game := range []string{"roshambo", "goofspiel"} {
		for _, matches := range []int{1, 10, 100, 400} {
			b.Run(fmt.Sprintf("%s/matches=%d", game, matches), func(b *testing.B) {
				h := startNodeHost(b)
				var total float64
				var took time.Duration
				var cpu [2]float64
				for range max(b.N/matches/rounds, 1) {
					var seats []*programs.Client
					for range matches {
						m, err := plays[game](h)
						if err != nil {
							b.Fatal(err)
						}
						seats = append(seats, m.players[0], m.players[1])
					}
					before, begin := h.CPU(b), time.Now()
					var wait sync.WaitGroup
					for i, c := range seats {
						wait.Go(func() {
							var err error
							if game == "roshambo" {
								_, _, err = c.Roshambo(func(int) string { return "ROCK" })
							} else {
								_, _, err = playBids(c, []func(int, int) string{honest, above}[i%2])
							}
							if err != nil {
								b.Error(err)
							}
							c.Close()
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
