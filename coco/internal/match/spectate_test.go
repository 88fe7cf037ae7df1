package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/terminal"
	"colosseum/internal/test/cutproxy"
	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// watchHost is a host with one match and spectators. Each one gets the stream from its
// start.
type watchHost struct {
	t *testing.T

	mu         sync.Mutex // guards the fields below
	stream     []byte
	started    bool
	ended      bool
	refuse     string // the text of refusals, if any
	code       int    // with which connections are closed after the handshake, or 0
	other      bool   // it answers with another match
	arrivals   int
	spectators map[*websocket.Conn]struct{}
}

// session serves one connection.
func (h *watchHost) session(ws *websocket.Conn) {
	if _, _, err := ws.ReadMessage(); err != nil {
		return
	}
	h.mu.Lock()
	h.arrivals++
	write(ws, protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2})
	if h.code != 0 {
		ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(h.code, "because"))
	}
	h.mu.Unlock()
	for {
		_, b, err := ws.ReadMessage()
		if err != nil {
			h.mu.Lock()
			delete(h.spectators, ws)
			h.mu.Unlock()
			return
		}
		if name, _, _ := protocol.Split(b); name == protocol.NameSpectateJoin {
			h.join(ws)
		}
	}
}

func (h *watchHost) join(ws *websocket.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	info := protocol.MatchInfo{ID: "m", Name: "T", Game: "g", Running: h.started}
	if h.other {
		info.ID = "other"
	}
	if h.refuse != "" {
		write(ws, protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](errors.New(h.refuse))})
		return
	}
	h.spectators[ws] = struct{}{}
	write(ws, protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(info)})
	if !h.started {
		return
	}
	write(ws, protocol.NameSpectateStarted, nil)
	for part := range bytesOf(h.stream, 700) {
		ws.WriteMessage(websocket.BinaryMessage, part)
	}
	write(ws, protocol.NameSpectateSynced, nil)
	if h.ended {
		write(ws, protocol.NameSpectateEnded, nil)
	}
}

// bytesOf returns parts of b of at most n bytes.
func bytesOf(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			part := b[:min(n, len(b))]
			if b = b[len(part):]; !yield(part) {
				return
			}
		}
	}
}

func write(ws *websocket.Conn, name string, body any) {
	ws.WriteMessage(websocket.TextMessage, protocol.Encode(name, body))
}

// to calls f for each spectator.
func (h *watchHost) to(f func(ws *websocket.Conn)) {
	for ws := range h.spectators {
		f(ws)
	}
}

func (h *watchHost) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = true
	h.to(func(ws *websocket.Conn) {
		write(ws, protocol.NameSpectateStarted, nil)
		write(ws, protocol.NameSpectateSynced, nil)
	})
}

func (h *watchHost) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stream = append(h.stream, text...)
	h.to(func(ws *websocket.Conn) { ws.WriteMessage(websocket.BinaryMessage, []byte(text)) })
}

func (h *watchHost) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	h.to(func(ws *websocket.Conn) { write(ws, protocol.NameSpectateEnded, nil) })
}

// closeWith closes all connections with a code; 0: without a close frame.
func (h *watchHost) closeWith(code int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.to(func(ws *websocket.Conn) {
		if code == 0 {
			ws.NetConn().Close()
		} else {
			ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "because"), time.Time{})
		}
		delete(h.spectators, ws)
	})
}

// set changes fields of the host.
func (h *watchHost) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// watcher is a spectator, and what its program has read.
type watcher struct {
	file   *os.File // what coco prints
	seen   bytes.Buffer
	synced int // SpectateSynced
	err    error
	done   chan struct{} // closed at the end
}

// watchMatch lets a spectator watch the match of a new host through a proxy, from the start of
// the connection to its end.
func watchMatch(t *testing.T, plan cutproxy.Plan) (*watchHost, *watcher) {
	t.Helper()
	h := &watchHost{t: t, spectators: map[*websocket.Conn]struct{}{}}
	listener := make(cutproxy.Pipes)
	upgrader := websocket.Upgrader{}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := upgrader.Upgrade(w, r, nil); err == nil {
			h.session(ws)
			ws.Close()
		}
	})}
	var running sync.WaitGroup
	running.Go(func() { web.Serve(listener) })
	proxy := cutproxy.New(plan, func() (net.Conn, error) {
		client, host := net.Pipe()
		listener <- host
		return client, nil
	})
	t.Cleanup(func() {
		proxy.Close()
		close(listener)
		web.Close()
		running.Wait()
	})
	addr, err := server.ParseAddress("ws://host/")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	w := &watcher{file: file, done: make(chan struct{})}
	dial := func(ctx context.Context) (*server.Conn, error) {
		return server.Dial(ctx, addr, server.Options{NetDial: func(context.Context, string, string) (net.Conn, error) {
			client, near := net.Pipe()
			running.Go(func() { proxy.Serve(near) })
			return client, nil
		}})
	}
	m := &Match{ID: "m", Spectate: true, Dial: dial, Print: terminal.NewPrinter(file)}
	m.link = newLink("m", m.Print, dial)
	m.link.spectate = true
	m.link.jitter = func() float64 { return 0.5 }
	if err := m.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the match, or when the connection is lost for good
		defer close(w.done)
		defer m.link.close()
		w.err = w.follow(t.Context(), m.link)
	}()
	return h, w
}

func (w *watcher) follow(ctx context.Context, l *link) error {
	for {
		frame, err := l.receive(ctx)
		switch {
		case err != nil:
			return err
		case frame.Binary && len(frame.Stream) == 0:
			return errors.New("an empty frame")
		case frame.Binary:
			w.seen.Write(frame.Stream)
		case frame.Name == protocol.NameSpectateSynced:
			w.synced++
		case frame.Name == protocol.NameSpectateEnded:
			return nil
		}
	}
}

