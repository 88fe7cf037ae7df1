package cluster

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"colosseum/internal/test/natsserver"
	"colosseum/internal/test/poll"
)

// shortSilence returns times with which a dead host is fenced soon, but not a live one on
// a slow machine.
func shortSilence() times {
	t := fast
	t.silent = 4 * time.Second
	return t
}

// TestDeadHostIsFencedOnceAndItsMatchesEnd kills a host while two others observe it.
func TestDeadHostIsFencedOnceAndItsMatchesEnd(t *testing.T) {
	t.Parallel()
	nats, table := natsserver.Start(t), newTable()
	hosts := startHosts(t, nats.URL(), table, shortSilence())
	plain, kept, other := hosts[2].create(t), hosts[2].createKept(t), hosts[1].create(t)
	waitForMatches(t, hosts, plain, kept, other)
	hosts[2].kill()
	waitForMatches(t, hosts[:2], other)
	for _, h := range hosts[:2] {
		x, ok := h.lobby.Elsewhere(kept)
		if !ok || !x.Gone || x.Reason != hostStopped {
			t.Errorf("got the listing %+v on host %s, want one that is gone because the host stopped", x, h.Name())
		}
		if _, ok := h.lobby.Elsewhere(plain); ok {
			t.Errorf("got a listing of %s on host %s, want none", plain, h.Name())
		}
		poll.Until(t, h.Name()+" has forgotten c", func() bool { _, silent := h.hosts.all(); return !silent })
	}
	if got := table.fenced(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("got the fenced hosts %v, want c once", got)
	}
	if got := hosts[0].Stats().Fenced + hosts[1].Stats().Fenced; got != 1 {
		t.Errorf("got %d hosts that fenced c, want 1", got)
	}
	newcomer := startHost(t, nats.URL(), table, "d", fast)
	waitForMatches(t, []*testHost{newcomer}, other)
}

// TestFencedHostAbortsItsMatchesAndBeginsAgain fences it although it lives.
func TestFencedHostAbortsItsMatchesAndBeginsAgain(t *testing.T) {
	t.Parallel()
	table := newTable()
	hosts := startHosts(t, natsserver.Start(t).URL(), table, fast)
	id := hosts[2].create(t)
	waitForMatches(t, hosts, id)
	table.mu.Lock()
	table.rows["c"].Generation++
	table.mu.Unlock()
	hosts[0].endMatches(t.Context(), "c")
	poll.Until(t, "c aborts its matches", func() bool { return hosts[2].fenced.Load() == 1 })
	waitForMatches(t, hosts, id) // it waits for players, so it goes on
	beat := func() int64 {
		table.mu.Lock()
		defer table.mu.Unlock()
		return table.rows["c"].Beat
	}
	before := beat()
	poll.Until(t, "c beats again", func() bool { return beat() > before })
	if got := hosts[2].Stats().WasFenced; got != 1 {
		t.Errorf("got that c was fenced %d times, want once", got)
	}
}

// TestMatchThatAnotherHostEndsByMistakeIsListedAgain has a host take another one for dead,
// which has just begun again.
func TestMatchThatAnotherHostEndsByMistakeIsListedAgain(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	id := hosts[2].create(t)
	waitForMatches(t, hosts, id)
	hosts[0].endMatches(t.Context(), "c")
	waitForMatches(t, hosts, id)
}

func TestHostsStayListedWhileTheTableCannotBeRead(t *testing.T) {
	t.Parallel()
	table := newTable()
	hosts := startHosts(t, natsserver.Start(t).URL(), table, fast)
	id := hosts[0].create(t)
	waitForMatches(t, hosts, id)
	ended := make([]deletions, len(hosts))
	for i, h := range hosts {
		h.lobby.Subscribe(&ended[i], func() uint64 { return h.lobby.Generation() })
	}
	failed := func() int {
		table.mu.Lock()
		defer table.mu.Unlock()
		table.broken = true
		return table.failed
	}
	before := failed()
	poll.Until(t, "each host has failed to read it", func() bool { return failed() > before+9*len(hosts) })
	for i, h := range hosts {
		if ended[i].deleted(id) {
			t.Errorf("%s: got a deletion of a match, want none: its host lives", h.Name())
		}
	}
	if got := table.fenced(); len(got) != 0 {
		t.Errorf("got the fenced hosts %v, want none", got)
	}
}

