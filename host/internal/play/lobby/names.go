package lobby

import "strings"

// ValidID reports whether a text has the form of a match's ID.
func ValidID(id string) bool {
	return len(id) == 13 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuv") == ""
}

// printable reports whether a text has min to max printable ASCII characters.
func printable(s string, min, max int, spaces bool) bool {
	other := func(r rune) bool { return r < ' ' || r > '~' || r == ' ' && !spaces }
	return len(s) >= min && len(s) <= max && !strings.ContainsFunc(s, other)
}

// shorten cuts a client's text for use in an error.
func shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