// printed returns how often coco has printed a line.
func (w *watcher) printed(t *testing.T, line string) int {
	t.Helper()
	b, err := os.ReadFile(w.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(b), line+"\n")
}

// show lets the host send a match, and calls between after each of its parts.
func (h *watchHost) show(between func(part int)) {
	h.start()
	for i := range rounds {
		h.say(strings.Repeat("x", i*i%1500) + fmt.Sprintf(" %d\n", i))
		between(i)
	}
	h.end()
}

func TestSpectatorGetsEachByteOnce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		broken bool // the connection ends without a close frame
		every  int  // parts between breaks
		want   int  // breaks
	}{
		{"the host stops once", false, 40, 1},
		{"the host stops often", false, 7, 9},
		{"the connection breaks", true, 7, 9},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, w := watchMatch(t, cutproxy.Pass)
				h.show(func(part int) {
					if synctest.Wait(); part > 0 && part%tt.every == 0 {
						code := protocol.CloseShutdown
						if tt.broken {
							code = 0
						}
						h.closeWith(code)
						time.Sleep(time.Duration(part) * time.Millisecond)
					}
				})
				<-w.done
				h.mu.Lock()
				defer h.mu.Unlock()
				if w.err != nil || !bytes.Equal(w.seen.Bytes(), h.stream) {
					t.Errorf("got %d bytes, %v, want the %d of the stream, each once", w.seen.Len(), w.err, len(h.stream))
				}
				if h.arrivals != tt.want+1 || w.printed(t, "> Reconnected") != tt.want || w.synced != 1 {
					t.Errorf("got %d connections, %d times reconnected and %d times synced, want %d, %d and 1", h.arrivals, w.printed(t, "> Reconnected"), w.synced, tt.want+1, tt.want)
				}
			})
		})
	}
}

// TestSpectatorGetsEachByteOnceAfterManyCuts also cuts while the past is sent again.
func TestSpectatorGetsEachByteOnceAfterManyCuts(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			h, w := watchMatch(t, cutproxy.Random(seed, 0.2, 12, joinFrames, 0))
			h.show(func(int) { time.Sleep(50 * time.Millisecond) })
			<-w.done
			h.mu.Lock()
			defer h.mu.Unlock()
			if w.err != nil || !bytes.Equal(w.seen.Bytes(), h.stream) {
				t.Errorf("seed %d: got %d bytes, %v after %d connections, want %d, each once", seed, w.seen.Len(), w.err, h.arrivals, len(h.stream))
			}
		})
	}
}

func TestSpectatorOfAWaitingMatchComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, w := watchMatch(t, cutproxy.Pass)
		h.closeWith(protocol.CloseShutdown)
		time.Sleep(time.Second)
		h.show(func(int) {})
		<-w.done
		if w.err != nil || !bytes.Equal(w.seen.Bytes(), h.stream) {
			t.Errorf("got %d bytes, %v, want %d", w.seen.Len(), w.err, len(h.stream))
		}
	})
}

// TestSpectatorsThatCannotComeBack has reasons for which coco ends, and its exit codes: 4 if
// refused, otherwise 3.
func TestSpectatorsThatCannotComeBack(t *testing.T) {
	for _, tt := range []struct {
		name    string
		code    int
		change  func(h *watchHost)
		refused bool
		after   time.Duration // at least
		want    string
	}{
		{"the match has ended", protocol.CloseShutdown, func(h *watchHost) { h.refuse = `Game "m" does not exists` }, true, 0, "if it has ended, coco history m shows it"},
		{"all hosts stop", protocol.CloseShutdown, func(h *watchHost) { h.code = protocol.CloseShutdown }, false, returnTimeout, "did not come back within 1m0s: the server closed the connection: because (code 4003)"},
		{"too slow", protocol.CloseTooSlow, func(*watchHost) {}, false, 0, "because (code 4001)"},
		{"limit", protocol.CloseLimit, func(*watchHost) {}, true, 0, "at a limit: because"},
		{"another match", 0, func(h *watchHost) { h.other = true }, false, returnTimeout, `sent match "other" instead of m`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, w := watchMatch(t, cutproxy.Pass)
				h.start()
				h.say("hello\n")
				synctest.Wait()
				h.set(func() { tt.change(h) })
				broke := time.Now()
				h.closeWith(tt.code)
				<-w.done
				_, refused := errors.AsType[*server.Refused](w.err)
				_, lost := errors.AsType[*server.ConnectionError](w.err)
				if w.err == nil || refused != tt.refused || lost == tt.refused || !strings.HasSuffix(w.err.Error(), tt.want) {
					t.Errorf("got %v (refused: %v), want %q (refused: %v)", w.err, refused, tt.want, tt.refused)
				}
				if took := time.Since(broke); took < tt.after || took > tt.after+10*time.Second {
					t.Errorf("got the end after %v, want it at about %v", took, tt.after)
				}
			})
		})
	}
}

// TestSilentMatchDoesNotShortenTheNextBreak breaks the connection twice, an hour apart, while
// the match says nothing.
func TestSilentMatchDoesNotShortenTheNextBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, w := watchMatch(t, cutproxy.Pass)
		h.start()
		h.say("hello\n")
		synctest.Wait()
		for range 2 {
			h.set(func() { h.code = protocol.CloseShutdown })
			h.closeWith(protocol.CloseShutdown)
			time.Sleep(returnTimeout / 2)
			h.set(func() { h.code = 0 })
			time.Sleep(time.Hour)
		}
		h.end()
		<-w.done
		if w.err != nil {
			t.Errorf("got %v, want the end of the match", w.err)
		}
	})
}
