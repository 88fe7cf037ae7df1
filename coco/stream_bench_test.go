//go:build unix

package main

import (
	"io"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// BenchmarkTurn measures a short line from the server through coco to a program, and
// the answer back.
func BenchmarkTurn(b *testing.B) {
	f := serve(b, func(c *client) {
		c.begin()
		b.ResetTimer()
		for range b.N {
			c.stream("x\n")
			for got := 0; got < len("got x\n"); {
				_, piece, err := c.ws.ReadMessage()
				if err != nil {
					c.fail("%v", err)
				}
				got += len(piece)
			}
		}
		b.StopTimer()
		c.finish()
	})
	bench(b, f, player("echo"))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}

// BenchmarkFlood measures how fast a program's output is forwarded.
func BenchmarkFlood(b *testing.B) {
	for range b.N {
		f := serve(b, func(c *client) {
			c.begin()
			begin := time.Now()
			for got := int64(0); got < flood; {
				kind, r, err := c.ws.NextReader()
				if err != nil || kind != websocket.BinaryMessage {
					c.fail("got kind %d, %v, want bytes of the stream", kind, err)
				}
				n, _ := io.Copy(io.Discard, r)
				got += n
			}
			b.ReportMetric(flood/1e6/time.Since(begin).Seconds(), "MB/s")
			c.finish()
		})
		bench(b, f, player("flood"))
	}
}

func bench(b *testing.B, f *testServer, program []string) {
	r := start(b, "", append([]string{"-s", f.url, "connect", "-n", "alice", matchID}, program...)...)
	r.wantExit(0)
	f.wait()
}
