//go:build unix

package play

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
)

// arena is a folder with a contest of 6 programs, which have 30 matches. From match 11 on
// they never answer, unless there is a file "open".
type arena struct {
	t   *testing.T
	dir string
}

func newArena(t *testing.T) arena {
	t.Helper()
	a := arena{t, t.TempDir()}
	a.write("bot.sh", `if [ "$COLOSSEUM_MATCH" -gt 10 ] && [ ! -e open ]; then cat >/dev/null; exit; fi
while echo ROCK && read x; do :; done
`)
	var entries strings.Builder
	for i := range 6 {
		fmt.Fprintf(&entries, "  - {name: bot-%d, command: [sh, bot.sh]}\n", i)
	}
	a.write("cup.yaml", "name: cup\ngame: roshambo\nargs: {rounds: 2}\ntimeout: 600\nformat: round-robin\nparallel: 2\nprograms: {isolation: off}\nentries:\n"+entries.String())
	a.write("host.yaml", "plugins: {folders: ["+programs.Plugins+"]}\n")
	return a
}

func (a arena) write(name, text string) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// host returns the command host contest ARGS.
func (a arena) host(args ...string) *exec.Cmd {
	a.t.Helper()
	// From another folder: relative paths in the file are those of its folder.
	return programs.Tool(a.t, a.dir, append([]string{"--config", filepath.Join(a.dir, "host.yaml"), "--data", filepath.Join(a.dir, "data"), "contest"}, args...)...)
}

func (a arena) run(args ...string) *exec.Cmd {
	return a.host(append([]string{"run", filepath.Join(a.dir, "cup.yaml")}, args...)...)
}

// output returns what a command prints.
func (a arena) output(args ...string) string {
	a.t.Helper()
	out, err := a.host(args...).Output()
	if err != nil {
		a.t.Fatalf("host contest %s: got %v, want no error", strings.Join(args, " "), err)
	}
	return string(out)
}

type playedMatch struct {
	ID, State    string
	Pairing, Leg int
}

// finished returns the IDs of finished matches, by pairing and leg.
func (a arena) finished() map[[2]int]string {
	a.t.Helper()
	ids := map[[2]int]string{}
	d := json.NewDecoder(strings.NewReader(a.output("matches", "--ndjson", "cup")))
	for d.More() {
		var m playedMatch
		if err := d.Decode(&m); err != nil {
			a.t.Fatal(err)
		}
		if m.State == "finished" {
			ids[[2]int{m.Pairing, m.Leg}] = m.ID
		}
	}
	return ids
}

// started is a running command.
type started struct {
	*exec.Cmd
	lines *bufio.Scanner // of stderr
	game  string         // the process ID of the game
}

// start starts a run, and waits until it has started or gone on.
func (a arena) start(want string) *started {
	a.t.Helper()
	s := &started{Cmd: a.run()}
	stderr, err := s.StderrPipe()
	if err != nil {
		a.t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		a.t.Fatal(err)
	}
	for s.lines = bufio.NewScanner(stderr); s.lines.Scan(); {
		if m := programs.Ready.FindStringSubmatch(s.lines.Text()); m != nil {
			s.game = m[2]
		}
		if strings.Contains(s.lines.Text(), want) {
			return s
		}
	}
	a.t.Fatalf("the run ended, want %q on stderr", want)
	return nil
}

// end sends a signal, and returns the last line on stderr.
func (s *started) end(t *testing.T, signal os.Signal) (last string) {
	t.Helper()
	if err := s.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	for s.lines.Scan() {
		last = s.lines.Text()
	}
	if err := s.Wait(); err == nil {
		t.Error("the run succeeded, want an error")
	}
	return last
}

func TestContestGoesOnAfterItWasInterruptedOrKilled(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	run := a.start("the contest cup is created in ")
	poll.Until(t, "some matches have ended", func() bool { return len(a.finished()) >= 5 })
	second := a.run()
	var stderr bytes.Buffer
	second.Stderr = &stderr
	if err := second.Run(); err == nil || !strings.Contains(stderr.String(), "another host contest run plays the contest cup: wait for its end") {
		t.Errorf("a second run: got %v, %s, want that another one runs", err, stderr.Bytes())
	}
	last := run.end(t, syscall.SIGINT)
	before := a.finished()
	if want := fmt.Sprintf("host: interrupted after %d of 30 matches: the same command goes on with the contest", len(before)); last != want {
		t.Errorf("after Ctrl-C: got %q, want %q", last, want)
	}
	run = a.start(fmt.Sprintf("the contest cup goes on after %d matches", len(before)))
	run.end(t, syscall.SIGKILL)
	for leg, id := range a.finished() {
		if old, ok := before[leg]; ok && old != id {
			t.Errorf("leg %v was played again: got the match %s, want %s", leg, id, old)
		}
	}
	a.write("open", "")
	out, err := a.run("--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Name, Format, State string
		Done, All           int
		Standings           []struct {
			Rank, Played, Draws int
			Name                string
			Points              float64
		}
		Matches []struct {
			ID    string
			Round int
			Seats []string
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatal(err)
	}
	if result.Name != "cup" || result.Format != "round-robin" || result.State != "ended" || result.Done != 30 || result.All != 30 || len(result.Standings) != 6 || len(result.Matches) != 30 {
		t.Errorf("got %s, want an ended contest of 6 entries and 30 matches", out)
	}
	seen := map[string]bool{}
	for _, m := range result.Matches {
		if seen[m.ID] || len(m.Seats) != 2 || m.Round < 1 || m.Round > 5 {
			t.Errorf("got the match %+v, want another one of two seats in the rounds 1 to 5", m)
		}
		seen[m.ID] = true
	}
	after := a.finished()
	for leg, id := range before {
		if after[leg] != id {
			t.Errorf("leg %v: got the match %s, want that from before, %s", leg, after[leg], id)
		}
	}
	if got, want := a.output("verify", "cup"), "the contest cup is verified: 15 pairings and 30 matches\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContestOnThisMachineObeysOtherCommands(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	run := a.start("the contest cup is created in ")
	poll.Until(t, "some matches have ended", func() bool { return len(a.finished()) >= 5 })
	a.output("withdraw", "cup", "bot-5")
	a.output("end", "--reason", "it is late", "cup")
	for run.lines.Scan() {
	}
	if err := run.Wait(); err != nil {
		t.Errorf("the run ended with %v, want no error", err)
	}
	if got, want := a.output("show", "cup"), "round-robin, ended (it is late), "; !strings.Contains(got, want) || !strings.Contains(got, "bot-5 (withdrawn)") {
		t.Errorf("got %s, want %q and that bot-5 has withdrawn", got, want)
	}
}

func TestContestGoesOnAfterItsGameWasKilled(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	run := a.start("the contest cup is created in ")
	poll.Until(t, "some matches have ended", func() bool { return len(a.finished()) >= 5 })
	a.write("open", "")
	game, err := strconv.Atoi(run.game)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(game, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var log []string
	for run.lines.Scan() {
		log = append(log, run.lines.Text())
	}
	if err := run.Wait(); err != nil {
		t.Errorf("the run ended with %v, want no error\n%s", err, strings.Join(log, "\n"))
	}
	if n := len(a.finished()); n != 30 {
		t.Errorf("%d matches have finished, want 30\n%s", n, strings.Join(log, "\n"))
	}
}
