package web

import (
	"encoding/json"
	"fmt"
	"testing"

	"colosseum/protocol"
)

// joinWithHints takes a seat for a player that wants hints, with a ticket if that is not empty.
func (c *client) joinWithHints(id, name, ticket string) {
	c.t.Helper()
	c.ours = true
	c.sendText(string(protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name, Hints: true, Resume: ticket != "", Ticket: ticket})))
	c.readUntil(protocol.NameLobbyUpdate)
}

// newDuel creates a match of duel in which players can try again once.
func (c *client) newDuel() string {
	c.t.Helper()
	c.sendText(`{"GameNew":{"name":"T","game":"duel","params":{"players":2,"bots":0,"timeout":600,"retries":1},"args":{},"password":null,"verification":null}}`)
	_, m := c.readUntil(protocol.NameGameNew)
	return identifier.FindStringSubmatch(m)[1]
}

func TestHintsComeInOrderToThePlayerThatWantsThem(t *testing.T) {
	srv := startServer(t, nil)
	alice, bob := srv.connect(), srv.connect()
	id := alice.newDuel()
	alice.joinWithHints(id, "alice", "")
	bob.joinMatch(id, "bob") // its client would not accept a MatchQuestion
	question := func(number, retries int) string {
		text := fmt.Sprintf(`{"MatchQuestion":{"number":%d,"answers":["a","b"],"seconds":600`, number)
		if retries > 0 {
			text += fmt.Sprintf(`,"retries":%d`, retries)
		}
		return text + "}}"
	}
	alice.readUntil(protocol.NameMatchStarted)
	alice.wantBytes("go\n")
	alice.wantText(question(1, 1))
	bob.readUntil(protocol.NameMatchStarted)
	bob.wantBytes("go\n")
	bob.sendBytes("b\n")
	alice.sendBytes("c\n")
	alice.wantBytes("illegal: c, try again\n")
	kind, message := alice.read()
	var again struct{ MatchQuestion protocol.MatchQuestion }
	if kind != "text" || json.Unmarshal([]byte(message), &again) != nil || again.MatchQuestion.Number != 2 || again.MatchQuestion.Retries != 0 || !(again.MatchQuestion.Seconds <= 600) {
		t.Errorf("got %s %s, want the question again, without retries", kind, message)
	}
	alice.sendBytes("a\n")
	stream, _ := bob.readUntil(protocol.NameMatchEnded)
	if len(stream) != len("a\nb\n") {
		t.Errorf("the other player got %q, want both answers", stream)
	}
	alice.readUntil(protocol.NameMatchEnded)
	if r := srv.records.byID[id]; r.Retries != 1 || r.Seats[0].Refused+r.Seats[1].Refused != 1 {
		t.Errorf("the record has %d retries and the seats %+v, want 1, and one refused answer", r.Retries, r.Seats)
	}
}

func TestPlayerThatResumesGetsTheOpenQuestion(t *testing.T) {
	srv := startServer(t, withResume)
	alice, bob := srv.connect(), srv.connect()
	id := alice.newDuel()
	ticket := "abcdefghijklmnopqrstuvwxyz"
	alice.joinWithHints(id, "alice", ticket)
	bob.joinMatch(id, "bob")
	alice.readUntil(protocol.NameMatchQuestion)
	alice.cut()
	srv.awaitAway(ticket)
	alice = srv.connect()
	alice.resume(ticket, uint64(len("go\n")), 0)
	_, message := alice.readUntil(protocol.NameMatchQuestion)
	var open struct{ MatchQuestion protocol.MatchQuestion }
	if err := json.Unmarshal([]byte(message), &open); err != nil || open.MatchQuestion.Number != 1 || len(open.MatchQuestion.Answers) != 2 {
		t.Errorf("got %s, %v, want the open question", message, err)
	}
	alice.sendBytes("a\n")
	bob.sendBytes("b\n")
	alice.readUntil(protocol.NameMatchEnded)
}

func TestRetriesAreBounded(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connect()
	for _, n := range []int{-1, 11} {
		c.sendText(fmt.Sprintf(`{"GameNew":{"name":"T","game":"duel","params":{"players":2,"bots":0,"timeout":600,"retries":%d},"args":{},"password":null,"verification":null}}`, n))
		c.wantText(`{"GameNew":{"id":{"Err":"a player can answer again from 0 to 10 times in a turn"}}}`)
	}
}

func TestHintsComeThroughAnotherHost(t *testing.T) {
	c := startCluster(t, 2, nil)
	alice := c.host("b").connect()
	id := alice.newDuel()
	alice.joinWithHints(id, "alice", "")
	c.host("b").connect().joinMatch(id, "bob")
	alice.readUntil(protocol.NameMatchStarted)
	if stream, _ := alice.readUntil(protocol.NameMatchQuestion); stream != "go\n" {
		t.Errorf("got the question after %q, want it after its text", stream)
	}
}
