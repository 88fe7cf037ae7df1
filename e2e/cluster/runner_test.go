package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"colosseum/e2e/internal/clusters"
	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// farm is a cluster with runners.
type farm struct {
	*world
	*programs.Class
	runners []*clusters.Host
	told    map[string]bool // finished matches that were seen
}

// file writes a program, with a build that takes a number of steps.
func (f *farm) file(hand string, steps int) (folder string) {
	f.t.Helper()
	folder = f.t.TempDir()
	for name, text := range map[string]string{
		"bot.sh":         strings.ReplaceAll(programs.RoshamboScript, "ROCK", hand),
		"colosseum.yaml": "build: [[sh, build.sh]]\n",
		"build.sh":       fmt.Sprintf("echo it begins\ni=0; while [ $i -lt %d ]; do i=$((i + 1)); done\n", steps),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
	return folder
}

// finished remembers the matches that hosts show as finished, and returns their number.
// While no host answers it returns what it knows.
func (f *farm) finished() int {
	var list []programs.ContestMatch
	for _, h := range f.hosts {
		var answer struct{ Matches []programs.ContestMatch }
		body, err := fetch(h.Page("api/contests/stairs/matches?limit=1000"))
		if err == nil && json.Unmarshal(body, &answer) == nil {
			list = append(list, answer.Matches...)
		}
	}
	for _, m := range list {
		if m.State == "finished" {
			f.told[m.ID] = true
		}
	}
	return len(f.told)
}

// goesOn waits until more matches are finished.
func (f *farm) goesOn(what string) {
	f.t.Helper()
	want := f.finished() + 3
	poll.Until(f.t, what+": the ladder goes on", func() bool { return f.finished() >= want })
}

// on returns how many matches a host runs, by its metrics.
func (f *farm) on(h *clusters.Host) (n int) {
	body, err := fetch(h.Operations + "metrics")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, `colosseum_matches{game="roshambo",state="running"} `); ok {
			_, _ = fmt.Sscan(value, &n)
		}
	}
	return n
}

// TestRunnersPlayProgramsThroughKills kills runners, NATS and the leader while programs are
// built and play.
func TestRunnersPlayProgramsThroughKills(t *testing.T) {
	long.Only(t, "it waits until hosts are fenced")
	w := startIn(t, clusters.Options{Hosts: 2, YAML: "drain: 1s\nsubmissions: {games: [roshambo], cores: 1, runners: true, folder: " + programs.Languages(t) + "}\n"}, "require")
	f := &farm{world: w, Class: programs.Enroll(t, w.hosts[0], 4), told: map[string]bool{}}
	for i := range 2 {
		r, err := w.NewRunner(fmt.Sprintf("r%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			r.End(kill)
			if t.Failed() {
				t.Logf("the end of the log of %s:\n%s", r.Name, r.Tail(30))
			}
		})
		f.runners = append(f.runners, r)
		if err := r.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, hand := range hands {
		if out, err := f.Coco(programs.StudentName(i), "submit", "roshambo", f.file(hand, 1)).CombinedOutput(); err != nil || !strings.Contains(string(out), "is accepted") {
			t.Fatalf("got %v, want the program accepted:\n%s", err, out)
		}
	}
	f.Create("name: stairs\ngame: roshambo\nargs: {rounds: 300, pace: 0}\nformat: ladder\nentries: [{player: s01}, {player: s02}, {player: s03}, {player: s04}]\n")
	f.Run("contest", "start", "stairs")
	f.goesOn("at the start")
	for i := range w.hosts {
		poll.Until(t, "a spectator sees a match of a runner", func() bool {
			for _, m := range w.lobby(i) {
				c, err := w.hosts[i].Spectate(strings.Fields(m)[0])
				if err == nil {
					c.Close()
					return true
				}
			}
			return false
		})
		if n := f.on(w.Hosts[i]); n > 0 {
			t.Errorf("host %d: got %d matches, want those of programs on runners", i, n)
		}
	}

	build := programs.StartDaemon(t, f.Coco(programs.StudentName(0), "submit", "roshambo", f.file("ROCK", 3_000_000)))
	build.Await(t, 1, "it begins")
	builder := f.builder()
	builder.End(kill)
	f.goesOn("a runner was killed")
	build.Await(t, 1, "is accepted")
	if out := f.Run("submissions", "show", "4"); !regexp.MustCompile(`(?i)attempts?:?\s+2\b`).MatchString(out) {
		t.Errorf("got, of the version that was being built, want its second attempt:\n%s", out)
	}
	if err := builder.Start(); err != nil {
		t.Fatal(err)
	}
	w.NATS.End(kill)
	if err := w.StartNATS(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.goesOn("NATS was killed")
	leads := f.leads()
	leads.End(kill)
	f.goesOn("the leader was killed")
	if err := leads.Start(); err != nil {
		t.Fatal(err)
	}
	home := programs.StartDaemon(t, f.Coco(programs.StudentName(3), "serve", "roshambo", "--contest", "stairs", "--", "sh", "-c", programs.RoshamboScript))
	home.Await(t, 2, "msg=\"match ended\"")
	home.Stop(os.Interrupt)
	poll.Until(t, "a host answers", func() bool { _, err := w.hostsOf(0); return err == nil })
	f.Run("contest", "end", "stairs")
	f.Ended("stairs")
	f.once()
	f.Run("contest", "verify", "stairs")
}

// builder waits until a runner builds, and returns it.
func (f *farm) builder() (h *clusters.Host) {
	f.t.Helper()
	db, err := pgx.Connect(f.t.Context(), f.Postgres.URL("colosseum"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close(context.Background())
	poll.Until(f.t, "a runner builds", func() bool {
		var name string
		if err := db.QueryRow(f.t.Context(), "SELECT coalesce(max(host), '') FROM submissions WHERE state = 'building'").Scan(&name); err != nil {
			f.t.Fatal(err)
		}
		i := slices.IndexFunc(f.runners, func(r *clusters.Host) bool { return r.Name == name })
		if i >= 0 {
			h = f.runners[i]
		}
		return h != nil
	})
	return h
}

// leads waits until a host leads, and returns it.
func (f *farm) leads() (h *clusters.Host) {
	f.t.Helper()
	poll.Until(f.t, "a host leads", func() bool {
		a, err := f.hostsOf(0)
		for _, x := range a.Hosts {
			if i := slices.IndexFunc(f.Hosts, func(h *clusters.Host) bool { return h.Name == x.Name }); x.Leader && i >= 0 {
				h = f.Hosts[i]
			}
		}
		return err == nil && h != nil
	})
	return h
}

// once checks that what was told is in the store, and that each leg counts once.
func (f *farm) once() {
	f.t.Helper()
	legs, listed, records := map[[2]int]string{}, map[string]bool{}, f.hosts[0].Records(f.t)
	for _, m := range f.ContestMatches("stairs") {
		if m.State != "finished" {
			continue
		}
		listed[m.ID] = true
		if other := legs[[2]int{m.Pairing, m.Leg}]; other != "" {
			f.t.Errorf("got the matches %s and %s of leg %d of pairing %d, want one", other, m.ID, m.Leg, m.Pairing)
		}
		legs[[2]int{m.Pairing, m.Leg}] = m.ID
	}
	for id := range f.told {
		if r := records[id]; !listed[id] || r == nil || r.State != "finished" {
			f.t.Errorf("match %s was shown as finished: got the record %+v, in the contest: %t, want it kept", id, r, listed[id])
		}
	}
}
