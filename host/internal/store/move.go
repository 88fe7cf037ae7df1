package store

import "strings"

// LockFile makes this process the owner of a file of records, like a host, until release
// is called. The file itself is not opened.
func LockFile(path string) (release func(), err error) {
	f, err := lock(resolve(path) + ".lock")
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// CleanText replaces what PostgreSQL does not take in texts, and SQLite does: invalid UTF-8
// and the character 0.
func CleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
