package config

import (
	"regexp"
	"slices"
	"strings"
)

// prefix matches a path that needs no escapes, neither in addresses nor in markup.
var prefix = regexp.MustCompile(`^/([A-Za-z0-9_~-][A-Za-z0-9._~-]*/)*$`)

// OwnPaths returns the first parts of the paths of the host's own pages. A prefix begins with
// none of them, so that a request shows whether the proxy has removed the prefix.
func OwnPaths() []string {
	return []string{"account", "api", "assets", "botframe", "contests", "device", "download", "embed", "exports", "favicon.ico", "frame", "games", "hosts", "ladder", "login", "match", "plain", "players", "programs"}
}

// maxPrefix bounds a prefix in bytes.
const maxPrefix = 100

func (c *Config) prefix() error {
	if !prefix.MatchString(c.Prefix) || len(c.Prefix) > maxPrefix {
		return wrong("prefix", "prefix: %q is not like /colosseum/ (with a slash at both ends)", c.Prefix)
	}
	if first := strings.Split(c.Prefix, "/")[1]; slices.Contains(OwnPaths(), first) {
		return wrong("prefix", "prefix: the host itself has pages under /%s/: choose another path at the proxy", first)
	}
	return nil
}

// PathPrefix returns what comes before the paths of the host in browsers, without a slash at
// the end; empty: nothing.
func (c *Config) PathPrefix() string { return strings.TrimSuffix(c.Prefix, "/") }
