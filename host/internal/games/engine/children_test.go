//go:build unix

package engine

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
	"colosseum/sdk/wire"
	"colosseum/sdk/wire/pb"
)

// TestMain also runs the test program as one of the games below.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "be" {
		runChild(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// parity asks each player once; some answers make the process misbehave.
var parity = sdk.Game{
	Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10, Delay: 1.5,
	Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 1, 1, 9)},
	Play: func(m *sdk.Match) error {
		m.TellAll("go")
		for seat := range 2 {
			line, err := m.AskLine(seat)
			if err != nil {
				return nil
			}
			switch word, rest, _ := strings.Cut(line, " "); word {
			case "exit":
				fmt.Fprintln(os.Stderr, "no moves left")
				os.Exit(7)
			case "stderr": // N lines
				n, _ := strconv.Atoi(rest)
				for i := range n {
					fmt.Fprintf(os.Stderr, "line %d\n", i)
				}
			case "loop":
				for n := 0; ; n++ {
					if n < 0 {
						break
					}
				}
			case "recurse":
				fmt.Println(recurse(len(rest)))
			case "stdout":
				fmt.Println("printed by mistake")
			}
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error {
		b.Write("1")
		return nil
	},
}

func recurse(n int) int {
	if n < 0 {
		return 0
	}
	return recurse(n+1) + 1
}

// runChild is the main function of a game.
func runChild(name string) {
	// The cleanup of newStarter checks that the process is gone. A confined one can't
	// write.
	if err := os.WriteFile("pid", []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil && !os.IsPermission(err) {
		panic(err)
	}
	// Without cgo, a channel that nothing comes from is a deadlock, which ends the process.
	never := time.After(time.Hour)
	switch name {
	case "garbage":
		fmt.Println("hello, world")
		<-never
	case "exit":
		fmt.Fprintln(os.Stderr, "no luck today")
		os.Exit(3)
	case "hang":
		<-never
	case "nobody": // a handshake with a socket that does not exist
		fmt.Printf("1|%d|unix|%s|grpc\n", wire.Protocol, filepath.Join(os.TempDir(), "nobody"))
		<-never
	case "elsewhere":
		fmt.Printf("1|%d|unix|/elsewhere/socket|grpc\n", wire.Protocol)
		<-never
	case "certificate": // for TLS, which the host does not use
		fmt.Printf("1|%d|unix|%s|grpc|%s\n", wire.Protocol, filepath.Join(os.TempDir(), "nobody"), certificate())
		<-never
	case "future":
		fmt.Println("1|99|unix|/x|grpc")
		<-never
	case "misnamed":
		serve(&oddity{description: &pb.Description{Name: "Bad Name", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}})
	case "seatless":
		serve(&oddity{description: &pb.Description{Name: "odd", MinPlayers: 0, MaxPlayers: 1, Timeout: 1}})
	case "mute":
		serve(&oddity{})
	case "deaf": // does not read its lifeline
		serve(&oddity{description: &pb.Description{Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}})
	case "refuser": // refuses every match, in many lines
		serve(&oddity{description: &pb.Description{Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}, refusal: "no\x1b[2J way\n" + strings.Repeat("x", 1<<20)})
	case "thrower":
		serve(&oddity{
			description: &pb.Description{Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}, throws: errors.New("Traceback: line 3"),
		})
	case "family": // leaves a child in its group
		start("sleep", "100")
		plugin.Serve(parity)
	case "runaway": // leaves a child outside of its group, with its pipes
		start("setsid", "sleep", "100")
		plugin.Serve(parity)
	case "heir": // leaves a child outside of its group, with its socket
		go func() { // ends with the process
			for {
				if _, err := os.Stat("inherit"); err == nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			inherit()
		}()
		plugin.Serve(parity)
	case "plain": // like a game of another language, it uses no socket for frames
		_ = os.Unsetenv(wire.FramesKey)
		plugin.Serve(parity)
	case "babbler": // sends a frame that is too long
		talk([]byte{0xff, 0xff, 0xff, 0xff}, (*os.File).Close)
	case "garbler": // sends a frame that is no message
		talk([]byte{1, 0, 0, 0, 0xff}, (*os.File).Close)
	case "leaver": // closes its socket
		talk(nil, (*os.File).Close)
	case "listless": // no longer reads its socket, and keeps it open
		talk(nil, func(socket *os.File) error {
			_ = syscall.Shutdown(int(socket.Fd()), syscall.SHUT_RD)
			<-never
			return socket.Close()
		})
	case "multitude": // sends a frame of empty texts alone
		const texts = 2 * wire.MaxParts
		frame := binary.LittleEndian.AppendUint32(nil, 2*texts)
		talk(append(frame, bytes.Repeat([]byte{3<<3 | 2, 0}, texts)...), (*os.File).Close)
	case "crowd": // sends as many parts without a socket
		serve(&oddity{description: &pb.Description{Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}, crowd: true})
	case "reader":
		b, err := io.ReadAll(os.Stdin)
		fmt.Fprintf(os.Stderr, "read %d bytes, %v\n", len(b), err)
		plugin.Serve(parity)
	default:
		plugin.Serve(parity)
	}
}

// certificate returns a valid certificate as go-plugin expects it.
func certificate() string {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	bytes, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		panic(err)
	}
	return base64.RawStdEncoding.EncodeToString(bytes)
}

// inherit starts a child outside of this group with a copy of every socket.
func inherit() {
	cmd := exec.Command("setsid", "sleep", "100")
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	for _, entry := range open {
		fd, _ := strconv.Atoi(entry.Name()) // the system's own digits
		if target, _ := os.Readlink("/proc/self/fd/" + entry.Name()); !strings.HasPrefix(target, "socket:") {
			continue
		}
		own, err := syscall.Dup(fd)
		if err != nil {
			panic(err)
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(own), "socket"))
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile("heir", []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o600); err != nil {
		panic(err)
	}
}

// talk serves a game that writes on its socket for frames what is no frame, when its
// first match starts, and then closes it or does something else.
func talk(what []byte, then func(socket *os.File) error) {
	fd, err := strconv.Atoi(os.Getenv(wire.FramesKey))
	if err != nil {
		panic(err)
	}
	go func() { // ends with the process
		socket := os.NewFile(uintptr(fd), "frames")
		_, _ = socket.Read(make([]byte, 1))
		_, _ = socket.Write(what)
		_ = then(socket)
	}()
	serve(&oddity{description: &pb.Description{Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1, Frames: true}})
}

func start(name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile("child", []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		panic(err)
	}
}

// oddity is a game that was not made with the SDK.
type oddity struct {
	pb.UnimplementedGameServer
	goplugin.NetRPCUnsupportedPlugin
	description *pb.Description // nil: Describe never returns
	throws      error           // what Prepare returns
	refusal     string          // likewise
	crowd       bool            // Play sends a batch of empty frames
}

func (o *oddity) Describe(ctx context.Context, _ *pb.DescribeRequest) (*pb.Description, error) {
	if o.description == nil {
		if err := os.WriteFile("asked", nil, 0o600); err != nil {
			panic(err)
		}
		<-make(chan int)
	}
	return o.description, nil
}

func (o *oddity) Prepare(context.Context, *pb.PrepareRequest) (*pb.PrepareReply, error) {
	return &pb.PrepareReply{Refusal: o.refusal, Players: 1000, Timeout: 1}, o.throws
}

func (o *oddity) Play(s grpc.BidiStreamingServer[pb.HostBatch, pb.GameBatch]) error {
	if o.crowd {
		if _, err := s.Recv(); err != nil {
			return err
		}
		if err := s.Send(&pb.GameBatch{Frames: slices.Repeat([]*pb.GameFrame{{}}, 2*wire.MaxParts)}); err != nil {
			return err
		}
	}
	<-s.Context().Done()
	return nil
}

func (o *oddity) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterGameServer(s, o)
	return nil
}

func (o *oddity) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("no client")
}

func serve(o *oddity) {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: plugin.Handshake(), Plugins: goplugin.PluginSet{wire.PluginName: o},
		Logger: hclog.NewNullLogger(),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return goplugin.DefaultGRPCServer(append(options, grpc.StreamInterceptor(logStream)))
		},
	})
}

// logStream logs the name of a stream that the host opens.
func logStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	fmt.Fprintln(os.Stderr, "stream", info.FullMethod)
	return next(server, stream)
}
