package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
)

// The tests of this file run coco serve and coco challenge against real hosts that stop, are
// killed and come back. configOfQuick offers quick, which is roshambo without pauses, and pairs the same players
// again and again.
func configOfQuick(rounds int) string {
	return fmt.Sprintf("plugins: {folders: [%s]}\n"+
		"operations: {listen: '127.0.0.1:0'}\n"+
		"drain: 1s\n"+
		"serving: {rematch: 0s}\n"+
		"players: {registration: open}\n"+
		"games: {quick: {plugin: roshambo, params: {rounds: {default: %d}, pace: {default: 0}}}}\n", programs.Plugins, rounds)
}

// user is a registered player with a folder of its own.
type user struct {
	t    *testing.T
	url  string
	name string
	home string
	logs string
	bot  string
}

// register registers a player with coco.
func register(t *testing.T, url, name string) *user {
	t.Helper()
	home := t.TempDir()
	u := &user{t: t, url: url, name: name, home: home, logs: filepath.Join(home, "logs"), bot: filepath.Join(home, "bot.sh")}
	if err := os.WriteFile(u.bot, []byte(programs.RoshamboScript), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := u.coco("register", name).CombinedOutput(); err != nil {
		t.Fatalf("register %s: got %v, want nil; output:\n%s", name, err, out)
	}
	return u
}

// coco returns a command that runs coco as the player, in English.
func (u *user) coco(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(programs.Bin, "coco"), append([]string{"-s", u.url}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+u.home, "XDG_CONFIG_HOME="+u.home, "COCO_LANG=en")
	return cmd
}

// daemon is a coco serve that runs.
type daemon struct {
	*user
	*programs.Daemon
}

// serve starts coco serve, and waits until it is connected.
func (u *user) serve(concurrency int, args ...string) *daemon {
	u.t.Helper()
	args = append([]string{"serve", "--concurrency", strconv.Itoa(concurrency), "--log", u.logs}, args...)
	d := &daemon{u, programs.StartDaemon(u.t, u.coco(append(args, "quick", "--", "sh", u.bot)...))}
	d.Await(u.t, 1, "msg=connected")
	return d
}

// most returns the largest number of running matches in the log.
func (d *daemon) most() (most int) {
	for _, line := range d.Log {
		if m := regexp.MustCompile(`running=(\d+)`).FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1]) // digits
			most = max(most, n)
		}
	}
	return most
}

// files returns the number of open files of a process, and children the number of its
// children.
func files(t *testing.T, pid int) int {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func children(t *testing.T, pid int) (pids []string) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("got the tasks %v, %v, want some", tasks, err)
	}
	for _, task := range tasks {
		b, _ := os.ReadFile(task) // a thread can end
		pids = append(pids, strings.Fields(string(b))...)
	}
	return pids
}

const played = `msg="match ended".* result=(won|drawn|lost) `

// TestDaemonsPlayEachOtherAndChallengers lets two players serve, a third one challenge
// one of them, and ends both in order.
func TestDaemonsPlayEachOtherAndChallengers(t *testing.T) {
	t.Parallel()
	h := programs.StartHostWith(t, t.TempDir(), configOfQuick(3))
	alice, bob, carol := register(t, h.URL, "alice"), register(t, h.URL, "bob"), register(t, h.URL, "carol")
	a := alice.serve(2)
	if out, err := carol.coco("challenge", "bob", "quick", "--", "sh", carol.bot).CombinedOutput(); err == nil || !strings.Contains(string(out), "bob plays no quick now: it is not served with coco serve") {
		t.Errorf("challenge of a player that does not serve: got %v, %s, want a refusal", err, out)
	}
	b := bob.serve(2)
	a.Await(t, 10, "match ended")
	b.Await(t, 10, "match ended")
	a.Stop(syscall.SIGTERM)
	challenges := map[string]*exec.Cmd{
		"logged in": carol.coco("challenge", "bob", "quick", "Duel", "-a", "rounds=2", "--clock", "60+1", "--", "sh", carol.bot),
		"anonymous": (&user{url: h.URL, home: t.TempDir()}).coco("challenge", "bob", "quick", "--", "sh", carol.bot),
	}
	for name, challenge := range challenges {
		out, err := challenge.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "\n> Game ended\n") || !strings.Contains(string(out), "bob: ") {
			t.Errorf("challenge, %s: got %v, want a match against bob\n%s", name, err, out)
		}
	}
	b.Await(t, 1, "opponents=carol")
	if code := b.Stop(syscall.SIGTERM); code != 0 {
		t.Errorf("got exit code %d, want 0\n%s", code, strings.Join(b.Log, "\n"))
	}
	for _, d := range []*daemon{a, b} {
		if got := d.most(); got > 2 {
			t.Errorf("%s: got %d matches at once, want at most 2", d.name, got)
		}
		wantLast(t, d, "msg=stopped")
	}
	for id, r := range h.Records(t) {
		if r.State != "finished" {
			t.Errorf("match %s: got %+v, want it finished", id, r)
		}
	}
}

