package sdk_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"colosseum/sdk"
)

// move is a message of a game.
type move struct {
	From, To [2]int
	Piece    string         `json:"piece,omitempty"`
	Sure     bool           `json:"sure"`
	Values   map[string]int `json:"values,omitempty"`
	Rate     float64        `json:"rate,omitempty"`
	Next     *move          `json:"next,omitempty"`
	hidden   int
}

func TestMessagesSurviveJSON(t *testing.T) {
	want := move{From: [2]int{1, 2}, Piece: "<♔ & \"x\">\n", Values: map[string]int{"b": 2, "a": 1}, Rate: 0.5, Next: &move{Sure: true}}
	sent := want
	sent.hidden = 1
	line := sdk.JSON(sent)
	if text := `{"From":[1,2],"To":[0,0],"piece":"<♔ & \"x\">\n","sure":false,"values":{"a":1,"b":2},"rate":0.5,"next":{"From":[0,0],"To":[0,0],"sure":true}}`; line != text {
		t.Errorf("got %s\nwant %s", line, text)
	}
	var got move
	if err := sdk.ParseJSON(" "+line+" ", &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestLinesThatAreNotTheMessageAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"nothing", "", "invalid JSON: it is empty"},
		{"no JSON", "e2e4", "invalid JSON: invalid character 'e' looking for beginning of value"},
		{"half of it", `{"piece":`, "invalid JSON: its end is missing"},
		{"two values", `{} {}`, "invalid JSON: more follows after the value"},
		{"something after it", `{}x`, "invalid JSON: more follows after the value"},
		{"an unknown key", `{"pice":"K"}`, `invalid JSON: unknown field "pice"`},
		{"a field that is not exported", `{"hidden":1}`, `invalid JSON: unknown field "hidden"`},
		{"a string for a number", `{"rate":"1"}`, "invalid JSON: rate is a string, want a number that fits"},
		{"a number for a string", `{"piece":1}`, "invalid JSON: piece is a number, want a string"},
		{"half a square", `{"next":{"From":[0.5,1]}}`, "invalid JSON: next.From is a number 0.5, want a whole number that fits"},
		{"a list", `[1]`, "invalid JSON: the value is an array, want an object"},
		{"an object for a list", `{"To":{}}`, "invalid JSON: To is an object, want an array"},
		{"a word for a truth", `{"sure":"yes"}`, "invalid JSON: sure is a string, want true or false"},
		{"a long one", `"` + strings.Repeat("x", 64<<10) + `"`, "invalid JSON: it has more than 65536 bytes"},
		{"null", " null ", "invalid JSON: the value is null, want an object"},
		{"a deep one", strings.Repeat("[", 64<<10), "invalid JSON: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m move
			err := sdk.ParseJSON(tt.line, &m)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || len(err.Error()) > 150 || strings.Contains(err.Error(), "\n") {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMisuseOfJSONPanics(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		call       func()
	}{
		{"a function", "sdk: JSON can't express the value", func() { sdk.JSON(func() {}) }},
		{"infinite", "sdk: JSON can't express the value", func() { sdk.JSON(math.Inf(1)) }},
		{"no pointer", "sdk: ParseJSON wants a pointer", func() { sdk.ParseJSON("{}", move{}) }},
		{"nil", "sdk: ParseJSON wants a pointer", func() { sdk.ParseJSON("{}", nil) }},
		{"nil pointer", "sdk: ParseJSON wants a pointer", func() { sdk.ParseJSON("{}", (*move)(nil)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, tt.want) {
					t.Errorf("got the panic %q, want %q", got, tt.want)
				}
			}()
			tt.call()
		})
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"From":[1,2],"piece":"K"}`, `{"rate":1e999}`, "[[", "null", "{} 1", "\xff", `{"values":{"a":"b"}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var m move
		if err := sdk.ParseJSON(line, &m); err != nil {
			if !strings.HasPrefix(err.Error(), "invalid JSON: ") || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q: got error %q, want one line that begins with invalid JSON", line, err)
			}
			return
		}
		var again move
		if err := sdk.ParseJSON(sdk.JSON(m), &again); err != nil {
			t.Errorf("%q: got %v from its own JSON %s, want no error", line, err, sdk.JSON(m))
		}
	})
}
