package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/cluster/relay"
)

func TestARunnerAnswersOnlyTheOtherHosts(t *testing.T) {
	relays := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "relayed "+r.URL.Path) })
	h := httptest.NewServer(relaysOnly(relays))
	defer h.Close()
	const want = "this host only runs programs that were handed in: connect to another host of the cluster\n"
	for _, path := range []string{"/", "/api/lobby", "/api/games/dama/submissions", relay.Path + "/x"} {
		r, err := http.Get(h.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if _ = r.Body.Close(); err != nil || r.StatusCode != http.StatusForbidden || string(body) != want {
			t.Errorf("%s: got %d, %q, %v, want 403 and %q", path, r.StatusCode, body, err, want)
		}
	}
	_, r, err := websocket.DefaultDialer.Dial(strings.Replace(h.URL, "http", "ws", 1)+"/", nil)
	if err == nil || r == nil || r.StatusCode != http.StatusForbidden {
		t.Fatalf("a client: got %v, %+v, want 403", err, r)
	}
	if body, _ := io.ReadAll(r.Body); string(body) != want {
		t.Errorf("a client: got %q, want %q", body, want)
	}
	r, err = http.Get(h.URL + relay.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if body, _ := io.ReadAll(r.Body); string(body) != "relayed "+relay.Path {
		t.Errorf("another host: got %q, want its relay", body)
	}
}

func TestOnlyRunnersHaveCoresForProgramsIfThereAreAny(t *testing.T) {
	for _, tt := range []struct {
		name            string
		runner, runners bool
		games           []string
		want            bool
	}{
		{"takes none", false, false, nil, false},
		{"a host", false, false, []string{"*"}, true},
		{"a host with runners", false, true, []string{"*"}, false},
		{"a runner", true, true, []string{"*"}, true},
		{"a runner next to hosts that build", true, false, []string{"*"}, true},
	} {
		c := config.Config{Runner: tt.runner, Submissions: config.Submissions{Games: tt.games, Runners: tt.runners}}
		if cores := (&Server{config: &c}).programCores(); cores > 0 != tt.want {
			t.Errorf("%s: got %d cores for programs, want some: %t", tt.name, cores, tt.want)
		}
	}
}
