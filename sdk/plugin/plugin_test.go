package plugin

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
	"colosseum/sdk/wire/pb"
)

// TestMain runs this program as a game if its arguments are "game" and a kind.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "game" {
		os.Exit(m.Run())
	}
	game, kind := digits(), os.Args[2]
	os.Args = append(os.Args[:1], os.Args[3:]...)
	switch kind {
	case "invalid":
		game.Play = nil
		fallthrough
	case "good":
		Serve(game)
	case "bare":
		bare(&server{game: driver.Of(&game)})
	}
}

// bare serves a game as the wire's README.md describes, without the other services
// of go-plugin.
func bare(s *server) {
	path := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "game")
	listener, err := net.Listen("unix", path)
	if err != nil {
		fail(err)
	}
	g := newGRPCServer(nil)
	wire.Register(g, s)
	fmt.Printf("1|%d|unix|%s|grpc\n", wire.Protocol, path)
	_ = g.Serve(listener)
}

// child returns a command that runs this program as a game until the test ends.
func child(t *testing.T, kind string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "game", kind)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "PLUGIN_UNIX_SOCKET_DIR="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// dispenser is the host's side of grpcPlugin.
type dispenser struct{ plugin.NetRPCUnsupportedPlugin }

func (dispenser) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }

func (dispenser) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return pb.NewGameClient(c), nil
}

func TestGameIsServedToAHost(t *testing.T) {
	for _, kind := range []string{"good", "bare"} {
		t.Run(kind, func(t *testing.T) {
			cmd := child(t, kind)
			client := plugin.NewClient(&plugin.ClientConfig{
				HandshakeConfig: Handshake(), Plugins: plugin.PluginSet{wire.PluginName: dispenser{}}, Cmd: cmd,
				AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC}, SkipHostEnv: true, Logger: hclog.NewNullLogger(),
			})
			defer func() {
				_ = cmd.Process.Kill() // as the host does: go-plugin would wait two seconds
				client.Kill()
			}()
			connection, err := client.Client()
			if err != nil {
				t.Fatal(err)
			}
			dispensed, err := connection.Dispense(wire.PluginName)
			if err != nil {
				t.Fatal(err)
			}
			game := dispensed.(pb.GameClient)
			if d, err := game.Describe(t.Context(), &pb.DescribeRequest{}); err != nil || d.Name != "digits" {
				t.Errorf("it describes itself as %v, error %v, want digits", d, err)
			}
			stream, err := game.Play(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			h := &host{t: t, stream: stream}
			h.send(start(1, 1, 2, 0))
			h.next()
			h.send(answer(1, "4", "5"))
			if f := h.next(); said(f) != "9\n" || f.End == nil {
				t.Errorf("got %v, want the sum 9 and the end", f)
			}
		})
	}
}

func TestGameExitsWhenItsLifelineEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "good", wire.CookieKey+"="+wire.CookieValue, wire.LifelineKey+"=3", "PLUGIN_PROTOCOL_VERSIONS=1")
	cmd.ExtraFiles = []*os.File{r}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	line, err := bufio.NewReader(out).ReadString('\n')
	want := fmt.Sprintf("1|%d|unix|", wire.Protocol)
	if err != nil || !strings.HasPrefix(line, want) || !strings.Contains(line, "|grpc") {
		t.Errorf("the handshake is %q, error %v, want %s…|grpc", line, err, want)
	}
	w.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v, want success", err)
	}
}

func TestGameThatCannotBeServedSaysWhy(t *testing.T) {
	cookie := wire.CookieKey + "=" + wire.CookieValue
	tests := []struct {
		name string
		kind string
		env  []string
		want string
	}{
		{"invalid", "invalid", []string{cookie}, "game digits has no Play"},
		{"invalid by hand", "invalid", nil, "game digits has no Play"},
		{"lifeline that is a word", "good", []string{cookie, wire.LifelineKey + "=pipe"}, `COLOSSEUM_LIFELINE="pipe" is not a file descriptor`},
		{"lifeline that is the input", "good", []string{cookie, wire.LifelineKey + "=0"}, `COLOSSEUM_LIFELINE="0" is not a file descriptor`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := child(t, tt.kind, tt.env...).CombinedOutput()
			if _, failed := err.(*exec.ExitError); !failed || !strings.Contains(string(out), tt.want) {
				t.Errorf("error %v, output %q, want a failure that says %q", err, out, tt.want)
			}
		})
	}
}

func TestGameStartedByHandIsNotServed(t *testing.T) {
	out, err := child(t, "good").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "This program is digits (Digits)") {
		t.Errorf("error %v, output %q, want the description of digits", err, out)
	}
}
