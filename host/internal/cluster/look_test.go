package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"colosseum/internal/test/natsserver"
	"colosseum/internal/test/pgserver"
	"colosseum/internal/test/poll"
)

// registry is a real table of hosts.
type registry struct {
	url string
	db  *pgx.Conn
}

// databases creates databases of one server.
type databases struct {
	mu     sync.Mutex // guards the field below
	server *pgserver.Server
}

func (d *databases) url(t *testing.T) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.server.Database(t)
}

func newRegistry(t *testing.T, d *databases) *registry {
	t.Helper()
	r := &registry{url: d.url(t)}
	var err error
	if r.db, err = pgx.Connect(t.Context(), r.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.db.Close(context.Background()) })
	r.do(t, `CREATE TABLE hosts (name text PRIMARY KEY, generation bigint NOT NULL, beat bigint NOT NULL, live boolean NOT NULL)`)
	return r
}

func (r *registry) do(t *testing.T, query string) {
	t.Helper()
	if _, err := r.db.Exec(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

// register registers hosts, of which the first beating ones beat until the returned
// function is called.
func (r *registry) register(t *testing.T, beating int, names ...string) (stop func()) {
	t.Helper()
	for _, name := range names {
		r.do(t, fmt.Sprintf(`INSERT INTO hosts VALUES ('%s', 1, 1, TRUE)`, name))
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends with ctx
		defer close(done)
		for ctx.Err() == nil {
			_, _ = r.db.Exec(context.Background(), `UPDATE hosts SET beat = beat + 1 WHERE name = ANY($1)`, names[:beating])
			select {
			case <-ctx.Done():
			case <-time.After(fast.tick):
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// lookAt returns the view of a cluster, with the state of each host as NAME: STATE.
func lookAt(t *testing.T, nats, database, secret string) (v *View, states string) {
	t.Helper()
	v, err := Look(t.Context(), Config{NATS: nats, Secret: []byte(secret)}, database)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, h := range v.Hosts {
		all = append(all, h.Name+": "+h.State)
	}
	return v, strings.Join(all, ", ")
}

func TestLook(t *testing.T) {
	t.Parallel()
	d := &databases{server: pgserver.Start(t, false)}
	t.Run("sees what works and what does not", func(t *testing.T) { lookSeesWhatWorks(t, d) })
	t.Run("creates nothing", func(t *testing.T) { lookCreatesNothing(t, d) })
	t.Run("misses no host that ended in order", func(t *testing.T) { lookMissesNoEndedHost(t, d) })
}

func lookSeesWhatWorks(t *testing.T, d *databases) {
	for _, tt := range []struct {
		name     string
		beating  int    // hosts of a, b, c, in this order
		kill     []int  // hosts that no longer list themselves
		drain    []int  // hosts
		leader   int    // -1: none
		secret   string // of the observer
		noNATS   bool   // NATS is not there
		noTable  bool   // the database is not there
		states   string
		problems []string // parts of them
	}{
		{name: "all is well", beating: 3, states: "a: live, b: live, c: live"},
		{name: "one drains", beating: 3, drain: []int{2}, states: "a: live, b: live, c: draining"},
		{name: "one is silent", beating: 2, kill: []int{2}, states: "a: live, b: live, c: silent", problems: []string{"host c is silent"}},
		{name: "one has lost NATS", beating: 3, kill: []int{2}, states: "a: live, b: live, c: no NATS", problems: []string{"host c is not connected to NATS"}},
		{name: "one has lost PostgreSQL", beating: 2, states: "a: live, b: live, c: no PostgreSQL", problems: []string{"host c does not write to this PostgreSQL"}},
		{name: "no host leads", beating: 3, leader: -1, states: "a: live, b: live, c: live", problems: []string{"no host leads"}},
		{name: "another secret", beating: 3, secret: strings.Repeat("x", 32), states: "a: no NATS, b: no NATS, c: no NATS",
			problems: []string{"not connected", "not connected", "not connected", "no host leads", "another secret"}},
		{name: "without NATS", beating: 2, noNATS: true, states: "a: live, b: live, c: silent", problems: []string{"NATS cannot be used", "host c is silent"}},
		{name: "without PostgreSQL", noTable: true, kill: []int{2}, states: "a: live, b: live, c: silent", problems: []string{"PostgreSQL cannot be used", "host c is silent"}},
		{name: "without both", noNATS: true, noTable: true, problems: []string{"NATS cannot be used", "PostgreSQL cannot be used"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			nats := natsserver.Start(t)
			hosts := startHosts(t, nats.URL(), newTable(), fast)
			id := hosts[0].create(t)
			waitForMatches(t, hosts, id)
			if tt.leader >= 0 {
				hosts[tt.leader].leads.Store(true)
				hosts[tt.leader].listNow()
				waitForLeader(t, hosts[1], hosts[tt.leader].Name())
			}
			for _, i := range tt.drain {
				hosts[i].Drain()
				poll.Until(t, "its listing says so", func() bool { h, _ := hosts[1].Host(hosts[i].Name()); return h.Draining })
			}
			r := newRegistry(t, d)
			defer r.register(t, tt.beating, "a", "b", "c")()
			for _, i := range tt.kill {
				hosts[i].kill()
			}
			if tt.noNATS {
				nats.Stop()
			}
			database := r.url
			if tt.noTable {
				database = "postgres://nobody:secret@127.0.0.1:1/nothing"
			}
			secret := testSecret
			if tt.secret != "" {
				secret = tt.secret
			}
			v, states := lookAt(t, nats.URL(), database, secret)
			if states != tt.states {
				t.Errorf("got %q, want %q", states, tt.states)
			}
			if len(v.Problems) != len(tt.problems) || slices.ContainsFunc(tt.problems, func(p string) bool {
				return !slices.ContainsFunc(v.Problems, func(got string) bool { return strings.Contains(got, p) })
			}) {
				t.Errorf("got %q, want %q", v.Problems, tt.problems)
			}
			if strings.Contains(fmt.Sprint(v.Problems), "secret@") {
				t.Errorf("got %q, want no password", v.Problems)
			}
			if !tt.noNATS && tt.secret == "" && (v.Matches != 1 || v.NATS.RoundTrip <= 0) {
				t.Errorf("got %d matches and a round trip of %v, want 1 match", v.Matches, v.NATS.RoundTrip)
			}
			if !tt.noTable && v.Postgres.RoundTrip <= 0 {
				t.Errorf("got a round trip of %v, want one", v.Postgres.RoundTrip)
			}
			if tt.noNATS {
				return
			}
			if h := v.Hosts[0]; tt.secret == "" && (h.Capacity != 100 || h.Sessions != 7 || h.Started.IsZero() || h.Leader != (tt.leader == 0)) {
				t.Errorf("got %+v, want what the host lists of itself", h)
			}
		})
	}
}

func lookCreatesNothing(t *testing.T, d *databases) {
	nats := natsserver.Start(t)
	for range 2 { // the first one would have created it
		v, states := lookAt(t, nats.URL(), d.url(t), testSecret)
		if states != "" || len(v.Problems) != 2 || !strings.Contains(v.Problems[0], "no table of hosts") || v.Problems[1] != "no host runs" {
			t.Errorf("got %q and %q, want no hosts, and no table", states, v.Problems)
		}
	}
}

func lookMissesNoEndedHost(t *testing.T, d *databases) {
	nats := natsserver.Start(t)
	hosts := startHosts(t, nats.URL(), newTable(), fast)
	hosts[0].leads.Store(true)
	r := newRegistry(t, d)
	defer r.register(t, 2, "a", "b")()
	hosts[2].end()
	hosts[2].Close()
	poll.Until(t, "c is gone", func() bool { return len(hosts[0].Hosts()) == 2 })
	if v, states := lookAt(t, nats.URL(), r.url, testSecret); states != "a: live, b: live" || len(v.Problems) != 0 {
		t.Errorf("got %q and %q, want a and b and no problem", states, v.Problems)
	}
}