func wantLast(t *testing.T, d *daemon, text string) {
	t.Helper()
	if last := d.Log[len(d.Log)-1]; !strings.Contains(last, text) {
		t.Errorf("%s: got the last line %s, want %s", d.name, last, text)
	}
}

// TestDaemonWithoutAPlayerOrAProgramEnds covers the failures that no new attempt repairs.
func TestDaemonWithoutAPlayerOrAProgramEnds(t *testing.T) {
	t.Parallel()
	h := programs.StartHostWith(t, t.TempDir(), configOfQuick(3))
	alice, bob := register(t, h.URL, "alice"), register(t, h.URL, "bob")
	stranger := &user{t: t, url: h.URL, home: t.TempDir()}
	tests := []struct {
		name string
		cmd  *exec.Cmd
		code int
		want string
	}{
		{"no token", stranger.coco("serve", "quick", "--", "cat"), 4, "coco register NAME"},
		{"an unknown game", alice.coco("serve", "quack", "--", "cat"), 4, `unknown game "quack"`},
		{"no program", alice.coco("serve", "quick"), 2, "serve needs a program"},
		{"no game", alice.coco("serve", "--", "cat"), 2, "serve needs a game"},
	}
	for _, tt := range tests {
		out, err := tt.cmd.CombinedOutput()
		if code := tt.cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: got %v, %s, want exit code %d and %q", tt.name, err, out, tt.code, tt.want)
		}
	}
	b := bob.serve(1)
	broken := alice.coco("serve", "quick", "--", "sh", "-c", "echo it is broken >&2; exit 3")
	out, _ := broken.CombinedOutput()
	if code := broken.ProcessState.ExitCode(); code != 5 || !bytes.Contains(out, []byte(`line="it is broken"`)) || !bytes.Contains(out, []byte("the program failed: exit status 3")) {
		t.Errorf("a broken program: got exit code %d, want 5, its stderr and the reason\n%s", code, out)
	}
	second := bob.serve(1)
	<-b.Done
	if code := b.Cmd.ProcessState.ExitCode(); code != 4 || b.Count("another coco serve of this player") == 0 {
		t.Errorf("a second daemon: got exit code %d of the first one, want 4 and the reason\n%s", code, strings.Join(b.Log, "\n"))
	}
	if code := second.Stop(syscall.SIGTERM); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
}

