package protocol

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

// recorded is a reply of the original server.
const recorded = "1400000000000000" + "0d00000000000000" + "38676a356d71716a746f6b6c6f" + // 8gj5mqqjtoklo
	"0800000000000000" + "726f7368616d626f" + "0200000000000000" +
	"0400000000000000" + "70616365" + "0300000000000000" + "302e30" +
	"0600000000000000" + "726f756e6473" + "0100000000000000" + "32" +
	"0200000000000000" + "0500000000000000" + "616c696365" + "0300000000000000" + "626f62" +
	"00000000" + "1700000000000000" + "626f620a616c6963650a320a50415045520a524f434b0a"

var recordedMatch = &History{
	ID: "8gj5mqqjtoklo", Game: "roshambo", Args: map[string]string{"rounds": "2", "pace": "0.0"},
	Players: []string{"alice", "bob"}, Stream: []byte("bob\nalice\n2\nPAPER\nROCK\n"),
}

func TestHistoryHasTheBytesOfTheOriginal(t *testing.T) {
	if got := hex.EncodeToString(EncodeHistory(recordedMatch)); got != recorded {
		t.Errorf("got  %s\nwant %s", got, recorded)
	}
	raw, _ := hex.DecodeString(recorded)
	got, err := DecodeHistory(raw)
	if err != nil || !reflect.DeepEqual(got, recordedMatch) {
		t.Errorf("got %+v, %v, want %+v", got, err, recordedMatch)
	}
	for n := range raw {
		if _, err := DecodeHistory(raw[:n]); err == nil {
			t.Fatalf("a reply cut after %d bytes: got no error, want one", n)
		}
	}
}

func TestHistoryErrorSurvives(t *testing.T) {
	for _, want := range []HistoryError{HistoryNotFound, HistoryUnreadable, HistoryInvalidID} {
		_, err := DecodeHistory(EncodeHistoryError(want))
		var got HistoryError
		if !errors.As(err, &got) || got != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestMessages(t *testing.T) {
	tests := []struct {
		name, msg, wantName, wantBody string
		bad                           bool
	}{
		{name: "object", msg: `{"GameDescription":{"name":"x"}}`, wantName: "GameDescription", wantBody: `{"name":"x"}`},
		{name: "bare string", msg: `"HistoryMatchList"`, wantName: "HistoryMatchList", wantBody: `{}`},
		{name: "array as body", msg: ` {"HistoryMatchList":["a"]}`, wantName: "HistoryMatchList", wantBody: `["a"]`},
		{name: "two keys", msg: `{"GameList":{},"LobbyList":{}}`, bad: true},
		{name: "no key", msg: `{}`, bad: true},
		{name: "empty", msg: ``, bad: true},
		{name: "number", msg: `7`, bad: true},
		{name: "null", msg: `null`, bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name, body, err := Split([]byte(tt.msg))
			if (err != nil) != tt.bad {
				t.Fatalf("got error %v, want one: %t", err, tt.bad)
			}
			if name != tt.wantName || string(body) != tt.wantBody {
				t.Errorf("got %q %s, want %q %s", name, body, tt.wantName, tt.wantBody)
			}
		})
	}
}

func TestEncodeHasTheFormOfTheOriginal(t *testing.T) {
	tests := []struct{ name, got, want string }{
		{"no fields", string(Encode(NameMatchStarted, nil)), `{"MatchStarted":{}}`},
		{"no result", string(Encode(NameMatchEnded, EndedReply{})), `{"MatchEnded":{}}`},
		{"ok", string(Encode(NameGameNew, GameNewReply{ID: Ok("8gj5mqqjtoklo")})), `{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`},
		{"refused", string(Encode(NameGameNew, GameNewReply{ID: Refused[string](errors.New("Game not found"))})), `{"GameNew":{"id":{"Err":"Game not found"}}}`},
		{
			"new", string(Encode(NameGameNew, GameNew{Name: "T", Game: "roshambo", Params: GameParams{Players: new(2), Timeout: new(30.0)}, Args: map[string]string{"rounds": "5"}})),
			`{"GameNew":{"name":"T","game":"roshambo","params":{"players":2,"bots":0,"timeout":30},"args":{"rounds":"5"},"password":null,"verification":null}}`,
		},
		{"array", string(Encode(NameHistoryMatchList, []string{"a"})), `{"HistoryMatchList":["a"]}`},
		{"no description", string(Encode(NameGameDescription, GameDescriptionReply{})), `{"GameDescription":{"description":null}}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		`{"Handshake":{"magic":"coco","version":2}}`, `{"LobbyJoinMatch":{"id":"8gj5mqqjtoklo","name":"alice","password":null}}`, `{"MatchEnded":{"result":{"players":[{"name":"a","score":1e308}]}}}`,
		`{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`, `{"GameNew":{"id":{"Err":"no","Ok":"x"}}}`, `{"GameNew":{"name":"T","game":"dama","params":{"players":2,"bots":0,"timeout":30.0},"args":{"rules":"x"},"password":null,"verification":null}}`,
		`{"GameList":{}}`, `"HistoryMatchList"`, `{"a":1,"b":2}`, `{"GameNew":{"params":{}}}`, `"`, `{`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		name, body, err := Split(msg)
		if err != nil {
			return
		}
		for _, v := range []any{&Handshake{}, &GameDescription{}, &GameNew{}, &LobbyJoinMatch{}, &MatchID{}, &LobbyEvent{}, &JoinedReply{}, &GameNewReply{}, &EndedReply{}} {
			if Decode(name, body, v) != nil {
				continue
			}
			// A decoded message can be encoded and decoded again.
			encoded := Encode("X", v)
			_, body, err := Split(encoded)
			if err != nil {
				t.Fatalf("%s: got %v, want no error", encoded, err)
			}
			again := reflect.New(reflect.TypeOf(v).Elem()).Interface()
			if err := Decode(name, body, again); err != nil || string(Encode("X", again)) != string(encoded) {
				t.Errorf("got %s, %v, want %s", Encode("X", again), err, encoded)
			}
		}
		quoted, _ := json.Marshal(name) // a string can always be encoded
		if again, _, err := Split(fmt.Appendf(nil, "{%s:%s}", quoted, body)); err != nil || again != name {
			t.Errorf("got %q, %v, want %q", again, err, name)
		}
	})
}

func FuzzDecodeHistory(f *testing.F) {
	raw, _ := hex.DecodeString(recorded)
	f.Add(raw)
	f.Add(EncodeHistoryError(HistoryInvalidID))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := DecodeHistory(b)
		if err != nil {
			return
		}
		again, err := DecodeHistory(EncodeHistory(h))
		if err != nil || !reflect.DeepEqual(again, h) {
			t.Errorf("got %+v, %v, want %+v", again, err, h)
		}
	})
}

func TestSharedFirstRankIsADrawExceptOfOneTeam(t *testing.T) {
	type place struct{ rank, team int }
	for _, tt := range []struct {
		name  string
		seats []place
		want  bool
	}{
		{"nobody", nil, false},
		{"one winner", []place{{1, 0}, {2, 0}}, false},
		{"two", []place{{1, 0}, {1, 0}}, true},
		{"a team", []place{{1, 1}, {3, 2}, {1, 1}, {3, 2}}, false},
		{"two teams", []place{{1, 1}, {1, 2}, {1, 1}, {1, 2}}, true},
		{"a team and a seat", []place{{1, 1}, {1, 1}, {1, 0}}, true},
		{"aborted", []place{{0, 0}, {0, 0}}, false},
	} {
		if got := Drawn(tt.seats, func(p place) (int, int) { return p.rank, p.team }); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
