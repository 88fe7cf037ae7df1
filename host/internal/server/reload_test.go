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

func TestSettingsOfSubmissionsWaitForTheNextStart(t *testing.T) {
	before, after := config.Default(), config.Default()
	after.Submissions.Start += time.Minute
	if !sameSubmissions(before.Submissions, after.Submissions) {
		t.Error("a new time for the start of programs waits for the next start, want it at once")
	}
	if got := lobbyLimits(after).ProgramGrace; got != after.Submissions.Start {
		t.Errorf("got the time %v for the start of programs, want %v", got, after.Submissions.Start)
	}
	after.Submissions.Games = []string{"dama"}
	if sameSubmissions(before.Submissions, after.Submissions) {
		t.Error("new games of submissions take effect at once, want them at the next start")
	}
}
