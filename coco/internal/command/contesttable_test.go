package command

import (
	"reflect"
	"strings"
	"testing"
	"time"

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
		{"a league", "league", 7, 7, "7"},
		{"a pass mark", "pass", 7, 10, "7"},
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

func TestLastDecisionsAreShown(t *testing.T) {
	at := time.Date(2027, 3, 1, 18, 0, 0, 0, time.Local)
	c := &server.Contest{Name: "cup", Rulings: []server.Decision{
		{At: at, Kind: "bar", Entries: []string{"eve"}, Reason: "copied"},
		{At: at, Kind: "set", By: "zoe", Pairing: 3, Leg: 1, Entries: []string{"ann", "bob"}, Points: []float64{1, 0}, Reason: "no show", UndoneBy: 9},
		{At: at, Kind: "shift", By: "zoe", Round: 2, Opens: at, Closes: at.Add(time.Hour)},
		{At: at, Kind: "rename", By: "zoe", From: "ann", Name: "amy", Contest: "north"},
		{At: at, Kind: "organizers", Players: []string{"zoe", "tea"}},
		{At: at, Kind: "undo", By: "zoe", Undoes: 7, Reason: "she\x1b was there"},
	}}
	text := contestText(nil, c)
	for _, part := range []string{
		"Decided   2027-03-01 18:00 zoe: match 3.1 counts: ann 1, bob 0: no show (no longer holds)\n",
		"          2027-03-01 18:00 zoe: round 2 is played from 2027-03-01 18:00 to 2027-03-01 19:00\n",
		"          north 2027-03-01 18:00 zoe: ann is now called amy\n",
		"          2027-03-01 18:00 the operator of the host: organizers: zoe, tea\n",
		": decision 7 no longer holds: she",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("got %q, want %q in it", text, part)
		}
	}
	if strings.Contains(text, "eve") {
		t.Errorf("got %q, want the last five alone", text)
	}
}

func TestTeamsAreShownWithTheirPlayers(t *testing.T) {
	c := &server.Contest{Name: "cup", Open: true, Entrants: 1, Teams: &server.Teams{Size: 2}, TieBreaks: []string{"match-points"},
		Entries: []server.ContestEntry{{Name: "reds", Team: &server.Team{Captain: "ana", Players: []string{"ana", "bob"}, Invited: []string{"bob"}}}},
		Standings: []server.Standing{{Rank: 1, Name: "reds", Points: 1.5, Played: 2, Wins: 1, Draws: 1, TieBreaks: []float64{1}, Rating: 1510, Low: 1400, High: 1600,
			Boards: []server.Board{{Player: "ana", Board: 1, Points: 1.5, Played: 2, Wins: 1, Draws: 1, Rating: 1520, Low: 1410, High: 1610}, {Player: "cid"}}}},
	}
	text := contestText(nil, c)
	for _, part := range []string{"Entry     coco contest enter cup --team TEAM PLAYER...\n", "Boards    2\n", "Entrants  1 reds: ana [bob]"} {
		if !strings.Contains(text, part) {
			t.Errorf("got %q, want %q in it", text, part)
		}
	}
	rows := standingRows(nil, c)[1:]
	want := [][]string{
		{"1", "reds", "1.5", "2", "1", "1", "0", "1", "1510", "1400 to 1600"},
		{"", "  1 ana", "1.5", "2", "1", "1", "0", "", "1520", "1410 to 1610"},
		{"", "  – cid", "0", "0", "0", "0", "0", "", "–", "–"},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
	m := []server.ContestMatch{{Round: 1, ID: "x", Seats: []string{"reds", "blues"}, Players: []string{"ana", "eve"}, State: "finished", Points: []float64{1, 0}}}
	if got := matchRows(nil, m)[1][2]; got != "ana (reds), eve (blues)" {
		t.Errorf("got the players %q, want them with their teams", got)
	}
}

func TestLeagueHasDivisions(t *testing.T) {
	c := &server.Contest{Format: "league", Standings: []server.Standing{
		{Division: "gold", Rank: 1, Name: "ann", Played: 9, Wins: 6, Draws: 1, Losses: 2, Rating: 1600, Low: 1500, High: 1700},
		{Division: "gold", Rank: 2, Name: "bob", Played: 9, Wins: 1, Losses: 8, Rating: 1300, Low: 1200, High: 1400, Move: -1},
		{Division: "silver", Name: "bot:easy", Played: 4, Losses: 4, Rating: 1500, Low: 1500, High: 1500},
		{Division: "silver", Name: "cy", Withdrawn: true},
	}}
	want := [][]string{
		{"Division", "Rank", "Name", "Rating", "95 %", "Goes", "Played", "Won", "Drawn", "Lost"},
		{"gold", "1", "ann", "1600", "1500 to 1700", "", "9", "6", "1", "2"},
		{"", "2", "bob", "1300", "1200 to 1400", "down", "9", "1", "0", "8"},
		{"silver", "", "bot:easy", "1500", "1500 to 1500", "", "4", "0", "0", "4"},
		{"", "", "cy (withdrawn)", "–", "–", "", "0", "0", "0", "0"},
	}
	if rows := standingRows(nil, c); !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
}

func TestCupHasAColumnForEachContest(t *testing.T) {
	c := &server.Contest{Format: "cup", Cup: []server.CupPart{{Title: "North"}, {Title: "South"}}, Standings: []server.Standing{{Rank: 1, Name: "ann", Points: 2.5, Parts: []*float64{new(2.5), nil}}}}
	if rows, want := standingRows(nil, c), [][]string{{"Rank", "Name", "Points", "North", "South"}, {"1", "ann", "2.5", "2.5", "–"}}; !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
}

func TestNextDateOfARoundIsItsStateInTheList(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opens  time.Duration // from now
		closes time.Duration
		want   string
	}{{"before it", time.Hour, 2 * time.Hour, "running, round 3 opens "}, {"in it", -time.Hour, time.Hour, "running, round 3 closes "}} {
		w := &server.Window{Round: 3, Opens: time.Now().Add(tt.opens), Closes: time.Now().Add(tt.closes)}
		if got := stateOf(nil, &server.Contest{State: "running", Window: w}); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %q, want %q and its date", tt.name, got, tt.want)
		}
	}
}

func TestPassMarkShowsWhoHasPassed(t *testing.T) {
	at := time.Date(2027, 3, 1, 18, 30, 0, 0, time.Local)
	c := &server.Contest{Name: "mark", Format: "pass", Pass: &server.PassMark{Against: "bot:medium", Wins: 8, Of: 10, Draws: true, Values: []string{"7", "7"}, Tries: 5}, Standings: []server.Standing{
		{Rank: 1, Name: "ann", Points: 1, Played: 20, Pass: &server.Passed{At: at, Best: 8.5, Tries: 2, Left: 3}}, {Rank: 2, Name: "bob", Pass: &server.Passed{Left: 5}},
	}}
	want := [][]string{{"Rank", "Name", "Passed", "Best", "Tries", "Played", "Left today"}, {"1", "ann", "2027-03-01 18:30", "8.5/10", "2", "20", "3"}, {"2", "bob", "", "0/10", "0", "0", "5"}}
	if rows := standingRows(nil, c); !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
	text := contestText(nil, c)
	for _, want := range []string{"To pass   8 wins of 10 against bot:medium\n          a draw is half a win\n", "coco contest try mark, 5 times in 24 hours\n", "Seeds     7 7\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q", text, want)
		}
	}
}