// runLead calls Lead of a host until its end, and returns a channel of its beginnings
// and ends.
func runLead(t *testing.T, h *testHost) chan string {
	t.Helper()
	events := make(chan string, 10)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends with ctx
		defer close(done)
		h.Lead(ctx, func(ctx context.Context) {
			events <- h.Name() + " leads"
			<-ctx.Done()
			events <- h.Name() + " ends"
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return events
}

func expectEvent(t *testing.T, events chan string, want string) {
	t.Helper()
	t.Logf("waiting for %q", want)
	if got := <-events; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func waitForLeader(t *testing.T, h *testHost, want string) {
	t.Helper()
	poll.Until(t, h.Name()+" knows that the leader is "+want, func() bool {
		leader, ok := h.Leader()
		return ok && leader == want
	})
}

func TestLeadershipMoves(t *testing.T) {
	t.Parallel()
	nats, table := natsserver.Start(t), newTable()
	hosts := startHosts(t, nats.URL(), table, fast)
	if leader, ok := hosts[2].Leader(); ok {
		t.Errorf("got the leader %q, want none", leader)
	}
	a := runLead(t, hosts[0])
	expectEvent(t, a, "a leads")
	waitForLeader(t, hosts[0], "")
	waitForLeader(t, hosts[2], "a")
	b := runLead(t, hosts[1])
	hosts[0].Drain()
	expectEvent(t, a, "a ends")
	expectEvent(t, b, "b leads")
	waitForLeader(t, hosts[1], "")
	waitForLeader(t, hosts[2], "b")
	poll.Until(t, "c knows that a stops", func() bool { h, _ := hosts[2].Host("a"); return h.Draining && !h.Leader })

	table.breakLock()
	expectEvent(t, b, "b ends")
	expectEvent(t, b, "b leads")

	nats.Stop()
	expectEvent(t, b, "b ends")
	if err := nats.Run(); err != nil {
		t.Fatal(err)
	}
	expectEvent(t, b, "b leads")
	waitForLeader(t, hosts[2], "b")
}

func TestMatchesArePlacedOnTheLeastLoadedHost(t *testing.T) {
	t.Parallel()
	duel, other := []Game{{Name: "duel"}}, []Game{{Name: "chess"}}
	for name, test := range map[string]struct {
		here     int // matches on this host, of 100
		draining bool
		others   []Host
		game     string
		want     []string
	}{
		"alone":                      {game: "duel", want: []string{""}},
		"alone, and stopping":        {draining: true, game: "duel", want: []string{""}},
		"less load here":             {here: 10, others: []Host{{Name: "b", Games: duel, Matches: 50, Capacity: 100}}, game: "duel", want: []string{""}},
		"a small difference":         {here: 10, others: []Host{{Name: "b", Games: duel, Matches: 6, Capacity: 100}}, game: "duel", want: []string{""}},
		"a big difference":           {here: 10, others: []Host{{Name: "b", Games: duel, Matches: 1, Capacity: 100}}, game: "duel", want: []string{"b"}},
		"the least":                  {here: 90, others: []Host{{Name: "b", Games: duel, Matches: 50, Capacity: 100}, {Name: "c", Games: duel, Matches: 50, Capacity: 200}}, game: "duel", want: []string{"c"}},
		"own placements count":       {here: 90, others: []Host{{Name: "b", Games: duel, Matches: 2, Capacity: 10}, {Name: "c", Games: duel, Matches: 3, Capacity: 10}}, game: "duel", want: []string{"b", "b", "c", "b"}},
		"little CPU time left":       {others: []Host{{Name: "b", Games: duel, Matches: 1, Capacity: 100, CPU: 0.9}, {Name: "c", Games: duel, Matches: 2, Capacity: 100, CPU: 0.1}}, here: 90, game: "duel", want: []string{"c"}},
		"a bit more CPU time there":  {here: 1, others: []Host{{Name: "b", Games: duel, Matches: 5, Capacity: 100, CPU: 0.1}}, game: "duel", want: []string{""}},
		"the other one stops":        {here: 90, others: []Host{{Name: "b", Games: duel, Capacity: 100, Draining: true}}, game: "duel", want: []string{""}},
		"this one stops":             {draining: true, others: []Host{{Name: "b", Games: duel, Matches: 100, Capacity: 100}}, game: "duel", want: []string{"b"}},
		"not offered there":          {here: 90, others: []Host{{Name: "b", Games: other, Capacity: 100}}, game: "duel", want: []string{""}},
		"not offered here":           {others: []Host{{Name: "b", Games: other, Matches: 90, Capacity: 100}}, game: "chess", want: []string{"b"}},
		"not offered anywhere":       {others: []Host{{Name: "b", Games: other, Capacity: 100}}, game: "go", want: []string{""}},
		"all full":                   {here: 100, others: []Host{{Name: "b", Games: duel, Matches: 100, Capacity: 100}}, game: "duel", want: []string{""}},
		"much load, and a full host": {here: 110, others: []Host{{Name: "b", Games: duel, Matches: 100, Capacity: 100}}, game: "duel", want: []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			h := openHost(t, natsserver.Start(t).URL(), newTable(), "a", testSecret, fast)
			h.now.Store(int32(test.here))
			if test.draining {
				h.Drain()
			}
			h.listOthers(t, test.others...)
			for i, want := range test.want {
				if got := h.Place(test.game); got != want {
					t.Errorf("match %d: got the host %q, want %q", i, got, want)
				}
			}
		})
	}
}

// listOthers lists other hosts.
func (h *testHost) listOthers(t *testing.T, others ...Host) {
	t.Helper()
	for _, other := range others {
		sealed, _, err := h.sealer.seal(hostsBucket+"/"+other.Name, presence{Sequence: h.next(), Host: other})
		if err == nil {
			err = h.setHost(other.Name, sealed, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestMatchesOfAContestAreSpread places a round of a Swiss from the leader.
func TestMatchesOfAContestAreSpread(t *testing.T) {
	t.Parallel()
	const round = 80
	duel, cores := []Game{{Name: "duel"}}, runtime.NumCPU()
	for name, test := range map[string]struct {
		cpu   float64 // used on b
		cores int     // of b
		b     int
		least [3]int // matches on this host, b and c
	}{
		"equal":              {cores: cores, least: [3]int{26, 26, 26}},
		"b is busy":          {cores: cores, cpu: 0.5, least: [3]int{31, 15, 31}},
		"b is very busy":     {cores: cores, cpu: 1, least: [3]int{38, 1, 38}},
		"b has many matches": {cores: cores, b: 40, least: [3]int{39, 0, 39}},
		"b is large":         {cores: 2 * cores, least: [3]int{19, 39, 19}},
	} {
		t.Run(name, func(t *testing.T) {
			h := openHost(t, natsserver.Start(t).URL(), newTable(), "a", testSecret, fast)
			h.listOthers(t, Host{Name: "b", Games: duel, Matches: test.b, Capacity: 1000, Cores: test.cores, CPU: test.cpu}, Host{Name: "c", Games: duel, Capacity: 1000, Cores: cores})
			got := map[string]int{}
			for range round {
				at := h.Spread("duel", false)
				if at == "" {
					h.now.Add(1)
				}
				got[at]++
			}
			for i, host := range []string{"", "b", "c"} {
				if got[host] < test.least[i] {
					t.Errorf("got %d matches on host %q, want at least %d: %v", got[host], host, test.least[i], got)
				}
			}
		})
	}
}

func TestMatchesOfProgramsAreSpreadOverHostsThatRunPrograms(t *testing.T) {
	t.Parallel()
	h := openHost(t, natsserver.Start(t).URL(), newTable(), "a", testSecret, fast)
	duel := []Game{{Name: "duel"}}
	h.listOthers(t, Host{Name: "b", Games: duel, Capacity: 1000, Cores: 64})
	if at := h.Spread("duel", true); at != "" {
		t.Errorf("no host runs programs: got %q, want this host, which refuses the match", at)
	}
	h.listOthers(t, Host{Name: "c", Games: duel, Capacity: 1000, Cores: 1, Programs: 1}, Host{Name: "d", Games: duel, Capacity: 1000, Cores: 1, Programs: 3})
	got := map[string]int{}
	for range 40 {
		got[h.Spread("duel", true)]++
	}
	if got["c"] != 10 || got["d"] != 30 {
		t.Errorf("got the matches %v, want 10 on c and 30 on d", got)
	}
	if cores := h.ProgramCores(); cores != 4 {
		t.Errorf("got %d cores for programs, want 4", cores)
	}
}

// TestOldListingOfAHostIsIgnored gives a host what it has before.
func TestOldListingOfAHostIsIgnored(t *testing.T) {
	t.Parallel()
	h := openHost(t, natsserver.Start(t).URL(), newTable(), "a", testSecret, fast)
	seal := func(matches int) []byte {
		sealed, _, err := h.sealer.seal(hostsBucket+"/b", presence{Sequence: h.next(), Host: Host{Name: "b", Matches: matches}})
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	set := func(value []byte, first bool) {
		if err := h.setHost("b", value, first); err != nil {
			t.Fatal(err)
		}
	}
	first, second := seal(1), seal(2)
	set(first, true)
	if _, ok := h.Host("b"); ok {
		t.Error("got a live host after a value that can be old, want none")
	}
	set(first, false)
	if _, ok := h.Host("b"); ok {
		t.Error("got a live host after a copy of its value, want none")
	}
	set(second, false)
	set(first, false)
	if b, ok := h.Host("b"); !ok || b.Matches != 2 {
		t.Errorf("got %+v, want its second listing", b)
	}
	if err := h.setHost("c", second, false); err == nil {
		t.Error("got no error for a value of another key, want one")
	}
	old, _, err := h.sealer.seal(hostsBucket+"/b", presence{Sequence: time.Now().Add(-forgetHost - maxAge - time.Second).UnixNano(), Host: Host{Name: "b", Matches: 3}})
	if err != nil {
		t.Fatal(err)
	}
	h.hosts.forget("b")
	if err := h.setHost("b", old, false); err != errOld {
		t.Errorf("a copy from before the host was forgotten: got %v, want %v", err, errOld)
	}
}

func TestHostWithoutNATSDoesNotOpen(t *testing.T) {
	t.Parallel()
	stopped := natsserver.Start(t)
	stopped.Stop()
	plain, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	plain.Start()
	defer plain.Shutdown()
	if !plain.ReadyForConnections(time.Minute) {
		t.Fatal("NATS did not start")
	}
	user := strings.Replace(stopped.URL(), "nats://", "nats://user:hunter2@", 1)
	for name, test := range map[string]struct {
		config Config
		want   string
	}{
		"not running":   {Config{Name: "a", NATS: user, Secret: []byte(testSecret)}, "is it running"},
		"no JetStream":  {Config{Name: "a", NATS: plain.ClientURL(), Secret: []byte(testSecret)}, "JetStream is off"},
		"no secret":     {Config{Name: "a", NATS: user}, "no secret"},
		"no such files": {Config{Name: "a", NATS: user, Secret: []byte(testSecret), CAFile: "missing.pem"}, "missing.pem"},
	} {
		_, err := Open(t.Context(), test.config, nil, nil, Sources{}, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got the error %v, want %q", name, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got the error %v, want it without the password", name, err)
		}
	}
}
