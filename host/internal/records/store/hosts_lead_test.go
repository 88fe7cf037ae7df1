package store

import (
	"context"
	"io"
	"testing"
)

func TestOneHostStandsInWhileNoneHasNATS(t *testing.T) {
	where := onServer.where(t)
	a, b := openAs(t, where, "a", io.Discard).Hosts(), openAs(t, where, "b", io.Discard).Hosts()
	refused := func(what string, take func(context.Context) (*Lock, error)) {
		t.Helper()
		if l, err := take(t.Context()); l != nil || err != nil {
			t.Fatalf("%s: got %v, %v, want no lock", what, l, err)
		}
	}
	first, second := awaitLock(t, "a with NATS", a.WithNATS), awaitLock(t, "b with NATS", b.WithNATS)
	first.Release()
	refused("a without it", a.StandIn)
	second.Release()
	alone := awaitLock(t, "both without it", a.StandIn)
	refused("b, too", b.StandIn)
	refused("b with it again", b.WithNATS)
	alone.Release()
	awaitLock(t, "after a has it again", b.WithNATS).Release()
}
