package web

import (
	"context"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"colosseum/host/internal/rendered"
	"colosseum/protocol"
)

// Three bounds keep readers from slowing down players. Each address has a budget of
// points a second, which WebSockets and HTTP share. All addresses together, exempt
// ones too, have another. And few goroutines at a time do work that takes long.

// pointBytes is how much of an answer costs a point more, beyond that of the
// request. A point is about a quarter of a millisecond of a core at most.
const pointBytes = 16 << 10

// The points of requests that read. What is long costs more when it is known how
// long it is. Who creates, joins or leaves a match does not read: limits of their
// own are for that.
var points = map[string]int{
	protocol.NameGameList:         1,
	protocol.NameGameDescription:  1,
	protocol.NameLobbyList:        1,
	protocol.NameLobbySubscribe:   1,
	protocol.NameSpectateJoin:     1,
	protocol.NameHistoryMatch:     2,
	protocol.NameHistoryMatchList: 2,
}

const (
	// readWait is how long a session's request waits for the points of both
	// budgets. The protocol knows no refusal of most requests, and a client has one
	// of them at a time.
	readWait = requestTimeout
	// maxWaiting is how many requests wait for the slots. More: they are refused.
	maxWaiting = 64
)

// hostBurst is how many seconds of what all may read together may come at once.
const hostBurst = 0.5

// hostCharge is the most points that the length of an answer takes off the budget
// of all, so that a few long ones do not keep everybody else from reading. What is
// longer is bounded by the slots, and by what the client takes.
const hostCharge = 16

// hostReads is the budget of all addresses together, also of those without limits.
func hostReads(perSecond int) *rate.Limiter {
	if perSecond == 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(perSecond), max(1, int(float64(perSecond)*hostBurst)))
}

var tooMuchRead = protocolError{protocol.CloseLimit, "too many requests from your address: ask for less"}

// reserve takes points off what an address may spend. It returns how long the
// client must wait for them; when that is longer than most, nothing is taken.
func (v *visitor) reserve(points int, most time.Duration) (wait time.Duration) {
	if v == nil {
		return 0
	}
	return reserve(v.reads, points, most)
}

func reserve(budget *rate.Limiter, points int, most time.Duration) (wait time.Duration) {
	if budget == nil {
		return 0
	}
	now := time.Now()
	r := budget.ReserveN(now, min(points, budget.Burst()))
	if wait = r.DelayFrom(now); wait > most {
		r.CancelAt(now)
	}
	return wait
}

// reserve takes points off what an address may spend, and off what all may. It
// returns how long the client must wait; when that is longer than most, it
// returns the limit that was met as well.
func (s *Server) reserve(v *visitor, points int, most time.Duration) (wait time.Duration, refused string) {
	if wait = v.reserve(points, most); wait > most {
		return wait, limitReads
	}
	all := reserve(s.reads, points, most)
	if all > most {
		return all, limitHostReads
	}
	return max(wait, all), ""
}

// read waits until a session may ask for something, or returns why it may not.
func (s *session) read(name string) error {
	n := points[name]
	if n == 0 {
		return nil
	}
	wait, refused := s.server.reserve(s.visitor, n, readWait)
	switch refused {
	case limitReads:
		return tooMuchRead
	case limitHostReads:
		return errTooManyReaders
	}
	s.rest(wait)
	return nil
}

// rest waits for a time, or until the connection is being closed.
func (w *writer) rest(d time.Duration) {
	if d <= 0 {
		return
	}
	over := false // guarded by mu
	timer := time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		over = true
		w.room.Broadcast()
	})
	defer timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !over && !w.closing {
		w.room.Wait()
	}
}

// charge takes off what a long answer costs beyond its request.
func (s *session) charge(bytes int) { s.server.owe(s.visitor, bytes/pointBytes) }

// owe is reserve for what was read already: it never refuses. It returns how long
// the client would have had to wait because of its address.
func (s *Server) owe(v *visitor, points int) (wait time.Duration) {
	if points == 0 {
		return 0
	}
	reserve(s.reads, min(points, hostCharge), rate.InfDuration)
	return v.reserve(points, rate.InfDuration)
}

