package web

import (
	"slices"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// BenchmarkTurn plays turns of a match on its own host and through a relay.
func BenchmarkTurn(b *testing.B) {
	for _, name := range []string{"a", "b"} {
		b.Run(map[string]string{"a": "direct", "b": "relayed"}[name], func(b *testing.B) {
			c := startCluster(b, 2, nil)
			p := c.host(name).connect()
			p.startEcho()
			took := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for b.Loop() {
				began := time.Now()
				if err := p.conn.WriteMessage(websocket.BinaryMessage, []byte("x\n")); err != nil {
					b.Fatal(err)
				}
				for n := 0; n < len("<x>\n"); {
					_, m, err := p.conn.ReadMessage()
					if err != nil {
						b.Fatal(err)
					}
					n += len(m)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "rounds/s")
		})
	}
}
