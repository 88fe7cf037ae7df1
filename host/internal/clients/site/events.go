package site

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"colosseum/host/internal/clients/rendered"
	"colosseum/protocol"
)

// The events of the lobby that wait for slow clients. They are kept once for all; a client
// that is further behind than the oldest is dropped, and begins again with a seed.
const (
	maxEvents     = 4096
	maxEventBytes = 4 << 20
)

// heartbeat is after how long without an event a comment is sent, so that proxies keep the
// connection, and a client that has gone is noticed.
const heartbeat = 15 * time.Second

// feed has the changes of the lobby for the clients of /api/lobby/events. It subscribes to
// the lobby while it has clients. Each change is rendered once.
type feed struct {
	*shared
	seeds   rendered.Cache[uint64, *lobbySeed]
	joining sync.Mutex // held to subscribe and unsubscribe; the lobby's own mutex is taken after it
	clients int        // guarded by joining

	mu      sync.Mutex // guards the fields below; the lobby is locked while Feed takes it
	events  []*event   // the last ones
	first   uint64     // number of events[0]
	bytes   int        // of events
	changed chan struct{}
}

// event is a change of the lobby.
type event struct {
	generation uint64 // of the lobby, at least that of the change
	size       int
	text       func() []byte // as it is sent
}

func newFeed(s *shared) *feed { return &feed{shared: s, changed: make(chan struct{})} }

// Feed implements lobby.Subscriber.
func (f *feed) Feed(message []byte) {
	e := &event{f.Lobby.Generation(), len(message), sync.OnceValue(func() []byte { return eventText(message) })}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
	for f.bytes += e.size; len(f.events) > maxEvents || f.bytes > maxEventBytes; f.first++ {
		f.bytes -= f.events[0].size
		f.events = f.events[1:]
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// eventText renders a message of the lobby as an event.
func eventText(message []byte) []byte {
	name, body, err := protocol.Split(message)
	kind := map[string]string{protocol.NameLobbySubscribed: "seed", protocol.NameLobbyNew: "new", protocol.NameLobbyUpdate: "update", protocol.NameLobbyDelete: "delete"}[name]
	if err != nil || kind == "" {
		return nil // the lobby has no other messages
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, body)
}

// join adds a client and returns the number of its first event.
func (f *feed) join() (next uint64) {
	f.joining.Lock()
	defer f.joining.Unlock()
	if f.clients++; f.clients == 1 {
		f.Lobby.Subscribe(f, f.Lobby.Generation)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first + uint64(len(f.events))
}

func (f *feed) leave() {
	f.joining.Lock()
	defer f.joining.Unlock()
	if f.clients--; f.clients > 0 {
		return
	}
	f.Lobby.Unsubscribe(f)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.first += uint64(len(f.events))
	f.events, f.bytes = nil, 0
}

// since returns the events from a number on, and a channel that is closed when there are
// more. It is not ok if some of them are no longer kept.
func (f *feed) since(next uint64) (events []*event, more <-chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if next < f.first {
		return nil, nil, false
	}
	return f.events[next-f.first:], f.changed, true
}

// lobbySeed is the lobby's list as an event.
type lobbySeed struct {
	generation uint64
	text       []byte
}

func (f *feed) lobbySeed() *lobbySeed {
	seed, _ := f.seeds.Get(f.Lobby.Generation, func() (*lobbySeed, error) { // cannot fail
		infos, generation := f.Lobby.Snapshot()
		return &lobbySeed{generation, eventText(protocol.Encode(protocol.NameLobbySubscribed, protocol.LobbySubscribedReply{Seed: infos}))}, nil
	})
	return seed
}

// lobbyEvents sends the lobby's matches and then all changes, as server-sent events, until
// the client leaves or is too slow.
func (f *feed) lobbyEvents(w http.ResponseWriter, r *http.Request) {
	done, err := f.Readers.Follow(r)
	if err != nil {
		w.Header().Set("Retry-After", "30")
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer done()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would collect events
	if r.Method == http.MethodHead {
		return
	}
	next := f.join() // before the seed, so that no change is missed
	defer f.leave()
	seed := f.lobbySeed()
	f.Readers.Charge(r, len(seed.text))
	control := http.NewResponseController(w)
	send := func(texts ...[]byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // fails if the connection has no deadlines
		for _, text := range texts {
			if _, err := w.Write(text); err != nil {
				return false
			}
		}
		return control.Flush() == nil
	}
	// Clients that a stopped host has dropped come back at different times.
	if !send(fmt.Appendf(nil, "retry: %d\n\n", 2000+rand.IntN(3000)), seed.text) {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		events, more, ok := f.since(next)
		if !ok {
			return // the client is too slow
		}
		var texts [][]byte
		for _, e := range events {
			if e.generation > seed.generation {
				texts = append(texts, e.text())
			}
		}
		next += uint64(len(events))
		if len(texts) > 0 && !send(texts...) {
			return
		}
		select {
		case <-more:
		case <-beat.C:
			if !send([]byte(":\n\n")) {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
