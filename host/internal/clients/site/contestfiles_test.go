package site

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"colosseum/host/internal/contests/contest"
)

// table reads a CSV answer: a map from column to text for each line.
func table(t *testing.T, s *Site, path, file string) (rows []map[string]string) {
	t.Helper()
	w := get(s, path)
	if w.Code != 200 || w.Header().Get("Content-Type") != csvType || w.Header().Get("Content-Disposition") != `attachment; filename="`+file+`"` {
		t.Fatalf("%s: got %d %v, want a table in %s", path, w.Code, w.Header(), file)
	}
	lines, err := csv.NewReader(w.Body).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, text := range line {
			row[lines[0][i]] = text
		}
		rows = append(rows, row)
	}
	return rows
}

func TestTablesHoldTheNumbersOfTheAPI(t *testing.T) {
	s, _ := newSite(t)
	rows := table(t, s, "/api/contests/spring-cup/standings.csv", "spring-cup-standings.csv")
	if got := rows[7]; len(rows) != 12 || got["rank"] != "8" || got["name"] != "hal" || got["points"] != "2.5" || got["withdrawn"] != "true" || got["buchholz"] != "14.5" || got["rating"] != "-25" || got["low"] != "-115" {
		t.Errorf("got %d rows, the eighth %v, want 12 rows and the numbers of hal", len(rows), got)
	}
	matches := table(t, s, "/api/contests/cup/matches.csv", "cup-matches.csv")
	view, _ := contestsOf(s).View(t.Context(), "cup")
	if len(matches) != len(view.Matches) {
		t.Fatalf("got %d matches, want %d", len(matches), len(view.Matches))
	}
	for i, m := range view.Matches {
		got := matches[i]
		if got["id"] != m.ID || got["state"] != m.State || got["round"] != fmt.Sprint(m.Round) || got["leg"] != fmt.Sprint(m.Leg) || got["name1"] != m.Seats[0] || m.State == "finished" && got["outcome2"] != m.Outcome[1] {
			t.Errorf("match %d: got %v, want %+v", i, got, m)
		}
	}
	if got := table(t, s, "/api/ratings/roshambo/ratings.csv", "ratings.csv"); len(got) != 8 || got[3]["name"] != "bot:strong" || got[3]["bot"] != "true" || got[0]["rating"] != "180" {
		t.Errorf("got the ratings %v, want 8, the fourth of bot:strong", got)
	}
	lines := strings.Split(strings.TrimSpace(get(s, "/api/contests/cup/matches.ndjson").Body.String()), "\n")
	if len(lines) != len(view.Matches) {
		t.Fatalf("got %d lines, want %d", len(lines), len(view.Matches))
	}
	schemas := readSchemas(t)
	for _, line := range lines {
		for _, fault := range schemas.faults(schemas.at("components", "schemas", "ContestMatch"), decode[any](t, line), "line") {
			t.Error(fault)
		}
	}
}

func TestTableOfMatchesHasTeamsIfThereAreAny(t *testing.T) {
	s, _ := newSite(t)
	c := contestsOf(s)
	c.views = []*contest.View{{Summary: contest.Summary{Name: "x"}, PerMatch: 3, Matches: []contest.MatchView{
		{Seats: []string{"a", "b", "c"}, State: "finished", Teams: []int{1, 1, 0}}, {Seats: []string{"a", "c", "b"}, State: "planned"}, {Seats: []string{"b"}, State: "bye"},
	}}}
	c.generation++
	rows := table(t, s, "/api/contests/x/matches.csv", "x-matches.csv")
	for i, want := range []string{"1 1 0", "  ", "  "} {
		if got := rows[i]["team1"] + " " + rows[i]["team2"] + " " + rows[i]["team3"]; got != want {
			t.Errorf("match %d: got the teams %q, want %q", i, got, want)
		}
	}
	c.views[0].Matches = c.views[0].Matches[1:]
	c.generation++
	if _, ok := table(t, s, "/api/contests/x/matches.csv", "x-matches.csv")[0]["team1"]; ok {
		t.Error("got a column for teams in a contest without, want none")
	}
}

func TestTablesHoldNoFormulas(t *testing.T) {
	s, _ := newSite(t)
	c := contestsOf(s)
	for i, name := range []string{"=1+1", "+1", "-1", "@A1", "\tx", "\rx", "a,b\"c\nd", "1-1", ""} {
		want := name
		if i < 6 {
			want = "'" + name
		}
		c.views = []*contest.View{{
			Summary: contest.Summary{Name: "x"}, PerMatch: 1, Standings: []contest.Row{{Name: name}},
			Matches: []contest.MatchView{{Seats: []string{name}, State: "finished", Outcome: []string{name}}},
		}}
		c.generation++
		want = strings.ReplaceAll(want, "\r\n", "\n")
		standings := table(t, s, "/api/contests/x/standings.csv", "x-standings.csv")
		matches := table(t, s, "/api/contests/x/matches.csv", "x-matches.csv")
		if standings[0]["name"] != want || matches[0]["name1"] != want || matches[0]["outcome1"] != want {
			t.Errorf("%q: got %q and %q, want %q", name, standings[0]["name"], matches[0]["name1"], want)
		}
	}
}
