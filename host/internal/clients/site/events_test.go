package site

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/internal/test/cutproxy"
	"colosseum/protocol"
)

// feedingLobby is a lobby that feeds its subscribers. Its list is what they were fed.
type feedingLobby struct {
	fakeLobby
	mu          sync.Mutex // guards the fields below
	generation  uint64
	subscribers map[lobby.Subscriber]bool
	calls       int // of Subscribe
}

func (l *feedingLobby) Generation() uint64 { return l.generation }

func (l *feedingLobby) Snapshot() ([]protocol.MatchInfo, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fakeLobby, l.generation
}

func (l *feedingLobby) Subscribe(s lobby.Subscriber, seed func() uint64) {
	seed()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.subscribers == nil {
		l.subscribers = map[lobby.Subscriber]bool{}
	}
	l.subscribers[s] = true
	l.calls++
}

func (l *feedingLobby) Unsubscribe(s lobby.Subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subscribers, s)
}

// change adds a match, and feeds its subscribers.
func (l *feedingLobby) change(name string) {
	m := protocol.MatchInfo{ID: name, Name: name}
	l.mu.Lock()
	l.fakeLobby = append(l.fakeLobby[:len(l.fakeLobby):len(l.fakeLobby)], m)
	l.mu.Unlock()
	l.feed(m)
}

// feed feeds its subscribers a change, which its list need not have.
func (l *feedingLobby) feed(m protocol.MatchInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.generation++
	for s := range l.subscribers {
		s.Feed(protocol.Encode(protocol.NameLobbyNew, protocol.LobbyEvent{Info: m}))
	}
}

// events opens /api/lobby/events, and returns its lines.
func events(t *testing.T, ctx context.Context, s http.Handler) *bufio.Reader {
	t.Helper()
	in, out := io.Pipe()
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/lobby/events", nil)
	go func() { // ends with ctx
		s.ServeHTTP(&pipeWriter{httptest.NewRecorder(), out}, r)
		_ = out.Close()
	}()
	return bufio.NewReader(in)
}

type pipeWriter struct {
	*httptest.ResponseRecorder
	out *io.PipeWriter
}

func (w *pipeWriter) Write(b []byte) (int, error) { return w.out.Write(b) }

// next returns the next event as one line.
func next(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	var event []string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "\n" {
			return strings.Join(event, " ")
		}
		event = append(event, strings.TrimSpace(line))
	}
}

func TestEventsAreTheLobbysSeedAndChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &feedingLobby{}
		l.change("first")
		readers := &fakeReaders{}
		s := New(Parts{Games: fakeCatalog{}, Lobby: l, Readers: readers}, quiet)
		ctx, cancel := context.WithCancel(t.Context())
		var streams []*bufio.Reader
		for range 3 {
			in := events(t, ctx, s)
			if got := next(t, in); !strings.HasPrefix(got, "retry: ") {
				t.Errorf("got %s, want how soon to come back", got)
			}
			if got := next(t, in); !strings.HasPrefix(got, `event: seed data: {"seed":[{`) || !strings.Contains(got, `"id":"first"`) {
				t.Errorf("got %s, want a seed with the match first", got)
			}
			streams = append(streams, in)
		}
		synctest.Wait()
		if l.calls != 1 || readers.following.Load() != 3 || readers.charged == 0 {
			t.Errorf("got %d subscriptions of the lobby, %d connections and %d bytes for 3 clients, want 1, 3 and some", l.calls, readers.following.Load(), readers.charged)
		}
		l.change("second")
		for _, in := range streams {
			if got := next(t, in); !strings.HasPrefix(got, `event: new data: {"info":{`) || !strings.Contains(got, `"id":"second"`) {
				t.Errorf("got %s, want the match second", got)
			}
		}
		for _, in := range streams {
			if got := next(t, in); got != ":" {
				t.Errorf("got %s, want a comment after %v of silence", got, heartbeat)
			}
		}
		cancel()
		synctest.Wait()
		if len(l.subscribers) != 0 || readers.following.Load() != 0 || s.feed.events != nil {
			t.Errorf("got %d subscribers, %d connections and %d events after all clients have left, want none", len(l.subscribers), readers.following.Load(), len(s.feed.events))
		}
	})
}

func TestClientThatFallsBehindIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &feedingLobby{}
		s := New(Parts{Games: fakeCatalog{}, Lobby: l, Readers: &fakeReaders{}}, quiet)
		slow := events(t, t.Context(), s)
		next(t, slow) // retry
		next(t, slow) // seed
		synctest.Wait()
		l.change("x")
		synctest.Wait()            // it is being written to the client, which does not read
		for range maxEvents + 10 { // without waiting for the client
			l.feed(protocol.MatchInfo{ID: "x"})
		}
		if n := len(s.feed.events); n != maxEvents {
			t.Errorf("got %d events kept, want %d", n, maxEvents)
		}
		for n := 0; ; n++ {
			if _, err := slow.ReadString('\n'); err == io.EOF {
				return
			} else if err != nil || n > 9 {
				t.Fatalf("got %v after %d lines, want an end", err, n)
			}
		}
	})
}

func TestEventsAreRefusedBeyondTheLimitOfConnections(t *testing.T) {
	s, _ := newSite(t)
	s.Readers = &fakeReaders{full: true}
	if w := get(s, "/api/lobby/events"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.HasPrefix(w.Body.String(), `{"error":`) {
		t.Errorf("got %d %v %s, want 503 with Retry-After", w.Code, w.Header(), w.Body)
	}
}

// The deadline for reading a request must not end the events.
func TestEventsOutliveTheDeadlineOfTheirRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &feedingLobby{}
		const limit = time.Second
		server := &http.Server{Handler: New(Parts{Games: fakeCatalog{}, Lobby: l, Readers: &fakeReaders{}}, quiet), ReadTimeout: limit}
		pipes := make(cutproxy.Pipes, 1)
		go server.Serve(pipes) // ends with pipes
		client, host := net.Pipe()
		pipes <- host
		if _, err := io.WriteString(client, "GET /api/lobby/events HTTP/1.1\r\nHost: host\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		reply, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(reply.Body)
		next(t, in) // retry
		next(t, in) // seed
		time.Sleep(3 * limit)
		l.change("x")
		if got := next(t, in); !strings.HasPrefix(got, "event: new ") {
			t.Errorf("got %s after the deadline, want the new match", got)
		}
		client.Close()
		close(pipes)
	})
}
