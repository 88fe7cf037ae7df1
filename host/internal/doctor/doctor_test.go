package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"colosseum/host/internal/config"
)

// healthy returns a configuration without failures.
func healthy(t *testing.T) *config.Config {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "plugins", "chess"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Data, c.Plugins.Folders, c.Clients.Connections = filepath.Join(dir, "not", "yet"), []string{filepath.Join(dir, "plugins")}, 10
	return c
}

func free(string) error { return nil }

// write makes a file and returns its path.
func write(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// modes sets the modes of files, and makes those that do not exist.
func modes(t *testing.T, all map[string]os.FileMode) {
	t.Helper()
	for path, mode := range all {
		if _, err := os.Stat(path); err != nil {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDataFolderThatIsPrivateOrReadByAGroupIsLeftAlone(t *testing.T) {
	tests := []struct {
		name         string
		folder, file os.FileMode
	}{
		{"as the host makes them", 0o700, 0o600},
		{"a folder that was there", 0o755, 0o600},
		{"files of an older host in a private folder", 0o700, 0o644},
		{"a group for backups", 0o750, 0o640},
		{"a group for backups, files of an older host", 0o750, 0o644},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			for _, name := range privateFiles {
				modes(t, map[string]os.FileMode{filepath.Join(folder, name): tt.file})
			}
			modes(t, map[string]os.FileMode{folder: tt.folder})
			if problem, remedy := Exposed(folder); problem != "" || remedy != "" {
				t.Errorf("Exposed = %q, %q, want nothing", problem, remedy)
			}
		})
	}
}

func TestEachFaultIsFoundWithItsRemedy(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, c *config.Config) (path string, try func(string) error)
		state  State
		want   string // in what was found
		remedy string // in its remedy
	}{
		{"port in use", func(*testing.T, *config.Config) (string, func(string) error) {
			return "", func(string) error { return syscall.EADDRINUSE }
		}, Warn, "127.0.0.1:8088 is in use", "choose another address"},
		{"port of the system", func(*testing.T, *config.Config) (string, func(string) error) {
			return "", func(string) error { return syscall.EACCES }
		}, Fail, "permission denied", "above 1023"},
		{"no such address", func(*testing.T, *config.Config) (string, func(string) error) {
			return "", func(string) error { return errors.New("no such host") }
		}, Fail, "no such host", "another address"},
		{"data folder is a file", func(t *testing.T, c *config.Config) (string, func(string) error) {
			c.Data = write(t, "", 0o600)
			return "", free
		}, Fail, "not a directory", "another folder"},
		{"records that others can read", func(t *testing.T, c *config.Config) (string, func(string) error) {
			c.Data = filepath.Dir(write(t, "", 0o600))
			modes(t, map[string]os.FileMode{filepath.Join(c.Data, "colosseum.db"): 0o644, c.Data: 0o755})
			return "", free
		}, Warn, "others can read colosseum.db (mode 0644)", "chmod o-rwx "},
		{"data folder that others can write to", func(t *testing.T, c *config.Config) (string, func(string) error) {
			c.Data = t.TempDir()
			modes(t, map[string]os.FileMode{c.Data: 0o770})
			return "", free
		}, Warn, "others can make and remove files in it (mode 0770)", "chmod go-w,o-rwx "},
		{"no folder of games", func(_ *testing.T, c *config.Config) (string, func(string) error) {
			c.Plugins.Folders = []string{"/nowhere"}
			return "", free
		}, Fail, "/nowhere", "plugins.folders"},
		{"empty folder of games", func(t *testing.T, c *config.Config) (string, func(string) error) {
			c.Plugins.Folders = []string{t.TempDir()}
			return "", free
		}, Warn, "holds none", "plugins.folders"},
		{"no toolchain where one is needed", func(t *testing.T, c *config.Config) (string, func(string) error) {
			t.Setenv("PATH", "/nowhere")
			c.Plugins.Modes = map[string]string{"chess": "compiled"}
			return "", free
		}, Fail, "plugins.mode is compiled", "install Go"},
		{"long path of sockets", func(t *testing.T, _ *config.Config) (string, func(string) error) {
			t.Setenv("TMPDIR", "/tmp/"+strings.Repeat("x", 80))
			return "", free
		}, Fail, "too long", "TMPDIR"},
		{"no limit of memory", func(_ *testing.T, c *config.Config) (string, func(string) error) {
			c.Plugins.MemoryMB = 0
			return "", free
		}, Warn, "there is none", "plugins.memory_mb"},
		{"more connections than files", func(_ *testing.T, c *config.Config) (string, func(string) error) {
			c.Clients.Connections = 1 << 40
			return "", free
		}, Warn, "1099511627776 connections", "LimitNOFILE"},
		{"password that others can read", func(t *testing.T, c *config.Config) (string, func(string) error) {
			c.VerificationPasswordFile = write(t, "sesame\n", 0o644)
			return "", free
		}, Warn, "can be read by others", "chmod 600"},
		{"invalid password file", func(t *testing.T, c *config.Config) (string, func(string) error) {
			c.VerificationPasswordFile = write(t, "two\nlines\n", 0o600)
			return "", free
		}, Fail, "does not hold a password", "only line"},
		{"configuration with a password that others can read", func(t *testing.T, _ *config.Config) (string, func(string) error) {
			return write(t, "verification_password: sesame\n", 0o644), free
		}, Warn, "can be read by others", "chmod 600"},
		{"invalid certificate", func(t *testing.T, c *config.Config) (string, func(string) error) {
			c.TLS.Certificate, c.TLS.Key = write(t, "x", 0o600), write(t, "y", 0o600)
			return "", free
		}, Fail, "certificate", "tls.certificate"},
		{"authority that can't reach the host", func(_ *testing.T, c *config.Config) (string, func(string) error) {
			c.TLS.ACME.Domains = []string{"club.example"}
			return "", free
		}, Warn, "port 443 of club.example", "listen at port 443"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := healthy(t)
			path, try := tt.change(t, c)
			found := Examine(context.Background(), c, path, try)
			for _, f := range found {
				if strings.Contains(f.Text, "sesame") || strings.Contains(f.Text, "two") {
					t.Errorf("the password is shown: %s", f.Text)
				}
				if f.State == tt.state && strings.Contains(f.Text, tt.want) && strings.Contains(f.Remedy, tt.remedy) {
					return
				}
			}
			t.Errorf("want %s %q -> %q, found %+v", tt.state, tt.want, tt.remedy, found)
		})
	}
}

func TestHealthyMachineHasNoFailureAndNothingIsLeftBehind(t *testing.T) {
	c := healthy(t)
	found := Examine(context.Background(), c, "", free)
	var text strings.Builder
	if n := Print(&text, found); n != 0 {
		t.Errorf("got %d failures, want 0:\n%s", n, &text)
	}
	for _, f := range found {
		if (f.Remedy == "") != (f.State == OK) {
			t.Errorf("got %+v, want a remedy unless it is OK", f)
		}
		if !strings.Contains(text.String(), f.What+": ") {
			t.Errorf("got\n%s\nwant it to have %s", &text, f.What)
		}
	}
	if _, err := os.Stat(c.Data); !os.IsNotExist(err) {
		t.Errorf("the data folder: got %v, want %v", err, os.ErrNotExist)
	}
}
