package plugin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
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
	wire.Register(s, p.server)
	return nil
}

func (p *grpcPlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a game is not a client")
}

func newGRPCServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options, wire.ServerOptions()...)...)
}

// server implements wire.Service.
type server struct {
	game   driver.Game
	frames bool     // travel over the socket of the host instead of gRPC
	stderr *os.File // of the process; the host reads it to its end

	restore sync.Once // of os.Stderr
}

// newServer returns the server of a game. It is called before go-plugin replaces os.Stderr.
// If the host has passed on a socket for frames, the matches are played over it.
func newServer(game driver.Game) (*server, error) {
	s := &server{game: game, stderr: os.Stderr}
	fd, err := descriptor(wire.FramesKey)
	if fd == 0 {
		return s, err
	}
	conn, err := wire.GameOverSocket(fd)
	if err != nil {
		return nil, fmt.Errorf("open the socket for frames: %w", err)
	}
	s.frames = true
	go func() { // ends with the connection
		_ = s.Play(conn)
		conn.Close()
	}()
	return s, nil
}

// Describe answers the first request of the host. go-plugin has replaced os.Stderr by a pipe
// of its own, which it copies to the host: when the process ended, the last lines would be
// lost.
func (s *server) Describe() (d driver.Description, frames bool) {
	s.restore.Do(func() { os.Stderr = s.stderr })
	return s.game.Describe(), s.frames
}

// Prepare turns a panic of the game's Check into an error. A client's request must
// not end the process, and with it all matches.
func (s *server) Prepare(r driver.Request) (settings driver.Settings, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the game failed: " + driver.Failure(p))
			fmt.Fprintf(os.Stderr, "check: %v\n%s", err, debug.Stack())
		}
	}()
	return s.game.Prepare(r)
}

// Play stops all matches when it returns.
func (s *server) Play(conn *wire.GameConn) error {
	matches := &matches{game: s.game, out: conn, running: map[uint64]*wireDriver{}}
	defer matches.stopAll()
	for {
		frames, err := conn.Read()
		if err != nil {
			return err
		}
		for _, f := range frames {
			matches.receive(f)
		}
	}
}

// matches are the matches that are being played.
type matches struct {
	game driver.Game
	out  *wire.GameConn

	params map[string]string // of the last match; for Play's goroutine alone

	mu      sync.Mutex             // guards the field below
	running map[uint64]*wireDriver // by the host's number
}

func (m *matches) receive(f *wire.HostFrame) {
	m.mu.Lock()
	d := m.running[f.Match]
	switch {
	case f.Stop:
		delete(m.running, f.Match)
	case f.Start != nil && d == nil:
		d = newWireDriver(f.Match, f.Start, m.out)
		m.running[f.Match] = d
		m.params = alike(m.params, f.Start.Settings.Params)
		f.Start.Settings.Params = m.params
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

// alike returns last if m has the same elements, or else m: matches that begin one after the
// other mostly have the same parameters, which nobody changes, so they share their memory.
func alike(last, m map[string]string) map[string]string {
	if maps.Equal(last, m) {
		return last
	}
	return m
}

func (m *matches) play(d *wireDriver, setup *driver.Setup) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.running, d.match)
	}()
	name := "a match" // in the host's log
	if setup.ID != "" {
		name = "match " + setup.ID
	}
	setup.Log = func(text string) { fmt.Fprintf(os.Stderr, "%s: %s\n", name, text) }
	if setup.Rerun {
		setup.Bots = nil
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
// wire. Play's goroutine calls answer and stop, and the referee's the other methods.
type wireDriver struct {
	match   uint64
	hurries bool   // pauses take no time
	bots    []bool // by seat; nil: no seat is held by a bot
	out     *wire.GameConn
	answers chan []driver.Answer // 1: the host answers each question once; others are dropped; closed when the match is stopped
	stopped atomic.Bool
}

func newWireDriver(match uint64, setup *driver.Setup, out *wire.GameConn) *wireDriver {
	d := &wireDriver{match: match, hurries: setup.Rerun || setup.Thoughts > 0, out: out, answers: make(chan []driver.Answer, 1)}
	if !setup.Rerun { // the host answers for the bots of a rerun
		d.bots = setup.Bots
	}
	return d
}

func (d *wireDriver) Send(frame *driver.Frame) bool {
	push := d.out.Push
	if frame.Question != nil && d.onlyBots(frame.Question.Seats) {
		push = d.out.PushSoon
	}
	return !d.stopped.Load() && push(wire.GameFrame{Match: d.match, Frame: frame})
}

// onlyBots reports whether bots hold all of the seats, so that the referee does not wait for
// the host.
func (d *wireDriver) onlyBots(seats []int) bool {
	return d.bots != nil && !slices.ContainsFunc(seats, func(seat int) bool { return !d.bots[seat] })
}

func (d *wireDriver) Wait() ([]driver.Answer, bool) {
	answers, ok := <-d.answers
	return answers, ok
}

func (d *wireDriver) Pause(pause time.Duration) bool {
	if d.hurries {
		return true
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case _, ok := <-d.answers: // nobody was asked
			if !ok {
				return false
			}
		}
	}
}

func (d *wireDriver) answer(answers []driver.Answer) {
	if d.stopped.Load() {
		return
	}
	select {
	case d.answers <- answers:
	default:
	}
}

func (d *wireDriver) stop() {
	if d.stopped.CompareAndSwap(false, true) {
		close(d.answers)
	}
}
