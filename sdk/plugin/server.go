package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// grpcPlugin registers the service with go-plugin.
type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	server *server
}

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterGameServer(s, p.server)
	return nil
}

func (p *grpcPlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a game is not a client")
}

// newGRPCServer returns a gRPC server that accepts messages of any size: it trusts the
// host, and the operator sets the longest line of a player.
func newGRPCServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.MaxRecvMsgSize(math.MaxInt32), grpc.StaticStreamWindowSize(wire.Window), grpc.StaticConnWindowSize(wire.Window))...)
}

// server implements the service.
type server struct {
	wire.UnimplementedGameServer
	game   driver.Game
	frames bool // travel over the socket of the host instead of Play's stream
}

// newServer returns the server of a game. If the host has passed on a socket for
// frames, the matches are played over it.
func newServer(game driver.Game) (*server, error) {
	fd, err := descriptor(wire.FramesKey)
	if fd == 0 {
		return &server{game: game}, err
	}
	socket, err := wire.OpenSocket(fd)
	if err != nil {
		return nil, fmt.Errorf("open the socket for frames: %w", err)
	}
	go playOver(socket, game) // ends with the connection
	return &server{game: game, frames: true}, nil
}

func (s *server) Describe(context.Context, *wire.DescribeRequest) (*wire.Description, error) {
	g := s.game.Describe()
	d := &wire.Description{
		Name: g.Name, Title: g.Title, Rules: g.Rules, Timeout: g.Timeout, Delay: g.Delay,
		MinPlayers: uint32(g.MinPlayers), MaxPlayers: uint32(g.MaxPlayers), MaxBots: uint32(g.MaxBots),
		Frames: s.frames,
	}
	for _, p := range g.Params {
		d.Params = append(d.Params, wire.EncodeParam(p))
	}
	return d, nil
}

func (s *server) Prepare(_ context.Context, r *wire.PrepareRequest) (*wire.PrepareReply, error) {
	request := driver.Request{Bots: int(r.Bots), Timeout: r.Timeout, Args: r.Args}
	if r.Players != nil {
		n := int(*r.Players)
		request.Players = &n
	}
	settings, err := s.prepare(request)
	if err != nil {
		return &wire.PrepareReply{Refusal: strings.ToValidUTF8(err.Error(), "\uFFFD")}, nil
	}
	return &wire.PrepareReply{Players: uint32(settings.Players), Timeout: settings.Timeout, Params: settings.Params}, nil
}

// prepare turns a panic of the game's Check into an error. A client's request must
// not end the process, and with it all matches.
func (s *server) prepare(r driver.Request) (settings driver.Settings, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the game failed: " + driver.Failure(p))
			fmt.Fprintf(os.Stderr, "check: %v\n%s", err, debug.Stack())
		}
	}()
	return s.game.Prepare(r)
}

// Play carries all matches. When the host closes the stream, it stops them and
// returns.
func (s *server) Play(stream grpc.BidiStreamingServer[wire.HostBatch, wire.GameBatch]) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	out := wire.NewQueue[*wire.GameFrame]()
	matches := newMatches(s.game, out)
	defer matches.stopAll()
	sent := make(chan error, 1)
	go func() { // ends with ctx, or when the host is gone
		sent <- out.Run(ctx, func(frames []*wire.GameFrame) error {
			return stream.Send(&wire.GameBatch{Frames: frames})
		})
	}()
	for {
		batch, err := stream.Recv()
		if err != nil {
			cancel()
			<-sent
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		for _, f := range batch.Frames {
			matches.receive(f)
		}
	}
}

// playOver carries all matches over a socket. When the host closes it, playOver stops
// them and returns.
func playOver(socket *os.File, game driver.Game) {
	defer socket.Close()
	out := wire.NewWriter[*wire.GameFrame](socket)
	defer out.Close()
	matches := newMatches(game, out)
	defer matches.stopAll()
	in := wire.NewHostReader(socket, math.MaxInt32)
	for {
		frames, err := in.Read()
		if err != nil {
			return
		}
		for _, f := range frames {
			matches.receive(f)
		}
	}
}

