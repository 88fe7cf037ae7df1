//go:build unix

// Package faults tests what happens when a host, its machine or a game fails.
package faults

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

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

// TestDeadGameEndsItsMatchesAndNoOthers kills a game's process during many matches.
func TestDeadGameEndsItsMatchesAndNoOthers(t *testing.T) {
	t.Parallel()
	const matches = 100
	s := programs.NewFolder(t)
	s.Echo("echo", "hello")
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s, %s], stall: 10m}\nlobby: {matches: 1000}\ndrain: 0s\n", programs.Plugins, s.Dir))
	other, _ := h.Begin(t, "echo")
	var players []*programs.Player
	var ids []string
	for range matches {
		pair, err := h.Pair(5)
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, pair...)
		ids = append(ids, pair[0].ID)
	}
	killed := time.Now()
	if err := syscall.Kill(h.Child("roshambo"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	var slowest time.Duration
	var mu sync.Mutex // guards slowest
	for _, p := range players {
		wait.Go(func() {
			defer p.Close()
			var ended protocol.EndedReply
			if _, err := p.Skip(protocol.NameMatchEnded, &ended); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			slowest = max(slowest, time.Since(killed))
			mu.Unlock()
			if ended.Result == nil || !ended.Result.Aborted || ended.Result.Reason == "" {
				t.Errorf("got %+v, want an aborted match with a reason", ended.Result)
			}
		})
	}
	wait.Wait()
	t.Logf("the last of %d players received the result after %v", len(players), slowest)
	if got := other.Finish(t); got != "hello again\n" {
		t.Errorf("match of the other game: got %q, want hello again", got)
	}
	records := h.Records(t)
	for _, id := range ids {
		if r := records[id]; r == nil || r.State != "aborted" || r.Reason == "" {
			t.Errorf("match %s: got the record %+v, want it aborted with a reason", id, r)
		}
	}
	h.AwaitGame(t, "roshambo")
}

// TestKilledHostLosesNoMatchWhoseEndWasSent kills hosts that use the same records,
// under load and at random moments.
func TestKilledHostLosesNoMatchWhoseEndWasSent(t *testing.T) {
	t.Parallel()
	kills := 3
	if long.Run() {
		kills = 10
	}
	data := filepath.Join(t.TempDir(), "data")
	ended := map[string]bool{}
	var mu sync.Mutex          // guards ended
	one := make(chan struct{}) // closed when a match has ended
	noteOne := sync.OnceFunc(func() { close(one) })
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		h := programs.StartHost(t, data)
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() { // ends when the host is killed
				for {
					pair, err := h.Pair(20)
					if err != nil {
						return
					}
					var players sync.WaitGroup
					for _, p := range pair {
						players.Go(p.Play)
					}
					players.Wait()
					for _, p := range pair {
						if p.Err == nil {
							mu.Lock()
							ended[p.ID] = true
							mu.Unlock()
							noteOne()
						}
						p.Close()
					}
				}
			})
		}
		// On a busy machine, the first one can take longer than the following moment.
		poll.Receive(t, "a match has ended", one)
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) // a random moment
		h.Stop(t, syscall.SIGKILL)
		wait.Wait()
	}
	h := programs.StartHost(t, data)
	c := h.Dial(t)
	for id := range ended {
		record, err := c.History(id)
		if err != nil {
			t.Fatalf("match %s after %d kills: got %v, want its record", id, kills, err)
		}
		if lines := bytes.Count(record.Stream, []byte{'\n'}); lines != 3+2*20 {
			t.Fatalf("match %s: got %d lines, want %d", id, lines, 3+2*20)
		}
	}
	c.Close() // the host would wait for its answer
	h.Stop(t, syscall.SIGTERM)
	t.Logf("%d kills, %d matches whose end was sent, all recorded whole", kills, len(ended))
	if len(ended) == 0 {
		t.Error("got no match that ended, want some")
	}
}
