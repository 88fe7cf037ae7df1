// Package engine runs one version of a game: a child process of the host, and
// the one stream that carries all its matches.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Spec says what to start.
type Spec struct {
	Name         string   // for logs and errors
	Command      []string // the program and its arguments
	Dir          string   // its working folder
	Memory       int64    // limit in bytes; 0: none
	StartTimeout time.Duration
	Stall        time.Duration // a child with matches that is frozen for so long is ended; 0: none is
	Log          *slog.Logger
}

// stopGrace is how long a child may take to end after its lifeline closed.
const stopGrace = time.Second

// callTimeout bounds Describe and Prepare.
const callTimeout = 5 * time.Second

// maxMessage bounds what a child may send at once, in bytes; one that sends
// more is ended. A batch of the SDK has about one MiB.
const maxMessage = 16 << 20

// A child may send so many frames of no match in such a time: matches that the
// host has just stopped leave some hundred thousand at most. One that goes on
// has lost its mind, and would cost a whole core; it is ended.
const (
	maxStrays = 1 << 20
	strayTime = 10 * time.Second
)

// Description is what a game says of itself.
type Description struct {
	Name, Title, Rules              string
	MinPlayers, MaxPlayers, MaxBots int
	Timeout                         float64 // seconds
	Params                          []sdk.Param
}

// Game is one running child.
type Game struct {
	name        string
	description Description
	log         *slog.Logger
	process     *process
	client      *goplugin.Client
	rpc         wire.GameClient
	health      grpc_health_v1.HealthClient // go-plugin's; any gRPC server answers it
	out         *wire.Queue[*wire.HostFrame]
	cancel      context.CancelFunc // ends the stream
	sockets     *sockets           // private folder of the child's socket
	done        chan struct{}      // closed when the child is gone
	failure     error              // why; set before done is closed

	mu      sync.Mutex // guards the fields below
	tables  map[uint64]Receiver
	next    uint64 // number of the last match
	closing bool
	why     error // why the host ends the child; nil: it needs no reason

	// For the goroutine that receives alone.
	strays     int       // frames of no match, since
	strayed    time.Time // this time
	strayNoted bool
}

// Receiver takes what the game says of one match. Its methods do not block.
type Receiver interface {
	// Frame takes a frame, which then belongs to the receiver.
	Frame(f *wire.GameFrame)
	// Lost says that no frame will come any more.
	Lost(err error)
}

// StartError tells why a child did not become ready.
type StartError struct {
	Name   string
	Err    error
	Output string // the end of what it wrote; may be empty
}

func (e *StartError) Error() string {
	if e.Output == "" {
		return fmt.Sprintf("start %s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("start %s: %v; it wrote:\n%s", e.Name, e.Err, e.Output)
}

func (e *StartError) Unwrap() error { return e.Err }

// Start starts a child and asks it what it is. When that fails the error is a
// [StartError].
func Start(ctx context.Context, spec Spec) (*Game, error) {
	sockets, err := makeSockets()
	if err != nil {
		return nil, &StartError{Name: spec.Name, Err: fmt.Errorf("make a folder for its socket: %w", err)}
	}
	g := &Game{
		name: spec.Name, log: spec.Log, sockets: sockets, tables: map[uint64]Receiver{},
		out: wire.NewQueue[*wire.HostFrame](), done: make(chan struct{}),
	}
	output := &childLog{log: spec.Log}
	if err := g.connect(ctx, spec, output); err != nil {
		g.kill()
		if status := g.process.endedByItself(); status != nil {
			err = fmt.Errorf("it ended with %w", status) // which says more than that there was no handshake
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, &StartError{Name: spec.Name, Err: err, Output: output.last()}
	}
	output.begin()
	return g, nil
}

// connect starts the child and opens the stream. When ctx ends before, the
// child is killed: go-plugin's own start can't be cancelled.
func (g *Game) connect(ctx context.Context, spec Spec, output *childLog) error {
	stop := func() bool { return true }
	defer func() { stop() }()
	g.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig: goplugin.HandshakeConfig{
			ProtocolVersion: wire.Protocol, MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue,
		},
		Plugins:          goplugin.PluginSet{wire.PluginName: &dispenser{}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			path, err := exec.LookPath(spec.Command[0])
			if err != nil {
				return nil, err
			}
			cmd.Path, cmd.Args = path, spec.Command
			cmd.Env = append(cmd.Env, childEnv()...)
			p, err := newProcess(cmd, spec.Dir, spec.Memory)
			if err != nil {
				return nil, err
			}
			p.started = func() { stop = context.AfterFunc(ctx, func() { _ = p.Kill(context.Background()) }) }
			g.process = p
			return p, nil
		},
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: g.sockets.path},
		StartTimeout:     spec.StartTimeout,
		Stderr:           output,
		SyncStdout:       output,
		SyncStderr:       output,
		Logger:           quiet,
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithStaticStreamWindowSize(wire.Window), grpc.WithStaticConnWindowSize(wire.Window),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		},
	})
	protocol, err := g.client.Client()
	if err != nil {
		return err
	}
	dispensed, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		return err
	}
	conn := dispensed.(*grpc.ClientConn)
	g.rpc, g.health = wire.NewGameClient(conn), grpc_health_v1.NewHealthClient(conn)
	if err := g.describe(ctx); err != nil {
		return err
	}
	streamCtx, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	stream, err := g.rpc.Play(streamCtx)
	if err != nil {
		return err
	}
	go func() { // ends with the stream
		_ = g.out.Run(streamCtx, func(frames []*wire.HostFrame) error {
			return stream.Send(&wire.HostBatch{Frames: frames})
		})
	}()
	go g.receive(stream) // ends with the stream
	if spec.Stall > 0 {
		go g.watch(spec.Stall) // ends with the child
	}
	go func() { // ends with the stream and the process
		<-g.process.exited
		select {
		case <-g.done:
		case <-time.After(stopGrace): // what it still said has been read
			cancel() // a child of its own, that ran away, holds the socket
		}
	}()
	return nil
}

