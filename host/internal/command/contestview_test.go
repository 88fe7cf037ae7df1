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
		{"players of contests of teams", contest.MatchView{Seats: []string{"reds", "blues"}, Players: []string{"a", "b"}, Points: []float64{1, 0}}, "a (reds), b (blues)", "1 : 0"},
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

func TestBoardsOfTeamsHaveATable(t *testing.T) {
	v := &contest.View{Teams: &contest.Teams{Size: 2}, Standings: []contest.Row{{Name: "reds", Boards: []contest.BoardRow{
		{Player: "ana", Board: 1, Points: 1.5, Played: 2, Wins: 1, Draws: 1, Rating: 1520, Low: 1410, High: 1610}, {Player: "cid"},
	}}}}
	table := boardsTable(v)
	for _, row := range [][]string{{"reds", "1", "ana", "1.5", "2", "1", "1", "0", "0", "1520", "1410 – 1610"}, {"reds", "–", "cid", "0", "0", "0", "0", "0", "0", "–", "–"}} {
		if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(table, "│", "")), " "), strings.Join(row, " ")) {
			t.Errorf("got the table %s, want the row %q", table, row)
		}
	}
	if got := boardsTable(&contest.View{}); got != "" {
		t.Errorf("got %q for a contest without teams, want nothing", got)
	}
}
