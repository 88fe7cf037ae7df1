package language

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/games/sandbox"
)

// Toolchain is what is installed of a language on this machine.
type Toolchain struct {
	Version  string            // for people; one line
	Programs map[string]string // the path of each tool, without links
	Homes    []string          // folders with programs and libraries, besides those of the system; without links
}

// Toolchain finds the tools of the language in the PATH of the host. It runs their
// commands `home` and `version`, in an empty folder. A success is kept. An error says
// what to install.
func (l *Language) Toolchain(ctx context.Context) (*Toolchain, error) {
	l.finding.Lock()
	defer l.finding.Unlock()
	if l.found != nil {
		return l.found, nil
	}
	empty, err := os.MkdirTemp("", "colosseum-language-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(empty)
	t := &Toolchain{Programs: map[string]string{}}
	for _, tool := range l.Tools {
		program, home, err := tool.find(ctx, empty)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", l.Title, err, l.Install)
		}
		t.Programs[tool.Name] = program
		if home != "" && !slices.Contains(t.Homes, home) {
			t.Homes = append(t.Homes, home)
		}
	}
	out, err := ask(ctx, empty, t.Programs[l.Version[0]], l.Version[1:])
	if err != nil {
		return nil, fmt.Errorf("%s: ask for its version: %w: %s", l.Title, err, l.Install)
	}
	t.Version, _, _ = strings.Cut(out, "\n")
	l.found = t
	return t, nil
}

// Installed returns the version of the language on this machine. An error says what to
// install.
func (l *Language) Installed(ctx context.Context) (version string, err error) {
	t, err := l.Toolchain(ctx)
	if err != nil {
		return "", err
	}
	return t.Version, nil
}

// SetPrepared names the folder that was filled as Prepare says.
func (l *Language) SetPrepared(folder string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prepared = folder
}

// Prepared returns the folder of SetPrepared, or "".
func (l *Language) Prepared() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.prepared
}

// ask runs a command of the operator's file and returns what it prints.
func ask(ctx context.Context, dir, program string, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local") // or Go could download another one
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("%s: %w: %.500s", strings.Join(cmd.Args, " "), err, text)
	}
	return text, nil
}

// find returns the path of a tool, and the folder in which it is installed if that is not
// the system's.
func (t Tool) find(ctx context.Context, dir string) (program, home string, err error) {
	if program, err = exec.LookPath(t.Name); err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		if program, err = sandbox.Look(t.Name); err != nil {
			return "", "", fmt.Errorf("there is no %s", t.Name)
		}
	}
	if len(t.Home) > 0 {
		answer, err := ask(ctx, dir, t.Home[0], t.Home[1:])
		if err != nil {
			return "", "", fmt.Errorf("find %s: %w", t.Name, err)
		}
		program = filepath.Join(answer, "bin", t.Name)
	}
	if program, err = sandbox.RealPath(program); err != nil {
		return "", "", fmt.Errorf("find %s: %w", t.Name, err)
	}
	bin := filepath.Dir(program)
	if home = filepath.Dir(bin); filepath.Base(bin) != "bin" || slices.Contains([]string{"/", "/usr", "/usr/local"}, home) {
		return program, "", nil
	}
	// All files of this folder become readable.
	user, err := os.UserHomeDir()
	if err == nil {
		user, err = sandbox.RealPath(user)
	}
	if err == nil && (sandbox.Within(user, home) || home == filepath.Join(user, ".local")) {
		return "", "", fmt.Errorf("%s is in %s, where the files of a user are, too: it must be in a folder of its own", t.Name, home)
	}
	return program, home, nil
}
