package locale

import (
	"os"
	"strings"
)

// User returns the language of the user of this process, by the environment: variable
// names a variable of the program that is asked first, then those of POSIX. Without
// any of them, Windows is asked. It is nil for English and for languages without a file.
func User(variable string) *Language {
	for _, name := range []string{variable, "LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := os.Getenv(name); value != "" {
			return named(value)
		}
	}
	return named(system())
}

// named returns the language of a name like it, it-IT or it_IT.UTF-8@euro.
func named(name string) *Language {
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "@")
	name = strings.ReplaceAll(name, "_", "-")
	if l := Open(name); l != nil {
		return l
	}
	base, _, _ := strings.Cut(name, "-")
	return Open(strings.ToLower(base))
}
