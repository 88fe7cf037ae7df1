package config

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestShippedFileEqualsTheBuiltInDefaults(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "configs", "colosseum.yaml")
	got, err := Source{Path: path}.Load()
	if err != nil {
		t.Fatal(err)
	}
	if want := Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// The file has each key of each section.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys(reflect.TypeFor[Config]()) {
		if !strings.Contains(string(text), key+":") {
			t.Errorf("%s does not document %s, want each key", path, key)
		}
	}
}

// keys returns all keys of a section and those in it.
func keys(t reflect.Type) (list []string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return keys(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			key, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			if key == "-" {
				continue
			}
			list = append(append(list, key), keys(t.Field(i).Type)...)
		}
	}
	return list
}

func TestErrorsNameThePlace(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"duration without a unit", "listen: x\ndrain: 10\n", `line 2: "10" is not a duration like 10s, 5m or 250ms`},
		{"word for a number", "limits:\n  connections: many\n", `line 2: "many" is not a whole number`},
		{"number for a section", "lobby: 5\n", `line 1: "5" is not a section of keys and values`},
		{"list for a section", "limits: [1]\n", `line 1: a list is not a section of keys and values`},
		{"text for a list", "plugins:\n  folders: x\n", `line 2: "x" is not a list like [a, b]`},
		{"section for a text", "listen: {a: b}\n", `line 1: a section of keys and values is not a text`},
		{"list for a duration", "plugins: {stall: [3]}\n", `line 1: a list is not a duration`},
		{"unknown key", "listen: x\nlobbby: {}\n", `line 2: unknown key "lobbby" (did you mean "lobby"?)`},
		{"unknown nested key", "lobby:\n  matchs: 3\n", `line 2: unknown key "matchs" (did you mean "matches"?)`},
		{"key unlike any other", "lobby:\n  colour: 3\n", `line 2: unknown key "colour" (have bot_matches, expiry, matches)`},
		{"two at once", "lobby: {matchs: 3}\nlisten: a\ndatta: b\n", `line 3: unknown key "datta" (did you mean "data"?)`},
		{"unknown mode", "plugins: {mode: fast}\n", `plugins.mode: "fast" is not one of auto, compiled, script`},
		{"unknown mode of a game", "plugins: {modes: {dama: fast}}\n", `plugins.modes.dama: "fast" is not one of`},
		{"delay that is too long", "plugins:\n  delays: {cards: 61m}\n", "line 2: plugins.delays.cards: 1h1m0s is not from 0s to 1h"},
		{"negative delay", "plugins: {delays: {cards: -1s}}\n", "plugins.delays.cards: -1s is not from 0s to 1h"},
		{"empty choices", "games:\n  x: {plugin: dama, params: {rules: {choices: []}}}\n", "games.x.params.rules: choices is empty"},
		{"wrong type", "lobby:\n  matches: many\n", "line 2"},
		{"zero", "lobby:\n  matches: 0\n", "lobby.matches must be greater than 0"},
		{"negative memory", "plugins: {memory_mb: -1}\n", "plugins.memory_mb must not be negative"},
		{"no time to accept", "serving: {accept: 0s}\n", "serving.accept must be greater than 0"},
		{"negative time of a rematch", "serving: {rematch: -1s}\n", "serving.rematch must not be negative"},
		{"negative number of players", "serving: {players: -1}\n", "serving.players must not be negative"},
		{"negative drain", "drain: -1s\n", "drain must not be negative"},
		{"programs without isolation", "submissions:\n  games: [dama]\n", "line 2: submissions: programs that are handed in need plugins.isolation: require"},
		{"no memory for a program", "submissions: {memory_mb: 0}\n", "submissions.memory_mb must be from 16 to 1048576"},
		{"no time for a build", "submissions: {build_time: 0s}\n", "submissions.build_time must be from 1s to 1h"},
		{"runners of a host that is alone", "submissions:\n  runners: true\n", "line 2: submissions.runners: only several hosts"},
		{"no plugin", "games:\n  x: {title: X}\n", "games.x: plugin is missing"},
		{"fixed and default", "games:\n  x: {plugin: dama, params: {rules: {fixed: a, default: b}}}\n", "games.x.params.rules: give either"},
		{"negative limit", "limits: {kb_per_second: -1}\n", "limits.kb_per_second must not be negative"},
		{"negative budget", "limits: {reads_per_second: -1}\n", "limits.reads_per_second must not be negative"},
		{"negative registrations", "players: {registrations_per_hour: -1}\n", "players.registrations_per_hour must not be negative"},
		{"exports without a folder", "exports:\n  monthly: true\n", "line 2: exports.monthly needs exports.dir"},
		{"negative age", "records: {keep: -1h}\n", "records.keep must not be negative"},
		{"age without a unit", "records:\n  keep: 400\n", `line 2: "400" is not a duration like 400d, 12h or 30m`},
		{"age that is not a number", "records: {keep: manyd}\n", `line 1: "manyd" is not a duration like 400d, 12h or 30m`},
		{"age beyond all limits", "records: {keep: 106752d}\n", `line 1: "106752d" is not a duration`},
		{"list for an age", "records: {keep: [1d]}\n", `line 1: "" is not a duration`},
		{"negative size", "records: {max_gb: -1}\n", "records.max_gb must not be negative"},
		{"no patience", "records: {patience: 1s}\n", "records.patience must be at least 2s"},
		{"size beyond all limits", "records: {max_gb: 8589934592}\n", "records.max_gb must be at most 1000000"},
		{"half-life that is too short", "contests: {half_life: 30m}\n", "contests.half_life must be 0s or at least 1h"},
		{"unknown isolation", "plugins:\n  isolation: strict\n", `line 2: plugins.isolation: "strict" is not one of require, best-effort, off`},
		{"relative folder for games", "plugins: {libraries: [jdk]}\n", `plugins.libraries: "jdk" is not an absolute path`},
		{"all home folders for games", "plugins: {libraries: [/home/]}\n", `plugins.libraries: /home/ holds files of other programs and users: name a folder below it`},
		{"all files for a game", "plugins: {exceptions: {chess: {read: [/]}}}\n", `plugins.exceptions.chess.read: / holds files`},
		{"negative size for a game", "plugins: {exceptions: {chess: {temporary_mb: -1}}}\n", `plugins.exceptions.chess.temporary_mb must be between 0 and 1048576`},
		{"unknown exception", "plugins: {exceptions: {chess: {networks: true}}}\n", `unknown key "networks" (did you mean "network"?)`},
		{"unknown registration", "players:\n  reserved: []\n  registration: none\n", `line 3: players.registration: "none" is not one of open, invite, oidc, closed`},
		{"no network", "limits: {exempt: [localhost]}\n", `limits.exempt: "localhost" is neither an address nor a network like 10.0.0.0/8`},
		{"no proxy", "trusted_proxies: [nginx]\n", `trusted_proxies: "nginx" is neither an address nor a network`},
		{"origin with a path", "origins: [https://club.example/games]\n", `origins: "https://club.example/games" is not like https://example.org`},
		{"origin without a scheme", "origins: [club.example]\n", `origins: "club.example" is not like`},
		{"site with a path", "listen: x\nembed: [https://school.example/games]\n", `line 2: embed: "https://school.example/games" is not the origin of a site, like https://school.example (without a path, in lower case), nor "*"`},
		{"site without a scheme", "embed: [school.example]\n", `embed: "school.example" is not the origin`},
		{"site with more of a policy", "embed: ['https://a.example;script-src']\n", `embed: "https://a.example;script-src" is not the origin`},
		{"two sites as one", "embed: ['https://a.example https://b.example']\n", "is not the origin"},
		{"sites with a wildcard", "embed: ['https://*.example']\n", "is not the origin"},
		{"name with a scheme", "names: [https://club.example]\n", `names: "https://club.example" is not the name of a host, like club.example, nor "*"`},
		{"name with a port", "names: ['club.example:80']\n", `names: "club.example:80" is not the name of a host`},
		{"key without a certificate", "tls: {key: a.pem}\n", "tls: give both certificate and key"},
		{"two sources of certificates", "tls: {certificate: a, key: b, acme: {domains: [c.example]}}\n", "tls: give either a certificate or acme"},
		{"domain with a wildcard", "tls: {acme: {domains: ['*.c.example']}}\n", `tls.acme.domains: "*.c.example" is not the name of a host`},
		{"two passwords", "verification_password: a\nverification_password_file: b\n", "give either verification_password or verification_password_file"},
		{"line of a value", "listen: x\n\ndrain: -5s\n", "line 3: drain must not be negative"},
		{"line in a section", "lobby:\n  expiry: 1m\n  matches: 0\n", "line 3: lobby.matches must be greater than 0"},
		{"line in a list", "trusted_proxies:\n- 10.0.0.1\nlimits:\n  exempt:\n  - localhost\n", `line 4: limits.exempt: "localhost"`},
		{"line of a section without a key", "games:\n  x:\n    title: X\n", "line 2: games.x: plugin is missing"},
		{"line of a name with a dot", "games:\n  v1.x:\n    plugin: dama\n    params:\n      a.b: {fixed: a, default: b}\n", "line 5: games.v1.x.params.a.b: give either"},
		{"line in a section with an anchor", "clients: &c\n  ping: 0s\n", "line 2: clients.ping must be greater"},
		{"two documents", "listen: x\n---\nlisten: y\n", "more than one YAML document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestEmptyFileIsTheDefault(t *testing.T) {
	got, err := parse(nil)
	if err != nil || !reflect.DeepEqual(got, Default()) {
		t.Errorf("got %+v, %v, want %+v", got, err, Default())
	}
}

func TestGamesOfTheFileReplaceTheDefaultOnes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"not named", "listen: x\n", "damath"},
		{"empty", "games: {}\n", ""},
		{"all taken out", "games:\n  # damath: {plugin: dama}\n", ""},
		{"another", "games: {quick: {plugin: roshambo}}\n", "quick"},
		{"both", "games: {quick: {plugin: roshambo}, damath: {plugin: dama}}\n", "damath quick"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(c.Games)), " "); got != tt.want {
				t.Errorf("games %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPeriodsCanBeWrittenInDays(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"400d": 400 * 24 * time.Hour, "0d": 0, "0": 0, `""`: 0, "12h30m": 12*time.Hour + 30*time.Minute, "106751d": 106751 * 24 * time.Hour,
	} {
		c, err := parse([]byte("records: {keep: " + text + "}"))
		if err != nil {
			t.Errorf("%s: got %v, want no error", text, err)
		} else if got := time.Duration(c.Records.Keep); got != want || !c.Records.KeepVerified {
			t.Errorf("%s: got %v, and verified matches are kept: %v, want %v and true", text, got, c.Records.KeepVerified, want)
		}
	}
}
