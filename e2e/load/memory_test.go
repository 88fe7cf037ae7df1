package load

import (
	"bytes"
	"testing"

	"colosseum/e2e/internal/programs"
)

// BenchmarkMemory reports resident memory in KiB: that of the host for an idle
// connection, and that of host and game for a running match with its two
// connections.
func BenchmarkMemory(b *testing.B) {
	const connections, matches = 4000, 1000
	h := programs.StartHost(b, b.TempDir())
	var clients []*programs.Client
	defer func() {
		for _, c := range clients {
			c.Close()
		}
	}()
	before := h.Resident(b)
	for range connections {
		c, err := programs.Dial(h.URL)
		if err != nil {
			b.Fatal(err)
		}
		clients = append(clients, c)
	}
	idle := h.Resident(b)
	for range matches {
		pair, err := h.Pair(9999)
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range pair {
			clients = append(clients, p.Client)
			for range 20 { // some rounds, so that all buffers are allocated
				p.Answer(b, "ROCK")
			}
		}
		for _, p := range pair {
			for seen := 0; seen < 3+20; {
				_, body, err := p.Next()
				if err != nil {
					b.Fatal(err)
				}
				seen += bytes.Count(body, []byte{'\n'})
			}
		}
	}
	running := h.Resident(b)
	b.ReportMetric(float64(idle-before)/connections, "KiB/connection")
	b.ReportMetric(float64(running-idle)/matches, "KiB/match")
	b.ReportMetric(0, "ns/op")
}
