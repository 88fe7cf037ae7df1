package natsserver

import (
	"testing"

	"github.com/nats-io/nats.go"
)

func TestServerComesBackAfterAStop(t *testing.T) {
	s := Start(t)
	s.Stop()
	if c, err := nats.Connect(s.URL()); err == nil {
		c.Close()
		t.Fatal("got a connection after Stop, want none")
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	c, err := nats.Connect(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
