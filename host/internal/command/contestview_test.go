package command

import (
	"strings"
	"testing"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
)

func TestProgressOfAContestIsShownWhenMatchesArePaired(t *testing.T) {
	for _, tt := range []struct {
		name      string
		format    pairing.Format
		done, all int
		cell      string
		text      string
	}{
		{"not paired yet", pairing.Swiss, 0, 0, "", ", no matches\n"},
		{"paired", pairing.Swiss, 0, 6, "0 of 6", ", 0 of 6 matches\n"},
		{"a ladder without matches", contest.Ladder, 0, 0, "", ", no matches\n"},
		{"a ladder", contest.Ladder, 7, 7, "7", ", 7 matches\n"},
	} {
		v := &contest.View{Summary: contest.Summary{Format: tt.format, Done: tt.done, All: tt.all}}
		if got := decided(v.Summary); got != tt.cell {
			t.Errorf("%s: got %q in the list, want %q", tt.name, got, tt.cell)
		}
		var b strings.Builder
		if err := printContest(&b, v); err != nil || !strings.Contains(b.String(), tt.text) {
			t.Errorf("%s: got %q, %v, want %q in it", tt.name, b.String(), err, tt.text)
		}
	}
}

func TestEntryThatHasNotPlayedHasNoRating(t *testing.T) {
	v := &contest.View{Standings: []contest.Row{{Rank: 1, Name: "ann", Played: 1, Rating: 1500, Low: 1400, High: 1600}, {Name: "bob"}}}
	text := standingsTable(v)
	if !strings.Contains(text, "1400 – 1600") || strings.Count(text, " 0 – 0") > 0 || !strings.Contains(text[strings.Index(text, "bob"):], "–") {
		t.Errorf("got\n%s\nwant a dash for the rating of bob", text)
	}
	if csv := string(v.CSV()); !strings.Contains(csv, "0,bob,0,0,0,0,0,0,,,,false") {
		t.Errorf("got the table\n%s\nwant no rating of bob", csv)
	}
}
