// Package submissions hands programs in with the real programs: they are built, tried,
// and play in a ladder, with one that plays from home and with crashes of the host.
package submissions

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
)

func TestMain(m *testing.M) {
	waits.Together()
	programs.Main(m, nil)
}

// class is a host that takes programs for roshambo, with registered students.
type class struct {
	*programs.Class
	t *testing.T
}

// newClass starts a host that takes programs, in shell and what else is installed.
func newClass(t *testing.T, students int, more string) *class {
	t.Helper()
	config := fmt.Sprintf("plugins: {folders: [%s], isolation: require}\ndrain: 1s\nlimits: {host_reads_per_second: 1000000}\nsubmissions:\n  games: [roshambo]\n  folder: %s\n%s",
		programs.Plugins, programs.Languages(t), more)
	h := programs.StartHostWith(t, t.TempDir(), config)
	return &class{programs.Enroll(t, h, students), t}
}

// file writes a file of a student, and returns its path.
func (c *class) file(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// folder writes a folder with files of a student, and returns its path.
func (c *class) folder(files map[string]string) string {
	c.t.Helper()
	dir := c.t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			c.t.Fatal(err)
		}
	}
	return dir
}

// submit hands a program in and waits until it is accepted or refused. It returns what
// coco prints.
func (c *class) submit(student, path string) (out string, err error) {
	c.t.Helper()
	cmd := c.Coco(student, "submit", "roshambo", path)
	cmd.Env = append(cmd.Env, "COCO_LANG=en")
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// accepted hands a program in, which has to be accepted.
func (c *class) accepted(student, path string) {
	c.t.Helper()
	if out, err := c.submit(student, path); err != nil || !strings.Contains(out, "is accepted") {
		c.t.Fatalf("%s: got %v, want the program accepted:\n%s", student, err, out)
	}
}

// always is a player of roshambo that always shows the same hand.
func always(hand string) string { return strings.ReplaceAll(programs.RoshamboScript, "ROCK", hand) }

// version is a program as its owner sees it.
type version struct {
	Version              int
	State, Fault, Reason string
	Active, Rests        bool
	Failures             int
}

// versions returns the versions of a student, the newest first.
func (c *class) versions(student string) []version {
	c.t.Helper()
	out, err := c.Coco(student, "submissions", "roshambo", "--json").Output()
	if err != nil {
		c.t.Fatalf("coco submissions: %v\n%s", err, out)
	}
	var answer struct{ Submissions []version }
	if err := json.Unmarshal(out, &answer); err != nil {
		c.t.Fatalf("coco submissions: %v\n%s", err, out)
	}
	return answer.Submissions
}

// home starts coco serve with a player of the student's own machine.
func (c *class) home(student, ladder, script string) *programs.Daemon {
	c.t.Helper()
	d := programs.StartDaemon(c.t, c.Coco(student, "serve", "roshambo", "--contest", ladder, "--", "sh", "-c", script))
	d.Await(c.t, 1, "msg=connected")
	return d
}

// met returns how often each pair of names has met in the matches of a contest that have
// ended, and fails if a leg has two results.
func (c *class) met(contest string) map[string]int {
	c.t.Helper()
	met, legs := map[string]int{}, map[[2]int]string{}
	for _, m := range c.ContestMatches(contest) {
		if m.State != "finished" && m.State != "played" {
			continue
		}
		if other := legs[[2]int{m.Pairing, m.Leg}]; other != "" {
			c.t.Errorf("got the matches %s and %s of leg %d of pairing %d, want one", other, m.ID, m.Leg, m.Pairing)
		}
		legs[[2]int{m.Pairing, m.Leg}] = m.ID
		met[strings.Join(slices.Sorted(slices.Values(m.Seats)), " ")]++
	}
	return met
}

// TestProgramsOfTheHostAndFromHomeMeetInOneTable hands two programs in, lets a third
// student play from home, kills the host, and looks at the table, at the records and at a
// journal.
func TestProgramsOfTheHostAndFromHomeMeetInOneTable(t *testing.T) {
	t.Parallel()
	c := newClass(t, 3, "  concurrency: 1\n")
	c.accepted("s01", c.file("bot.sh", always("ROCK")))
	c.accepted("s01", c.file("bot.sh", "echo the second version >&2\n"+always("PAPER"))) // plays from now on
	c.accepted("s02", c.folder(map[string]string{"bot.sh": always("SCISSORS"), "README": "mine"}))
	if out, err := c.submit("s02", c.file("bot.sh", "read -r me; echo oops >&2; exit 3")); err == nil || !strings.Contains(out, "exit status 3") || !strings.Contains(out, "oops") {
		t.Errorf("a program that ends too early: got %v, want it refused with its reason and its stderr:\n%s", err, out)
	}
	if got := c.versions("s01"); len(got) != 2 || !got[0].Active || got[0].Version != 2 || got[1].Active {
		t.Errorf("got the versions %+v of s01, want the second one active", got)
	}
	if got := c.versions("s02"); len(got) != 2 || got[0].State != "refused" || got[0].Fault != "program" || !got[1].Active {
		t.Errorf("got the versions %+v of s02, want the second one refused and the first one active", got)
	}
	c.Create("name: stairs\ngame: roshambo\nargs: {rounds: 3, pace: 0}\nformat: ladder\nentries: [{player: s01}, {player: s02}, {player: s03}, {bot: random}]\n")
	c.Run("contest", "start", "stairs")
	home := c.home("s03", "stairs", always("ROCK"))
	all := []string{"s01 s02", "s01 s03", "s02 s03"}
	done := func(times int) func() bool {
		return func() bool {
			met := c.met("stairs")
			return !slices.ContainsFunc(all, func(pair string) bool { return met[pair] < times })
		}
	}
	poll.Until(t, "all have met", done(1))
	c.Restart()
	before := c.met("stairs")
	poll.Until(t, "all have met again", done(1+slices.Max([]int{before[all[0]], before[all[1]], before[all[2]]})))
	c.Run("contest", "end", "stairs")
	d := c.Ended("stairs")
	rating := map[string]float64{}
	for _, r := range d.Standings {
		rating[r.Name] = r.Rating
	}
	if len(d.Standings) != 4 || rating["s01"] == 0 || rating["s02"] == 0 || rating["s03"] == 0 {
		t.Errorf("got the standings %+v, want ratings of all", d.Standings)
	}
	c.Run("contest", "verify", "stairs")
	id := ""
	for _, m := range c.ContestMatches("stairs") {
		if slices.Contains(m.Seats, "s01") && m.State == "finished" {
			id = m.ID
		}
	}
	var r struct {
		Seats []struct {
			Name    string
			Version int
		}
	}
	c.Get("api/matches/"+id, &r)
	for _, seat := range r.Seats {
		if want := map[string]int{"s01": 2, "s02": 1}[seat.Name]; seat.Version != want {
			t.Errorf("got the version %d of %s in the record, want %d", seat.Version, seat.Name, want)
		}
	}
	if out, err := c.Coco("s01", "submissions", "log", "roshambo", "2", "--match", id).CombinedOutput(); err != nil || !strings.Contains(string(out), "the second version") {
		t.Errorf("the journal of its owner: got %v, want what it wrote to stderr:\n%s", err, out)
	}
	if out, err := c.Coco("s02", "submissions", "log", "roshambo", "2", "--match", id).CombinedOutput(); err == nil {
		t.Errorf("the journal of another player: got it, want it refused:\n%s", out)
	}
	home.Stop(os.Interrupt)
}

// TestBuildSurvivesAKilledHost kills the host while a program is built. Nobody has to hand it
// in again.
func TestBuildSurvivesAKilledHost(t *testing.T) {
	t.Parallel()
	c := newClass(t, 1, "")
	dir := c.folder(map[string]string{
		"bot.sh": always("ROCK"), "colosseum.yaml": "build: [[sh, build.sh]]\n",
		"build.sh": "echo it begins\ni=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done\necho it ends\n",
	})
	cmd := c.Coco("s01", "submit", "roshambo", dir)
	follow := programs.StartDaemon(t, cmd)
	follow.Await(t, 1, "it begins")
	c.Restart()
	poll.Until(t, "the version is accepted", func() bool { list := c.versions("s01"); return len(list) == 1 && list[0].State == "accepted" })
	if code := follow.Stop(nil); code != 0 || follow.Count("is accepted") != 1 {
		t.Errorf("coco that was following: got the exit code %d, want 0 and the end of the build:\n%s", code, strings.Join(follow.Logged(), "\n"))
	}
}

// TestRepeatedFailuresRestAVersion lets a program fail after it was accepted, and activates
// it again. Its build creates more files than can be handed in.
func TestRepeatedFailuresRestAVersion(t *testing.T) {
	t.Parallel()
	c := newClass(t, 1, "  rest: 2\n  concurrency: 1\n  files: 3\n")
	// The trial has the rounds that the game has by default; the ladder has another number.
	c.accepted("s01", c.folder(map[string]string{
		"bot.sh": "read -r me; read -r opponent; read -r rounds\n[ \"$rounds\" = 7 ] && exit 1\n" +
			strings.TrimPrefix(strings.TrimSpace(programs.RoshamboScript), "read -r me; read -r opponent; read -r rounds\n"),
		"colosseum.yaml": "build: [[sh, build.sh]]\n",
		"build.sh":       "for i in 1 2 3; do echo $i >$i.txt; done\n",
	}))
	c.Create("name: stairs\ngame: roshambo\nargs: {rounds: 7}\nformat: ladder\nentries: [{player: s01}, {bot: random}]\n")
	c.Run("contest", "start", "stairs")
	poll.Until(t, "the version rests", func() bool { return c.versions("s01")[0].Rests })
	// Another match can have begun before the second one was counted.
	if v := c.versions("s01")[0]; v.Failures < 2 || !strings.Contains(v.Reason, "forfeited") {
		t.Errorf("got %+v, want 2 failures or more and a reason", v)
	}
	if out, err := c.Coco("s01", "submissions", "activate", "roshambo", "1").CombinedOutput(); err != nil {
		t.Errorf("activate it again: got %v\n%s", err, out)
	}
	poll.Until(t, "the version rests again", func() bool { return c.versions("s01")[0].Rests })
}

// TestUnusualFilesAreRefusedWithTheirReason hands in what no program is.
func TestUnusualFilesAreRefusedWithTheirReason(t *testing.T) {
	t.Parallel()
	c := newClass(t, 1, "  archive_mb: 1\n  per_day: 1\n")
	large := make([]byte, 1<<20+1)
	for i := range large {
		large[i] = byte(i*i>>8 ^ i)
	}
	for _, tt := range []struct{ name, file, text, want string }{
		{"no language", "bot.xyz", "hello", "language"},
		{"empty", "bot.sh", "", "empty"},
		{"no zip", "bot.zip", "PK\x03\x04 broken", "zip"},
		{"too large", "bot.sh", string(large), "bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := c.submit("s01", c.file(tt.file, tt.text))
			if _, exited := err.(*exec.ExitError); !exited || !strings.Contains(out, tt.want) {
				t.Errorf("got %v, want it refused with %q:\n%s", err, tt.want, out)
			}
		})
	}
	c.accepted("s01", c.file("bot.sh", always("ROCK")))
	if out, err := c.submit("s01", c.file("bot.sh", always("PAPER"))); err == nil || !strings.Contains(out, "24 hours") {
		t.Errorf("more than a day permits: got %v, want it refused:\n%s", err, out)
	}
}
