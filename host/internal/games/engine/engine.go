// Package engine runs one version of a game: a child process of the host, and
// the one stream that carries all its matches.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"colosseum/host/internal/games/sandbox"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Spec describes the child to start.
type Spec struct {
	Name         string   // for logs and errors
	Command      []string // the program and its arguments
	Dir          string   // its working folder
	Isolation    sandbox.Level
	Policy       sandbox.Policy // Write is set by Start
	StartTimeout time.Duration
	Stall        time.Duration // how long a child with matches can be frozen before it is killed; 0: forever
	Grace        time.Duration // how long a child can take to end, and its last output and frames to come; 0: a second
	Log          *slog.Logger
}

// defaultGrace is the grace of a Spec without one.
const defaultGrace = time.Second

// callTimeout bounds Describe and Prepare.
const callTimeout = 5 * time.Second

// maxMessage bounds a message of a child, in bytes; a child that sends a larger
// one is killed. The SDK sends at most about one MiB at once.
const maxMessage = 16 << 20

// Game is one running child. All methods can be called concurrently.
type Game struct {
	name        string
	description driver.Description
	log         *slog.Logger
	process     *process
	client      *goplugin.Client
	remote      wire.Client
	health      grpc_health_v1.HealthClient // go-plugin's; any gRPC server answers it
	conn        *wire.HostConn              // with the frames of all matches; nil until it is open
	sockets     *sockets                    // private folder of the child's socket
	output      *childLog
	done        chan struct{} // closed when the child is gone
	failure     error         // why; set before done is closed
	strays      strays        // for receive's goroutine alone
	lowered     atomic.Bool   // LowerPriority was called

	mu      sync.Mutex // guards the fields below
	matches map[uint64]Receiver
	last    uint64 // number of the last match
	closing bool
	why     error // why the host ends the child; can be nil
}

// StartError says why a child did not become ready.
type StartError struct {
	Name   string
	Err    error
	Output string // its last lines; can be empty
}

func (e *StartError) Error() string {
	if e.Output == "" {
		return fmt.Sprintf("start %s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("start %s: %v; it wrote:\n%s", e.Name, e.Err, e.Output)
}

func (e *StartError) Unwrap() error { return e.Err }

// Start starts a child and gets its description. The error is a [StartError].
func Start(ctx context.Context, spec Spec) (*Game, error) {
	sockets, err := makeSockets()
	if err != nil {
		return nil, &StartError{Name: spec.Name, Err: fmt.Errorf("create a folder for its socket: %w", err)}
	}
	g := &Game{
		name: spec.Name, log: spec.Log, sockets: sockets, matches: map[uint64]Receiver{},
		done: make(chan struct{}), output: &childLog{log: spec.Log, crash: crash{memory: spec.Policy.Memory}},
	}
	if err := g.connect(ctx, spec); err != nil {
		g.kill()
		if status := g.process.endedByItself(); status != nil {
			err = fmt.Errorf("it ended with %w", status) // more useful than go-plugin's error
		}
		if why := g.reason(); why != nil {
			err = why
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, &StartError{Name: spec.Name, Err: err, Output: g.output.last()}
	}
	g.output.setReady()
	return g, nil
}

// connect starts the child and opens the stream. When ctx ends first, it kills the
// child, because go-plugin's own start can't be canceled.
func (g *Game) connect(ctx context.Context, spec Spec) error {
	stop := func() bool { return true }
	defer func() { stop() }()
	spec.Policy.Write = g.sockets.path
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
			cmd.Env = append(cmd.Env, childEnv(g.sockets.path)...)
			p, err := newProcess(cmd, spec.Dir, spec.Isolation, spec.Policy, cmp.Or(spec.Grace, defaultGrace))
			if err != nil {
				return nil, err
			}
			g.process = p
			p.started = func() {
				stop = context.AfterFunc(ctx, func() { _ = p.Kill(context.Background()) })
				limits := spec.Policy
				if spec.Isolation == sandbox.Off {
					limits.FileBytes = math.MaxInt64
				}
				go g.limit(limits) // ends with the child
			}
			return p, nil
		},
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: g.sockets.path},
		StartTimeout:     spec.StartTimeout,
		Stderr:           g.output,
		SyncStdout:       g.output,
		SyncStderr:       g.output,
		Logger:           quiet,
		GRPCDialOptions:  append(wire.DialOptions(maxMessage), grpc.WithChainStreamInterceptor(withoutBroker)),
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
	g.remote, g.health = wire.NewClient(conn), grpc_health_v1.NewHealthClient(conn)
	frames, err := g.describe(ctx)
	if err != nil {
		return err
	}
	if g.conn, err = g.play(frames); err != nil {
		return err
	}
	go g.receive()         // ends with the connection
	go g.watch(spec.Stall) // ends with the child
	go func() {            // ends with the connection and the process
		<-g.process.exited
		select {
		case <-g.done:
		case <-time.After(g.process.grace): // enough to read its last frames
			g.conn.Close() // a descendant outside of its group holds the socket open
		}
	}()
	return nil
}

// play opens the connection for frames: over the socket if the child has accepted it, or
// over gRPC.
func (g *Game) play(frames bool) (*wire.HostConn, error) {
	if frames && g.process.frames != nil {
		return wire.HostOverSocket(g.process.frames, maxMessage)
	}
	g.process.closeFrames()
	return g.remote.Play()
}

// childEnv returns the environment of a child, which has nothing of the host's. (The
// race detector's settings are for tests.)
func childEnv(temporary string) []string {
	_, cores := Cores()
	env := append([]string{"LANG=C.UTF-8", procsKey + "=" + strconv.Itoa(cores)}, systemEnv(temporary)...)
	if v, ok := os.LookupEnv("GORACE"); ok {
		env = append(env, "GORACE="+v)
	}
	return env
}

// Done returns a channel that is closed when the child is gone; see Err.
func (g *Game) Done() <-chan struct{} { return g.done }

// Err returns why the child is gone. It must be called after Done is closed.
func (g *Game) Err() error { return g.failure }

// Pid returns the process ID of the child.
func (g *Game) Pid() int { return g.process.cmd.Process.Pid }

// Matches returns the number of matches that the child is playing.
func (g *Game) Matches() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.matches)
}

