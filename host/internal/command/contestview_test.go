package command

import (
	"strings"
	"testing"

	"colosseum/host/internal/contests/contest"
)

func TestSidesOfAMatchJoinThePlayersOfATeam(t *testing.T) {
	for _, tt := range []struct {
		name          string
		m             contest.MatchView
		names, points string
	}{
		{"two players", contest.MatchView{Seats: []string{"a", "b"}, Points: []float64{1, 0}}, "a, b", "1 : 0"},
		{"planned", contest.MatchView{Seats: []string{"a", "b", "c"}}, "a, b, c", ""},
		{"two teams", contest.MatchView{Seats: []string{"a", "b", "c", "d"}, Points: []float64{0, 1, 0, 1}, Teams: []int{1, 2, 1, 2}}, "a + c, b + d", "0 : 1"},
		{"a team and two others", contest.MatchView{Seats: []string{"a", "b", "c", "d"}, Points: []float64{0.5, 1, 1, 0}, Teams: []int{0, 1, 1, 0}}, "a, b + c, d", "0.5 : 1 : 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names, points := sides(&tt.m)
			if got := strings.Join(names, ", "); got != tt.names {
				t.Errorf("got the sides %s, want %s", got, tt.names)
			}
			if got := strings.Join(points, " : "); got != tt.points {
				t.Errorf("got the points %s, want %s", got, tt.points)
			}
		})
	}
}
