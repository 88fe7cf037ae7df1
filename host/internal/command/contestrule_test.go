package command

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
)

func TestRulingsAreRead(t *testing.T) {
	for _, tt := range []struct {
		text  string
		seats int
		want  string
	}{
		{"1-0", 2, "{set [1 0]}"},
		{"0.5-0.5", 2, "{set [0.5 0.5]}"},
		{"draw", 3, "{set [0.5 0.5 0.5]}"},
		{"1-0.5-0", 3, "{set [1 0.5 0]}"},
		{"-42.5", 1, "{set [-42.5]}"},
		{"annul", 2, "{annul []}"},
		{"replay", 2, "{replay []}"},
		{"win", 2, "win"},
		{"draw", 1, "draw"},
	} {
		r, err := readRuling(tt.text, tt.seats)
		got := fmt.Sprint(r)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && !(err != nil && strings.Contains(got, fmt.Sprintf("%q is not a result", tt.want))) {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
	if p, l, err := matchNumber("3.2"); p != 2 || l != 1 || err != nil {
		t.Errorf("got the match %d.%d, %v, want 2.1", p, l, err)
	}
	for _, text := range []string{"3", "0.1", "3.0", "a.b", "1.2.3", ""} {
		if _, _, err := matchNumber(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

func TestDecisionsAreDescribed(t *testing.T) {
	at := time.Date(2027, 3, 1, 12, 0, 0, 0, time.Local)
	got := decisions([]contest.Decision{
		{Event: 4, At: at, By: "tea", Kind: "set", Pairing: 3, Leg: 1, Entries: []string{"ana", "bob"}, Points: []float64{1, 0}, Reason: "a bell", UndoneBy: 6},
		{Event: 5, At: at, Kind: contest.Bar, Entries: []string{"eve"}, Reason: "copied"},
		{Event: 6, At: at, By: "tea", Kind: contest.Undone, Undoes: 4, Pairing: 3, Leg: 1, Entries: []string{"ana", "bob"}, Reason: "no bell"},
		{Event: 7, At: at, By: "tea", Kind: contest.NewName, From: "x", Name: "y", Entries: []string{"y"}, Reason: "rude"},
	})
	want := `4. 2027-03-01 12:00 tea, set match 3.1 ana 1 bob 0: a bell (undone by 6)
5. 2027-03-01 12:00 the operator, bar eve: copied
6. 2027-03-01 12:00 tea, undo match 3.1 4: no bell
7. 2027-03-01 12:00 tea, rename x to y: rude
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