// LowerPriority makes Linux and Windows prefer all other processes to this child. It
// is for a child that plays its last matches, or that loops.
func (g *Game) LowerPriority() {
	g.lowered.Store(true)
	lowerPriority(g.Pid())
}

// Queued returns the number of frames that wait to be sent to the child.
func (g *Game) Queued() int { return g.conn.Len() }

// lost ends all matches of a child whose stream has ended, and the child itself.
func (g *Game) lost(streamErr error) {
	g.mu.Lock()
	closing, why := g.closing, g.why
	g.closing = true
	matches := g.matches
	g.matches = map[uint64]Receiver{}
	g.mu.Unlock()
	switch {
	case why == errFrozen:
		g.failure = lossFault(why, nil, "")
	case closing:
		g.failure = &Fault{kind: ErrGone}
		if why != nil {
			g.failure = &Fault{kind: ErrGone, detail: why.Error()}
		}
	default:
		// The status of the process explains more than the stream's error.
		g.process.stop()
		<-g.process.exited
		g.failure = lossFault(streamErr, g.process.status, g.output.reason())
		g.log.Error("the game's process is gone", "pid", g.Pid(), "matches", len(matches), "error", g.failure)
	}
	for _, in := range matches {
		in.Close(g.failure)
	}
	g.kill()
	close(g.done)
}

// Close ends the child and its matches, and returns when the child is gone.
func (g *Game) Close() { g.CloseBecause(nil) }

// CloseBecause is Close with a reason for the players of its matches.
func (g *Game) CloseBecause(why error) {
	g.setClosing(why)
	g.process.stop()
	<-g.done
}

func (g *Game) setClosing(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closing = true
	if g.why == nil {
		g.why = why
	}
}

func (g *Game) reason() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
}

// kill removes everything of the child. It kills the process first, because
// go-plugin would wait without a limit for the child to end.
func (g *Game) kill() {
	if g.conn != nil {
		g.conn.Close()
	}
	if g.process != nil {
		_ = g.process.Kill(context.Background())
		g.process.closeFrames()
	}
	if g.client != nil {
		g.client.Kill()
	}
	g.sockets.remove()
}

// dispenser makes go-plugin's Dispense return the connection.
type dispenser struct {
	goplugin.NetRPCUnsupportedPlugin
}

func (*dispenser) GRPCServer(*goplugin.GRPCBroker, *grpc.Server) error {
	return errors.New("the host serves no game")
}

func (*dispenser) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}
