package record

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// sample returns a record with a value in every field.
func sample() Match {
	began := time.Date(2026, 3, 4, 5, 6, 7, 890123456, time.UTC)
	return Match{
		ID: "8gj5mqqjtoklo", Name: `a "match" <b> & ü`, Game: "damath", Plugin: "dama", Version: "0123456789abcdef",
		Args: map[string]string{"rules": "damath"}, Params: map[string]string{"rules": "damath", "pace": "0"},
		Timeout: 0.1, Retries: 3, Clock: &Clock{Bank: 60, Increment: 0.5}, Seed: math.MaxUint64, Salt: []byte("\x00\x01 salt of 16 b.")[:saltBytes], Verified: true,
		Seats: []Seat{
			{Name: "alice", Score: 1.5, Rank: 1, Ended: "finished", Team: 3, Version: 12, Missed: 5, Dropped: 7, Refused: 2, Hints: 4}, {Name: "ServerBot$0", Bot: true, Score: math.Inf(-1), Rank: 2, Ended: "forfeit: illegal", Fault: Fault{Line: "a1", Asked: "your move?\nagain", Late: 15 * time.Millisecond}},
		},
		Started: began, Ended: began.Add(time.Second), State: Finished, Reason: "alice has no moves left",
		Answers: []Answer{
			{Seat: 1, Line: "a1-b2", At: 1500 * time.Microsecond, Note: "depth 9,\tvalue +1.2", Lines: 2}, {Seat: 0, Line: "\xff\x00\u2028</script>", At: time.Hour, Left: 59 * time.Second, Spent: Spent{Wall: time.Second, CPU: 0, Counted: true}},
			{Seat: 0, Outcome: "timeout", At: time.Hour + time.Microsecond},
		},
		Stream: []byte("alice\nServerBot$0\n\xff\xfe\n"),
	}
}

func TestTranscriptHoldsTheWholeRecord(t *testing.T) {
	whole := sample()
	empty := whole
	empty.Args, empty.Answers, empty.Stream = map[string]string{}, []Answer{}, []byte{}
	untimed := whole
	untimed.Clock, untimed.Answers = nil, []Answer{{Seat: 0, Line: "a", At: time.Second}}
	running := whole
	running.Args, running.Params, running.Answers, running.Stream, running.Ended, running.State = nil, nil, nil, nil, time.Time{}, Running
	contest := whole
	contest.Fixture = &Fixture{Contest: "cup", Pairing: 3, Leg: 1, Entries: []int{0, 40}}
	branch := whole
	branch.Branch = &Branch{Match: "0123456789abc", Line: 2, Answers: 1}
	tests := []struct {
		name   string
		record Match
	}{
		{"whole", whole}, {"of a contest", contest}, {"a branch", branch}, {"empty", empty}, {"without a clock", untimed}, {"running", running}, {"nothing", Match{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := EncodeTranscript(&tt.record)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(b, []byte("\n")) != 1 || !bytes.HasSuffix(b, []byte("\n")) {
				t.Errorf("got %q, want one line", b)
			}
			got, err := DecodeTranscript(b)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, &tt.record) {
				t.Errorf("decoding %s: got\n%+v\nwant\n%+v", b, got, &tt.record)
			}
		})
	}
}

func TestInvalidTranscriptIsRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "not a transcript"},
		{"other JSON", `{"a": 1}`, `unknown field "a"`},
		{"another format", `{"format": "colosseum-match-2"}`, `"colosseum-match-2"`},
		{"two", `{"format": "colosseum-match-1"} {}`, "more after its end"},
		{"an answer of an unknown seat", `{"format": "colosseum-match-1", "answers": [{"seat": 0}]}`, "answer 0 is from seat 0"},
		{"a fixture with an unknown key", `{"format": "colosseum-match-1", "fixture": {"contest": "cup", "round": 1}}`, `unknown field "round"`},
		{"a fixture for other seats", `{"format": "colosseum-match-1", "fixture": {"contest": "cup", "entries": [1]}}`, "1 entries for 0 seats"},
		{"a line that is a number", `{"format": "colosseum-match-1", "answers": [{"line": 1}]}`, "cannot unmarshal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeTranscript([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func FuzzDecodeTranscript(f *testing.F) {
	record := sample()
	whole, err := EncodeTranscript(&record)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		string(whole), `{"format":"colosseum-match-1"}`, `{"format":"colosseum-match-1","answers":[{"seat":7}]}`, `{"format":"colosseum-match-1","stream":{"base64":"!"}}`,
		`{"format":"colosseum-match-1","seed":"-1"}`, `{"format":"colosseum-match-1","seats":[{}],"fixture":{"contest":"c","entries":[1]}}`, `{"format":"colosseum-match-1","started":"9999-12-31T23:59:59.999999999+23:59"}`, `null`, `[]`, `{"format":"x"} {}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeTranscript(b)
		if err != nil {
			return
		}
		text, err := EncodeTranscript(r)
		if err != nil {
			return // JSON has no form for its year
		}
		again, err := DecodeTranscript(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if twice, err := EncodeTranscript(again); err != nil || !bytes.Equal(twice, text) {
			t.Errorf("encoding again: got %s, %v, want %s", twice, err, text)
		}
	})
}
