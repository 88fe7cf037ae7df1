package director

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/internal/test/long"
)

// TestContestIsPlayedOnceAlthoughItsLeadersChangeAndDie plays a Swiss contest on three
// hosts, next to players that are paired, while leaders change and hosts die. With odd
// seeds, programs play for some of its players.
func TestContestIsPlayedOnceAlthoughItsLeadersChangeAndDie(t *testing.T) {
	for seed := range uint64(long.Number(4, 12)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { playOnHosts(t, seed) })
		})
	}
}

func playOnHosts(t *testing.T, seed uint64) {
	h := &hosts{
		store: newMemory(), rand: rand.New(rand.NewPCG(seed, 0)), all: map[string]*simHost{}, playing: map[string]int{}, limit: map[string]int{"programs": 1000},
		programs: newPrograms(6, 1),
	}
	if seed%2 > 0 { // of players that are connected, and of one that is not
		h.programs.versions = map[string]int{"p1": 3, "p2": 1, "p3": 2, "p4": 1, "absent": 1}
	}
	for _, name := range []string{"a", "b", "c"} {
		h.start(name)
	}
	h.lead(h.host("a"))
	closed := make(chan struct{})
	entries := "- {player: p0}\n  - {player: absent}\n  - {player: silent}"
	serve := func(name string, most int, joins bool) {
		h.limit[name] = most
		d := &daemon{hosts: h, player: name, most: most, joins: joins, closed: closed}
		d.connect()
	}
	serve("p0", 1, true)
	for i := 1; i < 14; i++ {
		entries += fmt.Sprintf("\n  - {player: p%d}", i)
		serve(fmt.Sprint("p", i), 1+i%2, true)
	}
	serve("silent", 1, false)
	for i := range 6 {
		serve(fmt.Sprint("q", i), 1+i%2, true)
	}
	o := contest.Organizer{Store: h.store}
	text := "name: cup\ngame: duel\nformat: swiss\nrounds: 5\nmatches: 2\ngrace: 20s\nseed: 7\nstart: " + time.Now().Add(time.Minute).Format(time.RFC3339) + "\nentries:\n  "
	if _, err := o.Create(t.Context(), []byte(text+entries)); err != nil {
		t.Fatal(err)
	}
	ended := func() bool {
		s, err := contest.Load(t.Context(), h.store, "cup")
		if err != nil {
			t.Fatal(err)
		}
		return s.Phase == contest.Ended
	}
	shown, changes, deaths := 0, 0, 0
	for begun := time.Now(); !ended() && time.Since(begun) < 6*time.Hour; {
		time.Sleep(h.delay(40 * time.Second))
		shown += runningShown(t, h)
		live := h.others("")
		switch victim := live[h.chance(len(live))]; {
		case h.chance(4) == 0 && len(live) == 3:
			deaths++
			victim.stop()
			name := victim.name
			time.AfterFunc(10*time.Second+h.delay(10*time.Second), func() { h.start(name) })
		case h.chance(3) > 0:
			changes++
			h.lead(victim)
		}
		h.mu.Lock()
		none := h.leader == nil
		h.mu.Unlock()
		if none {
			time.Sleep(h.delay(3 * time.Second))
			h.lead(h.others("")[0])
		}
	}
	if !ended() {
		t.Fatal("got a contest that has not ended after 6 hours, want it ended")
	}
	time.Sleep(time.Minute) // until all know it
	checkHosts(t, h)
	if shown == 0 || changes+deaths < 2 {
		t.Errorf("got %d matches shown by hosts that do not lead and %d changes, want some and at least 2", shown, changes+deaths)
	}
	t.Logf("%d changes of the leader, %d deaths, %d matches", changes, deaths, h.played)
	close(closed)
	for _, s := range h.others("") {
		s.stop()
	}
	time.Sleep(time.Hour) // until all timers have fired
}

// runningShown returns how many running matches the hosts show that do not lead.
func runningShown(t *testing.T, h *hosts) int {
	t.Helper()
	n := 0
	for _, s := range h.others("") {
		v, err := s.director.View(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		leads := h.leader == s
		h.mu.Unlock()
		for _, m := range v.Matches {
			if !leads && m.State == "running" && m.ID != "" {
				n++
			}
		}
	}
	return n
}

// checkHosts checks what the hosts have played and show.
func checkHosts(t *testing.T, h *hosts) {
	t.Helper()
	v, err := contest.Verify(t.Context(), h.store, h.store, "cup")
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Problems) > 0 {
		t.Errorf("got the problems %q, want none", v.Problems)
	}
	h.mu.Lock()
	if hosted := len(h.programs.versions) > 0; hosted != (h.hosted > 0) {
		t.Errorf("got %d seats taken by programs, want some: %v", h.hosted, hosted)
	}
	if h.twice > 0 || len(h.broken) > 0 {
		t.Errorf("got %d legs finished twice and %q, want none", h.twice, h.broken)
	}
	h.mu.Unlock()
	for _, s := range h.others("") {
		v, err := s.director.View(t.Context(), "cup")
		if err != nil || v.Phase != contest.Ended || len(v.Standings) != 16 {
			t.Fatalf("host %s: got the contest %+v and error %v, want it ended with 16 standings", s.name, v, err)
		}
		for _, m := range v.Matches {
			absent := strings.Join(m.Absent, " ")
			if m.State == "void" || m.State == "walkover" && (!strings.Contains(absent, "absent") || h.programs.versions["absent"] > 0) && !strings.Contains(absent, "silent") {
				t.Errorf("host %s: pairing %d of %v: got it %s, absent %q, want it played", s.name, m.Pairing, m.Seats, m.State, m.Absent)
			}
		}
	}
}
