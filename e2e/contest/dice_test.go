package contest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

// newDiceClass starts a host that offers dice, and registers students.
func newDiceClass(t *testing.T, students int) *class {
	t.Helper()
	return newClassWith(t, students, "plugins: {folders: ["+programs.DiceFolder(t)+"]}\n"+
		"drain: 1s\n"+
		"limits: {host_reads_per_second: 1000000}\n") // all readers are exempt from the other limit
}

// restart kills the host, and starts it again with the same data and address.
func (c *class) restart() {
	c.t.Helper()
	old := c.Host
	old.Stop(c.t, os.Kill)
	text, err := os.ReadFile(old.Config)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Host = programs.StartHostWith(c.t, old.Data, string(text), "--listen", strings.Trim(strings.TrimPrefix(old.URL, "ws://"), "/"))
}

// decodeContest reads what host contest prints with --json.
func decodeContest(t testing.TB, text string) (d *programs.Contest, matches []programs.ContestMatch) {
	t.Helper()
	var v struct {
		programs.Contest
		Matches []programs.ContestMatch
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("got %v, want JSON:\n%s", err, text)
	}
	return &v.Contest, v.Matches
}
