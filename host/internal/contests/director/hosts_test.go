package director

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"colosseum/host/internal/cluster"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// hosts are several hosts in one process, with a network between them that delays and
// coalesces listings, and loses requests and answers.
type hosts struct {
	store    *memory
	programs *fakePrograms

	mu      sync.Mutex // guards the fields below
	rand    *rand.Rand
	all     map[string]*simHost // live ones, by name
	leader  *simHost            // nil: none
	playing map[string]int      // running matches, by player
	limit   map[string]int      // most matches, by player
	broken  []string            // what must not happen
	twice   int                 // matches of legs that had a result
	played  int
	hosted  int // seats that programs have taken
}

// simHost is a host, from its start to its death.
type simHost struct {
	hosts    *hosts
	name     string
	lobby    *lobby.Lobby
	desk     *serving.Desk
	director *Director
	handlers map[string]func(context.Context, []byte) (any, error)
	ctx      context.Context // of the process
	kill     context.CancelFunc
	running  sync.WaitGroup
	leading  chan struct{}      // has a value while it leads
	resign   context.CancelFunc // the mu of hosts guards it

	links map[string]*link // to other hosts, by name; the mu of hosts guards it
}

// link carries the listings of one host to another one.
type link struct {
	delivering sync.Mutex
	pending    map[string]lobby.Listing // by ID; the mu of hosts guards it
}

func (h *hosts) chance(n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rand.IntN(n)
}

func (h *hosts) delay(most time.Duration) time.Duration {
	return time.Duration(h.chance(int(most)))
}

func (h *hosts) host(name string) *simHost {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[name]
}

func (h *hosts) others(name string) []*simHost {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*simHost
	for _, n := range []string{"a", "b", "c"} {
		if s := h.all[n]; s != nil && n != name {
			list = append(list, s)
		}
	}
	return list
}

// start starts a host.
func (h *hosts) start(name string) *simHost {
	s := &simHost{hosts: h, name: name, handlers: map[string]func(context.Context, []byte) (any, error){}, links: map[string]*link{}, leading: make(chan struct{}, 1)}
	s.ctx, s.kill = context.WithCancel(context.Background())
	log := slog.New(slog.DiscardHandler)
	s.lobby = lobby.New(simGames{}, simRecorder{s}, lobby.Limits{Matches: 1000, Expiry: 10 * time.Minute, Stall: time.Hour}, "", log)
	matches := cluster.NewMatches(s, s.lobby)
	s.desk = serving.NewInCluster(matches, simGames{}, serving.Limits{Players: 1000, Rematch: 30 * time.Second, Accept: 15 * time.Second}, log)
	s.lobby.SetPrograms(simPrograms{s})
	s.director = New(contest.Organizer{Store: h.store}, s.desk, s.lobby, Settings{Parallel: 100, Programs: h.programs}, log)
	h.mu.Lock()
	h.all[name] = s
	h.mu.Unlock()
	for _, o := range h.others(name) {
		for _, x := range o.lobby.Listings() {
			if x.Host == "" {
				x.Host = o.name
				s.lobby.SetElsewhere(x)
			}
		}
	}
	s.lobby.Publish(s.publish)
	s.running.Go(func() { s.director.Run(s.ctx) })
	return s
}

// stop kills a host. The others notice it after some seconds.
func (s *simHost) stop() {
	h := s.hosts
	h.mu.Lock()
	delete(h.all, s.name)
	if h.leader == s {
		h.leader = nil
	}
	h.mu.Unlock()
	s.kill()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	s.lobby.Close(ended)
	s.desk.Close()
	s.running.Wait()
	time.AfterFunc(8*time.Second, func() {
		for _, o := range h.others("") {
			for _, x := range o.lobby.AllElsewhere() {
				if x.Host == s.name && !x.Gone {
					x.Gone, x.Reason = true, "the host of the match stopped"
					o.lobby.SetElsewhere(x)
				}
			}
		}
	})
}

// has reports whether a match lives on this host.
func (s *simHost) has(id string) bool {
	return slices.ContainsFunc(s.lobby.Listings(), func(x lobby.Listing) bool { return x.Host == "" && x.Info.ID == id })
}

// lead has a host lead until another one does, or it dies. The one that led before may
// need some time to notice.
func (h *hosts) lead(s *simHost) {
	ctx, cancel := context.WithCancel(s.ctx)
	h.mu.Lock()
	if h.leader != nil {
		h.leader.resign()
	}
	h.leader, s.resign = s, cancel
	h.mu.Unlock()
	s.running.Go(func() {
		s.leading <- struct{}{} // not a mutex, with which time would stand still
		defer func() { <-s.leading }()
		s.desk.Lead(ctx, s.director.Lead)
	})
}

