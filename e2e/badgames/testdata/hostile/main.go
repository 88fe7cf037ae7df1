// Command hostile is a game that breaks the rules of the wire. When its one player
// has sent a line, it does what the match's parameter fault names.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"colosseum/sdk/plugin"
	"colosseum/sdk/wire"
	"colosseum/sdk/wire/pb"
)

// faults run when the player has sent a line.
var faults = map[string]func(m *match){
	"none":   func(m *match) { m.end() },
	"silent": func(*match) {},
	"frames": func(m *match) {
		for m.send(repeat(&pb.GameFrame{Match: m.number}, 1000)...) {
		}
	},
	"text": func(m *match) {
		for m.send(m.text(pb.Text_ALL, 1<<10)) {
		}
	},
	"show": func(m *match) { // after each answer, so that the host keeps up
		m.send(m.text(pb.Text_SPECTATORS, 1<<20))
		m.ask(0)
	},
	"giant": func(m *match) { m.send(m.text(pb.Text_SPECTATORS, 100<<20)) },
	"bot-answers": func(m *match) {
		m.send(&pb.GameFrame{Match: m.number, BotAnswers: []*pb.Answer{{Seat: 0, Line: []byte("mine")}}})
	},
	"no-such-seat":    func(m *match) { m.ask(99) },
	"same-seat-twice": func(m *match) { m.ask(0, 0) },
	"sends-to-nobody": func(m *match) {
		m.send(&pb.GameFrame{Match: m.number, Texts: []*pb.Text{{Seat: 99, Lines: []byte("x\n")}}})
	},
	"asks-again":       func(m *match) { m.ask(0); m.ask(0) },
	"pauses-forever":   func(m *match) { m.send(&pb.GameFrame{Match: m.number, PauseMs: math.MaxUint64}) },
	"result-for-seven": func(m *match) { m.send(m.result(7, 1)) },
	"no-number":        func(m *match) { m.send(m.result(1, math.NaN())) },
	"ends-twice": func(m *match) {
		m.send(m.result(1, 1), m.result(1, 2), m.text(pb.Text_ALL, 100), m.result(1, 3))
		m.ask(0)
	},
	"other-matches": func(m *match) {
		for n := range uint64(1000) {
			m.send(&pb.GameFrame{Match: m.number + 1000 + n, Texts: m.text(pb.Text_ALL, 100).Texts, End: m.result(1, 9).End})
		}
		m.end()
	},
	"other-matches-without-end": func(m *match) {
		for m.stream.send(repeat(&pb.GameFrame{Match: m.number + 1000}, 1000)...) {
		}
	},
	"hangs-up": func(m *match) { m.stream.end() },
}

// neverPrepares is the fault that comes before a match.
const neverPrepares = "never-prepares"

func main() {
	lifeline, err := strconv.Atoi(os.Getenv(wire.LifelineKey))
	if err != nil {
		panic(err)
	}
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, os.NewFile(uintptr(lifeline), "lifeline"))
		os.Exit(0)
	}()
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: plugin.Handshake(), Plugins: goplugin.PluginSet{wire.PluginName: &game{}},
		GRPCServer: goplugin.DefaultGRPCServer, Logger: hclog.NewNullLogger(),
	})
}

type game struct {
	pb.UnimplementedGameServer
	goplugin.NetRPCUnsupportedPlugin
}

func (g *game) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterGameServer(s, g)
	return nil
}

func (g *game) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a game is not a host")
}

func (g *game) Describe(context.Context, *pb.DescribeRequest) (*pb.Description, error) {
	return &pb.Description{
		Name: "hostile", Title: "Hostile", Rules: "# hostile", MinPlayers: 1, MaxPlayers: 1, Timeout: 600,
		Params: []*pb.Param{{
			Name: "fault", Description: "what it does wrong", Kind: pb.Param_CHOICE, DefaultValue: "none",
			Choices: append(slices.Sorted(maps.Keys(faults)), neverPrepares),
		}},
	}, nil
}

func (g *game) Prepare(_ context.Context, r *pb.PrepareRequest) (*pb.PrepareReply, error) {
	fault := r.Args["fault"]
	switch fault {
	case "": // the host's trial of a new game
		fault = "none"
	case neverPrepares:
		select {}
	}
	return &pb.PrepareReply{Players: 1, Timeout: 600, Params: map[string]string{"fault": fault}}, nil
}

// stream is a stream to the host, for the matches of the game.
type stream struct {
	grpc    grpc.BidiStreamingServer[pb.HostBatch, pb.GameBatch]
	end     func()     // closes the stream
	sending sync.Mutex // held while a batch is sent
}

type match struct {
	stream  *stream
	number  uint64
	fault   string
	stopped chan struct{}
}

func (g *game) Play(server grpc.BidiStreamingServer[pb.HostBatch, pb.GameBatch]) error {
	done := make(chan struct{})
	s := &stream{grpc: server, end: sync.OnceFunc(func() { close(done) })}
	go s.receive() // ends with the stream
	<-done
	return nil
}

func (s *stream) receive() {
	matches := map[uint64]*match{}
	for {
		batch, err := s.grpc.Recv()
		if err != nil {
			s.end()
			return
		}
		for _, f := range batch.Frames {
			switch {
			case f.Start != nil:
				m := &match{stream: s, number: f.Match, fault: f.Start.Params["fault"], stopped: make(chan struct{})}
				matches[f.Match] = m
				m.ask(0)
			case f.Stop:
				close(matches[f.Match].stopped)
			default:
				m := matches[f.Match]
				go faults[m.fault](m) // ends when the match is stopped
			}
		}
	}
}

// send sends frames in one batch, and reports whether the stream is open.
func (s *stream) send(frames ...*pb.GameFrame) bool {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.grpc.Send(&pb.GameBatch{Frames: frames}) == nil
}

// send sends frames in one batch, and reports whether the stream is open and the
// match has not been stopped.
func (m *match) send(frames ...*pb.GameFrame) bool {
	select {
	case <-m.stopped:
		return false
	default:
		return m.stream.send(frames...)
	}
}

func (m *match) ask(seats ...uint32) {
	m.send(&pb.GameFrame{Match: m.number, Ask: &pb.Ask{Seats: seats, Seconds: 600}})
}

func (m *match) end() { m.send(m.result(1, 1)) }

// result returns the end of a match with the given number of seats.
func (m *match) result(seats int, score float64) *pb.GameFrame {
	f := &pb.GameFrame{Match: m.number, End: &pb.End{}}
	for range seats {
		f.End.Seats = append(f.End.Seats, &pb.SeatResult{Score: score, Rank: 1, Ended: "finished"})
	}
	return f
}

// text returns a frame with a text of size bytes.
func (m *match) text(to pb.Text_To, size int) *pb.GameFrame {
	lines := bytes.Repeat([]byte{'x'}, size)
	lines[size-1] = '\n'
	return &pb.GameFrame{Match: m.number, Texts: []*pb.Text{{To: to, Lines: lines}}}
}

func repeat(f *pb.GameFrame, n int) []*pb.GameFrame {
	return slices.Repeat([]*pb.GameFrame{f}, n)
}
