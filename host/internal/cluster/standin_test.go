package cluster

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/base/config"
)

// TestOneHostTakesNewClientsWithoutNATS cuts hosts off from NATS.
func TestOneHostTakesNewClientsWithoutNATS(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := newTable()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		log := slog.New(slog.DiscardHandler)
		hosts := map[string]*Cluster{}
		for name, rule := range map[string]string{"a": config.ReadyOne, "b": config.ReadyOne, "c": config.ReadyOne, "all": config.ReadyAll, "none": config.ReadyNone} {
			c := &Cluster{config: Config{Name: name, WithoutNATS: rule}, table: table.of(name), times: times{tick: time.Second}, log: log, rarely: &rarely{log: log}, draining: make(chan struct{})}
			hosts[name] = c
			go c.standIn(ctx) // ends with ctx
		}
		// ready cuts hosts off, connects all others, and returns those that take clients.
		ready := func(cut ...string) (names []string) {
			for name, c := range hosts {
				c.silent.Store(0)
				if slices.Contains(cut, name) {
					c.silent.Store(int64(natsCut))
				}
			}
			time.Sleep(4 * time.Second) // until one has the lock
			for name, c := range hosts {
				if slices.Contains(cut, name) {
					c.silent.Store(int64(2 * natsCut))
				}
				if !c.yields() {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			return names
		}
		for range 2 {
			if got, want := ready(), []string{"a", "all", "b", "c", "none"}; !slices.Equal(got, want) {
				t.Errorf("with NATS: got the ready hosts %q, want all", got)
			}
			if got, want := ready("a", "b", "all"), []string{"all", "c", "none"}; !slices.Equal(got, want) {
				t.Errorf("a and b without NATS: got the ready hosts %q, want %q", got, want)
			}
			hosts["all"].Drain() // takes no lock from now on
			hosts["none"].Drain()
			got := ready("a", "b", "c", "all", "none")
			if len(got) != 2 || !slices.Contains([]string{"a", "b", "c"}, got[0]) && !slices.Contains([]string{"a", "b", "c"}, got[1]) || !slices.Contains(got, "all") {
				t.Errorf("without NATS: got the ready hosts %q, want one of a, b and c", got)
			}
		}
		cancel()
		synctest.Wait()
		if len(table.withNATS) > 0 || table.standIn != nil {
			t.Error("got a lock after the end, want none")
		}
	})
}
