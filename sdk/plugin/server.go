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

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// grpcPlugin is how go-plugin is told of the service.
type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	game *sdk.Game
}

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterGameServer(s, &server{game: p.game})
	return nil
}

func (p *grpcPlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a game is no client")
}

// newServer trusts the host, and so takes messages of any size: the longest
// line of a player is the operator's choice.
func newServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.MaxRecvMsgSize(math.MaxInt32), grpc.StaticStreamWindowSize(wire.Window), grpc.StaticConnWindowSize(wire.Window))...)
}

// server answers the host.
type server struct {
	wire.UnimplementedGameServer
	game *sdk.Game
}

func (s *server) Describe(context.Context, *wire.DescribeRequest) (*wire.Description, error) {
	g := s.game
	d := &wire.Description{
		Name: g.Name, Title: g.Title, Rules: g.Rules, Timeout: g.Timeout,
		MinPlayers: uint32(g.MinPlayers), MaxPlayers: uint32(g.MaxPlayers), MaxBots: uint32(g.MaxBots),
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

// prepare keeps a panic of the game's Check from ending the process, and with it
// all matches: what makes it panic may be what a stranger asks for.
func (s *server) prepare(r driver.Request) (settings driver.Settings, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "check: panic: %v\n%s", p, debug.Stack())
			err = fmt.Errorf("the game failed: %v", p)
		}
	}()
	return s.game.Prepare(r)
}

// Play carries all matches. It returns when the host closes the stream; the
// matches are stopped then.
func (s *server) Play(stream grpc.BidiStreamingServer[wire.HostBatch, wire.GameBatch]) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	hall := &hall{game: s.game, out: wire.NewQueue[*wire.GameFrame](), tables: map[uint64]*table{}}
	defer hall.stopAll()
	sent := make(chan error, 1)
	go func() { // ends with ctx, or when the host is gone
		sent <- hall.out.Run(ctx, func(frames []*wire.GameFrame) error {
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
			hall.receive(f)
		}
	}
}

// hall holds the tables at which matches are being played.
type hall struct {
	game *sdk.Game
	out  *wire.Queue[*wire.GameFrame]

	mu     sync.Mutex // guards the field below
	tables map[uint64]*table
}

func (h *hall) receive(f *wire.HostFrame) {
	h.mu.Lock()
	t := h.tables[f.Match]
	switch {
	case f.Stop:
		delete(h.tables, f.Match)
	case f.Start != nil && t == nil:
		t = newTable(f.Match, f.Start.Rerun, h.out)
		h.tables[f.Match] = t
		go h.play(t, f.Start) // ends with the match
	}
	h.mu.Unlock()
	if t == nil {
		return // it ended here while the frame was on its way
	}
	if len(f.Answers) > 0 {
		t.answer(f.Answers)
	}
	if f.Stop {
		t.stop()
	}
}

func (h *hall) play(t *table, start *wire.Start) {
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.tables, t.match)
	}()
	setup := driver.Setup{
		Seed: start.Seed, Names: make([]string, len(start.Seats)), Bots: make([]bool, len(start.Seats)),
		Log: func(text string) { fmt.Fprintf(os.Stderr, "match %d: %s\n", t.match, text) },
	}
	bots := 0
	for i, seat := range start.Seats {
		setup.Names[i], setup.Bots[i] = seat.Name, seat.Bot && !start.Rerun
		if seat.Bot {
			bots++
		}
	}
	setup.Settings = driver.Settings{Players: len(start.Seats), Bots: bots, Timeout: start.Timeout, Params: start.Params}
	h.game.Run(setup, t)
}

func (h *hall) stopAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.tables {
		t.stop()
	}
	clear(h.tables)
}

// table is one match, as the SDK plays it, on the wire.
type table struct {
	match   uint64
	rerun   bool // there is nobody to rest for
	out     *wire.Queue[*wire.GameFrame]
	answers chan []*wire.Answer // 1: the host answers each question once; more is dropped
	stopped chan struct{}
	once    sync.Once
}

func newTable(match uint64, rerun bool, out *wire.Queue[*wire.GameFrame]) *table {
	return &table{match: match, rerun: rerun, out: out, answers: make(chan []*wire.Answer, 1), stopped: make(chan struct{})}
}

func (t *table) Send(turn *driver.Turn) bool {
	select {
	case <-t.stopped:
		return false
	default:
		return t.out.Push(wire.EncodeTurn(t.match, turn))
	}
}

func (t *table) Wait() ([]driver.Answer, bool) {
	select {
	case answers := <-t.answers:
		return wire.DecodeAnswers(answers), true
	case <-t.stopped:
		return nil, false
	}
}

func (t *table) Pause(d time.Duration) bool {
	if t.rerun {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.stopped:
		return false
	}
}

func (t *table) answer(answers []*wire.Answer) {
	select {
	case t.answers <- answers:
	default:
	}
}

func (t *table) stop() { t.once.Do(func() { close(t.stopped) }) }
