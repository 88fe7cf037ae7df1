package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// rematch requests a rematch, and returns its ID, or the refusal.
func (c *client) rematch(of string) (id, refusal string) {
	c.t.Helper()
	c.sendText(fmt.Sprintf(`{"GameNew":{"name":"Again","game":"duel","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null,"rematch":%q}}`, of))
	_, message := c.readUntil(protocol.NameGameNew)
	var reply struct{ GameNew protocol.GameNewReply }
	if err := json.Unmarshal([]byte(message), &reply); err != nil {
		c.t.Fatal(err)
	}
	id, err := reply.GameNew.ID.Get()
	if err != nil {
		return "", err.Error()
	}
	return id, ""
}

// played is an ended duel of ann and bob.
var played = &record.Match{
	ID: "0123456789abc", Name: "T", Game: "duel", Args: map[string]string{"rounds": "3"}, Timeout: 30, State: record.Finished,
	Seats: []record.Seat{{Name: "ann"}, {Name: "bob"}},
}

func TestPlayersPlayAgainWithSwappedSeats(t *testing.T) {
	srv := startServer(t, nil)
	ann, bob := srv.connect(), srv.connect()
	first := ann.createMatch("duel")
	ann.joinMatch(first, "ann")
	bob.joinMatch(first, "bob")
	order := func() string {
		var names []string
		for _, c := range []*client{ann, bob} {
			c.readUntil(protocol.NameMatchStarted)
			c.sendBytes("a\n")
		}
		var reply struct{ MatchEnded protocol.EndedReply }
		_, message := ann.readUntil(protocol.NameMatchEnded)
		if err := json.Unmarshal([]byte(message), &reply); err != nil {
			t.Fatal(err)
		}
		bob.readUntil(protocol.NameMatchEnded)
		for _, p := range reply.MatchEnded.Result.Players {
			names = append(names, p.Name)
		}
		return strings.Join(names, " ")
	}
	before := order()
	again, refusal := bob.rematch(first)
	if refusal != "" {
		t.Fatal(refusal)
	}
	if second, _ := ann.rematch(first); second != again {
		t.Errorf("got the rematch %s for ann, want bob's %s", second, again)
	}
	ann.joinMatch(again, "ann")
	bob.joinMatch(again, "bob")
	if after := order(); after == before {
		t.Errorf("got the seats %s both times, want them swapped", after)
	}
}

func TestRematchOfNoEndedMatchIsRefused(t *testing.T) {
	srv := startServer(t, nil)
	srv.records.put(played)
	c := srv.connect()
	running := srv.connect().createMatch("duel")
	for of, want := range map[string]string{
		"x":             "Invalid ID: ",
		"1123456789abc": "no match 1123456789abc has ended",
		running:         "no match " + running + " has ended",
	} {
		if id, got := c.rematch(of); !strings.HasPrefix(got, want) {
			t.Errorf("a rematch of %s: got %s %q, want %q", of, id, got, want)
		}
	}
	if _, got := c.rematch(played.ID); got != "" {
		t.Errorf("got %q, want a rematch", got)
	}
}

// Rematches count as new matches of an address.
func TestRematchesAreLimited(t *testing.T) {
	srv := startServer(t, func(l *Limits) { l.Address = limit.PerAddress{Matches: 1} })
	srv.records.put(played)
	c := srv.connect()
	if _, got := c.rematch(played.ID); got != "" {
		t.Fatal(got)
	}
	if _, got := c.rematch(played.ID); got != errTooManyNewMatches.Error() {
		t.Errorf("got %q, want %q", got, errTooManyNewMatches)
	}
}

func TestRematchIsFoundFromAnyHost(t *testing.T) {
	c := startCluster(t, 3, nil)
	for _, h := range c.hosts {
		h.records.put(played)
	}
	c.set(func() { c.place = 0 })
	again, refusal := c.host("b").connect().rematch(played.ID)
	if refusal != "" {
		t.Fatal(refusal)
	}
	c.host("c").awaitListed(again)
	c.set(func() { c.place = 1 }) // a new match would be on another host
	ann, bob := c.host("b").connect(), c.host("c").connect()
	if got, refusal := bob.rematch(played.ID); got != again {
		t.Errorf("got %s %q, want %s", got, refusal, again)
	}
	bob.joinMatch(again, "bob")
	ann.joinMatch(again, "ann")
	ann.readUntil(protocol.NameMatchStarted)
}
