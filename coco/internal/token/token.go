// Package token keeps the user's tokens, one for each server. A token is the secret
// of a player: anyone who has it can play under that name.
package token

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"colosseum/internal/locale"
)

// maxFile limits a file with a token, in bytes.
const maxFile = 4 << 10

// valid matches a token: a prefix that scanners for secrets can find, and 32 bytes in
// base64url.
var valid = regexp.MustCompile(`^coco_[A-Za-z0-9_-]{43}$`)

// Errors of this package.
var (
	ErrExists = locale.Errorf("there is a token for this server already")
	ErrForm   = locale.Errorf("this is not a token: a token is coco_ and 43 letters, digits, - or _")
)

// Parse returns the token in a text, without the space around it, or that in a line
// NAME,TOKEN, as host players prints it. The error is ErrForm.
func Parse(text string) (string, error) {
	text = strings.TrimSpace(text[strings.LastIndex(text, ",")+1:])
	if !valid.MatchString(text) {
		return "", ErrForm
	}
	return text, nil
}

// Store is a private folder with a file for each server.
type Store struct{ folder string }

// Open returns the user's store. It creates nothing.
func Open() (*Store, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return nil, locale.Errorf("tokens are kept in the configuration folder of the user: %w", err)
	}
	return &Store{filepath.Join(base, "coco")}, nil
}

// Path returns the path of the file for a server. origin is the server's address in
// its canonical form.
func (s *Store) Path(origin string) string {
	return filepath.Join(s.folder, url.QueryEscape(origin)+".token")
}

// Get returns the token for a server, or "" if there is none.
func (s *Store) Get(origin string) (string, error) {
	text, err := ReadFile(s.Path(origin))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return text, err
}

// Put stores the token for a server, completely or not at all. If there is one already,
// it replaces that with replace, and otherwise returns ErrExists.
func (s *Store) Put(origin, text string, replace bool) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(s.folder, 0o700); err != nil { // it can be older
		return err
	}
	f, err := os.CreateTemp(s.folder, ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if replace {
		return os.Rename(f.Name(), s.Path(origin))
	}
	// Unlike a rename, a link never replaces a file.
	err = os.Link(f.Name(), s.Path(origin))
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return err
}

// Remove removes the token for a server, and reports whether there was one.
func (s *Store) Remove(origin string) (bool, error) {
	err := os.Remove(s.Path(origin))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// ReadFile returns the token in a file. It refuses a file that other users can read,
// as far as the system has such permissions.
func ReadFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return "", locale.Errorf("other users can read the token in %s: chmod 600 %[1]s", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return "", err
	}
	t, err := Parse(string(text))
	if err != nil {
		return "", locale.Errorf("%s: %w", path, err)
	}
	return t, nil
}
