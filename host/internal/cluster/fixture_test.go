package cluster

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

func TestMain(m *testing.M) {
	waits.Together()
	os.Exit(m.Run())
}

const testSecret = "0123456789abcdef0123456789abcdef"

// fast has short periods, and two that no test reaches. A listing can arrive later than the
// sign that its host has listed all, but not by sweepDelay.
var fast = times{tick: 20 * time.Millisecond, silent: time.Hour, again: time.Hour, gone: 100 * time.Millisecond, sweepDelay: time.Second, complete: 100 * time.Millisecond, reconnect: 20 * time.Millisecond}

// testHost is a host with a real lobby.
type testHost struct {
	*Cluster
	lobby  *lobby.Lobby
	fenced atomic.Int32 // calls of Sources.Fenced
	now    atomic.Int32 // its number of matches, for its listing
	stop   context.CancelFunc
	done   chan struct{} // closed after Run
}

// openHost opens a host of the duel, and does not run it.
func openHost(t testing.TB, nats string, table *fakeTable, name, secret string, times times) *testHost {
	t.Helper()
	h := &testHost{done: make(chan struct{})}
	h.lobby = lobby.New(duels{}, noRecorder{}, lobby.Limits{Matches: 100_000, Expiry: time.Hour, Stall: time.Minute}, "", slog.New(slog.DiscardHandler))
	sources := Sources{
		Games:    func() []Game { return []Game{{Name: "duel", Version: "v1"}} },
		Matches:  func() (now, most int) { return int(h.now.Load()), 100 },
		Sessions: func() int { return 7 },
		Fenced:   func() { h.fenced.Add(1) },
	}
	config := Config{Name: name, NATS: nats, Advertise: "ws://" + name + ":8088", Secret: []byte(secret)}
	var err error
	h.Cluster, err = open(context.Background(), config, h.lobby, table.of(name), sources, slog.New(slog.DiscardHandler), times)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		h.lobby.Close(ended)
		h.end()
		h.Close()
	})
	return h
}

// startHost opens and runs a host.
func startHost(t testing.TB, nats string, table *fakeTable, name string, times times) *testHost {
	t.Helper()
	h := openHost(t, nats, table, name, testSecret, times)
	h.run()
	return h
}

// startHosts starts the hosts a, b and c, and waits until they know each other.
func startHosts(t testing.TB, nats string, table *fakeTable, times times) []*testHost {
	t.Helper()
	var hosts []*testHost
	for _, name := range []string{"a", "b", "c"} {
		hosts = append(hosts, startHost(t, nats, table, name, times))
	}
	for _, h := range hosts {
		poll.Until(t, h.Name()+" knows 3 hosts", func() bool { return len(h.Hosts()) == 3 })
	}
	return hosts
}

func (h *testHost) run() {
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() { // ends with ctx
		defer close(h.done)
		h.Run(ctx)
	}()
}

// end ends Run.
func (h *testHost) end() {
	if h.stop != nil {
		h.stop()
		<-h.done
	}
}

// kill ends the host without a word to the others.
func (h *testHost) kill() {
	h.nats.Close()
	h.end()
}

// handle is Handle. It returns when NATS knows it.
func (h *testHost) handle(t *testing.T, name string, f func(ctx context.Context, body []byte) (any, error)) {
	t.Helper()
	h.Handle(name, f)
	if err := h.nats.Flush(); err != nil {
		t.Fatal(err)
	}
}