// publish implements the callback of Publish.
func (s *simHost) publish(x lobby.Listing) {
	h := s.hosts
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all[s.name] != s {
		return // dead
	}
	x.Host = s.name
	for name, o := range h.all {
		if o == s {
			continue
		}
		l := s.links[name]
		if l == nil {
			l = &link{pending: map[string]lobby.Listing{}}
			s.links[name] = l
		}
		l.pending[x.Info.ID] = x
		time.AfterFunc(time.Duration(h.rand.IntN(int(700*time.Millisecond))), func() { s.deliver(o, l) })
	}
}

func (s *simHost) deliver(to *simHost, l *link) {
	l.delivering.Lock()
	defer l.delivering.Unlock()
	s.hosts.mu.Lock()
	pending := l.pending
	l.pending = map[string]lobby.Listing{}
	s.hosts.mu.Unlock()
	for _, x := range pending {
		to.lobby.SetElsewhere(x)
		if x.Gone {
			time.AfterFunc(time.Minute, func() { to.lobby.ForgetElsewhere(x.Info.ID) })
		}
	}
}

// Place implements cluster.Peers.
func (s *simHost) Spread(string, bool) string {
	s.hosts.mu.Lock()
	defer s.hosts.mu.Unlock()
	name := []string{"a", "b", "c"}[s.hosts.rand.IntN(3)]
	if name == s.name || s.hosts.all[name] == nil {
		return ""
	}
	return name
}

// Owner implements cluster.Peers.
func (s *simHost) Owner(context.Context, string) (string, error) { return "", nil }

// Published implements cluster.Peers.
func (s *simHost) Published(context.Context, string) {
	time.Sleep(s.hosts.delay(20 * time.Millisecond))
}

// Handle implements cluster.Peers.
func (s *simHost) Handle(name string, f func(context.Context, []byte) (any, error)) {
	s.handlers[name] = f
}

// Request implements cluster.Peers.
func (s *simHost) Request(ctx context.Context, host, name string, in, out any) error {
	lost := errors.New("the other host does not answer")
	time.Sleep(s.hosts.delay(50 * time.Millisecond))
	to := s.hosts.host(host)
	how := s.hosts.chance(50)
	if to == nil || s.ctx.Err() != nil || how == 0 {
		return lost
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := to.handlers[name](ctx, body)
	if err != nil {
		return err
	}
	time.Sleep(s.hosts.delay(50 * time.Millisecond))
	if s.ctx.Err() != nil || how == 1 {
		return lost
	}
	if body, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(body, out)
}

// simRecorder writes the records of a host into the store of all.
type simRecorder struct{ host *simHost }

func (simRecorder) Begin(*record.Match) {}

func (r simRecorder) Finish(_ context.Context, m *record.Match) error {
	h := r.host.hosts
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all[r.host.name] != r.host {
		return record.ErrFenced
	}
	h.played++
	if m.Fixture == nil {
		return nil
	}
	x := contest.Match{Spec: &contest.Spec{Name: m.Fixture.Contest}}
	x.Pairing, x.Leg, x.Seats, x.Seed = m.Fixture.Pairing, m.Fixture.Leg, m.Fixture.Entries, m.Seed
	x.Entries = make([]contest.Entry, len(x.Seats))
	var ranks []int
	for i, seat := range m.Seats {
		x.Entries[i].Name = seat.Name
		if seat.Ended == driver.EndedFinished {
			ranks = append(ranks, seat.Rank)
		}
	}
	if len(ranks) < len(m.Seats) {
		ranks = nil
	}
	if ranks != nil && slices.ContainsFunc(h.store.allResults(), func(o store.Result) bool {
		return !o.Aborted && o.Contest == m.Fixture.Contest && o.Pairing == x.Pairing && o.Leg == x.Leg
	}) {
		h.twice++
		return nil
	}
	h.store.finish(m.ID, x, ranks)
	return nil
}

func (m *memory) allResults() []store.Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.results)
}

// daemon is a player that serves, and comes back when it is stopped.
type daemon struct {
	hosts  *hosts
	player string
	most   int
	joins  bool // it joins its matches
	closed chan struct{}
}

// simConn is a connection of a daemon.
type simConn struct {
	*daemon
	desk *serving.Desk
}

