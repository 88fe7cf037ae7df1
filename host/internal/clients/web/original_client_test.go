package web

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// originalClient checks messages as Code Colosseum's client does: it stops at a
// message of an unknown shape, and at one that it does not expect.
type originalClient struct {
	state string // name of the message that led to it; empty: only answers are expected
}

// expects holds the messages that are expected in each state.
var expects = map[string][]string{
	"LobbySubscribed":  {"LobbyNew", "LobbyUpdate", "LobbyDelete", "LobbyUnsubscribed"},
	"LobbyJoinedMatch": {"LobbyUpdate", "LobbyDelete", "LobbyLeavedMatch", "MatchStarted"},
	"MatchStarted":     {"binary", "MatchEnded"},
	"SpectateJoined":   {"LobbyUpdate", "LobbyDelete", "SpectateLeaved", "SpectateStarted"},
	"SpectateStarted":  {"binary", "SpectateSynced", "SpectateLeaved"},
	"SpectateSynced":   {"binary", "SpectateEnded", "SpectateLeaved", "LobbyUpdate"},
	"": {
		"Handshake", "GameList", "GameDescription", "GameNew", "LobbyList", "LobbySubscribed", "LobbyJoinedMatch", "SpectateJoined",
		"HistoryMatchList", "LobbyLeavedMatch", "SpectateLeaved", // the last two if the match ended at the same time
	},
}

// moves holds the messages that change the state, and the states they lead to.
var moves = map[string]string{
	"LobbySubscribed": "LobbySubscribed", "LobbyUnsubscribed": "",
	"LobbyJoinedMatch": "LobbyJoinedMatch", "LobbyLeavedMatch": "", "MatchStarted": "MatchStarted", "MatchEnded": "",
	"SpectateJoined": "SpectateJoined", "SpectateLeaved": "", "SpectateStarted": "SpectateStarted", "SpectateSynced": "SpectateSynced", "SpectateEnded": "",
}

func (o *originalClient) binary(b []byte) error {
	history := o.state == "" && strings.HasPrefix(string(b), "\x14\x00\x00\x00")
	if history || slices.Contains(expects[o.state], "binary") {
		return nil
	}
	return fmt.Errorf("after %q not expected: %.40q", o.state, b)
}

func (o *originalClient) text(message string) error {
	d := json.NewDecoder(strings.NewReader(message))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil || len(fields) != 1 {
		return fmt.Errorf("not an object of one key: %s", message)
	}
	for name, body := range fields {
		shape, known := replies[name]
		if !known || !shape(body) {
			return fmt.Errorf("not a message of the original: %s", message)
		}
		if !slices.Contains(expects[o.state], name) {
			return fmt.Errorf("after %q not expected: %s", o.state, message)
		}
		next, moved := moves[name]
		switch refused := strings.Contains(message, `{"info":{"Err":`); {
		case moved && !refused:
			o.state = next
		case name == "LobbyDelete" && o.state != "LobbySubscribed":
			o.state = ""
		}
	}
	return nil
}

// shape reports whether serde, the original's JSON library, accepts a value.
type shape func(v any) bool

var whole = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

func text(v any) bool   { _, ok := v.(string); return ok }
func flag(v any) bool   { _, ok := v.(bool); return ok }
func number(v any) bool { _, ok := v.(json.Number); return ok }
func count(v any) bool  { n, ok := v.(json.Number); return ok && whole.MatchString(string(n)) }

func optional(s shape) shape { return func(v any) bool { return v == nil || s(v) } }

func listOf(s shape) shape {
	return func(v any) bool {
		items, ok := v.([]any) // null is not one
		return ok && !slices.ContainsFunc(items, func(item any) bool { return !s(item) })
	}
}

func values(s shape) shape {
	return func(v any) bool {
		all, ok := v.(map[string]any)
		for _, value := range all {
			ok = ok && s(value)
		}
		return ok
	}
}

