package cluster

import (
	"testing"
	"time"

	"colosseum/internal/test/natsserver"
	"colosseum/internal/test/poll"
)

// BenchmarkChanges creates and removes matches on one host of three, and measures the
// time until both others have all these changes.
func BenchmarkChanges(b *testing.B) {
	hosts := startHosts(b, natsserver.Start(b).URL(), newTable(), fast)
	ids := make([]string, b.N)
	settled := func(want int) {
		for _, h := range hosts {
			poll.Until(b, "all changes have arrived", func() bool { return len(h.lobby.List()) == want })
		}
	}
	b.ResetTimer()
	for i := range ids {
		ids[i] = hosts[0].create(b)
	}
	settled(b.N)
	for _, id := range ids {
		hosts[0].lobby.Remove(id, "")
	}
	settled(0)
	b.ReportMetric(float64(2*b.N)/b.Elapsed().Seconds(), "changes/s")
}

// BenchmarkPublished measures the time from the creation of a match until NATS has it.
func BenchmarkPublished(b *testing.B) {
	hosts := startHosts(b, natsserver.Start(b).URL(), newTable(), fast)
	var total time.Duration
	for b.Loop() {
		id := hosts[0].create(b)
		start := time.Now()
		hosts[0].Published(b.Context(), id)
		total += time.Since(start)
		hosts[0].lobby.Remove(id, "")
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/match")
}

// BenchmarkRequest measures an empty request to another host.
func BenchmarkRequest(b *testing.B) {
	hosts := startHosts(b, natsserver.Start(b).URL(), newTable(), fast)
	hosts[1].Tickets(func([32]byte) bool { return true })
	if err := hosts[1].nats.Flush(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := hosts[0].Request(b.Context(), "b", "ticket", "0000000000000000000000000000000000000000000000000000000000000000", nil); err != nil {
			b.Fatal(err)
		}
	}
}
