package server

import (
	"testing"
	"time"

	"colosseum/host/internal/base/config"
)

func TestClocksOfLaterMatchesFollowAReload(t *testing.T) {
	before, after := config.Default(), config.Default()
	after.Clients.StartGrace, after.Clients.Lag = time.Minute, time.Second
	if !sameClients(before.Clients, after.Clients) {
		t.Error("a new start grace and lag wait for the next start, want them at once")
	}
	if got := lobbyLimits(after); got.StartGrace != time.Minute || got.Lag != time.Second {
		t.Errorf("got the grace %v and the lag %v, want 1m and 1s", got.StartGrace, got.Lag)
	}
	after.Clients.Ping++
	if sameClients(before.Clients, after.Clients) {
		t.Error("a new ping interval takes effect at once, want it at the next start")
	}
}
