package lobby

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// ended returns the record of an ended duel.
func ended(seats ...record.Seat) *record.Match {
	return &record.Match{
		ID: "0123456789abc", Name: "Final", Game: "duel", Args: map[string]string{"rounds": "7"}, Timeout: 12,
		Clock: &record.Clock{Bank: 60, Increment: 1}, State: record.Finished, Seats: seats,
	}
}

func TestRematchHasTheSameSettingsAndSwapsTheSeats(t *testing.T) {
	tests := []struct {
		name     string
		seats    []record.Seat
		reserved []string
		joins    [][2]string // name and registered player
		want     []string    // names by seat
	}{
		{"two names", []record.Seat{{Name: "ann"}, {Name: "bob"}}, []string{"bob", "ann"}, [][2]string{{"ann", ""}, {"bob", ""}}, []string{"bob", "ann"}},
		{"a registered player under another name", []record.Seat{{Name: "x", Player: "cy"}, {Name: "bob"}}, []string{"bob", "cy"}, [][2]string{{"cy", "cy"}, {"bob", ""}}, []string{"bob", "cy"}},
		{"a bot", []record.Seat{{Name: "ann"}, {Name: "ServerBot$0", Bot: true}}, []string{"ann"}, [][2]string{{"ann", ""}}, []string{"ServerBot$0", "ann"}},
		{"a bot on the first seat", []record.Seat{{Name: "ServerBot$0", Bot: true}, {Name: "ann"}}, []string{"ann"}, [][2]string{{"ann", ""}}, []string{"ann", "ServerBot$0"}},
	}
	for _, tt := range tests {
		inLobby(t, 10, func(t *testing.T, l *testLobby) {
			rec := ended(tt.seats...)
			info, err := l.Rematch(t.Context(), Client{Address: "a"}, protocol.GameNew{Game: "duel"}, rec)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if info.Rematch != rec.ID || info.Name != "Final" || info.Timeout != 12 || info.Args["rounds"] != "7" || info.Clock == nil || *info.Clock != (protocol.Clock{Bank: 60, Increment: 1}) || info.Password {
				t.Errorf("%s: got %+v, want a rematch with the name and the settings of the record, without a password", tt.name, info)
			}
			if !slices.Equal(info.Reserved, tt.reserved) {
				t.Errorf("%s: got seats kept for %v, want %v", tt.name, info.Reserved, tt.reserved)
			}
			for _, j := range tt.joins {
				l.mustJoinAs(t, info.ID, j[0], j[1])
			}
			synctest.Wait()
			if names := l.duel.setup.Names; !slices.Equal(names, tt.want) {
				t.Errorf("%s: got the seats %v, want %v", tt.name, names, tt.want)
			}
		})
	}
}

func TestNobodyElseTakesASeatOfARematch(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		info, err := l.Rematch(t.Context(), Client{}, protocol.GameNew{Game: "duel"}, ended(record.Seat{Name: "cy", Player: "cy"}, record.Seat{Name: "bob"}))
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range [][2]string{{"eve", ""}, {"eve", "eve"}, {"cy", ""}, {"cy", "bob"}} {
			if _, err := l.joinAs(info.ID, who[0], who[1]); err == nil || !strings.Contains(err.Error(), "are kept for") {
				t.Errorf("%s, registered as %q: got %v, want a refusal", who[0], who[1], err)
			}
		}
		if _, err := l.joinAs(info.ID, "bob", "cy"); err == nil || !strings.Contains(err.Error(), "already taken") {
			t.Errorf("cy under the name of bob: got %v, want a refusal", err)
		}
		bob, err := l.joinAs(info.ID, "bob", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.joinAs(info.ID, "bob", ""); err == nil {
			t.Error("a second bob: got a seat, want a refusal")
		}
		l.Leave(bob, info.ID)
		l.expectReserved(t, info.ID, "cy", "bob")
		time.Sleep(rematchWithin)
		l.expectMatches(t, 0)
	})
}

func TestSeatsOfARematchHoldHoweverPlayersComeAndLeave(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		info, err := l.Rematch(t.Context(), Client{}, protocol.GameNew{Game: "duel"}, ended(record.Seat{Name: "cy", Player: "cy"}, record.Seat{Name: "bob"}))
		if err != nil {
			t.Fatal(err)
		}
		first := l.mustJoinAs(t, info.ID, "x", "cy")
		if _, err := l.joinAs(info.ID, "y", "cy"); err == nil {
			t.Error("cy under another name: got a second seat, want a refusal")
		}
		l.Leave(first, info.ID)
		l.mustJoinAs(t, info.ID, "bob", "") // the first of those connected is not cy
		l.mustJoinAs(t, info.ID, "z", "cy")
		synctest.Wait()
		if got := l.duel.setup.Names; !slices.Equal(got, []string{"bob", "z"}) {
			t.Errorf("got the seats %v, want [bob z]", got)
		}
	})
}

