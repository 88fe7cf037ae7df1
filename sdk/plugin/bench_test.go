package plugin

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"colosseum/sdk"
	"colosseum/sdk/wire"
)

// BenchmarkTurns plays matches of one seat that is asked again and again: each
// turn is a frame one way and a frame back. Host and game share this process,
// and talk over a Unix socket.
func BenchmarkTurns(b *testing.B) {
	game := digits()
	game.Play = func(m *sdk.Match) error {
		for {
			if _, err := m.AskLine(0, nil); err != nil {
				return nil
			}
			m.Tell(0, "0")
		}
	}
	for _, matches := range []uint64{1, 100, 1000} {
		b.Run(fmt.Sprintf("matches=%d", matches), func(b *testing.B) {
			listener, err := net.Listen("unix", filepath.Join(b.TempDir(), "game"))
			if err != nil {
				b.Fatal(err)
			}
			s := newServer(nil)
			defer s.Stop()
			wire.RegisterGameServer(s, &server{game: &game})
			go func() { _ = s.Serve(listener) }() // ends with s.Stop
			connection, err := grpc.NewClient("unix:"+listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithStaticStreamWindowSize(wire.Window), grpc.WithStaticConnWindowSize(wire.Window)) // as the host does
			if err != nil {
				b.Fatal(err)
			}
			defer connection.Close()
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			stream, err := wire.NewGameClient(connection).Play(ctx)
			if err != nil {
				b.Fatal(err)
			}
			out := wire.NewQueue[*wire.HostFrame]()
			go func() { // ends with ctx
				_ = out.Run(ctx, func(frames []*wire.HostFrame) error { return stream.Send(&wire.HostBatch{Frames: frames}) })
			}()
			for n := range matches {
				out.Push(start(n, 1, 1, 0))
			}
			b.ResetTimer()
			for turns := 0; turns < b.N; {
				batch, err := stream.Recv()
				if err != nil {
					b.Fatal(err)
				}
				for _, f := range batch.Frames {
					out.Push(answer(f.Match, "0"))
					turns++
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}