func (c *simConn) Serving(string, []string) {}
func (c *simConn) Replaced()                {}

func (c *simConn) Stopped() {
	time.AfterFunc(time.Second+c.hosts.delay(2*time.Second), c.connect)
}

func (d *daemon) connect() {
	select {
	case <-d.closed:
		return
	default:
	}
	d.hosts.mu.Lock()
	leader := d.hosts.leader
	d.hosts.mu.Unlock()
	if leader == nil {
		time.AfterFunc(time.Second, d.connect)
		return
	}
	c := &simConn{d, leader.desk}
	if err := leader.desk.Serve(c, d.player, protocol.Serve{Games: []string{"duel"}, Concurrency: d.most}); err != nil {
		time.AfterFunc(time.Second, d.connect)
	}
}

// Assign has the player join the match some time later, on the host where it lives.
func (c *simConn) Assign(m protocol.ServeMatch) {
	if !c.joins {
		return
	}
	time.AfterFunc(c.hosts.delay(2*time.Second), func() {
		for _, s := range c.hosts.others("") {
			if s.has(m.Info.ID) {
				_ = s.lobby.Join(&simSeat{hosts: c.hosts, player: c.player}, lobby.Client{Player: c.player}, protocol.LobbyJoinMatch{ID: m.Info.ID, Name: c.player})
			}
		}
	})
}

// simSeat is a player in a match.
type simSeat struct {
	hosts   *hosts
	player  string
	started bool
}

func (p *simSeat) count(n int) {
	h := p.hosts
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.playing[p.player] += n; h.playing[p.player] > h.limit[p.player] {
		h.broken = append(h.broken, fmt.Sprintf("%s plays %d matches at the same time, want at most %d", p.player, h.playing[p.player], h.limit[p.player]))
	}
}

func (p *simSeat) Started(*match.Match, int) {
	p.started = true
	p.count(1)
}

func (p *simSeat) Ended(protocol.MatchResult) {
	if p.started {
		p.count(-1)
	}
}

func (*simSeat) Joined(protocol.MatchInfo)  {}
func (*simSeat) Update([]byte)              {}
func (*simSeat) Expired(_, _ string)        {}
func (*simSeat) Send([]byte)                {}
func (*simSeat) Written() (time.Time, bool) { return time.Time{}, true }
func (*simSeat) Lag() time.Duration         { return 0 }
func (*simSeat) Probe()                     {}
func (*simSeat) Away(string, time.Time)     {}
func (*simSeat) Unread(time.Time) bool      { return false }
func (*simSeat) Cut()                       {}

// simPrograms are the programs of a host. Sometimes it can't run them.
type simPrograms struct{ host *simHost }

func (p simPrograms) Play(ctx context.Context, m lobby.HostedMatch) {
	h := p.host.hosts
	time.Sleep(h.delay(3 * time.Second))
	if h.chance(20) == 0 {
		p.host.lobby.Remove(m.ID, "the host could not run a program")
	}
	for _, s := range m.Seats {
		if p.host.lobby.JoinProgram(&simSeat{hosts: h, player: "programs"}, m.ID, s.Player) == nil {
			h.mu.Lock()
			h.hosted++
			h.mu.Unlock()
		}
	}
	<-ctx.Done()
}

// simGames has one game for two players, which takes some seconds. Its seed decides who
// wins.
type simGames struct{}

func (g simGames) Find(name string) (*catalog.Offer, error) {
	if name != "duel" {
		return nil, catalog.ErrUnknown
	}
	return &catalog.Offer{Name: name, Plugin: name, Version: "v1", Engine: g}, nil
}

func (simGames) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	game := sdk.Game{Name: "duel", MinPlayers: 2, Players: 2, MaxPlayers: 2, Timeout: 30}
	return driver.Of(&game).Prepare(r)
}

func (simGames) Open(start *driver.Setup, in engine.Receiver) (engine.Match, error) {
	r := rand.New(rand.NewPCG(start.Seed, 1))
	end := &driver.Result{Seats: []driver.SeatResult{{Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "finished"}}}
	switch r.IntN(5) {
	case 0, 1:
		end.Seats[0].Rank, end.Seats[1].Rank = 2, 1
	case 2:
		end.Seats[1].Rank = 1
	}
	time.AfterFunc(time.Duration(r.IntN(20_000))*time.Millisecond, func() { in.Put(&driver.Frame{End: end}) })
	return simMatch{}, nil
}

type simMatch struct{}

func (simMatch) Answer([]driver.Answer) {}
func (simMatch) Stop()                  {}
