package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/protocol"
)

// TestDeadGameEndsItsMatchesAndNoOthers kills a game's process while it holds
// many matches.
func TestDeadGameEndsItsMatchesAndNoOthers(t *testing.T) {
	const matches = 100
	s := newShelf(t)
	s.echo("echo", "hello")
	h := startHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s, %s], stall: 60s}\nlobby: {matches: 1000}\ndrain: 0s\n", plugins, s.dir))
	other, _ := h.begin(t, "echo")
	var players []*bencher
	var ids []string
	for range matches {
		pair, err := h.pair(5)
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, pair...)
		ids = append(ids, pair[0].id)
	}
	killed := time.Now()
	if err := syscall.Kill(h.child("roshambo"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	var slowest time.Duration
	var mu sync.Mutex // guards slowest
	for _, p := range players {
		wait.Go(func() {
			defer p.close()
			var ended protocol.EndedReply
			if _, err := p.skip(protocol.NameMatchEnded, &ended); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			slowest = max(slowest, time.Since(killed))
			mu.Unlock()
			if ended.Result == nil || !ended.Result.Aborted || ended.Result.Reason == "" {
				t.Errorf("a player was told %+v", ended.Result)
			}
		})
	}
	wait.Wait()
	t.Logf("the last of %d players was told after %v", len(players), slowest)
	if got := other.finish(t); got != "hello again\n" {
		t.Errorf("the other game's match ended with %q", got)
	}
	records := h.records(t)
	for _, id := range ids {
		if r := records[id]; r == nil || r.State != "aborted" || r.Reason == "" {
			t.Errorf("the record of match %s is %+v", id, r)
		}
	}
	h.serves(t, "roshambo")
}

// TestKilledHostLosesNoMatchWhoseEndWasTold kills the host at random moments
// under load, again and again on the same records.
func TestKilledHostLosesNoMatchWhoseEndWasTold(t *testing.T) {
	kills := 50
	if raceEnabled || testing.Short() {
		kills = 10
	}
	data := filepath.Join(t.TempDir(), "data")
	told := map[string]bool{}
	var mu sync.Mutex // guards told
	for kill := range kills {
		h := startHost(t, data)
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() { // ends when the host is killed
				for {
					pair, err := h.pair(20)
					if err != nil {
						return
					}
					var players sync.WaitGroup
					for _, p := range pair {
						players.Go(p.play)
					}
					players.Wait()
					for _, p := range pair {
						if p.err == nil {
							mu.Lock()
							told[p.id] = true
							mu.Unlock()
						}
						p.close()
					}
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond) // the moment is the point
		h.stop(t, syscall.SIGKILL)
		wait.Wait()
		if kill%10 != 9 && kill != kills-1 {
			continue
		}
		h = startHost(t, data)
		c, err := dial(h.url)
		if err != nil {
			t.Fatal(err)
		}
		for id := range told {
			record, err := c.history(id)
			if err != nil {
				t.Fatalf("after %d kills match %s, whose end was told: %v", kill+1, id, err)
			}
			if lines := bytes.Count(record.Stream, []byte{'\n'}); lines != 3+2*20 {
				t.Fatalf("match %s has %d lines", id, lines)
			}
		}
		c.close()
		h.stop(t, syscall.SIGTERM)
	}
	t.Logf("%d kills, %d matches whose end was told, all there and whole", kills, len(told))
	if len(told) == 0 {
		t.Error("no match ended: the test shows nothing")
	}
}

// TestFaultsAreTestedAsTheManualSays: every test that docs/faults.md names is
// there.
func TestFaultsAreTestedAsTheManualSays(t *testing.T) {
	manual, err := os.ReadFile("../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests []byte
	for _, pattern := range []string{"*_test.go", "../host/internal/*/*_test.go", "../internal/*/*_test.go", "../sdk/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, text...)
		}
	}
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllSubmatch(manual, -1)
	if len(names) < 10 {
		t.Errorf("it names %d tests", len(names))
	}
	for _, name := range names {
		if !bytes.Contains(tests, fmt.Appendf(nil, "func %s(", name[1])) {
			t.Errorf("there is no %s", name[1])
		}
	}
}
