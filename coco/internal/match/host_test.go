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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/terminal"
	"colosseum/internal/test/cutproxy"
	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// seatHost is a host with one match and one seat. It is strict about tickets: it accepts
// only the counts that the protocol allows.
type seatHost struct {
	t *testing.T

	writing sync.Mutex // held while a frame is written

	mu       sync.Mutex // guards the fields below
	names    []string   // of the text messages that it receives, except acknowledgements
	ws       *websocket.Conn
	ticket   string
	refuse   string // the text of refusals, if any
	code     int    // with which the connection is closed after the handshake, or 0
	started  bool
	ended    bool
	stream   []byte
	acked    uint64
	half     []byte // of a line
	lines    []string
	answered chan string // lines, once each
	arrivals int         // connections
}

func newSeatHost(t *testing.T) *seatHost {
	return &seatHost{t: t, ticket: "ticket-1", answered: make(chan string, 10_000)} // full: the test fails
}

// serve starts the host behind a proxy, and returns the function that connects to it.
func (h *seatHost) serve(plan cutproxy.Plan) (dial func(context.Context) (*server.Conn, error)) {
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
	connect := func() (net.Conn, error) {
		client, host := net.Pipe()
		listener <- host
		return client, nil
	}
	proxy := cutproxy.New(plan, connect)
	h.t.Cleanup(func() {
		proxy.Close()
		close(listener)
		web.Close()
		running.Wait()
	})
	addr, err := server.ParseAddress("ws://host/")
	if err != nil {
		h.t.Fatal(err)
	}
	return func(ctx context.Context) (*server.Conn, error) {
		return server.Dial(ctx, addr, server.Options{NetDial: func(context.Context, string, string) (net.Conn, error) {
			client, near := net.Pipe()
			running.Go(func() { proxy.Serve(near) })
			return client, nil
		}})
	}
}

func (h *seatHost) write(ws *websocket.Conn, name string, body any) {
	h.writing.Lock()
	defer h.writing.Unlock()
	ws.WriteMessage(websocket.TextMessage, protocol.Encode(name, body))
}

// session serves one connection.
func (h *seatHost) session(ws *websocket.Conn) {
	_, _, err := ws.ReadMessage()
	if err != nil {
		return
	}
	h.write(ws, protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Features: []string{protocol.FeatureResume}})
	h.mu.Lock()
	h.arrivals++
	code := h.code
	h.mu.Unlock()
	if code != 0 {
		ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, "because"))
		for err == nil {
			_, _, err = ws.NextReader() // until the client has answered, like a host
		}
		return
	}
	for {
		kind, b, err := ws.ReadMessage()
		if err != nil {
			h.lost(ws, err)
			return
		}
		if kind == websocket.BinaryMessage {
			h.take(ws, b)
			continue
		}
		name, body, _ := protocol.Split(b)
		h.handle(ws, name, body)
	}
}

func (h *seatHost) handle(ws *websocket.Conn, name string, body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if name != protocol.NameMatchReceived {
		h.names = append(h.names, name)
	}
	switch name {
	case protocol.NameLobbyJoinMatch:
		var join protocol.LobbyJoinMatch
		protocol.Decode(name, body, &join)
		if !join.Resume {
			h.t.Error("got a join without resume, want one with it")
		}
		h.ws, h.ticket = ws, join.Ticket
		h.write(ws, protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(protocol.MatchInfo{ID: "m", Name: "T", Game: "g"}), Ticket: h.ticket})
	case protocol.NameMatchReceived:
		var received protocol.MatchReceived
		protocol.Decode(name, body, &received)
		if h.ws != ws {
			return // sent before the break
		}
		if received.Bytes < h.acked || received.Bytes > uint64(len(h.stream)) {
			h.t.Errorf("got an acknowledgement of %d bytes, want one from %d to %d", received.Bytes, h.acked, len(h.stream))
		}
		h.acked = received.Bytes
	case protocol.NameMatchResume:
		var resume protocol.MatchResume
		protocol.Decode(name, body, &resume)
		if h.refuse != "" || resume.Ticket != h.ticket {
			h.write(ws, protocol.NameMatchResumed, protocol.MatchResumedReply{Info: protocol.Refused[protocol.MatchInfo](errors.New(h.refuse))})
			return
		}
		if resume.Received < h.acked || resume.Received > uint64(len(h.stream)) {
			h.t.Errorf("got a return with %d bytes, want one with %d to %d", resume.Received, h.acked, len(h.stream))
		}
		h.ws, h.half, h.acked = ws, nil, resume.Received
		h.write(ws, protocol.NameMatchResumed, protocol.MatchResumedReply{
			Info: protocol.Ok(protocol.MatchInfo{ID: "m"}), Taken: uint64(len(h.lines)), Started: h.started,
		})
		h.writing.Lock()
		if rest := h.stream[resume.Received:]; len(rest) > 0 {
			ws.WriteMessage(websocket.BinaryMessage, rest)
		}
		h.writing.Unlock()
		if h.ended {
			h.write(ws, protocol.NameMatchEnded, nil)
		}
	}
}