// TestHostThatRestartsLosesNoDaemon plays many matches while the host stops or is killed
// again and again, and checks that nothing is left of them.
func TestHostThatRestartsLosesNoDaemon(t *testing.T) {
	t.Parallel()
	const concurrency, restarts, matches = 6, 2, 45
	data := t.TempDir()
	h := programs.StartHostWith(t, data, configOfQuick(3))
	address := strings.Trim(strings.TrimPrefix(h.URL, "ws://"), "/")
	alice, bob := register(t, h.URL, "alice"), register(t, h.URL, "bob")
	a := alice.serve(concurrency)
	idle := files(t, a.Cmd.Process.Pid)
	b := bob.serve(concurrency)
	for n := range restarts {
		poll.Until(t, "matches are played", func() bool { return a.Count(played) >= (n+1)*matches/(restarts+1) })
		h.Stop(t, []os.Signal{syscall.SIGTERM, syscall.SIGKILL}[n%2])
		h = programs.StartHostWith(t, data, configOfQuick(3), "--listen", address)
	}
	a.Await(t, restarts+1, "msg=connected")
	poll.Until(t, "all matches are played", func() bool { return a.Count(played) >= matches })
	if code := b.Stop(syscall.SIGTERM); code != 0 {
		t.Errorf("bob: got exit code %d, want 0\n%s", code, b.Log[len(b.Log)-1])
	}
	poll.Until(t, "no match runs", func() bool { return len(children(t, a.Cmd.Process.Pid)) == 0 })
	poll.Until(t, "no file is left", func() bool { return files(t, a.Cmd.Process.Pid) <= idle })
	at := h.Operations(t)
	for _, state := range []string{"waiting", "running"} {
		if got := programs.Metric(t, at, `colosseum_matches{game="quick",state="`+state+`"}`); got != 0 {
			t.Errorf("got %v matches %s on the host, want none", got, state)
		}
	}
	var serving struct {
		Players []struct {
			Name    string
			Matches int
		}
	}
	if _, body := programs.Get(t, h.Page("api/serving")); json.Unmarshal([]byte(body), &serving) != nil || len(serving.Players) != 1 || serving.Players[0].Matches != 0 {
		t.Errorf("got %s, want alice without matches", body)
	}
	if code := a.Stop(syscall.SIGTERM); code != 0 {
		t.Errorf("alice: got exit code %d, want 0\n%s", code, a.Log[len(a.Log)-1])
	}
	for _, d := range []*daemon{a, b} {
		if got := d.most(); got > concurrency {
			t.Errorf("%s: got %d matches at once, want at most %d", d.name, got, concurrency)
		}
		d.wantLogs()
	}
	wantAtMost(t, h, concurrency)
	t.Logf("%d matches were played, %d not", a.Count(played), a.Count("msg=\"match ended\"")-a.Count(played))
}

// wantLogs checks that there is one log for each match that has begun, and that each is
// complete.
func (d *daemon) wantLogs() {
	d.t.Helper()
	paths := regexp.MustCompile(` log=(\S+)`)
	want := 0
	for _, line := range d.Log {
		if m := paths.FindStringSubmatch(line); m != nil {
			want++
		}
	}
	logs, err := filepath.Glob(filepath.Join(d.logs, "*.log"))
	if err != nil || len(logs) != want {
		d.t.Errorf("%s: got %d logs, %v, want %d", d.name, len(logs), err, want)
	}
	for _, path := range logs {
		b, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(b, []byte("coco match log 1\n")) || !bytes.HasSuffix(b, []byte("\n")) ||
			!bytes.Contains(b, []byte("#  ended: ")) && !bytes.Contains(b, []byte("#  coco: ")) {
			d.t.Errorf("%s: got error %v and a log without its end, want a complete one:\n%s", path, err, b)
		}
	}
}

// wantAtMost checks the records of the host: no player had more matches at once.
func wantAtMost(t *testing.T, h *programs.Host, concurrency int) {
	t.Helper()
	type change struct {
		at  time.Time
		add int
	}
	var changes []change
	for after := ""; ; {
		var page struct {
			Matches []struct{ Started, Ended time.Time }
			Next    string
		}
		_, body := programs.Get(t, h.Page("api/matches?limit=500&after="+after))
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Matches {
			changes = append(changes, change{m.Started, 1}, change{m.Ended, -1})
		}
		if after = page.Next; after == "" {
			break
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.add - b.add
	})
	running, most := 0, 0
	for _, c := range changes {
		running += c.add
		most = max(most, running)
	}
	if most > concurrency {
		t.Errorf("the host has records of %d matches at once, want at most %d", most, concurrency)
	}
}