func TestSecondRequestForARematchReturnsTheFirst(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		rec := ended(record.Seat{Name: "ann"}, record.Seat{Name: "bob"})
		again := func() string {
			info, err := l.Rematch(t.Context(), Client{Address: "a"}, protocol.GameNew{Game: "duel"}, rec)
			if err != nil {
				t.Fatal(err)
			}
			return info.ID
		}
		first := again()
		if second := again(); second != first {
			t.Errorf("got %s while %s waits, want the same", second, first)
		}
		l.mustJoinAs(t, first, "ann", "")
		l.mustJoinAs(t, first, "bob", "")
		if third := again(); third != first {
			t.Errorf("got %s while %s runs, want the same", third, first)
		}
		l.expectMatches(t, 1)
		l.duel.end()
		synctest.Wait()
		if fourth := again(); fourth == first {
			t.Errorf("got %s after its end, want another one", fourth)
		}
	})
}

func TestRematchOfAnotherHostIsReturned(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		rec := ended(record.Seat{Name: "ann"}, record.Seat{Name: "bob"})
		l.SetElsewhere(Listing{Host: "b", Info: protocol.MatchInfo{ID: "aaaaaaaaaaaaa", Game: "duel", Rematch: rec.ID}})
		info, err := l.Rematch(t.Context(), Client{}, protocol.GameNew{Game: "duel"}, rec)
		if err != nil || info.ID != "aaaaaaaaaaaaa" {
			t.Errorf("got %s, %v, want the match of the other host", info.ID, err)
		}
		l.SetElsewhere(Listing{Host: "b", Info: protocol.MatchInfo{ID: "aaaaaaaaaaaaa", Game: "duel", Rematch: rec.ID}, Gone: true})
		if info, ok := l.FindRematch(rec.ID); ok {
			t.Errorf("got %s after it is gone, want none", info.ID)
		}
	})
}

func TestRematchIsRefused(t *testing.T) {
	three := 3
	duel := func(change func(*record.Match)) *record.Match {
		rec := ended(record.Seat{Name: "ann"}, record.Seat{Name: "bob"})
		if change != nil {
			change(rec)
		}
		return rec
	}
	tests := []struct {
		name    string
		rec     *record.Match
		request protocol.GameNew
		want    string
	}{
		{"it runs", duel(func(r *record.Match) { r.State = record.Running }), protocol.GameNew{Game: "duel"}, "match 0123456789abc has not ended: a rematch is possible when it has"},
		{"another game", duel(nil), protocol.GameNew{Game: "solo"}, "match 0123456789abc was one of duel: a rematch is of the same game, not of solo"},
		{"more players", duel(nil), protocol.GameNew{Game: "duel", Params: protocol.GameParams{Players: &three}}, "match 0123456789abc had 2 players: a rematch has as many, not 3"},
		{"opponents", duel(nil), protocol.GameNew{Game: "duel", Opponents: []string{"bob"}}, errRematch.Error()},
		{"arguments that no longer exist", duel(func(r *record.Match) { r.Args = map[string]string{"speed": "1"} }), protocol.GameNew{Game: "duel"}, "Cannot create game: "},
		{"one registered player on both seats", ended(record.Seat{Name: "x", Player: "cy"}, record.Seat{Name: "y", Player: "cy"}), protocol.GameNew{Game: "duel"}, "Cannot create game: cy has two seats"},
	}
	for _, tt := range tests {
		inLobby(t, 10, func(t *testing.T, l *testLobby) {
			if _, err := l.Rematch(t.Context(), Client{}, tt.request, tt.rec); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
			}
			l.expectMatches(t, 0)
		})
	}
}

func TestRematchCountsAsAWaitingMatchOfItsAddress(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.SetLimits(Limits{Matches: 10, Waiting: 1, Expiry: time.Minute, Stall: time.Minute})
		rec := ended(record.Seat{Name: "ann"}, record.Seat{Name: "bob"})
		if _, err := l.Rematch(t.Context(), Client{Address: "a"}, protocol.GameNew{Game: "duel"}, rec); err != nil {
			t.Fatal(err)
		}
		other := *rec
		other.ID = "1123456789abc"
		if _, err := l.Rematch(t.Context(), Client{Address: "a"}, protocol.GameNew{Game: "duel"}, &other); err != errWaiting {
			t.Errorf("got %v for a second one, want %v", err, errWaiting)
		}
	})
}