// take takes bytes of the player.
func (h *seatHost) take(ws *websocket.Conn, b []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ws != ws {
		return // another connection has taken over
	}
	h.half = append(h.half, b...)
	for {
		line, rest, ok := bytes.Cut(h.half, []byte{'\n'})
		if !ok {
			return
		}
		h.half = slices.Clone(rest)
		h.lines = append(h.lines, string(line))
		h.answered <- string(line)
	}
}

func (h *seatHost) lost(ws *websocket.Conn, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ws != ws {
		return
	}
	h.ws, h.half = nil, nil
	if websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		h.names = append(h.names, "closed")
	}
}

// start starts the match.
func (h *seatHost) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = true
	if h.ws != nil {
		h.write(h.ws, protocol.NameMatchStarted, nil)
	}
}

// say sends bytes of the stream.
func (h *seatHost) say(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stream = append(h.stream, text...)
	if h.ws != nil {
		h.writing.Lock()
		defer h.writing.Unlock()
		h.ws.WriteMessage(websocket.BinaryMessage, []byte(text))
	}
}

func (h *seatHost) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	if h.ws != nil {
		h.write(h.ws, protocol.NameMatchEnded, nil)
	}
}

func answer(round int) string {
	return fmt.Sprintf("answer %d %s", round, strings.Repeat("y", round*7%300))
}

// play is a match of rounds, with long and short texts.
func (h *seatHost) play(s *seat, rounds int) {
	h.start()
	h.say("hello\nwor")
	h.say("ld\n")
	for i := range rounds {
		h.say(strings.Repeat("x", i*i%1500) + "\n")
		h.say(fmt.Sprintf("? %d\n", i))
		select {
		case got := <-h.answered:
			if want := answer(i); got != want {
				h.t.Errorf("round %d: got %q, want %q", i, got, want)
			}
		case <-s.done:
			return
		}
	}
	h.end()
}

// seat is a client of the seatHost, with a program that answers the questions of play.
// The program writes each line in two halves.
type seat struct {
	match *Match
	file  *os.File
	seen  bytes.Buffer // by the program
	begun bool
	half  []byte
	err   error         // that ended it; nil: the match has ended
	done  chan struct{} // closed when it has ended
}

// join joins the match and plays it.
func join(t *testing.T, ctx context.Context, dial func(context.Context) (*server.Conn, error)) *seat {
	file, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	s := &seat{file: file, done: make(chan struct{})}
	s.match = &Match{ID: "m", Name: "ann", Dial: dial, Print: terminal.NewPrinter(file)}
	s.match.link = newLink("m", s.match.Print, dial)
	s.match.link.jitter = func() float64 { return 0.5 }
	if err := s.match.enter(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(ctx)
	output := make(chan string, 10_000)
	go s.match.link.watch(ctx) // until the seat is done
	go func() {                // until the seat is done
		for text := range output {
			s.match.link.send(ctx, []byte(text))
		}
	}()
	go func() { // until the match ends
		s.err = s.follow(ctx, output)
		close(output)
		stop()
		s.match.link.close()
		close(s.done)
	}()
	return s
}

func (s *seat) follow(ctx context.Context, output chan<- string) error {
	for {
		frame, err := s.match.link.receive(ctx)
		switch {
		case err != nil:
			return err
		case frame.Binary && !s.begun:
			return errors.New("bytes before the start of the match")
		case frame.Binary:
			s.read(frame.Stream, output)
		case frame.Name == protocol.NameMatchStarted:
			s.begun = true
		case frame.Name == protocol.NameMatchEnded:
			return nil
		}
	}
}

func (s *seat) read(b []byte, output chan<- string) {
	s.seen.Write(b)
	s.half = append(s.half, b...)
	for {
		line, rest, ok := bytes.Cut(s.half, []byte{'\n'})
		if !ok {
			return
		}
		s.half = slices.Clone(rest)
		var i int
		if _, err := fmt.Sscanf(string(line), "? %d", &i); err == nil {
			answer := answer(i) + "\n"
			output <- answer[:len(answer)/2]
			output <- answer[len(answer)/2:]
		}
	}
}

// printed returns the lines that coco has printed about the connection.
func (s *seat) printed(t *testing.T) []string {
	b, err := os.ReadFile(s.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	return slices.DeleteFunc(lines, func(l string) bool { return !strings.Contains(l, "onnect") || strings.Contains(l, "Game has") })
}

// cut breaks the connection.
func (h *seatHost) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ws.NetConn().Close()
	h.ws = nil
}

// closeWith closes the connection with a code.
func (h *seatHost) closeWith(code int) {
	h.mu.Lock()
	ws := h.ws
	h.mu.Unlock()
	ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "because"), time.Time{})
}
