//go:build linux

package attacks

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/filetree"
	"colosseum/internal/test/long"
	"colosseum/protocol"
)

// gameWithABombEndsAlone starts what no rule of the system refuses: the host ends
// the game, and other matches go on.
func gameWithABombEndsAlone(t *testing.T, a *arena) {
	a.DuringDuels(t, func() {
		for id, reason := range map[string]string{
			"thread-bomb": "threads, more than 1000", "disk-files": "more than 1000 files in its private folder",
		} {
			a.AwaitGame(t, "hostile")
			pid := a.Child("hostile")
			c, _ := a.Join(t, protocol.GameNew{Game: "hostile"}, "alice")
			c.Answer(t, id)
			if r, _ := c.AwaitEnd(t); !r.Aborted || !strings.Contains(r.Reason, reason) {
				t.Errorf("%s: got %+v, want it aborted because of %q", id, r, reason)
			}
			programs.AwaitExit(t, pid)
		}
		a.AwaitGame(t, "hostile")
	})
}

// The players of the other match have 5 seconds for each answer, and the game is busy for
// longer.
func busyGameMakesNobodyLate(t *testing.T, a *arena) {
	long.Only(t, "a game that uses all cores, whose low priority a test of the engine checks")
	c, _ := a.Join(t, protocol.GameNew{Game: "hostile"}, "alice")
	c.Answer(t, "busy")
	timeout := 5.0
	request := programs.Roshambo(50, 1)
	request.Params.Timeout = &timeout
	ended := make(chan struct{})
	go func() { // ends with the attack
		defer close(ended)
		if line, _, err := (&programs.Lines{C: c}).Next(); err != nil || line != "busy=done" {
			t.Errorf("got %q, error %v, want busy=done", line, err)
		}
	}()
	for running := true; running; {
		other, _ := a.Join(t, request, "bob")
		if r, _, err := other.Roshambo(func(int) string { return "ROCK" }); err != nil || !programs.Finished(r) {
			t.Errorf("got %+v, error %v, want a match without forfeits", r, err)
		}
		other.Close()
		select {
		case <-ended:
			running = false
		default:
		}
	}
}

// With the right to start processes, a game can't leave one behind.
func descendantsEndWithTheirGame(t *testing.T, a *arena) {
	need(t, "c")
	mark := a.Mark()
	results, _ := a.run("c", "family", " grandchild fork setsid setpgid fork-sibling ")
	for id, want := range map[string]string{"fork": "done", "setsid": "EPERM", "setpgid": "EPERM", "fork-sibling": "EPERM"} {
		if results[id] != want {
			t.Errorf("%s: got %s, want %s", id, results[id], want)
		}
	}
	line := a.AwaitAfter(t, mark, "grandchild ")
	pid, err := strconv.Atoi(regexp.MustCompile(`grandchild (\d+)`).FindStringSubmatch(line)[1])
	if err != nil {
		t.Fatal(err)
	}
	programs.AwaitExit(t, pid)
	a.intact(t)
}

// certificate returns a certificate in the form of go-plugin.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	b, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// These games do not start, and the log says why without a secret.
func hostileFoldersAreRefused(t *testing.T, a *arena) {
	game := func(text string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o755) }
	}
	announce := func(line string) func(path string) error {
		return game("#!/bin/sh\necho \"1|1|" + line + "\"\nread end <&3\n")
	}
	tests := []struct {
		name string
		make func(path string) error
		want string // in the log
	}{
		{"link-program", func(path string) error { return os.Symlink("/bin/true", path) }, "a link that leads out of the folder"},
		{"fifo-program", filetree.MakePipe, "it is a named pipe"},
		{"secret-interpreter", game("#!" + a.targets["home"] + "\n"), "is not in a folder of the system"},
		{"address", announce("tcp|" + a.targets["tcp"] + "|grpc"), "it announces the address tcp"},
		{"address-unix", announce("unix|" + a.targets["unix"] + "|grpc"), "it announces the address unix"},
		{"certificate", announce("unix|$PLUGIN_UNIX_SOCKET_DIR/none|grpc|" + certificate(t)), "get its description"},
		{"script-imports", func(path string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(path), "main.go"), []byte("package main\n\nimport \"os\"\n\nfunc main() { os.Exit(1) }\n"), 0o644)
		}, "a game cannot import"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mark := a.Mark()
			a.add(tt.name, func(folder string) { a.check(tt.make(filepath.Join(folder, "game"))) })
			a.AwaitAfter(t, mark, `could not load game" game=`+tt.name)
			a.AwaitAfter(t, mark, tt.want)
			a.intact(t)
		})
	}
	for _, line := range a.Logged() {
		if strings.Contains(line, secret) {
			t.Errorf("got the secret in the log: %s", line)
		}
	}
}
