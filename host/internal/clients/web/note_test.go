package web

import (
	"testing"

	"colosseum/protocol"
)

func TestNoteIsRecordedWithTheNextLine(t *testing.T) {
	srv := startServer(t, withResume)
	alice, bob := srv.connect(), srv.connect()
	id := alice.newDuel() // with one retry
	alice.joinWithHints(id, "alice", "abcdefghijklmnopqrstuvwxyz")
	bob.joinMatch(id, "bob")
	alice.readUntil(protocol.NameMatchQuestion)
	alice.sendText(`{"MatchNote":{"text":"replaced"}}`)
	alice.sendText(`{"MatchNote":{"text":" 12 tokens\u0007 "}}`)
	alice.sendBytes("c\n")
	alice.readUntil(protocol.NameMatchQuestion)
	alice.sendBytes("a\n")
	bob.sendText(`{"MatchNote":{"text":"ignored without a ticket"}}`)
	bob.sendBytes("b\n")
	alice.readUntil(protocol.NameMatchEnded)
	alice.sendText(`{"MatchNote":{"text":"too late"}}`)
	alice.sendText(`{"GameList":{}}`)
	alice.readUntil(protocol.NameGameList)
	notes := map[string]string{}
	for _, a := range srv.records.byID[id].Answers {
		notes[a.Line] = a.Note
	}
	if notes["c"] != "12 tokens\uFFFD" || notes["a"] != "" || notes["b"] != "" || len(notes) != 3 {
		t.Errorf("got the notes %q, want one with c alone", notes)
	}
}
