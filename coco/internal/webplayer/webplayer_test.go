package webplayer

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/internal/test/hinthost"
)

// service is a web service. move answers a question; n counts its calls from 1.
type service struct {
	move func(n int, m map[string]any) (status int, body string)

	mu     sync.Mutex // guards the fields below
	paths  []string
	bodies []map[string]any
	moves  int
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPost {
		http.Error(w, "want a POST with JSON", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.paths, s.bodies = append(s.paths, r.URL.Path), append(s.bodies, body)
	if strings.HasSuffix(r.URL.Path, "/move") {
		s.moves++
	}
	n := s.moves
	s.mu.Unlock()
	if !strings.HasSuffix(r.URL.Path, "/move") {
		return
	}
	status, text := s.move(n, body)
	if status == http.StatusFound {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}

// play plays a match on a host with a service.
func play(t *testing.T, h *hinthost.Host, address string) (id string, err error) {
	t.Helper()
	addr, err := server.ParseAddress(h.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context) (*server.Conn, error) { return server.Dial(ctx, addr, server.Options{}) }
	id = h.Create()
	s, err := New(address, "ws://host:8088")
	if err != nil {
		t.Fatal(err)
	}
	return id, s.Play(t.Context(), &match.Match{ID: id, Name: "web", Dial: dial})
}

func TestServicePlaysAMatch(t *testing.T) {
	s := &service{move: func(int, map[string]any) (int, string) {
		return 200, `{"answer":"SCISSORS","note":"12 tokens","more":1}`
	}}
	web := httptest.NewServer(s)
	defer web.Close()
	h := &hinthost.Host{}
	id, err := play(t, h, web.URL+"/bot/")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/bot/start", "/bot/move", "/bot/move", "/bot/move", "/bot/end"}; !slices.Equal(s.paths, want) {
		t.Fatalf("got the requests %q, want %q", s.paths, want)
	}
	start, second, end := s.bodies[0], s.bodies[2], s.bodies[4]
	for _, b := range s.bodies {
		if b["match"] != id || b["game"] != "rps" {
			t.Errorf("got %v, want the match and its game", b)
		}
	}
	if start["name"] != "web" || start["rules"] != "http://host:8088/api/games/rps" || start["timeout"] != 600.0 || fmt.Sprint(start["names"]) != "[web]" {
		t.Errorf("got the start %v, want the settings of the match", start)
	}
	if second["text"] != "PAPER\n" || second["number"] != 2.0 || fmt.Sprint(second["answers"]) != "[ROCK PAPER SCISSORS]" || second["seconds"] != 600.0 {
		t.Errorf("got the second move %v, want text, number, answers and seconds", second)
	}
	if notes := h.Notes(id); fmt.Sprint(notes) != "[12 tokens 12 tokens 12 tokens]" {
		t.Errorf("got the notes %q, want one with each answer", notes)
	}
	result, _ := end["result"].(map[string]any)
	if end["text"] != "PAPER\n" || result == nil || end["error"] != nil {
		t.Errorf("got the end %v, want the last text and a result", end)
	}
}

func TestServiceIsAskedAgainWhileItFails(t *testing.T) {
	s := &service{move: func(n int, _ map[string]any) (int, string) {
		switch n {
		case 1:
			return http.StatusBadGateway, "starting"
		case 2:
			return http.StatusTooManyRequests, ""
		}
		return 200, `{"answer":"ROCK"}`
	}}
	web := httptest.NewServer(s)
	defer web.Close()
	h := &hinthost.Host{}
	id, err := play(t, h, web.URL)
	lines, _ := h.Lines(id)
	if err != nil || s.moves != hinthost.Rounds+2 || len(lines) != hinthost.Rounds {
		t.Errorf("got %v after %d requests and %q, want three answers after five", err, s.moves, lines)
	}
}

func TestServiceThatCannotAnswerLeavesTheMatch(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"refusal", 404, "nothing here", `404 Not Found "nothing here"`},
		{"redirection", 302, "", `302 Found "/elsewhere"`},
		{"no JSON", 200, "ROCK", `not with {"answer":"…"}`},
		{"no answer", 200, `{"move":"ROCK"}`, `not with {"answer":"…"}`},
		{"two lines", 200, `{"answer":"ROCK\nPAPER"}`, "one line"},
		{"too long", 200, `{"answer":"` + strings.Repeat("A", 300<<10) + `"}`, "longer than 256 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{move: func(int, map[string]any) (int, string) { return tt.status, tt.body }}
			web := httptest.NewServer(s)
			defer web.Close()
			h := &hinthost.Host{}
			id, err := play(t, h, web.URL)
			if _, ok := err.(*player.Failed); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a failure with %q", err, tt.want)
			}
			if lines, _ := h.Lines(id); len(lines) > 0 || s.moves != 1 {
				t.Errorf("got the lines %q after %d requests, want none after one", lines, s.moves)
			}
		})
	}
}

func TestAnswerAfterItsTickIsDropped(t *testing.T) {
	h := &hinthost.Host{Tick: true}
	s := &service{move: func(n int, m map[string]any) (int, string) {
		if n == 1 {
			h.EndTick(m["match"].(string))
			return 200, `{"answer":"PAPER"}`
		}
		return 200, `{"answer":"ROCK"}`
	}}
	web := httptest.NewServer(s)
	defer web.Close()
	id, err := play(t, h, web.URL)
	lines, _ := h.Lines(id)
	// The next question can reach the player before or after its answer to the first.
	if err != nil || len(lines) != hinthost.Rounds || lines[1] != "ROCK" {
		t.Errorf("got %v after %q, want three answers", err, lines)
	}
}

func TestOneClockRunsOverAllAttempts(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	listener.Close()
	h := &hinthost.Host{Seconds: 0.5}
	id, err := play(t, h, address)
	if _, ok := err.(*player.Failed); !ok || !strings.Contains(err.Error(), "failed at start") {
		t.Errorf("got %v, want that the service failed", err)
	}
	if lines, _ := h.Lines(id); len(lines) > 0 {
		t.Errorf("got the lines %q, want none", lines)
	}
}

func TestMatchWithoutQuestionsIsNamed(t *testing.T) {
	web := httptest.NewServer(&service{})
	defer web.Close()
	if _, err := play(t, &hinthost.Host{Silent: true}, web.URL); err == nil || !strings.Contains(err.Error(), "sent no questions") {
		t.Errorf("got %v, want a failure that says why", err)
	}
}

func TestAddressOfAServiceIsChecked(t *testing.T) {
	for _, address := range []string{"", "localhost:8000", "ftp://host/", "http://", "http://host/?a=b", "ws://host/", "http://host/#a"} {
		if _, err := New(address, ""); err == nil || !strings.Contains(err.Error(), "not the URL") {
			t.Errorf("%q: got %v, want a refusal", address, err)
		}
	}
}