// Pay takes points for an HTTP request off what its client's address may spend,
// and off what all may. When they are used up, it waits, up to a second; when that
// is not enough, it waits too, so that a client that asks again at once costs
// little, and returns how long the client should stay away. 0: the request may be
// answered. Busy says that it is the limit of all.
func (s *Server) Pay(r *http.Request, points int) (retry time.Duration, busy bool) {
	wait, refused := s.reserve(s.visitors.visit(s.address(r)), points, maxPause)
	if refused != "" {
		s.limit(refused)
		retry, busy = wait, refused == limitHostReads
	}
	if wait > 0 {
		pause := time.NewTimer(min(wait, maxPause))
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-r.Context().Done():
		}
	}
	return retry, busy
}

// Charge takes off what an answer of so many bytes costs beyond its request, and
// returns how long the client would have had to wait for that.
func (s *Server) Charge(r *http.Request, bytes int) (wait time.Duration) {
	if bytes < pointBytes {
		return 0
	}
	return s.owe(s.visitors.visit(s.address(r)), bytes/pointBytes)
}

// Work waits until what takes long may be done, which is until done is called.
// Not ok: too many others wait, or ctx has ended.
func (s *Server) Work(ctx context.Context) (done func(), ok bool) {
	done, ok = s.slots.take(ctx)
	if !ok {
		s.limit(limitBusy)
	}
	return done, ok
}

// restAfter is how long work is after which its slot rests for as long: those who
// play then have all cores for half of the time, however many wait.
const restAfter = time.Millisecond

// slots are for work that takes long.
type slots struct {
	busy    chan struct{} // a token each
	waiting atomic.Int64
}

// newSlots leaves at least half of the host's Ps to those who play.
func newSlots() *slots {
	return &slots{busy: make(chan struct{}, max(1, min(2, runtime.GOMAXPROCS(0)/2)))}
}

func (s *slots) take(ctx context.Context) (done func(), ok bool) {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiting {
		return nil, false
	}
	select {
	case s.busy <- struct{}{}: // in the order in which they came
	case <-ctx.Done():
		return nil, false
	}
	began := time.Now()
	return func() {
		if worked := time.Since(began); worked >= restAfter {
			time.AfterFunc(worked, func() { <-s.busy })
		} else {
			<-s.busy
		}
	}, true
}

// lists are answers that are the same for all, encoded.
type lists struct {
	games   rendered.Cache[uint64, *gameAnswers]
	lobby   rendered.Cache[uint64, *lobbyAnswers]
	history rendered.Cache[uint64, []byte]
}

// gameAnswers are about the games of one generation.
type gameAnswers struct {
	list, listV1 []byte
	descriptions map[string][]byte // by game
}

// lobbyAnswers are about the matches of one generation.
type lobbyAnswers struct {
	generation uint64
	list, seed []byte
}

// gameAnswers returns what is to say about the games now.
func (s *Server) gameAnswers() *gameAnswers {
	a, _ := s.lists.games.Get(s.games.Generation, func() (*gameAnswers, error) { // without errors
		offers := s.games.List()
		a := &gameAnswers{
			list: protocol.Encode(protocol.NameGameList, gameList(offers)), listV1: protocol.Encode(protocol.NameGameList, gameListV1(offers)),
			descriptions: map[string][]byte{},
		}
		for _, o := range offers {
			a.descriptions[o.Name] = protocol.Encode(protocol.NameGameDescription, protocol.GameDescriptionReply{Description: &o.Rules})
		}
		return a, nil
	})
	return a
}

// lobbyAnswers returns what is to say about the lobby now.
func (s *Server) lobbyAnswers() *lobbyAnswers {
	a, _ := s.lists.lobby.Get(s.lobby.Generation, func() (*lobbyAnswers, error) { // without errors
		infos, generation := s.lobby.Snapshot()
		return &lobbyAnswers{
			generation: generation,
			list:       protocol.Encode(protocol.NameLobbyList, protocol.LobbyListReply{Info: infos}),
			seed:       protocol.Encode(protocol.NameLobbySubscribed, protocol.LobbySubscribedReply{Seed: infos}),
		}, nil
	})
	return a
}

// historyList returns the encoded list of the matches that have ended.
func (s *Server) historyList(ctx context.Context) ([]byte, error) {
	return s.lists.history.Get(s.history.Generation, func() ([]byte, error) {
		done, ok := s.slots.take(ctx)
		if !ok {
			return nil, errBusy
		}
		defer done()
		ids, err := s.history.List(ctx, historyLimit)
		if err != nil {
			return nil, err
		}
		if ids == nil {
			ids = []string{}
		}
		return protocol.Encode(protocol.NameHistoryMatchList, ids), nil
	})
}
