// Package pgserver runs real PostgreSQL servers for tests.
package pgserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a PostgreSQL server on 127.0.0.1 with a data folder of its own. Its methods
// must not be called concurrently.
type Server struct {
	bin, dir string
	port     int
	known    bool // others can know the port, so it stays
	durable  bool
	cmd      *exec.Cmd // nil: it does not run
	exited   chan struct{}
}

// Installed returns the folder with PostgreSQL's programs for New, or "" if it is not
// installed.
func Installed() string {
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // Debian
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

// Start starts a server. It skips the test if PostgreSQL is not installed, and stops the
// server when the test ends. A server that is not durable does not wait for the disk.
func Start(t testing.TB, durable bool) *Server {
	t.Helper()
	bin := Installed()
	if bin == "" {
		t.Skip("PostgreSQL is not installed: install the package postgresql")
	}
	// Not in t.TempDir: the server's user must reach the folder.
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := New(bin, dir, durable)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	return s
}

// New creates a server in an empty folder. Run starts it.
func New(bin, dir string, durable bool) (*Server, error) {
	s := &Server{bin: bin, dir: dir, durable: durable}
	if as := owner(); as != nil { // PostgreSQL refuses to run as root
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			return nil, err
		}
	}
	init := s.command("initdb", "-D", s.data(), "-U", "colosseum", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s, nil
}

// FreePort returns a port of 127.0.0.1 on which nothing listens. It is below those that
// systems give to connections, so that it stays free while a server starts again.
func FreePort() (port int, err error) {
	for range 100 {
		port = 10_000 + rand.IntN(20_000)
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

// command returns a program of PostgreSQL, which does not run as root.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	asOwner(cmd, owner())
	return cmd
}

// Run starts the server, and returns when it takes connections.
func (s *Server) Run() error {
	if err := s.launch(); err != nil {
		return err
	}
	for begun := time.Now(); !s.ready(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > startTimeout {
			s.Kill()
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("PostgreSQL did not start:\n%s", text)
		}
		select {
		case <-s.exited: // another program took the port; or after Kill, the other processes of the old server run on for a moment
			if err := s.launch(); err != nil {
				return err
			}
		default:
		}
	}
	s.known = true
	return nil
}

// launch starts the process of the server.
func (s *Server) launch() error {
	if !s.known {
		var err error
		if s.port, err = FreePort(); err != nil {
			return err
		}
	}
	args := []string{
		"-D", s.data(), "-p", strconv.Itoa(s.port), "-h", "127.0.0.1", "-c", "max_connections=200",
		"-k", "", // no socket: its path could be too long
		"-c", "wal_init_zero=off", "-c", "shared_buffers=16MB", // a new database costs a third of the CPU time
	}
	if !s.durable {
		args = append(args, "-c", "fsync=off")
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := s.command("postgres", args...)
	cmd.Stdout, cmd.Stderr = log, log
	started, exited := make(chan error), make(chan struct{})
	go func() { // ends with the server
		// The system ends the server with the thread that has started it: see endWithParent.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(exited)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.cmd, s.exited = cmd, exited
	return nil
}

const (
	startTimeout = time.Minute      // for a start, with a recovery after Kill
	endTimeout   = 20 * time.Second // for an end, before the server is killed
)

// ready reports whether the server takes connections. A server of another test can have
// taken its port.
func (s *Server) ready() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return false
	}
	defer conn.Close(ctx)
	var data string
	return conn.QueryRow(ctx, "SHOW data_directory").Scan(&data) == nil && data == s.data()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Kill ends the server like a crash. Run starts it again, with the same address.
func (s *Server) Kill() { s.end(os.Kill) }

// Stop ends the server.
func (s *Server) Stop() { s.end(os.Interrupt) }

// Remove ends the server, and removes its folder.
func (s *Server) Remove() {
	s.Stop()
	_ = os.RemoveAll(s.dir)
}

func (s *Server) end(sig os.Signal) {
	if s.cmd == nil {
		return
	}
	process := s.cmd.Process
	_ = process.Signal(sig)
	late := time.AfterFunc(endTimeout, func() { _ = process.Kill() })
	defer late.Stop()
	<-s.exited
	s.cmd = nil
}

// URL returns the address of a database.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://colosseum@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// Create creates an empty database, and returns its address.
func (s *Server) Create(ctx context.Context, name string) (url string, err error) {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return s.URL(name), err
}

// Database creates an empty database for a test, and returns its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", time.Now().UnixNano())
	url, err := s.Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// account is the user as which the server runs.
type account struct{ Uid, Gid uint32 }

// owner returns the account for the server if this process is root; nil: its own.
func owner() *account {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, uerr := strconv.ParseUint(u.Uid, 10, 32)
			gid, gerr := strconv.ParseUint(u.Gid, 10, 32)
			if uerr == nil && gerr == nil && !strings.HasPrefix(u.Uid, "0") {
				return &account{uint32(uid), uint32(gid)}
			}
		}
	}
	return nil
}
