//go:build unix

package plugin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// BenchmarkTurns plays matches of one seat that is asked again and again: each
// turn is a frame one way and a frame back. Host and game share this process,
// and talk over the socket for frames, or over gRPC on a Unix socket.
func BenchmarkTurns(b *testing.B) {
	game := digits()
	game.Play = func(m *sdk.Match) error {
		for {
			if _, err := m.AskLine(0); err != nil {
				return nil
			}
			m.Tell(0, "0")
		}
	}
	for _, matches := range []uint64{1, 100, 1000} {
		b.Run(fmt.Sprintf("over=socket/matches=%d", matches), func(b *testing.B) {
			push, next := overSocket(b, &game)
			playTurns(b, matches, push, next)
		})
		b.Run(fmt.Sprintf("over=grpc/matches=%d", matches), func(b *testing.B) {
			push, next := overGRPC(b, &game)
			playTurns(b, matches, push, next)
		})
	}
}

// playTurns plays b.N turns. Each match has a goroutine, as in the host.
func playTurns(b *testing.B, matches uint64, push func(*wire.HostFrame) bool, next func() ([]*wire.GameFrame, error)) {
	inboxes := make([]chan *wire.GameFrame, matches)
	for n := range matches {
		inboxes[n] = make(chan *wire.GameFrame, 1)
		defer close(inboxes[n])
		push(start(n, 1, 1, 0))
		go func() { // ends with the benchmark
			for f := range inboxes[n] {
				push(answer(f.Match, "0"))
			}
		}()
	}
	b.ResetTimer()
	for turns := 0; turns < b.N; {
		frames, err := next()
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range frames {
			inboxes[f.Match] <- f
			turns++
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}

func overSocket(b *testing.B, game *sdk.Game) (push func(*wire.HostFrame) bool, next func() ([]*wire.GameFrame, error)) {
	host, passed, err := wire.Sockets()
	if errors.Is(err, errors.ErrUnsupported) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = host.Close() })
	fd, err := syscall.Dup(int(passed.Fd())) // as the game inherits it
	if err != nil {
		b.Fatal(err)
	}
	_ = passed.Close()
	socket, err := wire.OpenSocket(fd)
	if err != nil {
		b.Fatal(err)
	}
	go playOver(socket, driver.Of(game)) // ends when the host's end is closed
	out := wire.NewWriter[*wire.HostFrame](host)
	b.Cleanup(out.Close)
	return out.Push, wire.NewGameReader(host, math.MaxInt32).Read
}

func overGRPC(b *testing.B, game *sdk.Game) (push func(*wire.HostFrame) bool, next func() ([]*wire.GameFrame, error)) {
	listener, err := net.Listen("unix", filepath.Join(b.TempDir(), "game"))
	if err != nil {
		b.Fatal(err)
	}
	s := newGRPCServer(nil)
	b.Cleanup(s.Stop)
	wire.RegisterGameServer(s, &server{game: driver.Of(game)})
	go func() { _ = s.Serve(listener) }() // ends with s.Stop
	connection, err := grpc.NewClient("unix:"+listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStaticStreamWindowSize(wire.Window), grpc.WithStaticConnWindowSize(wire.Window)) // as the host does
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = connection.Close() })
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	stream, err := wire.NewGameClient(connection).Play(ctx)
	if err != nil {
		b.Fatal(err)
	}
	out := wire.NewQueue[*wire.HostFrame]()
	go func() { // ends with ctx
		_ = out.Run(ctx, func(frames []*wire.HostFrame) error { return stream.Send(&wire.HostBatch{Frames: frames}) })
	}()
	return out.Push, func() ([]*wire.GameFrame, error) {
		batch, err := stream.Recv()
		return batch.GetFrames(), err
	}
}
