package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/store"
)

// States of a host that Look returns.
const (
	StateLive     = "live"
	StateDraining = "draining"      // it stops
	StateSilent   = "silent"        // it has not ended in order, and gives no sign of life
	StateNoNATS   = "no NATS"       // it gives signs of life only in PostgreSQL
	StateNoStore  = "no PostgreSQL" // it gives signs of life only in NATS
)

// View is a cluster as Look finds it.
type View struct {
	Hosts    []HostView // by name: those that live, and those that have not ended in order
	Matches  int        // listed in NATS
	NATS     Answer
	Postgres Answer
	Problems []string // for the operator; none: all is well
}

// HostView is a host as Look finds it. Without a listing in NATS only the name of Host is
// set.
type HostView struct {
	Host
	State      string
	Generation int64 // 0: it is not registered in PostgreSQL
}

// Answer is how a system answers.
type Answer struct {
	RoundTrip time.Duration
	Err       error // nil: it answers
}

const (
	lookTimeout = 5 * time.Second
	lookFor     = 3 * time.Second // in which a host must give a sign of life; it gives one per second
	lookEvery   = 200 * time.Millisecond
)

// look is what Look has read so far.
type look struct {
	sealer *sealer

	mu      sync.Mutex // guards the fields below
	rows    map[string]rowSeen
	present map[string]presence
	heard   map[string]bool // hosts that have listed themselves during the look
	foreign int             // values that could not be opened
	matches int
	nats    Answer
	table   Answer
	listed  bool // NATS has sent everything that it had
	read    bool // the table was read at least once
}

// rowSeen is a host in the table of hosts.
type rowSeen struct {
	generation, first int64 // first: the first beat that was read
	beats             bool  // it has changed since
}

// Look returns the state of a cluster, within 5 seconds. It only reads, and this process
// need not be a host. Of config it uses the settings of NATS and the secret; database is
// the URL of PostgreSQL.
func Look(ctx context.Context, config Config, database string) (*View, error) {
	sealer, err := newSealer(config.Secret)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	l := &look{sealer: sealer, rows: map[string]rowSeen{}, present: map[string]presence{}, heard: map[string]bool{}}
	looking, stop := context.WithTimeout(ctx, lookFor)
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { l.set(&l.nats, l.lookAtNATS(looking, ctx, config)) })     // ends with looking
	running.Go(func() { l.set(&l.table, l.lookAtTable(looking, ctx, database)) }) // ends with looking
	for !l.complete() {
		select {
		case <-looking.Done():
		case <-time.After(lookEvery):
			continue
		}
		break
	}
	stop()
	running.Wait()
	return l.view(), nil
}

// set sets the error of an answer. Without an error and without a round trip, the system
// did not answer in time.
func (l *look) set(a *Answer, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.Err = err; err == nil && a.RoundTrip == 0 {
		a.Err = errors.New("it does not answer in time")
	}
}

// complete reports whether each host has given both signs of life, so that more time shows
// nothing new.
func (l *look) complete() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	noNATS, noTable := l.nats.Err != nil, l.table.Err != nil
	if !noNATS && !l.listed || !noTable && !l.read {
		return false
	}
	for name, r := range l.rows {
		if !noTable && !r.beats || !noNATS && !l.heard[name] {
			return false
		}
	}
	for name, p := range l.present {
		if !noNATS && !p.Left && !l.heard[name] {
			return false
		}
	}
	return true
}

// lookAtNATS reads the buckets until looking ends. Ctx bounds the rest.
func (l *look) lookAtNATS(looking, ctx context.Context, config Config) error {
	options := []nats.Option{nats.Name("colosseum look"), nats.Timeout(2 * time.Second), nats.NoReconnect(), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	conn, err := nats.Connect(config.NATS, append(options, config.access()...)...)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", place(config.NATS), err)
	}
	defer conn.Close()
	trip, err := conn.RTT()
	if err != nil {
		return fmt.Errorf("ask %s: %w", place(config.NATS), err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	matches, err := readBucket(looking, js, matchesBucket)
	if err != nil {
		return err
	}
	if matches != nil {
		all := map[string]bool{}
		reading, done := context.WithCancel(looking)
		defer done()
		err := watch(reading, matches, func(e jetstream.KeyValueEntry) {
			if e == nil {
				done()
				return
			}
			all[e.Key()] = l.isListed(e)
		})
		if err != nil && reading.Err() == nil {
			return fmt.Errorf("read the matches: %w", err)
		}
		l.mu.Lock()
		for _, listed := range all {
			if listed {
				l.matches++
			}
		}
		l.mu.Unlock()
	}
	l.mu.Lock()
	l.nats.RoundTrip = max(trip, 1)
	l.mu.Unlock()
	hosts, err := readBucket(looking, js, hostsBucket)
	if err != nil || hosts == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.listed = true
		return err
	}
	if err := watch(looking, hosts, l.seeHost); err != nil && looking.Err() == nil {
		return fmt.Errorf("read the hosts: %w", err)
	}
	return nil
}

// readBucket opens a bucket; nil: no host has created it.
func readBucket(ctx context.Context, js jetstream.JetStream, name string) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	return kv, explained(err)
}

// isListed reports whether an entry lists a match that waits or runs.
func (l *look) isListed(e jetstream.KeyValueEntry) bool {
	var x listed
	var m lobby.Listing
	if len(e.Value()) == 0 || len(e.Value()) > maxMatch {
		return false
	}
	if _, err := l.sealer.open(matchesBucket+"/"+e.Key(), e.Value(), &x); err != nil {
		l.refuse()
		return false
	}
	return !x.Deleted && json.Unmarshal(x.Listing, &m) == nil && !m.Gone
}

