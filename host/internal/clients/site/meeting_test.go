package site

import (
	"net/url"
	"testing"

	"colosseum/host/internal/records/record"
)

func TestMatchesOfAPlayerAreFilteredByOpponentAndResult(t *testing.T) {
	match := func(seats ...record.Seat) *record.Match {
		return &record.Match{State: record.Finished, Params: map[string]string{"bot": "easy"}, Seats: seats}
	}
	seat := func(name string, rank, team int) record.Seat { return record.Seat{Name: name, Rank: rank, Team: team} }
	bot := func(level string) record.Seat {
		return record.Seat{Name: "ServerBot$0", Bot: true, Rank: 2, Level: level}
	}
	for _, tt := range []struct {
		name  string
		match *record.Match
		query string
		want  bool
	}{
		{"against another", match(seat("ann", 1, 0), seat("bob", 2, 0)), "opponent=bob", true},
		{"not against oneself", match(seat("ann", 1, 0), seat("bob", 2, 0)), "opponent=ann", false},
		{"under a former name", match(seat("anna", 1, 0), seat("bob", 2, 0)), "opponent=bob&result=won", true},
		{"not against a mate", match(seat("ann", 1, 1), seat("bob", 1, 1), seat("eve", 3, 2)), "opponent=bob", false},
		{"with a mate", match(seat("ann", 1, 1), seat("bob", 1, 1), seat("eve", 3, 2)), "result=won", true},
		{"the level of the match", match(seat("ann", 1, 0), bot("")), "opponent=bot:easy", true},
		{"the level of the bot", match(seat("ann", 1, 0), bot("strong")), "opponent=bot:strong", true},
		{"another level", match(seat("ann", 1, 0), bot("strong")), "opponent=bot:easy", false},
		{"won", match(seat("ann", 1, 0), seat("bob", 2, 0)), "result=won", true},
		{"lost", match(seat("ann", 2, 0), seat("bob", 1, 0)), "result=lost", true},
		{"second of three", match(seat("ann", 2, 0), seat("bob", 1, 0), seat("eve", 3, 0)), "result=lost", true},
		{"drawn", match(seat("ann", 1, 0), seat("bob", 1, 0)), "result=drawn", true},
		{"drawn is not won", match(seat("ann", 1, 0), seat("bob", 1, 0)), "result=won", false},
		{"alone", match(seat("ann", 1, 0)), "result=won", false},
		{"aborted", &record.Match{State: record.Aborted, Seats: []record.Seat{seat("ann", 1, 0), seat("bob", 1, 0)}}, "result=drawn", false},
		{"not there", match(seat("bob", 1, 0), seat("eve", 2, 0)), "result=won", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := url.ParseQuery("player=ann&" + tt.query)
			if err != nil {
				t.Fatal(err)
			}
			m, err := takeMeeting(v)
			if err != nil || len(v) != 1 {
				t.Fatalf("got %v with the filters %v, want only player left", err, v)
			}
			if got := m.is(tt.match, []string{"ann", "anna"}, []string{m.opponent}); got != tt.want {
				t.Errorf("%s: got %v, want %v", tt.query, got, tt.want)
			}
		})
	}
}
