package config

import (
	"os"
	"reflect"
	"testing"
)

// FuzzParse checks that a file is refused, or gives the same valid configuration
// twice.
func FuzzParse(f *testing.F) {
	shipped, err := os.ReadFile("../../../../configs/colosseum.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{
		string(shipped), "", "{}", "listen: x\n---\nlisten: y\n", "lobby: {matches: many}\n", "lobby:\n  matchs: 3\n", "drain: -1s\n", "- 1\n", "a: &a [*a]\n",
		"games: {x: {plugin: dama, params: {rules: {choices: []}}}}\n", "origins: ['*', 'https://a b']\n", "tls: {acme: {domains: ['']}}\n",
		"trusted_proxies: [10.0.0.0/99, '::1']\n", "plugins: {modes: {a: fast}}\n", "lobby: {expiry: 1e400s}\n", "limits: null\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parse(b)
		if err != nil {
			if err.Error() == "" {
				t.Errorf("parse(%q): got an error without a text, want one", b)
			}
			return
		}
		if c.Lobby.Matches <= 0 || c.Lobby.Expiry <= 0 || c.Plugins.Stall <= 0 || c.Clients.Connections <= 0 || c.Clients.Ping <= 0 || c.Clients.LineBytes <= 0 || c.Drain < 0 {
			t.Errorf("parse(%q) = %+v, want values above 0", b, c)
		}
		if again, err := parse(b); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("parse(%q) = %+v, %v the second time, want %+v", b, again, err, c)
		}
	})
}