// refuse counts a value that could not be opened.
func (l *look) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.foreign++
}

// seeHost takes an entry of the bucket of hosts; nil: these were all that were there before.
func (l *look) seeHost(e jetstream.KeyValueEntry) {
	if e == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.listed = true
		return
	}
	var p presence
	if len(e.Value()) == 0 || len(e.Value()) > maxHost {
		return
	}
	if _, err := l.sealer.open(hostsBucket+"/"+e.Key(), e.Value(), &p); err != nil || p.Host.Name != e.Key() || !config.ValidHostName(e.Key()) {
		l.refuse()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.present[e.Key()]; known || len(l.present) < maxHosts {
		l.present[e.Key()] = p
		l.heard[e.Key()] = l.listed && !p.Left
	}
}

// lookAtTable reads the table of hosts until looking ends. Ctx bounds the rest.
func (l *look) lookAtTable(looking, ctx context.Context, database string) error {
	connecting, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	db, err := pgx.Connect(connecting, database)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	begun := time.Now()
	if err := db.Ping(connecting); err != nil {
		return err
	}
	trip := max(time.Since(begun), 1)
	for looking.Err() == nil {
		if err := l.readTable(looking, db); err != nil && looking.Err() == nil {
			return err
		}
		l.mu.Lock()
		l.table.RoundTrip = trip
		l.mu.Unlock()
		select {
		case <-looking.Done():
		case <-time.After(lookEvery):
		}
	}
	return nil
}

// readTable reads the hosts that have neither ended in order nor been fenced.
func (l *look) readTable(ctx context.Context, db *pgx.Conn) error {
	rows, err := db.Query(ctx, `SELECT name, generation, beat FROM hosts WHERE live AND name <> ''`)
	var list []store.HostRow
	if err == nil {
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.HostRow])
	}
	if missing, ok := errors.AsType[*pgconn.PgError](err); ok && missing.Code == "42P01" {
		return errors.New("the database has no table of hosts: has a host been started with it?")
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.rows
	l.rows, l.read = map[string]rowSeen{}, true
	for _, r := range list {
		seen, known := before[r.Name]
		switch {
		case !known:
			seen = rowSeen{generation: r.Generation, first: r.Beat}
		case seen.generation != r.Generation || seen.first != r.Beat:
			seen.generation, seen.beats = r.Generation, true
		}
		l.rows[r.Name] = seen
	}
	return nil
}

// view returns what was found.
func (l *look) view() *View {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &View{Matches: l.matches, NATS: l.nats, Postgres: l.table}
	if v.NATS.Err != nil {
		v.problem("NATS cannot be used: %v", v.NATS.Err)
	}
	if v.Postgres.Err != nil {
		v.problem("PostgreSQL cannot be used: %v", v.Postgres.Err)
	}
	names := map[string]bool{}
	for name := range l.rows {
		names[name] = true
	}
	for name, p := range l.present {
		if !p.Left && (l.heard[name] || v.Postgres.Err != nil) { // otherwise it has ended, or was fenced
			names[name] = true
		}
	}
	var leaders []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		h := HostView{Host: Host{Name: name}, State: l.stateLocked(name), Generation: l.rows[name].generation}
		if p, ok := l.present[name]; ok && !p.Left {
			h.Host = p.Host
		}
		h.Leader = h.Leader && l.heard[name]
		if h.Leader {
			leaders = append(leaders, name)
		}
		v.Hosts = append(v.Hosts, h)
		switch h.State {
		case StateSilent:
			v.problem("host %s is silent: start it again, or look whether its machine works", name)
		case StateNoNATS:
			v.problem("host %s is not connected to NATS: its matches cannot be reached through the others", name)
		case StateNoStore:
			v.problem("host %s does not write to this PostgreSQL: does its store name another database?", name)
		}
	}
	switch {
	case v.NATS.Err != nil: // the leader is not known
	case len(v.Hosts) == 0:
		v.problem("no host runs")
	case len(leaders) == 0:
		v.problem("no host leads: no contest goes on, and players that serve are not paired")
	case len(leaders) > 1:
		v.problem("%s say that they lead: ask again in a few seconds", strings.Join(leaders, " and "))
	}
	if l.foreign > 0 {
		v.problem("%d values in NATS cannot be opened: does a host have another secret than this one?", l.foreign)
	}
	return v
}

func (v *View) problem(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// stateLocked returns the state of a host. A system that does not answer says nothing about
// it.
func (l *look) stateLocked(name string) string {
	heard, beats := l.heard[name], l.rows[name].beats
	if l.nats.Err != nil {
		heard = beats
	}
	if l.table.Err != nil {
		beats = heard
	}
	switch {
	case !heard && !beats:
		return StateSilent
	case !heard:
		return StateNoNATS
	case !beats:
		return StateNoStore
	case l.present[name].Host.Draining:
		return StateDraining
	}
	return StateLive
}

// Uptime returns for how long a host has been running, in whole seconds; 0: it is not known.
func (h HostView) Uptime(now time.Time) time.Duration {
	if h.Started.IsZero() {
		return 0
	}
	return cmp.Or(max(0, now.Sub(h.Started).Truncate(time.Second)), time.Second)
}
