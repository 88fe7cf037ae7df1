package contest

import (
	"encoding/json"
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