func (h *testHost) create(t testing.TB) string {
	t.Helper()
	id, err := h.lobby.Create(context.Background(), lobby.Client{}, protocol.GameNew{Name: "T", Game: "duel"})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// createKept creates a match with seats that are kept.
func (h *testHost) createKept(t testing.TB) string {
	t.Helper()
	info, err := h.lobby.CreateFor(context.Background(), lobby.Client{}, protocol.GameNew{Name: "T", Game: "duel"},
		&lobby.Seats{Players: []string{"alice", "bob"}, Within: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return info.ID
}

// waitForMatches waits until hosts list exactly the given matches.
func waitForMatches(t testing.TB, hosts []*testHost, want ...string) {
	t.Helper()
	slices.Sort(want)
	for _, h := range hosts {
		poll.Until(t, h.Name()+" lists the right matches", func() bool { return slices.Equal(h.ids(), want) })
	}
}

// ids returns the matches that a host lists.
func (h *testHost) ids() []string {
	var ids []string
	for _, info := range h.lobby.List() {
		ids = append(ids, info.ID)
	}
	slices.Sort(ids)
	return ids
}

// fakeTable is the table of hosts in PostgreSQL.
type fakeTable struct {
	mu       sync.Mutex // guards the fields below
	rows     map[string]*store.HostRow
	leader   *fakeLock
	withNATS map[*fakeLock]bool
	standIn  *fakeLock
	fences   []string // the hosts that were fenced
	broken   bool     // each call fails
	failed   int      // calls of List while it was broken
}

func newTable() *fakeTable {
	return &fakeTable{rows: map[string]*store.HostRow{}, withNATS: map[*fakeLock]bool{}}
}

func (f *fakeTable) of(name string) *fakeHosts {
	f.mu.Lock()
	defer f.mu.Unlock()
	row := f.rows[name]
	if row == nil {
		row = &store.HostRow{Name: name}
		f.rows[name] = row
	}
	row.Generation++
	return &fakeHosts{fakeTable: f, row: row, generation: row.Generation}
}

func (f *fakeTable) fenced() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.fences)
}

// breakLock takes the leadership from its host, as a broken connection does.
func (f *fakeTable) breakLock() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.leader.lost)
	f.leader = nil
}

// fakeHosts is the table as one host uses it.
type fakeHosts struct {
	*fakeTable
	row        *store.HostRow
	generation int64
}

var errBroken = errors.New("broken")

func (h *fakeHosts) Beat(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.broken:
		return errBroken
	case h.generation != h.row.Generation:
		return record.ErrFenced
	}
	h.row.Beat++
	return nil
}

func (h *fakeHosts) List(context.Context) (rows []store.HostRow, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		h.failed++
		return nil, errBroken
	}
	for _, r := range h.rows {
		rows = append(rows, *r)
	}
	return rows, nil
}

func (h *fakeHosts) Fence(_ context.Context, dead store.HostRow) (aborted []string, fenced bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	row := h.rows[dead.Name]
	if *row != dead {
		return nil, false, nil
	}
	row.Generation++
	h.fences = append(h.fences, dead.Name)
	return nil, true, nil
}

func (h *fakeHosts) Renew(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.row.Generation++
	h.generation = h.row.Generation
	return nil
}

func (h *fakeHosts) Lead(context.Context) (Lock, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leader != nil {
		return nil, nil
	}
	h.leader = &fakeLock{h.fakeTable, make(chan struct{})}
	return h.leader, nil
}

func (h *fakeHosts) WithNATS(context.Context) (Lock, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.standIn != nil {
		return nil, nil
	}
	l := &fakeLock{h.fakeTable, make(chan struct{})}
	h.withNATS[l] = true
	return l, nil
}

func (h *fakeHosts) StandIn(context.Context) (Lock, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.standIn != nil || len(h.withNATS) > 0 {
		return nil, nil
	}
	h.standIn = &fakeLock{h.fakeTable, make(chan struct{})}
	return h.standIn, nil
}

type fakeLock struct {
	table *fakeTable
	lost  chan struct{}
}

func (l *fakeLock) Lost() <-chan struct{} { return l.lost }

func (l *fakeLock) Release() {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	delete(l.table.withNATS, l)
	if l.table.leader == l {
		l.table.leader = nil
	}
	if l.table.standIn == l {
		l.table.standIn = nil
	}
}

// duels is a catalog with one game.
type duels struct{}

func (duels) Find(name string) (*catalog.Offer, error) {
	if name != "duel" {
		return nil, catalog.ErrUnknown
	}
	return &catalog.Offer{Name: "duel", Plugin: "duels", Version: "v1", Timeout: 30, Engine: duelEngine{}}, nil
}

// duelEngine prepares matches that never begin.
type duelEngine struct{}

func (duelEngine) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	game := sdk.Game{Name: "duel", MinPlayers: 2, MaxPlayers: 2, Timeout: 30}
	return driver.Of(&game).Prepare(r)
}

func (duelEngine) Open(*driver.Setup, engine.Receiver) (engine.Match, error) {
	return nil, engine.ErrGone
}

type noRecorder struct{}

func (noRecorder) Begin(*record.Match)                         {}
func (noRecorder) Finish(context.Context, *record.Match) error { return nil }
