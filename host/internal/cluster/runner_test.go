package cluster

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/test/natsserver"
)

// TestARunnerGetsOnlyMatchesOfPrograms asks another host, and a runner itself.
func TestARunnerGetsOnlyMatchesOfPrograms(t *testing.T) {
	t.Parallel()
	h := openHost(t, natsserver.Start(t).URL(), newTable(), "a", testSecret, fast)
	h.now.Store(100) // it is full
	runner := Host{Name: "r", Games: []Game{{Name: "duel"}}, Capacity: 1000, Cores: 4, Programs: 4, Runner: true}
	h.listOthers(t, runner)
	if at := h.Place("duel"); at != "" {
		t.Errorf("a match of a client: got it on %q, want it here", at)
	}
	if at := h.Spread("duel", false); at != "" {
		t.Errorf("a match of a contest: got it on %q, want it here", at)
	}
	if at := h.Spread("duel", true); at != "r" {
		t.Errorf("a match of a program: got it on %q, want it on the runner", at)
	}
	h.listOthers(t, Host{Name: "b", Games: runner.Games, Capacity: 1000, Cores: 1})
	for range 10 {
		if at := h.Spread("duel", false); at != "b" {
			t.Errorf("a match of a contest: got it on %q, want it on the other host", at)
		}
	}
	h.config.Runner, h.sources.Programs = true, func() int { return 4 }
	h.now.Store(0)
	if at := h.Spread("duel", false); at != "b" {
		t.Errorf("a match of a contest, from a runner: got it on %q, want it on a host that is none", at)
	}
}

// TestARunnerNeitherLeadsNorStandsIn leaves a runner alone with the locks.
func TestARunnerNeitherLeadsNorStandsIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := newTable()
		ctx, cancel := context.WithCancel(t.Context())
		log := slog.New(slog.DiscardHandler)
		c := &Cluster{config: Config{Name: "r", Runner: true}, table: table.of("r"), times: times{tick: time.Second}, log: log, rarely: &rarely{log: log}, draining: make(chan struct{})}
		c.silent.Store(int64(2 * natsCut))
		go c.standIn(ctx)                                                   // ends with ctx
		go c.Lead(ctx, func(context.Context) { t.Error("a runner leads") }) // ends with ctx
		time.Sleep(time.Minute)
		if table.standIn != nil || table.leader != nil || !c.yields() {
			t.Errorf("got the locks %v and %v, want none", table.standIn, table.leader)
		}
		cancel()
		synctest.Wait()
	})
}