// childEnv is all that a child gets of the host's environment: nothing secret.
func childEnv() []string {
	_, cores := Shares()
	env := []string{
		"LANG=C.UTF-8",
		procsKey + "=" + strconv.Itoa(cores),
	}
	for _, key := range []string{"PATH", "TMPDIR", "GORACE"} {
		if v, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+v)
		}
	}
	return env
}

func (g *Game) describe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	d, err := g.rpc.Describe(ctx, &wire.DescribeRequest{})
	if err != nil {
		return fmt.Errorf("ask what it is: %w", err)
	}
	g.description, err = understand(d)
	return err
}

// understand checks what a game says of itself: one in another language has not
// been through the SDK's checks.
func understand(d *wire.Description) (Description, error) {
	known := Description{
		Name: d.Name, Title: d.Title, Rules: d.Rules, Timeout: d.Timeout,
		MinPlayers: int(d.MinPlayers), MaxPlayers: int(d.MaxPlayers), MaxBots: int(d.MaxBots),
	}
	for _, p := range d.Params {
		known.Params = append(known.Params, wire.DecodeParam(p))
	}
	check := sdk.Game{
		Name: d.Name, MinPlayers: int(d.MinPlayers), MaxPlayers: int(d.MaxPlayers), MaxBots: int(d.MaxBots),
		Timeout: d.Timeout, Params: known.Params, Play: func(*sdk.Match) error { return nil },
	}
	if d.MaxBots > 0 {
		check.Bot = func(*sdk.Bot) error { return nil }
	}
	return known, check.Validate()
}

// Description tells what the game said of itself at its start.
func (g *Game) Description() Description { return g.description }

// Done is closed when the child is gone; Err then tells why.
func (g *Game) Done() <-chan struct{} { return g.done }

// Err tells why the child is gone. Only after Done.
func (g *Game) Err() error { return g.failure }

// Pid is the process number of the child.
func (g *Game) Pid() int { return g.process.cmd.Process.Pid }

// Matches is the number of matches that the child is playing.
func (g *Game) Matches() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.tables)
}

// Lower lets everything else come before this child, where the system can: its
// days are over, or it works without end.
func (g *Game) Lower() { lower(g.Pid()) }

// Queued is the number of frames that wait to be sent to the child.
func (g *Game) Queued() int { return g.out.Len() }

// A Refusal is the game's answer to a match that it won't play; its text is
// for the match's creator.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Prepare lets the game check and complete what the creator of a match asks
// for. The error is a Refusal unless the game itself failed.
func (g *Game) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	request := &wire.PrepareRequest{Bots: uint32(r.Bots), Timeout: r.Timeout, Args: r.Args}
	if r.Players != nil {
		n := uint32(*r.Players)
		request.Players = &n
	}
	reply, err := g.rpc.Prepare(ctx, request)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return driver.Settings{}, errGivenUp
	case err != nil:
		fault := g.callFault(ctx, err)
		g.log.Error("the game did not prepare a match", "error", fault)
		return driver.Settings{}, fault
	case reply.Refusal != "":
		return driver.Settings{}, Refusal(reply.Refusal)
	}
	players := int(reply.Players)
	if players < 1 || players > sdk.MaxSeats || !(reply.Timeout >= sdk.MinTimeout && reply.Timeout <= sdk.MaxTimeout) {
		return driver.Settings{}, &Fault{kind: errFailed, more: fmt.Sprintf("it prepared a match with %d players and a timeout of %v s", players, reply.Timeout)}
	}
	return driver.Settings{Players: players, Bots: r.Bots, Timeout: reply.Timeout, Params: reply.Params}, nil
}

