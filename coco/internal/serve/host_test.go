package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/server"
	"colosseum/internal/test/cutproxy"
	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// pairHost is a host that assigns matches as a test asks for them.
type pairHost struct {
	t        *testing.T
	listener cutproxy.Pipes
	running  sync.WaitGroup
	hold     chan struct{} // the reply to a drain waits until it is closed, if it is not nil

	mu      sync.Mutex // guards the fields below
	down    bool       // connections are refused
	deaf    bool       // pings are not answered
	refuse  string     // the text with which Serve is refused, if any
	code    int        // with which a connection is closed after the handshake, or 0
	player  string
	feature string
	ws      *websocket.Conn  // that serves
	offers  []protocol.Serve // all that were received
	dials   []time.Time
}

func newPairHost(t *testing.T) *pairHost {
	h := &pairHost{t: t, listener: make(cutproxy.Pipes), player: "bob", feature: protocol.FeatureServe}
	upgrader := websocket.Upgrader{}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := upgrader.Upgrade(w, r, nil); err == nil {
			h.session(ws)
			ws.Close()
		}
	})}
	h.running.Go(func() { web.Serve(h.listener) })
	t.Cleanup(func() {
		close(h.listener)
		web.Close()
		h.running.Wait()
	})
	return h
}

// dial connects to the host.
func (h *pairHost) dial(ctx context.Context) (*server.Conn, error) {
	addr, err := server.ParseAddress("ws://host/")
	if err != nil {
		h.t.Fatal(err)
	}
	return server.Dial(ctx, addr, server.Options{Token: "secret", NetDial: func(context.Context, string, string) (net.Conn, error) {
		h.mu.Lock()
		h.dials = append(h.dials, time.Now())
		down := h.down
		h.mu.Unlock()
		if down {
			return nil, errors.New("connection refused")
		}
		client, near := net.Pipe()
		h.listener <- near
		return client, nil
	}})
}

// session serves one connection.
func (h *pairHost) session(ws *websocket.Conn) {
	pong := ws.PingHandler()
	ws.SetPingHandler(func(text string) error {
		h.mu.Lock()
		deaf := h.deaf
		h.mu.Unlock()
		if deaf {
			return nil
		}
		return pong(text)
	})
	if _, _, err := ws.ReadMessage(); err != nil {
		return
	}
	h.mu.Lock()
	code, refuse := h.code, h.refuse
	h.sendLocked(ws, protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Player: h.player, Features: []string{protocol.FeaturePlayers, h.feature}})
	h.mu.Unlock()
	if code != 0 {
		h.close(ws, code)
		return
	}
	for {
		_, b, err := ws.ReadMessage()
		if err != nil {
			return
		}
		name, body, _ := protocol.Split(b)
		var offer protocol.Serve
		if name != protocol.NameServe || protocol.Decode(name, body, &offer) != nil {
			h.t.Errorf("got the message %s, want %s", b, protocol.NameServe)
			return
		}
		if offer.Concurrency == 0 && h.hold != nil {
			<-h.hold
		}
		h.mu.Lock()
		h.offers = append(h.offers, offer)
		reply := protocol.ServingReply{Player: protocol.Ok("bob")}
		if refuse != "" {
			reply.Player = protocol.Refused[string](errors.New(refuse))
		}
		h.ws = ws
		h.sendLocked(ws, protocol.NameServing, reply)
		h.mu.Unlock()
	}
}

func (h *pairHost) sendLocked(ws *websocket.Conn, name string, body any) {
	ws.WriteMessage(websocket.TextMessage, protocol.Encode(name, body))
}

// close closes a connection. It reads at the same time, because a pipe has no buffer.
func (h *pairHost) close(ws *websocket.Conn, code int) {
	var reading sync.WaitGroup
	reading.Go(func() {
		for err := error(nil); err == nil; {
			_, _, err = ws.NextReader()
		}
	})
	ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "because"), time.Time{})
	reading.Wait()
}

// assign assigns matches with these IDs.
func (h *pairHost) assign(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		h.sendLocked(h.ws, protocol.NameServeMatch, protocol.ServeMatch{Info: info(id), Seconds: 15})
	}
}

