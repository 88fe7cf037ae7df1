package site

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/contests/players"
)

// newTeams returns a contest of three teams with two boards, which is open. bob leads the first
// one, ann is in the second one, and cy is invited by it.
func newTeams(now time.Time) *contest.View {
	v := newView("teams", "Club league", pairing.RoundRobin, contest.Running, 0, now.Add(-3*time.Hour))
	v.Teams, v.PerPair, v.Count, v.Open, v.Round, v.Rounds = &contest.Teams{Size: 2, Reserves: 1, Points: "match"}, 2, 3, true, 1, 3
	v.TieBreaks, v.Leaders, v.Entries, v.Standings = []string{"board-points"}, []string{"reds"}, nil, nil
	teams := []contest.Team{
		{Captain: "bob", Players: []string{"bob", "hal", "ida"}}, {Captain: "fay", Players: []string{"fay", "ann", "cy"}, Invited: []string{"cy"}}, {Players: []string{"gus", "lea"}},
	}
	for i, name := range []string{"reds", "blues", hostile} {
		team := teams[i]
		v.Entries = append(v.Entries, contest.EntryView{Name: name, Kind: "team", Seed: i + 1, Team: &team})
		row := contest.Row{Rank: i + 1, Name: name, Points: float64(2-i) / 2, Played: 2 * (2 - i) / 2, Wins: 2 - i, TieBreaks: []float64{2 - float64(i)}, Rating: 1600 - 100*float64(i), Low: 1500 - 100*float64(i), High: 1700}
		for j, p := range team.Members() {
			row.Boards = append(row.Boards, contest.BoardRow{Player: p, Board: (j + 1) % 3, Points: 0.5, Played: 1 - i/2, Draws: 1 - i/2, Rating: 1500, Low: 1400, High: 1650})
		}
		v.Standings = append(v.Standings, row)
	}
	v.Entries[2].Withdrawn, v.Entries[2].Reason, v.Standings[2].Withdrawn = true, "fewer than 2 players at the start", true
	for i, line := range [][]string{{"bob", "fay"}, {"ann", "hal"}} {
		seats := []string{"reds", "blues"}
		if i == 1 {
			slices.Reverse(seats)
		}
		v.Matches = append(v.Matches, contest.MatchView{
			ID: fmt.Sprint("board", i), Round: 1, Slot: 1, Pairing: 1, Leg: i + 1, Board: i + 1, Players: line, Seats: seats, State: "finished",
			Points: []float64{1, 0}, Ranks: []int{1, 2}, Outcome: []string{"finished", "finished"}, Ended: now,
		})
	}
	v.Matches = append(v.Matches, contest.MatchView{Round: 1, Slot: 2, Pairing: 2, Seats: []string{hostile}, State: "bye"})
	v.Done, v.All = 2, 2
	return v
}

func (c *fakeContests) EnterTeam(_ context.Context, name, player, team string, others []string) error {
	return c.change(name, func(v *contest.View) error {
		if v.Teams == nil {
			return errors.New("the contest has no teams")
		}
		v.Entries = append(v.Entries, contest.EntryView{Name: team, Kind: "team", Seed: len(v.Entries) + 1, Team: &contest.Team{Captain: player, Players: append([]string{player}, others...), Invited: others}})
		return nil
	})
}

func (c *fakeContests) LineUp(_ context.Context, name, by, team string, players []string) error {
	return c.change(name, func(v *contest.View) error {
		i := slices.IndexFunc(v.Entries, func(e contest.EntryView) bool { return e.Name == team })
		if i < 0 || v.Entries[i].Team.Captain != by {
			return fmt.Errorf("%s cannot change the team %s", by, team)
		}
		v.Entries[i].Team = &contest.Team{Captain: by, Players: players}
		return nil
	})
}

func TestTeamsEnterAndChange(t *testing.T) {
	login := []string{"Cookie", players.Cookie + "=" + bobsToken}
	for _, tt := range []struct {
		name, path, body string
		status           int
		answer, entry    string
	}{
		{"a team", "teams/entry", `{"team":"greens","players":["jo"]}`, 200, `{"contest":"teams","player":"bob","entered":true,"team":"greens"}`, `{"name":"greens","kind":"team","seed":4,"team":{"captain":"bob","players":["bob","jo"],"invited":["jo"]}}`},
		{"a line-up", "teams/lineup", `{"team":"reds","players":["hal","bob"]}`, 200, `{"contest":"teams","player":"bob","entered":true,"team":"reds"}`, `"team":{"captain":"bob","players":["hal","bob"]}}`},
		{"of another team", "teams/lineup", `{"team":"blues","players":["bob"]}`, 409, "bob cannot change the team blues", ""},
		{"players without a team", "teams/entry", `{"players":["jo"]}`, 400, "the players of a team need its name", ""},
		{"a contest without teams", "next/entry", `{"team":"greens"}`, 409, "the contest has no teams", ""},
		{"an unknown contest", "nothing/lineup", `{"team":"greens","players":[]}`, 404, "", ""},
		{"another field", "teams/lineup", `{"captain":"bob"}`, 400, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, _ := accountSite(t)
			schemas := readSchemas(t)
			w := change(s, "POST", "/api/contests/"+tt.path, tt.body, login...)
			if got := w.Body.String(); w.Code != tt.status || !strings.Contains(got, tt.answer) {
				t.Fatalf("got %d %s, want %d %s", w.Code, got, tt.status, tt.answer)
			}
			address := "/api/contests/{name}/" + strings.Split(tt.path, "/")[1]
			for _, fault := range schemas.faults(schemas.answerTo("post", address, fmt.Sprint(tt.status), "application/json"), decode[any](t, w.Body.String()), "answer") {
				t.Error(fault)
			}
			body := get(s, "/api/contests/teams").Body.String()
			if !strings.Contains(body, tt.entry) {
				t.Errorf("got %s, want %s", body, tt.entry)
			}
		})
	}
}

func TestMatchesOfTeamsHaveTheirPlayers(t *testing.T) {
	s, _, _ := accountSite(t)
	if body := get(s, "/api/contests/teams/matches?player=HAL").Body.String(); !strings.Contains(body, `"board":2,"players":["ann","hal"]`) || strings.Contains(body, `"board":1`) {
		t.Errorf("got %s, want the match of hal alone", body)
	}
	rows, err := csv.NewReader(strings.NewReader(get(s, "/api/contests/teams/matches.csv").Body.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"board", "player1", "player2"}, {"1", "bob", "fay"}, {"2", "ann", "hal"}, {"", "", ""}} {
		if got := rows[i][len(rows[i])-3:]; !slices.Equal(got, want) {
			t.Errorf("line %d: got %q, want %q", i+1, got, want)
		}
	}
}