// Table is one match in the child.
type Table interface {
	// Answer brings the answers to the last question. It does not block.
	Answer(answers []*wire.Answer)
	// Stop ends the match, if the game has not; no frame comes after it.
	Stop()
}

type table struct {
	game  *Game
	match uint64
}

// Open starts a match. The receiver may be called before Open returns.
func (g *Game) Open(start *wire.Start, r Receiver) (Table, error) {
	g.mu.Lock()
	if g.closing {
		g.mu.Unlock()
		return nil, ErrGone
	}
	g.next++
	t := &table{game: g, match: g.next}
	g.tables[t.match] = r
	g.mu.Unlock()
	if !g.out.PushNow(&wire.HostFrame{Match: t.match, Start: start}) {
		t.forget()
		return nil, ErrGone
	}
	return t, nil
}

// Answer implements Table. It does not wait: a game that asks on and on and reads
// nothing would keep its match from being aborted. What its record may hold
// bounds what a match can queue so.
func (t *table) Answer(answers []*wire.Answer) {
	t.game.out.PushNow(&wire.HostFrame{Match: t.match, Answers: answers})
}

// Stop implements Table.
func (t *table) Stop() {
	if t.forget() {
		t.game.out.PushNow(&wire.HostFrame{Match: t.match, Stop: true})
	}
}

func (t *table) forget() bool {
	t.game.mu.Lock()
	defer t.game.mu.Unlock()
	_, known := t.game.tables[t.match]
	delete(t.game.tables, t.match)
	return known
}

// receive hands every frame to its match, and never waits for one.
func (g *Game) receive(stream grpc.BidiStreamingClient[wire.HostBatch, wire.GameBatch]) {
	for {
		batch, err := stream.Recv()
		if err != nil {
			g.lost(err)
			return
		}
		for _, f := range batch.Frames {
			g.mu.Lock()
			r := g.tables[f.Match]
			if f.End != nil {
				delete(g.tables, f.Match)
			}
			last := g.next
			g.mu.Unlock()
			if r != nil {
				r.Frame(f)
			} else if !g.stray(f.Match, last) {
				g.lost(errStrays)
				return
			}
		}
	}
}

// stray notes a frame of a match that has ended, or that never was; last is
// the number of the last one. It returns false when there are too many.
func (g *Game) stray(match, last uint64) bool {
	if (match == 0 || match > last) && !g.strayNoted {
		g.strayNoted = true
		g.log.Error("the game broke the rules of the wire", "error", fmt.Sprintf("it speaks of match %d, and there were only %d", match, last))
	}
	if now := time.Now(); now.Sub(g.strayed) > strayTime {
		g.strays, g.strayed = 0, now
	}
	g.strays++
	return g.strays <= maxStrays
}

// lost ends all matches of a child whose stream has ended, and the child.
func (g *Game) lost(streamErr error) {
	g.mu.Lock()
	closing, why := g.closing, g.why
	g.closing = true
	tables := g.tables
	g.tables = map[uint64]Receiver{}
	g.mu.Unlock()
	switch {
	case why == errFrozen:
		g.failure = loss(why, nil)
	case closing:
		g.failure = &Fault{kind: ErrGone}
		if why != nil {
			g.failure = &Fault{kind: ErrGone, more: why.Error()}
		}
	default:
		// How the process ended says more than how the stream did.
		g.process.stop(stopGrace)
		<-g.process.exited
		g.failure = loss(streamErr, g.process.status)
		g.log.Error("the game's process is gone", "pid", g.Pid(), "matches", len(tables), "error", g.failure)
	}
	for _, r := range tables {
		r.Lost(g.failure)
	}
	g.kill()
	close(g.done)
}

// Close ends the child; its matches are lost. It returns when the child is
// gone.
func (g *Game) Close() { g.CloseBecause(nil) }

// CloseBecause is Close with a reason, which the players of its matches read.
func (g *Game) CloseBecause(why error) {
	g.mu.Lock()
	g.closing = true
	if g.why == nil {
		g.why = why
	}
	g.mu.Unlock()
	g.process.stop(stopGrace)
	<-g.done
}

// kill makes sure that nothing of the child is left. It is quick when the
// process has ended; if not, the process is killed first, for go-plugin asks a
// child to end without a time limit.
func (g *Game) kill() {
	if g.cancel != nil {
		g.cancel()
	}
	if g.process != nil {
		_ = g.process.Kill(context.Background())
	}
	if g.client != nil {
		g.client.Kill()
	}
	g.sockets.remove()
}

// dispenser is how go-plugin hands over the connection.
type dispenser struct {
	goplugin.NetRPCUnsupportedPlugin
}

func (*dispenser) GRPCServer(*goplugin.GRPCBroker, *grpc.Server) error {
	return errors.New("a host is no game")
}

func (*dispenser) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}
