package token

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	origin = "ws://127.0.0.1:8088"
	one    = "coco_1111111111111111111111111111111111111111111"
	two    = "coco_222222222222222222222222222222222222222222_"
)

// store returns an empty store.
func store(t *testing.T) *Store {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AppData", t.TempDir())
	s, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func want(t *testing.T, s *Store, origin, want string) {
	t.Helper()
	if got, err := s.Get(origin); got != want || err != nil {
		t.Errorf("token for %s: got %q, %v, want %q", origin, got, err, want)
	}
}

func TestTokenIsParsedFromTheLineThatAPlayerWasGiven(t *testing.T) {
	for text, want := range map[string]string{one: one, " " + one + "\n": one, "ana," + one: one, "\"a,b\", " + two + "\r\n": two, "ana": "", "ana,": "", one + ",ana": "", one + " " + two: ""} {
		got, err := Parse(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestTokensAreKeptByServer(t *testing.T) {
	s := store(t)
	want(t, s, origin, "")
	others := []string{"ws://127.0.0.1:8089", "wss://127.0.0.1:8088", "unix:/run/a b.sock"}
	if err := s.Put(origin, one, false); err != nil {
		t.Fatal(err)
	}
	want(t, s, origin, one)
	for _, other := range others {
		want(t, s, other, "")
		if err := s.Put(other, two, false); err != nil {
			t.Errorf("%s: got %v, want nil", other, err)
		}
		want(t, s, other, two)
	}
	want(t, s, origin, one)
	for _, there := range []bool{true, false} {
		if got, err := s.Remove(origin); got != there || err != nil {
			t.Errorf("remove: got %v, %v, want %v", got, err, there)
		}
		want(t, s, origin, "")
	}
}

func TestTokenIsReplacedOnlyOnRequest(t *testing.T) {
	s := store(t)
	if err := s.Put(origin, one, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(origin, two, false); err != ErrExists {
		t.Errorf("second token: got %v, want %v", err, ErrExists)
	}
	want(t, s, origin, one)
	if err := s.Put(origin, two, true); err != nil {
		t.Errorf("replacement: got %v, want nil", err)
	}
	want(t, s, origin, two)
	if files, err := os.ReadDir(s.folder); len(files) != 1 || err != nil {
		t.Errorf("got files %v, %v, want one", files, err)
	}
}

func TestOtherUsersCannotReadTokens(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no such permissions")
	}
	s := store(t)
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(origin, one, false); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{s.folder: 0o700, s.Path(origin): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want mode %v", path, info.Mode(), err, want)
		}
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o622} {
		if err := os.Chmod(s.Path(origin), mode); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(origin); got != "" || err == nil || !strings.Contains(err.Error(), "chmod 600 ") {
			t.Errorf("mode %v: got %q, %v, want a refusal with the remedy", mode, got, err)
		}
	}
}

func TestOnlyTokensAreAccepted(t *testing.T) {
	for _, text := range []string{one, two, " " + one + "\r\n"} {
		if got, err := Parse(text); got != strings.TrimSpace(text) || err != nil {
			t.Errorf("%q: got %q, %v, want the token", text, got, err)
		}
	}
	for _, text := range []string{"", "secret", one[1:], one + "1", one + "\n" + two, strings.Replace(one, "1", "+", 1)} {
		if got, err := Parse(text); got != "" || err != ErrForm {
			t.Errorf("%q: got %q, %v, want %v", text, got, err, ErrForm)
		}
	}
}

func TestErrorOfAFileDoesNotRepeatIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("my secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); !errors.Is(err, ErrForm) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want %v without the text", err, ErrForm)
	}
}
