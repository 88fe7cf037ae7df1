package contest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
)

// TestRoundsOnDatesGoOnAfterTheHostWasKilled plays two rounds whose dates the organizer shifts.
// Five of six players serve. In the second round, the sixth says that it is there, and does not
// come. The host is killed while a round is open.
func TestRoundsOnDatesGoOnAfterTheHostWasKilled(t *testing.T) {
	t.Parallel()
	const students = 6
	c := newDiceClass(t, students)
	first := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	c.Create("name: weekly\ngame: dice\nargs: {rounds: 3}\ntimeout: 60\nformat: swiss\nrounds: 2\nmatches: 1\nentries: open\ngrace: 5s\ndates: {first: " + first + ", every: 168h, open: 48h}\n")
	absent := programs.StudentName(students - 1)
	c.Run("contest", "enter", "weekly", absent)
	daemons := c.RollAll(students-1, func(i int) string { return fmt.Sprintf("%d-%d", i, i+20) }, "--contest", "weekly")
	c.Until("weekly", "all have entered", func(d *programs.Contest) bool { return len(d.Entries) == students })
	now := func() string { return time.Now().UTC().Format(time.RFC3339) }
	for round := 1; round <= 2; round++ {
		if d := c.Contest("weekly"); d.Round != round-1 {
			t.Fatalf("got round %d before round %d opens, want the one before", d.Round, round)
		}
		if out, err := c.Coco(absent, "contest", "here", "weekly").CombinedOutput(); err == nil {
			t.Errorf("got %s before round %d opens, want a refusal", out, round)
		}
		c.Run("contest", "shift", "weekly", fmt.Sprint(round), "--opens", now(), "--reason", "all are here")
		c.Until("weekly", "those that serve have played", func(d *programs.Contest) bool { return d.Done == 3*round-1 })
		if round == 2 {
			if out, err := c.Coco(absent, "contest", "here", "weekly").CombinedOutput(); err != nil {
				t.Errorf("got %v, want that the player is there:\n%s", err, out)
			}
		}
		c.Restart()
		if d := c.Contest("weekly"); d.Done != 3*round-1 || d.State != "running" {
			t.Errorf("got the contest %s with %d matches after a restart, want it running with %d", d.State, d.Done, 3*round-1)
		}
		closeSoon(t, c.Class, round)
		c.Until("weekly", "the round is decided", func(d *programs.Contest) bool { return d.Done == 3*round })
	}
	c.Ended("weekly")
	for _, m := range c.ContestMatches("weekly") {
		want := "finished"
		if slices.Contains(m.Seats, absent) {
			want = "walkover"
		}
		if m.State != want || want == "walkover" && !slices.Equal(m.Absent, []string{absent}) {
			t.Errorf("round %d, %v: got the match %s with %v absent, want it %s", m.Round, m.Seats, m.State, m.Absent, want)
		}
	}
	if status, body := programs.Get(t, c.Host.Page("contests/weekly/calendar.ics")); status != 200 || strings.Count(body, "BEGIN:VEVENT") != 2 {
		t.Errorf("got %d and %s, want a calendar with two rounds", status, body)
	}
	c.CheckOnce("weekly")
	c.Run("contest", "verify", "weekly")
	programs.Drain(t, daemons)
}

// closeSoon shifts the end of a round of weekly to a moment that comes soon. The host refuses
// one that has passed when it gets the command, which takes longer on a busy machine.
func closeSoon(t *testing.T, c *programs.Class, round int) {
	t.Helper()
	for soon := 3 * time.Second; ; soon *= 2 {
		cmd := exec.Command(filepath.Join(programs.Bin, "host"), "--config", c.Host.Config, "--data", c.Host.Data,
			"contest", "shift", "weekly", fmt.Sprint(round), "--closes", time.Now().Add(soon).UTC().Format(time.RFC3339Nano))
		out, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		if soon > poll.Limit || !strings.Contains(string(out), "would have closed") {
			t.Fatalf("got %v, want that round %d closes in %v\n%s", err, round, soon, out)
		}
	}
}
