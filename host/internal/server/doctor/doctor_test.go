package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
)

// healthy returns a configuration without failures.
func healthy(t *testing.T) *config.Config {
	t.Helper()
	dir := filetree.New(t, map[string]string{"plugins/chess/main.go": ""})
	c := config.Default()
	c.Data, c.Plugins.Folders, c.Clients.Connections = filepath.Join(dir, "not", "yet"), []string{filepath.Join(dir, "plugins")}, 10
	return c
}

func free(string) error { return nil }

// write creates a file and returns its path.
func write(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
	return path
}

// modes sets the modes of files, and creates those that do not exist.
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

func TestDataFolderThatIsPrivateOrReadByAGroupIsAccepted(t *testing.T) {
	tests := []struct {
		name         string
		folder, file os.FileMode
	}{
		{"as the host creates them", 0o700, 0o600},
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
		change func(t *testing.T, c *config.Config)
		state  State
		want   string // in what was found
		remedy string // in its remedy
	}{
		{"data folder is a file", func(t *testing.T, c *config.Config) {
			c.Data = write(t, "", 0o600)
		}, Fail, "not a directory", "another folder"},
		{"records that others can read", func(t *testing.T, c *config.Config) {
			c.Data = filepath.Dir(write(t, "", 0o600))
			modes(t, map[string]os.FileMode{filepath.Join(c.Data, "colosseum.db"): 0o644, c.Data: 0o755})
		}, Warn, "others can read colosseum.db (mode 0644)", "chmod o-rwx "},
		{"data folder that others can write to", func(t *testing.T, c *config.Config) {
			c.Data = t.TempDir()
			modes(t, map[string]os.FileMode{c.Data: 0o770})
		}, Warn, "others can create and remove files in it (mode 0770)", "chmod go-w,o-rwx "},
		{"no folder of games", func(_ *testing.T, c *config.Config) {
			c.Plugins.Folders = []string{"/nowhere"}
		}, Fail, "/nowhere", "plugins.folders"},
		{"empty folder of games", func(t *testing.T, c *config.Config) {
			c.Plugins.Folders = []string{t.TempDir()}
		}, Warn, "has no subfolders", "plugins.folders"},
		{"no toolchain where one is needed", func(t *testing.T, c *config.Config) {
			t.Setenv("PATH", "/nowhere")
			c.Plugins.Modes = map[string]string{"chess": "compiled"}
		}, Fail, "plugins.mode is compiled", "install Go"},
		{"long path of sockets", func(t *testing.T, _ *config.Config) {
			t.Setenv("TMPDIR", "/tmp/"+strings.Repeat("x", 80))
		}, Fail, "too long", "TMPDIR"},
		{"no limit of memory", func(_ *testing.T, c *config.Config) {
			c.Plugins.MemoryMB = 0
		}, Warn, "not set", "plugins.memory_mb"},
		{"more connections than files", func(_ *testing.T, c *config.Config) {
			c.Clients.Connections = 1 << 40
		}, Warn, "1099511627776 connections", "LimitNOFILE"},
		{"password that others can read", func(t *testing.T, c *config.Config) {
			c.VerificationPasswordFile = write(t, "sesame\n", 0o644)
		}, Warn, "can be read by others", "chmod 600"},
		{"invalid password file", func(t *testing.T, c *config.Config) {
			c.VerificationPasswordFile = write(t, "two\nlines\n", 0o600)
		}, Fail, "does not hold a password", "only line"},
		{"short secret of a webhook", func(t *testing.T, c *config.Config) {
			c.Webhooks = []config.Webhook{{Name: "club", SecretFile: write(t, "whsec_c2VzYW1l\n", 0o600)}}
		}, Fail, "24 to 64 random bytes in base64", "whsec_"},
		{"secret of a webhook that others can read", func(t *testing.T, c *config.Config) {
			c.Webhooks = []config.Webhook{{Name: "club", SecretFile: write(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", 0o644)}}
		}, Warn, "can be read by others", "chmod 600"},
		{"no secret of a webhook", func(_ *testing.T, c *config.Config) {
			c.Webhooks = []config.Webhook{{Name: "club", SecretFile: "/nowhere/secret"}}
		}, Fail, "/nowhere/secret", "write one into the file"},
		{"invalid certificate", func(t *testing.T, c *config.Config) {
			c.TLS.Certificate, c.TLS.Key = write(t, "x", 0o600), write(t, "y", 0o600)
		}, Fail, "certificate", "tls.certificate"},
		{"authority that can't reach the host", func(_ *testing.T, c *config.Config) {
			c.TLS.ACME.Domains = []string{"club.example"}
		}, Warn, "port 443 of club.example", "listen at port 443"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := healthy(t)
			tt.change(t, c)
			checkFound(t, Examine(t.Context(), c, "", free), tt.state, tt.want, tt.remedy)
		})
	}
	path := write(t, "verification_password: sesame\n", 0o644)
	checkFound(t, Examine(t.Context(), healthy(t), path, free), Warn, path+" can be read by others", "chmod 600")
}

func TestAddressThatCannotBeListenedAtIsFoundWithItsRemedy(t *testing.T) {
	for _, tt := range []struct {
		err          error
		state        State
		want, remedy string
	}{
		{syscall.EADDRINUSE, Warn, "127.0.0.1:8088 is in use", "choose another address"},
		{syscall.EACCES, Fail, "permission denied", "above 1023"},
		{errors.New("no such host"), Fail, "no such host", "another address"},
	} {
		checkFound(t, Examine(t.Context(), healthy(t), "", func(string) error { return tt.err }), tt.state, tt.want, tt.remedy)
	}
}

// checkFound checks that a finding has this state and these texts, and that none has
// a password.
func checkFound(t *testing.T, found []Finding, state State, want, remedy string) {
	t.Helper()
	for _, f := range found {
		if strings.Contains(f.Text, "sesame") || strings.Contains(f.Text, "whsec_c2V") || strings.Contains(f.Text, "two\nlines") {
			t.Errorf("got a finding with the password: %s, want none", f.Text)
		}
	}
	if !slices.ContainsFunc(found, func(f Finding) bool {
		return f.State == state && strings.Contains(f.Text, want) && strings.Contains(f.Remedy, remedy)
	}) {
		t.Errorf("got %+v, want %s %q -> %q", found, state, want, remedy)
	}
}

func TestHealthyMachineHasNoFailureAndNothingIsLeftBehind(t *testing.T) {
	c := healthy(t)
	found := Examine(t.Context(), c, "", free)
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
