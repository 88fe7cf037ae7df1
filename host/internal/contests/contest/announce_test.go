package contest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

func TestEventsAreAnnounced(t *testing.T) {
	at := time.Date(2027, 3, 1, 18, 0, 0, 0, time.UTC)
	s, err := NewState(store.Contest{Name: "cup", Created: at, Spec: "name: cup\ntitle: The cup\ngame: dama\nformat: swiss\nstart: 2027-03-02T18:00:00Z\nentries: open\n"})
	if err != nil {
		t.Fatal(err)
	}
	const start = `{"contest":"cup","title":"The cup","game":"dama","format":"swiss"`
	check := func(name string, got []Announcement, want ...string) {
		t.Helper()
		var texts []string
		for _, a := range got {
			text, err := json.Marshal(a.News)
			if err != nil || !a.At.Equal(at) || !slices.Contains(Announcements(), a.Type) {
				t.Errorf("%s: got %+v, %v, want a known type and the time of the event", name, a, err)
			}
			texts = append(texts, a.Type+" "+strings.TrimPrefix(string(text), start))
		}
		if !slices.Equal(texts, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(texts, "\n"), strings.Join(want, "\n"))
		}
	}
	check("created", []Announcement{s.AnnounceCreation()}, `contest.created ,"starts":"2027-03-02T18:00:00Z"}`)

	var names []Entry
	for _, name := range []string{"ana", "bob", "cid"} {
		names = append(names, Entry{Name: name, Player: name})
	}
	applied := func(kind Kind, d eventData, want ...string) {
		t.Helper()
		e := newEvent(kind, d)
		e.At, e.Number = at, s.Last()+1
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
		got, err := s.Announce(e)
		if err != nil {
			t.Fatal(err)
		}
		check(string(kind), got, want...)
	}
	applied(Enter, eventData{Entries: names})
	applied(Start, eventData{Numbers: []int{0, 1, 2}}, `contest.started ,"entries":3}`)
	applied(PairUp, eventData{Pairings: []pairing.Pairing{{Round: 1, Entrants: []int{2, 0}}, {Round: 1, Entrants: []int{1}}}},
		`round.paired ,"round":2,"pairings":[["cid","ana"],["bob"]],"paired":2}`)
	applied(Pause, eventData{Reason: "supper"}, `contest.paused ,"reason":"supper"}`)
	applied(Resume, eventData{}, `contest.resumed }`)
	applied(Remind, eventData{Round: 1, Closes: at, Numbers: []int{0, 2}}, `round.closing ,"round":2,"closes":"2027-03-01T18:00:00Z","entrants":["ana","cid"]}`)
	applied(Warn, eventData{Numbers: []int{1}, Warning: NearlyLate})
	applied(End, eventData{Reason: "rain", Early: true, Standings: []Row{{Rank: 1, Name: "cid", Points: 1.5}}},
		`contest.ended ,"reason":"rain","standings":[{"rank":1,"name":"cid","points":1.5}],"early":true}`)

	// These need results, or a spec of another kind, to be applied.
	announced := func(kind Kind, d eventData, want ...string) {
		t.Helper()
		e := newEvent(kind, d)
		e.At, e.Number = at, 20
		got, err := s.Announce(e)
		if err != nil {
			t.Fatal(err)
		}
		check(string(kind), got, want...)
	}
	announced(Rule, eventData{By: "eve", Pairing: 0, Leg: 1, Reason: "no show", Ruling: &Ruling{Action: Set, Points: []float64{1, 0}}},
		`result.ruled ,"reason":"no show","by":"eve","round":2,"event":20,"entrants":["cid","ana"],"leg":2,"action":"set","points":[1,0]}`)
	announced(Undo, eventData{Event: 20, Reason: "he was there"}, `result.undone ,"reason":"he was there","event":20}`)
	announced(Reach, eventData{Numbers: []int{1}}, `player.passed ,"entrants":["bob"]}`)
	announced(Divide, eventData{})
	s.Spec.Season = &Season{Divisions: []string{"gold", "silver"}}
	announced(Divide, eventData{Moves: []Move{{Entry: 1, From: 1, To: 0}, {Entry: 2, From: -1, To: 1}}},
		`league.moved ,"moves":[{"name":"bob","from":"silver","to":"gold"},{"name":"cid","to":"silver"}]}`)
	announced(End, eventData{Moves: []Move{{Entry: 0, From: 0, To: 1}}, Standings: []Row{{Rank: 1, Name: "bob", Division: "gold"}}},
		`league.moved ,"moves":[{"name":"ana","from":"gold","to":"silver"}]}`, `contest.ended ,"standings":[{"rank":1,"name":"bob","points":0,"division":"gold"}]}`)
}

func TestAnnouncementsOfLargeContestsAreShort(t *testing.T) {
	s, err := NewState(store.Contest{Name: "cup", Spec: "name: cup\ngame: dama\nformat: swiss\nentries: open\n"})
	if err != nil {
		t.Fatal(err)
	}
	s.Entries = make([]Entrant, MaxEntries)
	d := eventData{Standings: make([]Row, MaxEntries)}
	for i := range MaxEntries {
		d.Pairings = append(d.Pairings, pairing.Pairing{Entrants: []int{i}})
		d.Moves = append(d.Moves, Move{Entry: i})
	}
	for _, kind := range []Kind{PairUp, Divide, End} {
		all, err := s.Announce(newEvent(kind, d))
		if err != nil || len(all) == 0 {
			t.Fatal(len(all), err)
		}
		for _, a := range all {
			if n := a.News; len(n.Pairings) > MaxNews || len(n.Moves) > MaxNews || len(n.Standings) > MaxNews {
				t.Errorf("%s: got %d pairings, %d moves and %d standings, want at most %d", a.Type, len(n.Pairings), len(n.Moves), len(n.Standings), MaxNews)
			}
		}
	}
}

func TestWebhooksCanHaveAllAnnouncements(t *testing.T) {
	for _, a := range Announcements() {
		if !slices.Contains(config.WebhookEvents(), a) {
			t.Errorf("got no %s for webhooks, want it", a)
		}
	}
}
