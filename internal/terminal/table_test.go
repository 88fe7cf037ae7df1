package terminal

import (
	"strings"
	"testing"
)

func TestTableKeepsItsShape(t *testing.T) {
	got := Table([]string{"name", "p50"}, [][]string{{"evil\n\x1b[2J", "1 ms"}})
	if lines := strings.Split(got, "\n"); len(lines) != 5 || !strings.Contains(lines[1], "name") || !strings.Contains(lines[3], `evil \x1b[2J`) {
		t.Errorf("want 5 lines with the escape shown, got\n%s", got)
	}
}
