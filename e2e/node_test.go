package e2e

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

	"colosseum/protocol"
)

// The tests of a game that is not written in Go, examples/games/goofspiel, as
// the host and its clients see it.

// needNode skips a test where node is not installed.
func needNode(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
}

// nodeGames is the folder of the games for node.
func nodeGames(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "examples", "games"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// startNodeHost starts a host on the built games and those for node.
func startNodeHost(t testing.TB) *host {
	t.Helper()
	needNode(t)
	return startHostWith(t, t.TempDir(), "plugins: {folders: ["+plugins+", "+nodeGames(t)+"]}\nlobby: {matches: 6000}\ndrain: 0s\n")
}

// TestNodeScripts runs testdata/node/*.txtar, with the commands of TestScripts;
// $GAMES is the folder of the games for node, and the file games.yaml names it.
func TestNodeScripts(t *testing.T) {
	needNode(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "node"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("GAMES", nodeGames(t))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Values[hostKey{}] = &running{}
			return os.WriteFile(filepath.Join(env.WorkDir, "games.yaml"), []byte("plugins: {folders: ["+plugins+", "+nodeGames(t)+"]}\ngames: {}\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"host": cmdHost, "stop": cmdStop, "match": cmdMatch, "await": cmdAwait, "watched": cmdWatched, "ended": cmdEnded,
		},
	})
}

// seated are two players of a match of goofspiel that has started.
type seated struct {
	id      string
	players [2]*client // alice and bob
}

// goofspiel creates a match and joins it with two players.
func (h *host) goofspiel(args map[string]string, timeout *float64) (*seated, error) {
	m := &seated{}
	for i, name := range []string{"alice", "bob"} {
		c, err := dial(h.url)
		if err != nil {
			return nil, err
		}
		m.players[i] = c
		if i == 0 {
			request := protocol.GameNew{Game: "goofspiel", Args: args}
			request.Params.Timeout = timeout
			if m.id, err = c.create(request); err != nil {
				return nil, err
			}
		}
		if err := c.join(m.id, name); err != nil {
			return nil, err
		}
	}
	for _, c := range m.players {
		if _, err := c.skip(protocol.NameMatchStarted, nil); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *seated) close() {
	for _, c := range m.players {
		c.close()
	}
}

// bids plays a match of goofspiel; bid chooses a card for each prize, none to
// stop playing. It returns what the player has seen and how the match ended.
func (c *client) bids(bid func(prize, cards int) string) (seen []string, result *protocol.MatchResult, err error) {
	l := &lines{c: c}
	cards := 0
	for {
		line, ended, err := l.next()
		if err != nil || ended != nil {
			if ended != nil {
				result = ended.Result
			}
			return seen, result, err
		}
		seen = append(seen, line)
		n, _ := strconv.Atoi(line) // RETIRE and names are not asked about
		switch {
		case len(seen) == 3:
			cards = n
		case len(seen) >= 4 && len(seen)%2 == 0:
			card := bid(n, cards)
			if card == "" {
				return seen, nil, nil
			}
			if err := c.conn.WriteMessage(2, []byte(card+"\n")); err != nil {
				return seen, nil, err
			}
		}
	}
}

func honest(prize, _ int) string    { return strconv.Itoa(prize) }
func above(prize, cards int) string { return strconv.Itoa(prize%cards + 1) }

// resultOf returns the result of a player.
func resultOf(r *protocol.MatchResult, name string) protocol.PlayerResult {
	return r.Players[slices.IndexFunc(r.Players, func(p protocol.PlayerResult) bool { return p.Name == name })]
}

func TestForfeitsInAGameForNode(t *testing.T) {
	h := startNodeHost(t)
	second := 1.0
	tests := []struct {
		name  string
		fault func(c *client) // bob's, at its third bid
		ended string
	}{
		{"illegal", func(c *client) { _ = c.conn.WriteMessage(2, []byte("0\n")) }, "forfeit: illegal"},
		{"nothing", func(c *client) { _ = c.conn.WriteMessage(2, []byte("\n")) }, "forfeit: illegal"},
		{"not UTF-8", func(c *client) { _ = c.conn.WriteMessage(2, []byte("\xff\xfe\n")) }, "forfeit: illegal"},
		{"late", func(*client) {}, "forfeit: timeout"},
		{"disconnected", func(c *client) { c.close() }, "forfeit: disconnected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := h.goofspiel(nil, &second)
			if err != nil {
				t.Fatal(err)
			}
			defer m.close()
			var wait sync.WaitGroup
			wait.Go(func() {
				bids := 0
				_, _, err := m.players[1].bids(func(prize, cards int) string {
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
			seen, result, err := m.players[0].bids(honest)
			wait.Wait()
			if err != nil {
				t.Fatal(err)
			}
			alice, bob := resultOf(result, "alice"), resultOf(result, "bob")
			if bob.Ended != tt.ended || bob.Rank != 2 || alice.Ended != "finished" || alice.Rank != 1 {
				t.Errorf("ended as %+v", result)
			}
			if len(seen) != 3+3*2 || seen[len(seen)-1] != "RETIRE" {
				t.Errorf("the other player saw %q", seen)
			}
		})
	}
}

// TestManyMatchesAtOnceInAGameForNode plays matches whose results are known:
// one always bids the prize, the other one more.
func TestManyMatchesAtOnceInAGameForNode(t *testing.T) {
	const matches, cards = 200, 50
	h := startNodeHost(t)
	errs := make(chan error, 2*matches)
	var wait sync.WaitGroup
	for range matches {
		m, err := h.goofspiel(map[string]string{"cards": fmt.Sprint(cards)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, strategy := range []func(int, int) string{honest, above} {
			wait.Go(func() {
				defer m.players[i].close()
				seen, result, err := m.players[i].bids(strategy)
				if err != nil {
					errs <- err
					return
				}
				const all = cards * (cards + 1) / 2
				alice := protocol.PlayerResult{Name: "alice", Score: cards, Rank: 2, Ended: "finished"}
				bob := protocol.PlayerResult{Name: "bob", Score: all - cards, Rank: 1, Ended: "finished"}
				if resultOf(result, "alice") != alice || resultOf(result, "bob") != bob || len(seen) != 3+2*cards {
					errs <- fmt.Errorf("match %s: %+v, %d lines", m.id, result, len(seen))
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

// TestGameForNodeEndsWithItsHost ends the host in the middle of a match.
func TestGameForNodeEndsWithItsHost(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			h := startNodeHost(t)
			m, err := h.goofspiel(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer m.close()
			bids := 0
			if _, _, err := m.players[0].bids(func(prize, cards int) string {
				if bids++; bids == 2 {
					return ""
				}
				go m.players[1].bids(honest) // ends with the host
				return honest(prize, cards)
			}); err != nil {
				t.Fatal(err)
			}
			if h.child("goofspiel") == 0 {
				t.Fatal("the game has no process")
			}
			h.stop(t, sig) // fails when the process is left
		})
	}
}

// hanging is a game for node whose referee goes into an endless loop when a
// player says so.
const hanging = `#!/usr/bin/env node
const { serve } = require('LIBRARY');
serve({
  name: 'hanging', minPlayers: 1, maxPlayers: 1, timeout: 60,
  async play(m) {
    m.tellAll('hello');
    for (let line; (line = await m.ask(0)) !== null; m.tell(0, line)) {
      while (line === 'hang');
    }
  },
});
`

// startHanging starts a host with the game above.
func startHanging(t *testing.T, stall string) *host {
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
	return startHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], stall: %s}\ndrain: 0s\n", games, stall))
}

// hang joins a match and sends its referee into the endless loop.
func (h *host) hang(t *testing.T) *client {
	t.Helper()
	c, line := h.begin(t, "hanging")
	if line != "hello" {
		t.Fatalf("got %q", line)
	}
	for _, say := range []string{"echo", "hang"} {
		if err := c.conn.WriteMessage(2, []byte(say+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	if line, _, err := (&lines{c: c}).next(); err != nil || line != "echo" {
		t.Fatalf("got %q, %v", line, err)
	}
	return c
}

func TestGameForNodeInAnEndlessLoopEndsWithItsHost(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			h := startHanging(t, "30s")
			h.hang(t)
			h.stop(t, sig) // fails when the process is left
		})
	}
}

// TestGameForNodeInAnEndlessLoopIsReplaced: all matches of a process share its
// one thread, so one referee can hang them all.
func TestGameForNodeInAnEndlessLoopIsReplaced(t *testing.T) {
	h := startHanging(t, "1s")
	first := h.child("hanging")
	bystander, _ := h.begin(t, "hanging")
	c := h.hang(t)
	var ended protocol.EndedReply
	if _, err := c.skip(protocol.NameMatchEnded, &ended); err != nil {
		t.Fatal(err)
	}
	if !ended.Result.Aborted {
		t.Errorf("the match ended as %+v", ended.Result)
	}
	// Who comes now is served by a new process.
	h.awaitAfter(t, 0, "new process")
	for limit := time.Now().Add(patience); h.child("hanging") == first; {
		if time.Now().After(limit) {
			t.Fatal("there is no new process")
		}
		time.Sleep(time.Millisecond) // the log can only be polled
	}
	if next, line := h.begin(t, "hanging"); line != "hello" {
		t.Errorf("got %q", line)
	} else if err := next.conn.WriteMessage(2, []byte("again\n")); err != nil {
		t.Error(err)
	} else if line, _, err := (&lines{c: next}).next(); err != nil || line != "again" {
		t.Errorf("got %q, %v", line, err)
	}
	// The old one is killed when its last match has been aborted.
	if err := bystander.conn.WriteMessage(2, []byte("anybody there?\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bystander.skip(protocol.NameMatchEnded, &ended); err != nil || !ended.Result.Aborted {
		t.Errorf("the match in the hanging process: %+v, %v", ended.Result, err)
	}
	for limit := time.Now().Add(patience); alive(first); {
		if time.Now().After(limit) {
			t.Fatal("the hanging process is left")
		}
		time.Sleep(time.Millisecond) // a process that is not ours can only be polled
	}
}

// TestGameInTheReadmeForNodeIsPlayed: it is what an author copies.
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
		t.Fatal("README.md has no game")
	}
	var source strings.Builder
	for line := range strings.Lines(block) {
		source.WriteString(strings.TrimPrefix(line, "   ")) // it stands in a list
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
	out, err := exec.Command(filepath.Join(bin, "host"), play...).CombinedOutput()
	// Who begins takes the ninth match, too.
	if err != nil || !strings.Contains(string(out), "sh-1 1, sh-2 0") || !strings.Contains(string(out), "sh-2 1, sh-1 0") {
		t.Errorf("%v\n%s", err, out)
	}
}

// BenchmarkLanguages plays the same number of rounds of two games of the same
// kind on a real host, one compiled and one for node: rounds per second of all
// matches together, and the CPU time that host and game spend on a round. The
// clients, which are the same for both, share the machine.
func BenchmarkLanguages(b *testing.B) {
	const rounds = 100 // of a match
	plays := map[string]func(h *host) (*seated, error){
		"roshambo": func(h *host) (*seated, error) {
			pair, err := h.pair(rounds)
			if err != nil {
				return nil, err
			}
			return &seated{players: [2]*client{pair[0].client, pair[1].client}}, nil
		},
		"goofspiel": func(h *host) (*seated, error) {
			return h.goofspiel(map[string]string{"cards": fmt.Sprint(rounds)}, nil)
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
					var seats []*client
					for range matches {
						m, err := plays[game](h)
						if err != nil {
							b.Fatal(err)
						}
						seats = append(seats, m.players[0], m.players[1])
					}
					before, begin := h.cpu(b), time.Now()
					var wait sync.WaitGroup
					for i, c := range seats {
						wait.Go(func() {
							var err error
							if game == "roshambo" {
								_, _, err = c.roshambo(func(int) string { return "ROCK" })
							} else {
								_, _, err = c.bids([]func(int, int) string{honest, above}[i%2])
							}
							if err != nil {
								b.Error(err)
							}
							c.close()
						})
					}
					wait.Wait()
					took += time.Since(begin)
					for i, seconds := range h.cpu(b) {
						cpu[i] += seconds - before[i]
					}
					total += float64(matches * rounds)
				}
				b.ReportMetric(total/took.Seconds(), "rounds/s")
				b.ReportMetric(cpu[0]/total*1e6, "host-µs/round")
				b.ReportMetric(cpu[1]/total*1e6, "games-µs/round")
				b.ReportMetric(0, "ns/op")
				h.stop(b, syscall.SIGTERM)
			})
		}
	}
}
