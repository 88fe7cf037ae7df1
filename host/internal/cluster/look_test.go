package cluster

import (
	"cmp"
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

func newRegistry(t *testing.T, server *pgserver.Server) *registry {
	t.Helper()
	r := &registry{url: server.Database(t)}
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

// lookAt returns the view of a cluster (nil: the test has failed), with the state of each host as NAME: STATE.
func lookAt(t *testing.T, nats, database, secret string) (v *View, states string) {
	t.Helper()
	v, err := Look(t.Context(), Config{NATS: nats, Secret: []byte(secret)}, database)
	if err != nil {
		t.Error(err)
		return nil, ""
	}
	var all []string
	for _, h := range v.Hosts {
		all = append(all, h.Name+": "+h.State)
	}
	return v, strings.Join(all, ", ")
}

// lookCase is a look at a cluster and what it must find.
type lookCase struct {
	name     string
	nats     string
	database string
	secret   string // "": that of the cluster
	leader   string // "": none is found
	states   string
	problems []string // parts of them

	view *View
	got  string // states
}

const noDatabase = "postgres://nobody:secret@127.0.0.1:1/nothing"

// lookAtAll looks at clusters at the same time: a host that is silent takes three seconds.
func lookAtAll(t *testing.T, cases ...lookCase) {
	t.Helper()
	var looking sync.WaitGroup
	for i := range cases {
		looking.Go(func() {
			c := &cases[i]
			c.view, c.got = lookAt(t, c.nats, c.database, cmp.Or(c.secret, testSecret))
		})
	}
	looking.Wait()
	for _, c := range cases {
		t.Run(c.name, c.check)
	}
}

// check checks what a look has found.
func (c *lookCase) check(t *testing.T) {
	v := c.view
	if v == nil {
		t.Fatal("got no view")
	}
	if c.got != c.states {
		t.Errorf("got %q, want %q", c.got, c.states)
	}
	if len(v.Problems) != len(c.problems) || slices.ContainsFunc(c.problems, func(p string) bool {
		return !slices.ContainsFunc(v.Problems, func(got string) bool { return strings.Contains(got, p) })
	}) {
		t.Errorf("got %q, want %q", v.Problems, c.problems)
	}
	if strings.Contains(fmt.Sprint(v.Problems), "secret@") {
		t.Errorf("got %q, want no password", v.Problems)
	}
	if v.NATS.Err == nil && v.NATS.RoundTrip <= 0 {
		t.Errorf("got a round trip of %v to NATS, want one", v.NATS.RoundTrip)
	}
	if c.database != noDatabase && v.Postgres.RoundTrip <= 0 {
		t.Errorf("got a round trip of %v, want one", v.Postgres.RoundTrip)
	}
	if v.NATS.Err != nil || c.secret != "" || len(v.Hosts) == 0 {
		return
	}
	if v.Matches != 1 {
		t.Errorf("got %d matches, want 1", v.Matches)
	}
	if h := v.Hosts[0]; h.Capacity != 100 || h.Sessions != 7 || h.Started.IsZero() || h.Leader != (c.leader == h.Name) {
		t.Errorf("got %+v, want what the host lists of itself", h)
	}
}

// startWatched starts three hosts with a match.
func startWatched(t *testing.T) (nats *natsserver.Server, hosts []*testHost) {
	t.Helper()
	nats = natsserver.Start(t)
	hosts = startHosts(t, nats.URL(), newTable(), fast)
	waitForMatches(t, hosts, hosts[1].create(t))
	return nats, hosts
}

func lead(t *testing.T, hosts []*testHost) {
	t.Helper()
	hosts[0].leads.Store(true)
	hosts[0].listNow()
	waitForLeader(t, hosts[1], hosts[0].Name())
}

func TestLook(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t, false)
	t.Run("it creates nothing", func(t *testing.T) {
		t.Parallel()
		lookCreatesNothing(t, server)
	})
	t.Run("it finds what is wrong", func(t *testing.T) {
		t.Parallel()
		lookFindsProblems(t, server)
	})
}

func lookFindsProblems(t *testing.T, server *pgserver.Server) {
	t.Helper()
	three, two, ended := newRegistry(t, server), newRegistry(t, server), newRegistry(t, server)
	defer three.register(t, 3, "a", "b", "c")()
	defer two.register(t, 2, "a", "b", "c")()
	defer ended.register(t, 2, "a", "b")()
	nats, hosts := startWatched(t)
	without, survivors := startWatched(t) // c is killed
	stopped, _ := startWatched(t)
	well, killed := nats.URL(), without.URL()

	lookAtAll(t, lookCase{name: "no host leads", nats: well, database: three.url, states: "a: live, b: live, c: live", problems: []string{"no host leads"}})
	lead(t, hosts)
	lead(t, survivors)
	survivors[2].kill()
	stopped.Stop()
	lookAtAll(t,
		lookCase{name: "all is well", nats: well, database: three.url, leader: "a", states: "a: live, b: live, c: live"},
		lookCase{name: "one is silent", nats: killed, database: two.url, leader: "a", states: "a: live, b: live, c: silent", problems: []string{"host c is silent"}},
		lookCase{name: "one has lost NATS", nats: killed, database: three.url, leader: "a", states: "a: live, b: live, c: no NATS",
			problems: []string{"host c is not connected to NATS"}},
		lookCase{name: "one has lost PostgreSQL", nats: well, database: two.url, leader: "a", states: "a: live, b: live, c: no PostgreSQL",
			problems: []string{"host c does not write to this PostgreSQL"}},
		lookCase{name: "another secret", nats: well, database: three.url, secret: strings.Repeat("x", 32), states: "a: no NATS, b: no NATS, c: no NATS",
			problems: []string{"not connected", "not connected", "not connected", "no host leads", "another secret"}},
		lookCase{name: "without NATS", nats: stopped.URL(), database: two.url, states: "a: live, b: live, c: silent", problems: []string{"NATS cannot be used", "host c is silent"}},
		lookCase{name: "without PostgreSQL", nats: killed, database: noDatabase, leader: "a", states: "a: live, b: live, c: silent",
			problems: []string{"PostgreSQL cannot be used", "host c is silent"}},
		lookCase{name: "without both", nats: stopped.URL(), database: noDatabase, problems: []string{"NATS cannot be used", "PostgreSQL cannot be used"}},
	)
	hosts[2].Drain()
	poll.Until(t, "its listing says so", func() bool { h, _ := hosts[1].Host("c"); return h.Draining })
	lookAtAll(t, lookCase{name: "one drains", nats: well, database: three.url, leader: "a", states: "a: live, b: live, c: draining"})
	hosts[2].end()
	hosts[2].Close()
	poll.Until(t, "c is gone", func() bool { return len(hosts[0].Hosts()) == 2 })
	lookAtAll(t, lookCase{name: "one has ended in order", nats: well, database: ended.url, leader: "a", states: "a: live, b: live"})
}

func lookCreatesNothing(t *testing.T, server *pgserver.Server) {
	t.Helper()
	nats, database := natsserver.Start(t).URL(), server.Database(t)
	for range 2 { // the first one would have created it
		v, states := lookAt(t, nats, database, testSecret)
		if v == nil || states != "" || len(v.Problems) != 2 || !strings.Contains(v.Problems[0], "no table of hosts") || v.Problems[1] != "no host runs" {
			t.Errorf("got %q and %+v, want no hosts, and no table", states, v)
		}
	}
}