// queue takes the frames of referees; see [wire.Queue].
type queue interface {
	Push(f *wire.GameFrame) bool
}

// matches are the matches that are being played.
type matches struct {
	game driver.Game
	out  queue

	mu      sync.Mutex             // guards the field below
	running map[uint64]*wireDriver // by the host's number
}

func newMatches(game driver.Game, out queue) *matches {
	return &matches{game: game, out: out, running: map[uint64]*wireDriver{}}
}

func (m *matches) receive(f *wire.HostFrame) {
	m.mu.Lock()
	d := m.running[f.Match]
	switch {
	case f.Stop:
		delete(m.running, f.Match)
	case f.Start != nil && d == nil:
		d = newWireDriver(f.Match, f.Start.Rerun, m.out)
		m.running[f.Match] = d
		go m.play(d, f.Start) // ends with the match
	}
	m.mu.Unlock()
	if d == nil {
		return // the match ended while the frame was on its way
	}
	if len(f.Answers) > 0 {
		d.answer(f.Answers)
	}
	if f.Stop {
		d.stop()
	}
}

func (m *matches) play(d *wireDriver, start *wire.Start) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.running, d.match)
	}()
	name := "a match" // in the host's log
	if start.Id != "" {
		name = "match " + start.Id
	}
	setup := driver.Setup{
		Settings: driver.Settings{Players: len(start.Seats), Timeout: start.Timeout, Params: start.Params},
		Seed:     start.Seed, Names: make([]string, len(start.Seats)), Bots: make([]bool, len(start.Seats)),
		Banks: make([]driver.Bank, len(start.Seats)),
		Judge: time.Duration(start.JudgeMs) * time.Millisecond,
		Stall: time.Duration(start.StallMs) * time.Millisecond,
		Log:   func(text string) { fmt.Fprintf(os.Stderr, "%s: %s\n", name, text) },
	}
	for i, seat := range start.Seats {
		setup.Names[i], setup.Bots[i] = seat.Name, seat.Bot && !start.Rerun
		setup.Banks[i] = driver.Bank{Start: seat.Bank, Increment: seat.Increment}
		if seat.Bot {
			setup.Settings.Bots++
		}
	}
	m.game.Run(setup, d)
}

func (m *matches) stopAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.running {
		d.stop()
	}
	clear(m.running)
}

// wireDriver drives the referee of one match for the host at the other end of the
// wire.
type wireDriver struct {
	match   uint64
	rerun   bool // pauses take no time
	out     queue
	answers chan []*wire.Answer // 1: the host answers each question once; others are dropped
	stopped chan struct{}
	once    sync.Once // closes stopped
}

func newWireDriver(match uint64, rerun bool, out queue) *wireDriver {
	return &wireDriver{match: match, rerun: rerun, out: out, answers: make(chan []*wire.Answer, 1), stopped: make(chan struct{})}
}

func (d *wireDriver) Send(frame *driver.Frame) bool {
	select {
	case <-d.stopped:
		return false
	default:
		return d.out.Push(wire.EncodeFrame(d.match, frame))
	}
}

func (d *wireDriver) Wait() ([]driver.Answer, bool) {
	select {
	case answers := <-d.answers:
		return wire.DecodeAnswers(answers), true
	case <-d.stopped:
		return nil, false
	}
}

func (d *wireDriver) Pause(pause time.Duration) bool {
	if d.rerun {
		return true
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-d.stopped:
		return false
	}
}

func (d *wireDriver) answer(answers []*wire.Answer) {
	select {
	case d.answers <- answers:
	default:
	}
}

func (d *wireDriver) stop() { d.once.Do(func() { close(d.stopped) }) }
