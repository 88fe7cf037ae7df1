package players

import (
	"regexp"
	"slices"
	"strings"
)

// maxName is the longest name of a player, which is also that of a seat in the lobby.
const maxName = 16

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// ValidName reports whether a player can have a name. Names that differ only in case
// are equal.
func ValidName(name string) bool { return len(name) <= maxName && nameForm.MatchString(name) }

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
