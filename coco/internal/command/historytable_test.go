package command

import (
	"strings"
	"testing"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/protocol"
)

func TestTableOfEndedMatches(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 5, 59, 0, time.Local)
	list := []server.EndedMatch{
		{ID: "8gj5mqqjtoklo", Game: "roshambo", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "alice", Rank: 2, Ended: protocol.EndedFinished}, {Name: "ServerBot$0", Rank: 1, Ended: protocol.EndedFinished}}},
		{ID: "0000000000000", Game: "dama", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "alice", Rank: 1, Ended: protocol.EndedFinished}, {Name: "bob", Rank: 1, Ended: protocol.EndedFinished}}},
		{ID: "1111111111111", Game: "royalur", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "alice", Rank: 1, Ended: protocol.EndedFinished}, {Name: "bob", Rank: 2, Ended: protocol.ForfeitTimeout}}},
		{ID: "2222222222222", Game: "taacoca", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "a", Rank: 1}, {Name: "b", Rank: 1}, {Name: "c", Rank: 3}}},
		{ID: "3333333333333", Game: "solo", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "alice", Score: new(2.5), Rank: 1}}},
		{ID: "4444444444444", Game: "solo", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "alice", Score: new(1.0), Rank: 1, Ended: protocol.ForfeitIllegal}}},
		{ID: "5555555555555", Game: "kamisado", State: protocol.EndedAborted, Ended: at, Seats: []server.Seat{{Name: "alice"}, {Name: "bob"}}},
		{ID: "6666666666666", Game: "crowd", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: strings.Repeat("x", 16), Rank: 1}, {Name: strings.Repeat("ü", 16), Rank: 2}}},
		{ID: "8888888888888", Game: "teams", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "a", Rank: 1, Team: 1}, {Name: "b", Rank: 1, Team: 1}}},
		{ID: "9999999999999", Game: "teams", State: protocol.EndedFinished, Ended: at, Seats: []server.Seat{{Name: "a", Rank: 1, Team: 1}, {Name: "b", Rank: 3, Team: 2}, {Name: "c", Rank: 1, Team: 1}, {Name: "d", Rank: 3, Team: 2}, {Name: "e", Rank: 5}}},
		{ID: "7777777777777", Game: "odd", State: protocol.EndedFinished, Ended: at},
	}
	var got strings.Builder
	if err := writeTable(&got, historyRows(nil, list), false); err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "ended", got.String())
}
