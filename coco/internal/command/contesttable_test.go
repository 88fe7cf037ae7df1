package command

import (
	"testing"

	"colosseum/coco/internal/server"
)

func TestProgressOfAContestIsShownWhenMatchesArePaired(t *testing.T) {
	for _, tt := range []struct {
		name      string
		format    string
		done, all int
		want      string
	}{
		{"not paired yet", "swiss", 0, 0, ""},
		{"paired", "swiss", 0, 6, "0/6"},
		{"a ladder without matches", "ladder", 0, 0, ""},
		{"a ladder", "ladder", 7, 7, "7"},
	} {
		if got := progressOf(&server.Contest{Format: tt.format, Done: tt.done, All: tt.all}); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
