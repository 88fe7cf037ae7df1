package contest

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

// refused runs a command of the host that fails, and returns what it prints to stderr.
func (c *class) refused(args ...string) string {
	c.t.Helper()
	cmd := exec.Command(filepath.Join(programs.Bin, "host"), append([]string{"--config", c.Host.Config, "--data", c.Host.Data}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err == nil {
		c.t.Errorf("host %s: got success, want a failure\n%s%s", strings.Join(args, " "), out, &stderr)
	}
	return stderr.String()
}

// TestOperatorChangesContestsWhileTheHostRuns pauses a contest while another one with
// some of its players goes on, changes its entries, and ends a third one. A contest that
// waits for its first player can't end too early.
func TestOperatorChangesContestsWhileTheHostRuns(t *testing.T) {
	t.Parallel()
	const students, first, left, late = 8, 0, 1, 7
	c := newDiceClass(t, students)
	entries := func(from, to int) string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, "{player: "+programs.StudentName(i)+"}")
		}
		return "entries: [" + strings.Join(list, ", ") + "]\n"
	}
	c.Create("name: alps\ngame: dice\nargs: {rounds: 2}\ntimeout: 60\nformat: round-robin\ngrace: 10m\n" + entries(first, 5))
	c.Create("name: blues\ngame: dice\nargs: {rounds: 2}\ntimeout: 60\nformat: swiss\nrounds: 2\ngrace: 10m\n" + entries(3, late))
	var daemons []*programs.Student
	serve := func(i int) *programs.Student {
		return c.Roll(programs.StudentName(i), c.Host.URL, fmt.Sprintf("%d-%d", i, i+5))
	}
	for i := first + 1; i < students; i++ {
		daemons = append(daemons, serve(i))
	}
	c.Run("contest", "start", "alps")
	c.Run("contest", "start", "blues")

	c.Until("alps", "some matches are over", func(d *programs.Contest) bool { return d.Done >= 2 })
	c.Run("contest", "pause", "alps", "--reason", "lunch")
	firstOne := serve(first)
	paused := c.Until("alps", "no match runs", func(d *programs.Contest) bool { return d.State == "paused" && len(d.Running) == 0 })
	if paused.Reason != "lunch" || paused.Done == paused.All {
		t.Errorf("got the reason %q with %d of %d matches, want lunch before the end", paused.Reason, paused.Done, paused.All)
	}
	c.Ended("blues") // its players are not kept by alps
	// Five players have two matches at a time. One that was due before the pause, and waited
	// for a player of the other contest, can still begin.
	if d := c.Contest("alps"); d.Done > paused.Done+2 || d.State != "paused" {
		t.Errorf("got %d matches of a contest that is %s, want %d, or up to 2 more, and paused", d.Done, d.State, paused.Done)
	}
	c.Run("contest", "enter", "alps", programs.StudentName(late))
	c.Run("contest", "withdraw", "alps", programs.StudentName(left))
	for _, tt := range []struct{ name, want string }{
		{"contest start alps", "has already started"},
		{"contest pause alps", "is paused"},
		{"contest resume blues", "is ended"},
		{"contest enter blues s01", "has ended"},
		{"contest enter alps stranger", "not registered"},
		{"contest withdraw alps s08 stranger", "stranger is not in the contest"},
		{"contest remove alps", "end it first"},
		{"contest start nosuch", `no contest "nosuch"`},
		{"contest show ../nosuch", "no contest"},
		{"contest verify nosuch", `no contest "nosuch"`},
		{"contest end blues", "has already ended"},
	} {
		if got := c.refused(strings.Fields(tt.name)...); !strings.Contains(got, tt.want) || strings.Contains(got, "goroutine") {
			t.Errorf("host %s: got %q, want an error with %q", tt.name, got, tt.want)
		}
	}
	if status, body := programs.Get(t, c.Host.Page("api/contests/nosuch")); status != 404 || !strings.Contains(body, "no such contest") {
		t.Errorf("got status %d, %s for an unknown contest, want 404 and the reason", status, body)
	}
	c.Run("contest", "resume", "alps")
	c.Ended("alps")
	played := c.CheckOnce("alps", "blues")
	met := map[string]int{}
	for _, m := range played["alps"] {
		met[strings.Join(slices.Sorted(slices.Values(m.Seats)), " ")]++
	}
	for i := range students {
		for j := i + 1; j < students; j++ {
			n, a, b := met[programs.StudentName(i)+" "+programs.StudentName(j)], programs.StudentName(i), programs.StudentName(j)
			inside := (i < 5 || i == late) && (j < 5 || j == late)
			switch {
			case i == left || j == left:
				if j == late && n > 0 {
					t.Errorf("%s and %s: got %d matches, want none: one came after the other had left", a, b, n)
				}
			case inside && n != 2 || !inside && n != 0:
				t.Errorf("%s and %s: got %d matches, want 2 in the contest and 0 outside", a, b, n)
			}
		}
	}
	for _, name := range []string{"alps", "blues"} {
		c.CheckStandings(name, map[string]float64{"alps": 0, "blues": 2}[name])
		c.Run("contest", "verify", name)
	}

	programs.Drain(t, []*programs.Student{firstOne})
	c.Create("name: coda\ngame: dice\nargs: {rounds: 2}\nformat: round-robin\ngrace: 10m\n" + entries(first, 4))
	c.Run("contest", "start", "coda")
	c.Until("coda", "some matches are over", func(d *programs.Contest) bool { return d.Done >= 2 })
	c.Run("contest", "end", "coda", "--reason", "it is late")
	d := c.Ended("coda")
	if d.Reason != "it is late" || d.Done >= d.All {
		t.Errorf("got the reason %q after %d of %d matches, want %q before the end", d.Reason, d.Done, d.All, "it is late")
	}
	c.Run("contest", "verify", "coda")
	programs.Drain(t, daemons) // none waits for a match
	if most := c.most(); slices.Max(slices.Collect(maps.Values(most))) > 1 {
		t.Errorf("got the matches at the same time %v, want at most one for each", most)
	}
	c.Run("contest", "remove", "coda")
	if status, _ := programs.Get(t, c.Host.Page("api/contests/coda")); status != 404 && status != 200 {
		t.Errorf("got status %d after the removal, want 404, or 200 for a moment", status)
	}
	if got := c.Run("contest", "list"); strings.Contains(got, "coda") || !strings.Contains(got, "alps") {
		t.Errorf("got the list\n%s\nwant alps and not coda", got)
	}
}
