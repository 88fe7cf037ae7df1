package command

import (
	"reflect"
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

func TestEntryThatHasNotPlayedHasNoRating(t *testing.T) {
	c := &server.Contest{Standings: []server.Standing{{Name: "bot:strong", Played: 3, Rating: 1500, Low: 1500, High: 1500}, {Name: "bob"}}}
	rows := standingRows(nil, c)
	if got := rows[1][len(rows[1])-2]; got != "1500" {
		t.Errorf("got the rating %q of a fixed bot, want 1500", got)
	}
	if got := rows[2][len(rows[2])-2]; got != "–" {
		t.Errorf("got the rating %q of a player without matches, want a dash", got)
	}
}

func TestContestByScoreHasScoresAndNoRatings(t *testing.T) {
	c := &server.Contest{Format: "score", Standings: []server.Standing{{Rank: 1, Name: "ann", Points: 20, Played: 2, Scores: &server.Scores{Mean: 20, Best: 40, Sum: 60, Missed: 1}}}}
	rows := standingRows(nil, c)
	want := [][]string{{"Rank", "Name", "Mean", "Best", "Sum", "Played", "Missed"}, {"1", "ann", "20", "40", "60", "2", "1"}}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
}
