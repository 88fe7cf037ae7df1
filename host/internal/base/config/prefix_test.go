package config

import "testing"

func TestAPrefixIsAPathThatIsNotTheHostsOwn(t *testing.T) {
	for _, tt := range []struct {
		prefix string
		ok     bool
	}{
		{"/", true}, {"/colosseum/", true}, {"/a/b.c/", true}, {"/x/games/", true},
		{"", false}, {"colosseum/", false}, {"/colosseum", false}, {"//", false}, {"//evil/", false}, {"/a/../b/", false}, {"/a b/", false}, {`/a"/`, false}, {"/games/", false}, {"/api/x/", false},
	} {
		c := Default()
		c.Prefix = tt.prefix
		if err := c.validate(); (err == nil) != tt.ok {
			t.Errorf("%q: got %v, want an error: %v", tt.prefix, err, !tt.ok)
		}
	}
}
