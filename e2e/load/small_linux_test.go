package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/race"
	"colosseum/protocol"
)

// TestSmallMachineServesAClass limits the host and its games to 512 MB and one core, while 20
// programs play ten matches of six games, some with spectators.
func TestSmallMachineServesAClass(t *testing.T) {
	long.Only(t, "it plays six games on a host in a control group")
	if race.On {
		t.Skip("the race detector needs more memory than the small machine has")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("install Python 3.9 or later: the programs that play are the games' examples")
	}
	machine := newSmallMachine(t, 512<<20)
	games := []string{"dama", "kamisado", "liarsdice", "royalur", "taacoca"}
	folder := t.TempDir()
	for _, game := range append(games, "roshambo") {
		of := filepath.Join(folder, game)
		if err := os.Mkdir(of, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := programs.Build("colosseum/plugins/"+game, filepath.Join(of, game), false); err != nil {
			t.Fatal(err)
		}
	}
	h := programs.StartHostIn(t, machine.command(), t.TempDir(), "plugins: {folders: ["+folder+"]}\n")

	var played sync.WaitGroup
	errs := make(chan error, 100) // more than can fail
	ids := make(chan string, len(games))
	for range 5 {
		played.Go(func() { errs <- h.Duel(300) }) // ends with the match
	}
	for i, game := range games {
		pair, err := h.PairOf(protocol.GameNew{Game: game, Args: map[string]string{"pace": "0"}, Params: protocol.GameParams{Timeout: new(600.0)}})
		if err != nil {
			t.Fatalf("%s: %v", game, err)
		}
		ids <- pair[0].ID
		for range 5 * (i % 2) {
			s, err := h.Spectate(pair[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			go s.Drain() // ends with the connection
		}
		for _, p := range pair {
			played.Go(func() { // ends with the match
				err := runProgram(p.Client, python, filepath.Join(programs.Root, "plugins", game, "players", "player.py"))
				if err != nil {
					err = fmt.Errorf("%s: %w", game, err)
				}
				errs <- err
			})
		}
	}
	ended := make(chan struct{})
	go func() { played.Wait(); close(ended) }() // ends with the matches
	poll.Receive(t, "the end of all matches", ended)
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	cpu := h.CPU(t)
	kills := machine.read(t, machine.events)
	if !strings.Contains(kills, "oom_kill 0\n") {
		t.Errorf("got these events, want no process killed for memory:\n%s", kills)
	}
	t.Logf("peak of memory: %s bytes, with files in the cache of the system; resident at the end: host %d KiB; CPU: host %.1f s, games %.1f s",
		strings.TrimSpace(machine.read(t, machine.peak)), h.Resident(t), cpu[0], cpu[1])
	// A record whose result does not follow from its moves is an error.
	close(ids)
	for id := range ids {
		verify := exec.Command(filepath.Join(programs.Bin, "host"), "verify", "--config", h.Config, "--data", h.Data, id)
		if out, err := verify.CombinedOutput(); err != nil {
			t.Errorf("verify %s: %v\n%s", id, err, out)
		}
	}
}

// runProgram plays a match with a program. It returns an error if the match does not end
// with every player at its end.
func runProgram(c *programs.Client, command ...string) error {
	defer c.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return err
	}
	var answers sync.WaitGroup
	answers.Go(func() { // ends with the program, which cancel kills
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if c.SendLine(lines.Text()) != nil {
				return // the reader below reports it
			}
		}
	})
	defer func() { cancel(); answers.Wait(); _ = cmd.Wait() }() // its status says nothing about the match
	for l := (&programs.Lines{C: c}); ; {
		line, ended, err := l.Next()
		switch {
		case err != nil:
			return err
		case ended != nil && !programs.Finished(ended.Result):
			return fmt.Errorf("got %+v, want that every player finished", ended.Result)
		case ended != nil:
			return nil
		}
		_, _ = fmt.Fprintln(in, line) // a program that has ended needs no lines
	}
}

// smallMachine is a control group that limits memory and the use of cores.
type smallMachine struct {
	procs        []string // files that take the ID of a process
	peak, events string   // files about memory
}

// newSmallMachine creates a group with one core, of version 2 or else of version 1, until
// the end of the test. It skips the test if this system allows none.
func newSmallMachine(t *testing.T, memory int64) smallMachine {
	const root, name = "/sys/fs/cgroup", "colosseum-small-test"
	type setting struct{ file, value string }
	bytes := fmt.Sprint(memory)
	for _, version := range []struct {
		folders  []string // below root; the settings of each
		settings [][]setting
		peak     string
		events   string
	}{
		{[]string{""}, [][]setting{{{"memory.max", bytes}, {"memory.swap.max", "0"}, {"cpu.max", "100000 100000"}}}, "memory.peak", "memory.events"},
		{[]string{"memory", "cpu"}, [][]setting{{{"memory.limit_in_bytes", bytes}}, {{"cpu.cfs_period_us", "100000"}, {"cpu.cfs_quota_us", "100000"}}}, "memory.max_usage_in_bytes", "memory.oom_control"},
	} {
		var m smallMachine
		var failed error
		for i, controller := range version.folders {
			group := filepath.Join(root, controller, fmt.Sprintf("%s-%d", name, os.Getpid()))
			if failed = os.Mkdir(group, 0o755); failed != nil {
				break
			}
			t.Cleanup(func() { // the kernel removes a process from its group some time after its end
				poll.Until(t, group+" is removed", func() bool { return removed(group) })
			})
			for _, s := range version.settings[i] {
				err := set(filepath.Join(group, s.file), s.value)
				if failed = errors.Join(failed, err); s.file == "memory.swap.max" && errors.Is(err, fs.ErrNotExist) {
					failed = nil // a kernel without swap
				}
			}
			m.procs = append(m.procs, filepath.Join(group, "cgroup.procs"))
			if i == 0 {
				m.peak, m.events = filepath.Join(group, version.peak), filepath.Join(group, version.events)
			}
			if failed != nil {
				break
			}
		}
		if failed == nil {
			return m
		}
		t.Logf("no group: %v", failed)
	}
	t.Skip("run this test as root, where the control groups below /sys/fs/cgroup can limit memory and CPU time")
	return smallMachine{}
}

// removed removes a group with the groups that the host has made in it, and reports whether
// it is gone.
func removed(group string) bool {
	var all []string
	_ = filepath.WalkDir(group, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return nil
	})
	for _, folder := range slices.Backward(all) {
		_ = os.Remove(folder)
	}
	_, err := os.Stat(group)
	return errors.Is(err, fs.ErrNotExist)
}

// set writes a file that exists: without control groups, the folder is an ordinary one.
func set(file, value string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// command returns words that move a process into the group and then become the command
// that follows.
func (m smallMachine) command() []string {
	words := ""
	for _, file := range m.procs {
		words += "echo $$ > " + file + " && "
	}
	return []string{"sh", "-c", words + `exec "$0" "$@"`}
}

func (m smallMachine) read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
