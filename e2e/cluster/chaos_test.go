package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"colosseum/e2e/internal/clusters"
	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// TestNothingToldIsLostInChaos plays a Swiss among daemons that are connected to all hosts,
// and other matches, while hosts, NATS and PostgreSQL are killed and connections are cut.
// After each fault it waits until the hosts work as one again.
func TestNothingToldIsLostInChaos(t *testing.T) {
	long.Only(t, "it waits for five faults")
	const students, rounds, legs, pairs = 12, 6, 2, 3
	w := start(t, 3, "drain: 1s\nserving: {rematch: 0s}\n")
	c := programs.Enroll(t, w.front, students)
	c.Create(fmt.Sprintf("name: storm\ngame: dice\nargs: {rounds: 10}\ntimeout: 60\nformat: swiss\nrounds: %d\nmatches: %d\nentries: open\ngrace: 10m\n", rounds, legs))
	daemons := c.RollAll(students, func(i int) string { return fmt.Sprintf("%d-%d slow", i, i+20) }, "--contest", "storm")
	w.shown = append(w.shown, func() {
		for _, d := range daemons {
			fmt.Fprintf(os.Stderr, "%s:\n%s\n", d.Name, d.Tail(10))
		}
	})
	c.Run("contest", "start", "storm")
	l := startLoad(t, w.front, pairs)
	random := rand.New(rand.NewPCG(3, 14))
	all := rounds * legs * students / 2
	first := random.IntN(len(kindsOfFaults))
	for n := range kindsOfFaults {
		done, played := all*(n+1)/(len(kindsOfFaults)+2), l.played()+10
		w.reached("storm", done)
		poll.Until(t, "other matches are played", func() bool { return l.played() >= played })
		f := kindsOfFaults[(first+n)%len(kindsOfFaults)]
		begun := time.Now()
		name := f(w, random)
		w.whole()
		t.Logf("fault %d: %s, and all is whole after %v", n+1, name, time.Since(begun).Round(100*time.Millisecond))
	}
	d := w.ended(c, "storm", all)
	if d.Done != all || d.All != all || d.Round != rounds {
		t.Errorf("got %d of %d matches in %d rounds, want %d in %d", d.Done, d.All, d.Round, all, rounds)
	}
	l.end(w)
	c.CheckOnce("storm")
	c.CheckStandings("storm", legs)
	c.Run("contest", "verify", "storm")
	programs.Drain(t, daemons)
	w.idle()
	want := ids(t, w.hosts[0])
	for i, h := range w.hosts {
		if got := ids(t, h); len(got) != len(want) {
			t.Errorf("host %d: got %d records, want %d, as on the first host", i, len(got), len(want))
		}
	}
}

// kindsOfFaults are the faults. Each returns its name.
var kindsOfFaults = []func(*world, *rand.Rand) string{killHost, cutHost, killNATS, killPostgres, killLeader}

// leader returns the number of the host that leads.
func (w *world) leader() int {
	w.t.Helper()
	name := ""
	poll.Until(w.t, "a host leads", func() (ok bool) {
		name, ok = w.lists(0, len(w.Hosts))
		return ok
	})
	return slices.IndexFunc(w.Hosts, func(h *clusters.Host) bool { return h.Name == name })
}

// killHost kills a host, and starts it again at once or after the others have seen it.
func killHost(w *world, random *rand.Rand) string {
	return w.killHost(random.IntN(len(w.Hosts)), random.IntN(2) == 0)
}

func killLeader(w *world, random *rand.Rand) string {
	return w.killHost(w.leader(), random.IntN(2) == 0)
}

func (w *world) killHost(i int, gone bool) string {
	w.t.Helper()
	h := w.Hosts[i]
	h.End(kill)
	if gone {
		poll.Until(w.t, "the others have seen that "+h.Name+" is gone", func() bool {
			_, ok := w.lists((i+1)%len(w.Hosts), len(w.Hosts)-1)
			return ok
		})
	}
	if err := h.Start(); err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%s was killed (started after it was gone: %t)", h.Name, gone)
}

func killNATS(w *world, _ *rand.Rand) string {
	w.t.Helper()
	w.NATS.End(kill)
	for i := range w.Hosts {
		poll.Until(w.t, "a host says that it has lost NATS", func() bool {
			a, err := w.hostsOf(i)
			return err == nil && !a.Connected
		})
	}
	if err := w.StartNATS(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return "NATS was killed"
}

func killPostgres(w *world, _ *rand.Rand) string {
	w.t.Helper()
	w.Postgres.Kill()
	if err := w.Postgres.Run(); err != nil {
		w.t.Fatal(err)
	}
	return "PostgreSQL was killed"
}

// cutHost cuts some connections of a host for some seconds, or loses all that is sent.
func cutHost(w *world, random *rand.Rand) string {
	h := w.Hosts[random.IntN(len(w.Hosts))]
	links := map[string][]*clusters.Link{
		"NATS": {h.ToNATS}, "PostgreSQL": {h.ToPostgres}, "NATS and PostgreSQL": {h.ToNATS, h.ToPostgres},
		"the other hosts": {h.FromHosts}, "everything": {h.ToNATS, h.ToPostgres, h.FromHosts},
	}
	names := []string{"NATS", "PostgreSQL", "NATS and PostgreSQL", "the other hosts", "everything"}
	name := names[random.IntN(len(names))]
	frozen := random.IntN(2) == 0
	for _, l := range links[name] {
		if frozen {
			l.Freeze()
		} else {
			l.Cut()
		}
	}
	lasts := time.Duration(1+random.IntN(12)) * time.Second
	time.Sleep(lasts) // shorter and longer than the time after which a host is fenced
	for _, l := range links[name] {
		l.Heal()
	}
	return fmt.Sprintf("%s was cut off from %s for %v (frozen: %t)", h.Name, name, lasts, frozen)
}
