// Command hostile is a game that attacks its host. Each line of its one player is the
// name of an attack; the game answers with the name and what happened: done, or the
// error.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() {
	plugin.Serve(sdk.Game{
		Name: "hostile", Title: "Hostile", Rules: "# hostile", MinPlayers: 1, MaxPlayers: 1, Timeout: 600,
		Play: func(m *sdk.Match) error {
			for {
				name, err := m.AskLine(0)
				if err != nil || name == "end" {
					return nil
				}
				t, err := read()
				if err != nil {
					return err
				}
				m.TellAll(name + "=" + try(name, t))
			}
		},
	})
}

// targets are what the game attacks, by name.
type targets map[string]string

// read reads the targets from a file in the game's folder, with a name and a value in
// each line.
func read() (targets, error) {
	f, err := os.Open("targets")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := targets{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "=")
		t[name] = value
	}
	return t, nil
}

// try tries an attack and returns what happened.
func try(name string, t targets) string {
	attack, ok := attacks[name]
	if !ok {
		return "unknown"
	}
	err := attack(t)
	var number syscall.Errno
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &number):
		return unix.ErrnoName(number)
	default:
		return fmt.Sprintf("%q", err)
	}
}
