// Package natsserver runs real NATS servers with JetStream for tests, in their process.
package natsserver

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is a NATS server on 127.0.0.1. Its methods must not be called concurrently.
type Server struct {
	dir  string
	port int            // the same after each start
	run  *server.Server // nil: it does not run
}

// Start starts a server, which stops when the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{dir: t.TempDir(), port: server.RANDOM_PORT}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Run starts the server again after Stop, with the same address and data.
func (s *Server) Run() error {
	run, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: s.port, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true})
	if err != nil {
		return err
	}
	run.Start()
	if !run.ReadyForConnections(30 * time.Second) {
		run.Shutdown()
		return errors.New("NATS did not start")
	}
	s.run, s.port = run, run.Addr().(*net.TCPAddr).Port
	return nil
}

// Stop ends the server and its connections.
func (s *Server) Stop() {
	if s.run == nil {
		return
	}
	s.run.Shutdown()
	s.run.WaitForShutdown()
	s.run = nil
}

// URL returns the address of the server.
func (s *Server) URL() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.port) }