func info(id string) protocol.MatchInfo { return protocol.MatchInfo{ID: id, Game: "g"} }

// cut ends the connection that serves; with a code, it sends a close frame first.
func (h *pairHost) cut(code int) {
	h.mu.Lock()
	ws := h.ws
	h.mu.Unlock()
	if code != 0 {
		ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "because"), time.Time{})
	}
	ws.Close()
}

// set changes the host.
func (h *pairHost) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// served is a daemon that runs. Its matches last until end is called.
type served struct {
	t    *testing.T
	host *pairHost
	stop func() // drains
	kill func() // ends the context
	err  error  // of Run, when done is closed
	done chan struct{}

	mu      sync.Mutex // guards the fields below
	playing map[string]chan MatchEnd
	most    int // matches at the same time
	events  []string
	ending  func(id string) MatchEnd // of matches that end at once; nil: they last
}

var errKilled = errors.New("killed")

func serveWith(t *testing.T, h *pairHost, change func(*Daemon, *served)) *served {
	s := &served{t: t, host: h, done: make(chan struct{}), playing: map[string]chan MatchEnd{}}
	d := &Daemon{Games: []string{"g"}, Concurrency: 2, Dial: h.dial, Play: s.play, Report: s.report, Jitter: func() float64 { return 1 }}
	if change != nil {
		change(d, s)
	}
	ctx, kill := context.WithCancelCause(context.Background())
	drain, stop := context.WithCancel(ctx)
	s.stop, s.kill = stop, func() { kill(errKilled) }
	t.Cleanup(s.kill)
	go func() {
		defer close(s.done)
		s.err = d.Run(ctx, drain)
	}()
	return s
}

func (s *served) play(ctx context.Context, info protocol.MatchInfo, name string) MatchEnd {
	end := make(chan MatchEnd)
	s.mu.Lock()
	if s.ending != nil {
		defer s.mu.Unlock()
		return s.ending(info.ID)
	}
	if s.playing[info.ID] != nil {
		s.t.Errorf("match %s: got a second process, want one", info.ID)
	}
	s.playing[info.ID] = end
	s.most = max(s.most, len(s.playing))
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.playing, info.ID)
		s.mu.Unlock()
	}()
	select {
	case out := <-end:
		return out
	case <-ctx.Done():
		return MatchEnd{Summary: match.Summary{Info: info}, Name: name, Err: context.Cause(ctx)}
	}
}

// end ends a match with a win.
func (s *served) end(id string) {
	s.mu.Lock()
	end := s.playing[id]
	s.mu.Unlock()
	if end == nil {
		s.t.Fatalf("match %s: got no process, want one", id)
	}
	end <- endOf(id, 1, true, nil)
}

// endOf is a match in which bob has a rank.
func endOf(id string, rank int, wrote bool, err error) MatchEnd {
	return MatchEnd{Summary: match.Summary{Info: info(id), Begun: true, Wrote: wrote, Result: &protocol.MatchResult{Players: []protocol.PlayerResult{
		{Name: "bob", Rank: rank, Score: 2, Ended: protocol.EndedFinished}, {Name: "eve", Rank: 3 - rank, Score: 1, Ended: protocol.EndedFinished},
	}}}, Name: "bob", Err: err}
}

func (s *served) report(e Event) {
	text := ""
	switch e.Kind {
	case Connected:
		text = "connected as " + e.Player
	case Entered:
		text = "entered " + e.Contest
	case Disconnected:
		text = fmt.Sprintf("no connection (%v), again in %v", e.Err, e.Delay)
	case Started:
		text = "started " + e.Match.ID
	case Dropped:
		text = "dropped " + e.Match.ID
	case Draining:
		text = "draining"
	case Ended:
		text = "ended " + e.End.Info.ID + " " + e.End.ending()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf("%s, %d running", text, e.Running))
}

// takeEvents returns the events since its last call.
func (s *served) takeEvents() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events
	s.events = nil
	return events
}

func wantEvents(t *testing.T, s *served, want ...string) {
	t.Helper()
	if got := s.takeEvents(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got the events %q, want %q", got, want)
	}
}
