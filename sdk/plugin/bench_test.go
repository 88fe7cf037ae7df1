//go:build unix

package plugin

import (
	"errors"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"strconv"
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
			playTurns(b, matches, 0, overSocket(b, &game))
		})
		b.Run(fmt.Sprintf("over=grpc/matches=%d", matches), func(b *testing.B) {
			playTurns(b, matches, 0, overGRPC(b, &game))
		})
	}
}

// BenchmarkBots measures turns of matches in which three bots move after each player.
func BenchmarkBots(b *testing.B) {
	game := digits()
	game.MaxPlayers, game.MaxBots = 4, 3
	game.Play = func(m *sdk.Match) error {
		for seat := range m.Players() {
			m.Tell(seat, strconv.Itoa(seat))
		}
		for {
			for seat := range m.Players() {
				if _, err := m.AskLine(seat); err != nil {
					return nil
				}
				m.TellAll("0")
			}
		}
	}
	game.Bot = func(b *sdk.Bot) error {
		next, _ := strconv.Atoi(b.Read())
		for ; ; next = b.Players() {
			for range next {
				b.Read()
			}
			b.Write("7")
		}
	}
	for _, matches := range []uint64{1, 100} {
		b.Run(fmt.Sprintf("matches=%d", matches), func(b *testing.B) { playTurns(b, matches, 3, overSocket(b, &game)) })
	}
}

// playTurns plays b.N turns of players, each after those of bots. Each match has a goroutine,
// as in the host.
func playTurns(b *testing.B, matches uint64, bots int, conn *wire.HostConn) {
	inboxes := make([]chan *wire.GameFrame, matches)
	for n := range matches {
		inboxes[n] = make(chan *wire.GameFrame, 1)
		defer close(inboxes[n])
		conn.Push(wire.HostFrame{Match: n, Start: &driver.Setup{
			Settings: driver.Settings{Timeout: 10, Params: map[string]string{"rounds": "1"}},
			Names:    []string{"P0", "P1", "P2", "P3"}[:1+bots], Bots: []bool{false, true, true, true}[:1+bots],
		}})
		go func() { // ends with the benchmark
			for f := range inboxes[n] {
				conn.Push(wire.HostFrame{Match: f.Match, Answers: []driver.Answer{{Line: "0"}}})
			}
		}()
	}
	b.ResetTimer()
	reads := 0
	for turns := 0; turns < b.N; reads++ {
		frames, err := conn.Read()
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range frames {
			if f.Question.Seats[0] == 0 {
				inboxes[f.Match] <- f
				turns++
			}
		}
	}
	b.ReportMetric(float64(reads)/float64(b.N), "reads/turn")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}

func overSocket(b testing.TB, game *sdk.Game) *wire.HostConn {
	host, passed, err := wire.Sockets()
	if errors.Is(err, errors.ErrUnsupported) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	fd, err := syscall.Dup(int(passed.Fd())) // as the game inherits it
	if err != nil {
		b.Fatal(err)
	}
	_ = passed.Close()
	own, err := wire.GameOverSocket(fd)
	if err != nil {
		b.Fatal(err)
	}
	go func() { // ends when the host's end is closed
		_ = (&server{game: driver.Of(game)}).Play(own)
		own.Close()
	}()
	conn, err := wire.HostOverSocket(host, math.MaxInt32)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	return conn
}

func overGRPC(b *testing.B, game *sdk.Game) *wire.HostConn {
	listener, err := net.Listen("unix", filepath.Join(b.TempDir(), "game"))
	if err != nil {
		b.Fatal(err)
	}
	s := newGRPCServer(nil)
	b.Cleanup(s.Stop)
	wire.Register(s, &server{game: driver.Of(game)})
	go func() { _ = s.Serve(listener) }() // ends with s.Stop
	connection, err := grpc.NewClient("unix:"+listener.Addr().String(),
		append(wire.DialOptions(math.MaxInt32), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = connection.Close() })
	conn, err := wire.NewClient(connection).Play()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	return conn
}
