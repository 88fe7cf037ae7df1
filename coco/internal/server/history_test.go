package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// api returns a server, not yet started, that gives the same answer to each request.
// at is its address for coco.
func api(t *testing.T, path, answer string, status int) (s *httptest.Server, at string) {
	t.Helper()
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != path {
			t.Errorf("got a request for %s, want %s", r.URL, path)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s, "ws://" + s.Listener.Addr().String()
}

func list(t *testing.T, at string, opts Options) ([]EndedMatch, bool, error) {
	t.Helper()
	addr, err := ParseAddress(at)
	if err != nil {
		t.Fatal(err)
	}
	return ListEndedMatches(context.Background(), addr, opts, 3)
}

const (
	page   = `{"matches":[{"id":"a","name":"T","game":"dama","state":"finished","seats":[{"name":"alice","bot":false,"score":null,"rank":1,"ended":"finished"}],"ended":"2026-11-22T09:05:00Z","news":[]}],"next":"x"}`
	wanted = "/api/matches?limit=3"
)

var listed = []EndedMatch{{ID: "a", Game: "dama", State: "finished", Seats: []Seat{{Name: "alice", Rank: 1, Ended: "finished"}}, Ended: time.Date(2026, 11, 22, 9, 5, 0, 0, time.UTC)}}

func TestEndedMatchesAreListedAtEveryKindOfAddress(t *testing.T) {
	plain, at := api(t, wanted, page, 200)
	plain.Start()
	behind, below := api(t, "/club/api/matches?limit=3", page, 200)
	behind.Start()
	encrypted, secret := api(t, wanted, page, 200)
	encrypted.StartTLS()
	local, _ := api(t, wanted, page, 200)
	socket := filepath.Join(t.TempDir(), "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	_ = local.Listener.Close()
	local.Listener = listener
	local.Start()
	for name, where := range map[string]string{
		"at the root": at + "/", "without a path": at, "on any path": at + "/x", "under a folder of a proxy": below + "/club/",
		"with TLS": "wss" + strings.TrimPrefix(secret, "ws"), "on a Unix socket": "unix:" + socket,
	} {
		got, more, err := list(t, where, Options{Insecure: true})
		if err != nil || !more || !reflect.DeepEqual(got, listed) {
			t.Errorf("%s: got %+v, more %t, error %v, want %+v and more", name, got, more, err, listed)
		}
	}
	if got, _, err := list(t, "wss"+strings.TrimPrefix(secret, "ws"), Options{}); err == nil {
		t.Errorf("with an unknown certificate: got %+v, want an error", got)
	}
}

func TestServerWithoutAListOfEndedMatchesIsAnError(t *testing.T) {
	for name, answer := range map[string]string{
		"a page for people": "<!doctype html>", "other JSON": `{"error":"no"}`, "an array": `[]`, "more than it was asked for": `{"matches":[{},{},{},{}]}`,
		"without end": `{"matches":[{"id":"` + strings.Repeat("x", maxPage) + `"}]}`,
	} {
		s, at := api(t, wanted, answer, 200)
		s.Start()
		if got, _, err := list(t, at, Options{}); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
	s, at := api(t, wanted, page, http.StatusTooManyRequests)
	s.Start()
	if got, _, err := list(t, at, Options{}); err == nil {
		t.Errorf("429: got %+v, want an error", got)
	}
	original := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(original.Close)
	if got, _, err := list(t, "ws"+strings.TrimPrefix(original.URL, "http"), Options{}); err == nil {
		t.Errorf("a server that hangs up: got %+v, want an error", got)
	}
}
