package filelock

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestOneOpenFileAtATimeIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if err := Try(first); err != nil {
		t.Fatalf("got %v for a file that nobody has locked, want no error", err)
	}
	if _, err := first.WriteString("owner"); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v for a locked file, want %v", err, ErrLocked)
	}
	if text, err := io.ReadAll(second); string(text) != "owner" || err != nil {
		t.Errorf("reading a locked file: got %q, %v, want owner", text, err)
	}
	if err := Release(first); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); err != nil {
		t.Errorf("got %v after the lock was released, want no error", err)
	}
}

func TestFileThatIsClosedIsNotLocked(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Try(f); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want the system's error", err)
	}
}
