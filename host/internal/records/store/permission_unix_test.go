//go:build unix

package store

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOpenExplainsMissingPermissions(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "record.db")
	reopen(t, path, new(bytes.Buffer)).Close()
	tests := []struct {
		name         string
		folder, file os.FileMode
		want         string
	}{
		{"folder", 0o555, 0o666, "the folder must exist and be writable"},
		{"file", 0o777, 0o444, "no permission to write"},
		{"nothing is readable", 0o777, 0o000, "that the host can read and write it"},
		{"everything allowed", 0o777, 0o666, "<nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, left := range []string{".lock", "-wal", "-shm"} { // by the previous case
				os.Remove(path + left)
			}
			for name, mode := range map[string]os.FileMode{path: tt.file, folder: tt.folder} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
			}
			defer os.Chmod(folder, 0o777)
			cmd := child(t, "open", path)
			if os.Geteuid() == 0 { // root can write anywhere
				asNobody(t, cmd, folder)
			}
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(out), tt.want) {
				t.Errorf("got the error %q, want it to contain %q", out, tt.want)
			}
		})
	}
}

// asNobody makes a child run without root's rights, from a copy of the program, and
// makes the folder accessible to it.
func asNobody(t *testing.T, cmd *exec.Cmd, folder string) {
	const nobody = 65534
	dir := t.TempDir()
	for _, private := range []string{filepath.Dir(dir), filepath.Dir(folder)} {
		if err := os.Chmod(private, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = filepath.Join(dir, "program")
	if err := os.WriteFile(cmd.Path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
