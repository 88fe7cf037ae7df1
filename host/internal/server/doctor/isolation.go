package doctor

import (
	"errors"
	"os"

	"colosseum/host/internal/games/sandbox"
)

// isolation checks whether games can be confined.
func isolation(level sandbox.Level, s sandbox.Support) []Finding {
	const what = "isolation of games"
	var all []Finding
	missing := s.Missing()
	switch {
	case level == sandbox.Off:
		return []Finding{warn(what, "plugins.isolation is off: games have all rights of the host's user", "set it to best-effort or require")}
	case len(missing) == 0:
		all = append(all, ok(what, "files (version %d of Landlock) and system calls are restricted", s.Files))
	}
	for _, m := range missing {
		if level == sandbox.Require {
			all = append(all, fail(what, errors.New(m.Text), m.Remedy+", or set plugins.isolation to best-effort"))
		} else {
			all = append(all, warn(what, m.Text, m.Remedy))
		}
	}
	for _, m := range s.Weaker() {
		all = append(all, warn(what, m.Text, m.Remedy))
	}
	if os.Geteuid() == 0 {
		all = append(all, warn(what, "the host runs as root", "run it as a user of its own, so that a fault in it harms nothing else"))
	}
	return all
}