// object accepts unknown fields, and requires all known ones.
func object(fields map[string]shape) shape {
	return func(v any) bool {
		got, ok := v.(map[string]any)
		for name, s := range fields {
			value, given := got[name]
			ok = ok && given && s(value)
		}
		return ok
	}
}

func result(s shape) shape {
	return func(v any) bool {
		got, ok := v.(map[string]any)
		good, isOk := got["Ok"]
		bad, isErr := got["Err"]
		return ok && len(got) == 1 && (isOk && s(good) || isErr && text(bad))
	}
}

var (
	matchInfo = object(map[string]shape{
		"players": count, "bots": count, "timeout": number, "args": values(text), "id": text, "name": text, "game": text, "running": flag,
		"time": count, "connected": listOf(text), "spectators": count, "password": flag, "verified": flag,
	})
	event   = object(map[string]shape{"info": matchInfo})
	joining = object(map[string]shape{"info": result(matchInfo)})
	empty   = object(nil)
	usage   = object(map[string]shape{"name": text, "args": values(object(map[string]shape{"description": text, "regex": text}))})
	replies = map[string]shape{
		"Handshake":       object(map[string]shape{"magic": text, "version": count}),
		"GameList":        object(map[string]shape{"games": func(v any) bool { return listOf(usage)(v) || listOf(text)(v) }}), // the latter in version 1
		"GameDescription": object(map[string]shape{"description": optional(text)}),
		"GameNew":         object(map[string]shape{"id": result(text)}),
		"LobbyList":       object(map[string]shape{"info": listOf(matchInfo)}),
		"LobbySubscribed": object(map[string]shape{"seed": listOf(matchInfo)}), "LobbyUnsubscribed": empty,
		"LobbyNew": event, "LobbyUpdate": event, "LobbyDelete": object(map[string]shape{"id": text}),
		"LobbyJoinedMatch": joining, "LobbyLeavedMatch": empty, "MatchStarted": empty, "MatchEnded": empty,
		"SpectateJoined": joining, "SpectateStarted": empty, "SpectateSynced": empty, "SpectateEnded": empty, "SpectateLeaved": empty,
		"HistoryMatchList": listOf(text),
	}
)

func TestOriginalClientRefusesWrongMessages(t *testing.T) {
	const info = `{"players":2,"bots":0,"timeout":30.0,"args":{"rounds":"2"},"id":"8gj5mqqjtoklo","name":"x","game":"roshambo","running":false,"time":1795251010,"connected":["alice"],"spectators":1,"password":true,"verified":true}`
	good := []string{
		`{"GameDescription":{"description":null}}`, `{"LobbyJoinedMatch":{"info":{"Ok":` + info + `}}}`, `{"LobbyUpdate":{"info":` + info + `}}`, `{"MatchStarted":{}}`,
		`{"MatchEnded":{"result":{"players":[]}}}`, `{"SpectateJoined":{"info":{"Err":"no"}}}`, `{"HistoryMatchList":[]}`,
	}
	o := &originalClient{}
	for _, m := range good {
		if err := o.text(m); err != nil {
			t.Errorf("got %v, want it accepted", err)
		}
	}
	bad := []string{
		`"MatchStarted"`, `{"News":{}}`, `{"MatchStarted":{}}`, `{"LobbyList":{"info":null}}`, `{"GameNew":{"id":{"Ok":"x","Err":null}}}`, `{"GameList":{"games":[{"name":"x"}]}}`,
		`{"LobbyJoinedMatch":{"info":{"Ok":` + strings.Replace(info, "1795251010", "1795251010.5", 1) + `}}}`,
		`{"LobbyJoinedMatch":{"info":{"Ok":` + strings.Replace(info, `["alice"]`, "null", 1) + `}}}`,
		`{"LobbyJoinedMatch":{"info":{"Ok":` + strings.Replace(info, `,"verified":true`, "", 1) + `}}}`,
	}
	for _, m := range bad {
		if o.text(m) == nil {
			t.Errorf("accepted %s, want an error", m)
		}
	}
}
