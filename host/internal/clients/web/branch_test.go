package web

import (
	"encoding/json"
	"strings"
	"testing"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// branch requests a match that begins with the moves of another one, and returns its ID, or
// the refusal.
func (c *client) branch(game string, b protocol.NewBranch) (id, refusal string) {
	c.t.Helper()
	c.sendText(string(protocol.Encode(protocol.NameGameNew, protocol.GameNew{Name: "Again", Game: game, Branch: &b})))
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

// joinBranch takes the seat of a branch.
func (c *client) joinBranch(id, name string) {
	c.t.Helper()
	c.ours = true
	c.sendText(string(protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name, Branch: true, Resume: true})))
	c.readUntil(protocol.NameMatchStarted)
}

func TestPlayerTakesBackMovesInItsRunningMatch(t *testing.T) {
	srv := startServer(t, withResume)
	alice, page := srv.connect(), srv.connect()
	id, ticket := alice.startResumable()
	back := protocol.NewBranch{Match: id, Back: true, Name: "alice", Ticket: ticket}
	if _, refusal := page.branch("echo", back); !strings.Contains(refusal, "no move to take back") {
		t.Errorf("before the first move: got %q, want a refusal", refusal)
	}
	for _, line := range []string{"x", "y"} {
		alice.sendBytes(line + "\n")
		alice.wantBytes("<" + line + ">\n")
	}
	again, refusal := page.branch("echo", back)
	if refusal != "" {
		t.Fatal(refusal)
	}
	if _, end := alice.readUntil(protocol.NameMatchEnded); !strings.Contains(end, `"aborted":true`) || !strings.Contains(end, "goes on as "+again) {
		t.Errorf("the earlier match ends with %s, want it aborted", end)
	}
	if _, refusal := page.branch("echo", back); refusal == "" {
		t.Error("a second time with the same ticket: got a match, want a refusal")
	}
	page.joinBranch(again, "alice")
	if stream, sent := page.readUntil(protocol.NameMatchSent); stream != "hello\n" || sent != `{"MatchSent":{"line":"x"}}` {
		t.Errorf("got %q and %s, want the line x after the greeting", stream, sent)
	}
	page.wantBytes("<x>\n")
	page.sendBytes("end\n")
	page.readUntil(protocol.NameMatchEnded)
	poll.Until(t, "the match is recorded", func() bool { return srv.recorded(again) })
	other, refusal := srv.connect().branch("echo", protocol.NewBranch{Match: again, Line: 1, Name: "eve"})
	if refusal != "" || other == "" {
		t.Errorf("from the record of the branch: got %q, want a match", refusal)
	}
}

// recorded reports whether a match has a record.
func (srv *testServer) recorded(id string) bool {
	srv.records.mu.Lock()
	defer srv.records.mu.Unlock()
	return srv.records.byID[id] != nil
}

func TestBranchesThatWouldHarmSomebodyAreRefused(t *testing.T) {
	srv := startServer(t, withResume)
	alice, bob, page := srv.connect(), srv.connect(), srv.connect()
	duel := alice.createMatch("duel")
	ticket := alice.joinResumable(duel, "alice")
	bob.joinMatch(duel, "bob")
	alice.readUntil(protocol.NameMatchStarted)
	own, ownTicket := srv.connect().startResumable()
	zoe := srv.connectAs("ZOE")
	for name, tt := range map[string]struct {
		c    *client
		b    protocol.NewBranch
		want string
	}{
		"against a person":          {page, protocol.NewBranch{Match: duel, Back: true, Name: "alice", Ticket: ticket}, errNotAlone.Error()},
		"a ticket of no seat":       {page, protocol.NewBranch{Match: own, Back: true, Name: "alice", Ticket: strings.Repeat("x", 30)}, "the ticket is not valid"},
		"another match":             {page, protocol.NewBranch{Match: duel, Back: true, Name: "alice", Ticket: ownTicket}, errNotRunning.Error()},
		"another player":            {zoe, protocol.NewBranch{Match: own, Back: true, Ticket: ownTicket}, errNotRunning.Error()},
		"running, without ticket":   {page, protocol.NewBranch{Match: own, Back: true, Name: "alice"}, "no match " + own + " has ended"},
		"no ID":                     {page, protocol.NewBranch{Match: "x", Name: "alice"}, "Invalid ID"},
		"a match that nobody knows": {page, protocol.NewBranch{Match: "1123456789abc", Name: "alice"}, "no match 1123456789abc has ended"},
	} {
		game := "echo"
		if id, refusal := tt.c.branch(game, tt.b); !strings.HasPrefix(refusal, tt.want) {
			t.Errorf("%s: got %s %q, want %q", name, id, refusal, tt.want)
		}
	}
}

func TestTakebackReachesTheHostOfTheMatch(t *testing.T) {
	c := startCluster(t, 2, withResume)
	c.set(func() { c.place = 0 })
	alice := c.host("a").connect()
	id, ticket := alice.startResumable()
	alice.sendBytes("x\n")
	alice.wantBytes("<x>\n")
	c.set(func() { c.place = 1 }) // a new match would be on another host
	again, refusal := c.host("b").connect().branch("echo", protocol.NewBranch{Match: id, Back: true, Name: "alice", Ticket: ticket})
	if refusal != "" {
		t.Fatal(refusal)
	}
	if _, ok := c.host("a").lobby.Info(again); !ok {
		t.Error("the branch is not on the host of the match, want it there")
	}
	alice.readUntil(protocol.NameMatchEnded)
}

// hinted requests a hint, and returns it or the refusal.
func (c *client) hinted() (line, refusal string) {
	c.t.Helper()
	c.sendText(`{"MatchHint":{}}`)
	_, message := c.readUntil(protocol.NameMatchHint)
	var reply struct{ MatchHint protocol.MatchHint }
	if err := json.Unmarshal([]byte(message), &reply); err != nil {
		c.t.Fatal(err)
	}
	line, err := reply.MatchHint.Line.Get()
	if err != nil {
		return "", err.Error()
	}
	return line, ""
}

func TestHintsAreForPlayersThatAreAloneAndAsked(t *testing.T) {
	srv := startServer(t, withResume)
	alice := srv.connect()
	id, _ := alice.startResumable()
	alice.sendBytes("x\n")
	alice.wantBytes("<x>\n")
	if line, refusal := alice.hinted(); line != "1" {
		t.Errorf("got %q %q, want a hint", line, refusal)
	}
	alice.sendBytes("end\n")
	alice.readUntil(protocol.NameMatchEnded)
	poll.Until(t, "the match is recorded", func() bool { return srv.recorded(id) })
	if got := srv.records.byID[id].Seats[0].Hints; got != 1 {
		t.Errorf("the record has %d hints, want 1", got)
	}
	bob, eve := srv.connect(), srv.connect()
	duel := bob.createMatch("duel")
	bob.joinResumable(duel, "bob")
	eve.joinMatch(duel, "eve")
	bob.readUntil(protocol.NameMatchStarted)
	if line, refusal := bob.hinted(); refusal != errNotAlone.Error() {
		t.Errorf("against a person: got %q %q, want a refusal", line, refusal)
	}
}
