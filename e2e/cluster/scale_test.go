package main

import (
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/race"
	"colosseum/protocol"
)

// TestManyMatchesOnThreeHostsAllEndRight starts all matches before the first move. The
// clients of a match are connected to one host, and the match can be on another one.
func TestManyMatchesOnThreeHostsAllEndRight(t *testing.T) {
	long.Only(t, "it plays many matches at once")
	const rounds = 10
	matches := 1000
	if race.On {
		matches = 150
	}
	programs.NeedFiles(t, 6*matches+1000) // with those of the links
	w := start(t, 3, "")
	before := w.resident()
	begin := time.Now()
	var played, joined sync.WaitGroup
	errs := make(chan error, 3*matches)
	gate := make(chan struct{}) // closed when the players can move
	numbers := make(chan int)
	for range 16 {
		joined.Go(func() { // ends with numbers
			for n := range numbers {
				if err := w.hosts[n%3].Prepare(rounds, gate, &played, errs); err != nil {
					errs <- err
				}
			}
		})
	}
	for n := range matches {
		numbers <- n
	}
	close(numbers)
	joined.Wait()
	ready := time.Since(begin)
	owned := []int{}
	for i := range w.hosts {
		owned = append(owned, w.owned(i, "roshambo"))
	}
	if total := owned[0] + owned[1] + owned[2]; total != matches || slices.Min(owned) < matches/6 {
		t.Errorf("got %v running matches on the hosts, want %d, and at least %d on each", owned, matches, matches/6)
	}
	if got := w.sameLobby(); len(got) != matches {
		t.Errorf("got %d matches in the lobby of each host, want %d", len(got), matches)
	}
	listed := time.Since(begin)
	running := w.resident()
	begin = time.Now()
	close(gate)
	played.Wait()
	took := time.Since(begin)
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	for i, h := range w.hosts {
		if got := len(h.Records(t)); got != matches {
			t.Errorf("host %d: got %d records, want %d", i, got, matches)
		}
	}
	w.idle()
	t.Logf("%d matches (%v on the hosts): %v to start, %v until all hosts list them, %v for %d rounds each; %d KiB per match on all hosts",
		matches, owned, ready, listed, took, rounds, (running-before)/matches)
}

// resident returns the resident memory of all hosts in KiB, without their games.
func (w *world) resident() (kib int) {
	for _, h := range w.Hosts {
		kib += programs.ResidentOf(w.t, h.PID())
	}
	return kib
}

// spectator is a client that only counts what it receives.
type spectator struct {
	conn  *websocket.Conn
	bytes int
	err   error
}

// spectate connects spectators of a match to a host, a few at a time.
func spectate(t testing.TB, h *programs.Host, id string, n int) []*spectator {
	t.Helper()
	at, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	dialer := websocket.Dialer{ReadBufferSize: 512, WriteBufferSize: 256, NetDial: func(string, string) (net.Conn, error) { return net.Dial("tcp", at.Host) }}
	all := make([]*spectator, n)
	numbers := make(chan int)
	var dialing sync.WaitGroup
	for range 16 {
		dialing.Go(func() { // ends with numbers
			for i := range numbers {
				s := &spectator{}
				all[i] = s
				if s.conn, _, s.err = dialer.Dial(h.URL, nil); s.err != nil {
					continue
				}
				c := &programs.Client{Conn: s.conn}
				var reply protocol.JoinedReply
				for _, err := range []error{
					c.Send(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}),
					c.Expect(protocol.NameHandshake, nil),
					c.Send(protocol.NameSpectateJoin, protocol.MatchID{ID: id}),
					c.Expect(protocol.NameSpectateJoined, &reply),
				} {
					if s.err == nil {
						s.err = err
					}
				}
				if s.err == nil {
					_, s.err = reply.Info.Get()
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	dialing.Wait()
	for i, s := range all {
		if s.err != nil {
			t.Fatalf("spectator %d: got %v, want a place", i, s.err)
		}
	}
	return all
}

// watch counts the bytes of the match up to its end.
func (s *spectator) watch() {
	defer s.conn.Close()
	var head [64]byte
	for {
		kind, r, err := s.conn.NextReader()
		if err != nil {
			s.err = err
			return
		}
		n, err := io.ReadFull(r, head[:])
		if kind == websocket.TextMessage && strings.Contains(string(head[:n]), protocol.NameSpectateEnded) {
			return
		}
		rest := int64(0)
		if err == nil {
			rest, err = io.Copy(io.Discard, r)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		if err != nil {
			s.err = err
			return
		}
		if kind == websocket.BinaryMessage {
			s.bytes += n + int(rest)
		}
	}
}

// TestSpectatorsOfAHostCostTheOwnerOneConnection watches a match from two other hosts.
func TestSpectatorsOfAHostCostTheOwnerOneConnection(t *testing.T) {
	long.Only(t, "it connects many spectators")
	const rounds, owner = 100, 0
	spectators := 3000
	if race.On {
		spectators = 300
	}
	programs.NeedFiles(t, spectators+1000)
	w := start(t, 3, "clients: {connections: 30000}\n")
	id := w.createOn(owner, programs.Roshambo(rounds, 0))
	var players []*programs.Client
	for _, name := range []string{"p0", "p1"} {
		c := w.hosts[owner].Dial(t)
		if err := c.Join(id, name); err != nil {
			t.Fatal(err)
		}
		players = append(players, c)
	}
	begin := time.Now()
	var all []*spectator
	for i := range 2 {
		all = append(all, spectate(t, w.hosts[i+1], id, spectators/2)...)
	}
	took := time.Since(begin)
	poll.Until(t, "the owner has one connection for each other host", func() bool { return w.Hosts[owner].FromHosts.Connections() <= 2 })
	if got := w.Hosts[owner].FromHosts.Connections(); got != 2 {
		t.Errorf("got %d connections of other hosts to the owner with %d spectators, want 2", got, spectators)
	}
	var watching, playing sync.WaitGroup
	for _, s := range all {
		watching.Go(s.watch) // ends with the match
	}
	begin = time.Now()
	most := 0
	for side, c := range players {
		playing.Go(func() { // ends with the match
			result, _, err := c.Roshambo(func(round int) string {
				if side == 0 {
					most = max(most, w.Hosts[owner].FromHosts.Connections())
				}
				return hands[(round+side)%3]
			})
			if err != nil || result == nil || !programs.Finished(result) {
				t.Errorf("player %d: got %+v, %v, want a finished match", side, result, err)
			}
		})
	}
	playing.Wait()
	watching.Wait()
	if most != 2 {
		t.Errorf("got up to %d connections of other hosts to the owner during the match, want 2", most)
	}
	history, err := w.hosts[1].Dial(t).History(id)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, s := range all {
		if s.err != nil || s.bytes != len(history.Stream) {
			if wrong++; wrong <= 5 {
				t.Errorf("a spectator: got %d bytes, %v, want the %d of the match", s.bytes, s.err, len(history.Stream))
			}
		}
	}
	if wrong > 0 {
		t.Errorf("got %d of %d spectators without the whole match, want none", wrong, len(all))
	}
	t.Logf("%d spectators: %v to join, %v for a match of %d rounds", spectators, took, time.Since(begin), rounds)
}
