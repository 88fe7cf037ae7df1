package submissions

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// handed is a program that a student hands in.
type handed struct {
	what string
	path string
	// arrives is what coco says if the host does not take the program at all.
	arrives string
	// refused is in the reason of a program that is built or tried, and refused; empty: it is
	// accepted.
	refused string
	// rests: it is accepted, and fails in all its matches.
	rests bool
	// attacks: its output must have this text and not reached.
	attacks string
}

// The sources of players. HAND is an expression from 0 to 2 of the number of the round i, the
// opponent's last hand (-1 in the first round), its most frequent one (most), and a random
// number x.
const (
	shellPlayer = `read -r me; read -r opponent; read -r rounds
i=0; last=-1; most=0; a=0; b=0; c=0; x=$((COLOSSEUM_SEED % 2147483646 + 1))
while [ "$i" -lt "$rounds" ]; do
	x=$((x * 16807 % 2147483647))
	case $((HAND)) in 0) echo ROCK ;; 1) echo PAPER ;; *) echo SCISSORS ;; esac
	read -r hand || exit 0
	case $hand in ROCK) last=0; a=$((a + 1)) ;; PAPER) last=1; b=$((b + 1)) ;; SCISSORS) last=2; c=$((c + 1)) ;; *) exit 0 ;; esac
	most=0
	[ "$b" -gt "$a" ] && most=1
	[ "$c" -gt "$a" ] && [ "$c" -gt "$b" ] && most=2
	i=$((i + 1))
done
`
	pythonPlayer = `import os
HANDS = ["ROCK", "PAPER", "SCISSORS"]
input(), input()
last, most, seen, x = -1, 0, [0, 0, 0], int(os.environ["COLOSSEUM_SEED"]) % 2147483646 + 1
for i in range(int(input())):
    x = x * 16807 % 2147483647
    print(HANDS[HAND], flush=True)
    try:
        last = HANDS.index(input())
    except (ValueError, EOFError):
        break
    seen[last] += 1
    most = seen.index(max(seen))
`
	cPlayer = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
	const char *hands[] = {"ROCK", "PAPER", "SCISSORS"};
	char line[256];
	for (int i = 0; i < 3; i++) if (!fgets(line, sizeof line, stdin)) return 1;
	long long x = atoll(getenv("COLOSSEUM_SEED")) % 2147483646 + 1;
	int last = -1, most = 0, seen[3] = {0};
	for (int i = 0, rounds = atoi(line); i < rounds; i++) {
		x = x * 16807 % 2147483647;
		puts(hands[HAND]);
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin)) return 0;
		line[strcspn(line, "\n")] = 0;
		for (last = 0; last < 3 && strcmp(line, hands[last]); last++) {}
		if (last == 3) return 0;
		seen[last]++;
		for (int h = 0; h < 3; h++) if (seen[h] > seen[most]) most = h;
	}
}
`
)

// playing returns the source of a player.
func playing(source, hand string) string { return strings.ReplaceAll(source, "HAND]", hand+"]") }

// The hands of players, from weak ones to better ones.
const (
	cycles    = "i % 3"
	random    = "x % 3"
	beatsLast = "(last + 1) % 3"
	frequency = "(most + 1) % 3"
)

// honest returns programs that play as well as they can. Those in languages that are not
// installed are left out.
func (c *class) honest() (list []handed) {
	c.t.Helper()
	add := func(language, tool, file string, sources ...string) {
		if _, err := exec.LookPath(tool); err != nil {
			c.t.Logf("without programs in %s: %v", language, err)
			return
		}
		for n, source := range sources {
			list = append(list, handed{what: fmt.Sprintf("%s %d", language, n+1), path: c.file(file, source)})
		}
	}
	sh := func(hand string) string { return strings.ReplaceAll(shellPlayer, "$((HAND))", "$(("+hand+"))") }
	py := func(hand string) string { return playing(pythonPlayer, hand) }
	cc := func(hand string) string { return playing(cPlayer, hand) }
	add("shell", "sh", "bot.sh", sh("0"), sh("1"), sh("2"), sh(cycles), sh(random), sh(frequency))
	add("Python", "python3", "bot.py", c.source("examples/submissions/python/bot.py"), c.source("plugins/roshambo/players/player.py"), py("0"), py(cycles), py(random))
	add("C", "gcc", "bot.c", c.source("examples/submissions/c/bot.c"), c.source("plugins/roshambo/players/player.c"), cc("2"), cc(cycles), cc(random), cc(frequency))
	add("Go", "go", "bot.go", c.source("examples/submissions/go/bot.go"), c.source("plugins/roshambo/players/player.go"))
	add("JavaScript", "node", "bot.js", c.source("examples/submissions/javascript/bot.js"), c.source("plugins/roshambo/players/player.js"))
	add("Java", "javac", "Bot.java", c.source("examples/submissions/java/Bot.java"))
	add("Java", "javac", "Player.java", c.source("plugins/roshambo/players/Player.java"))
	return append(list, handed{what: "a zip made on a Mac", path: c.zip(
		entry{name: "mine/bot.sh", text: sh(beatsLast)}, entry{name: "mine/.DS_Store", text: "\x00\x01"}, entry{name: "__MACOSX/mine/._bot.sh", text: "\x00\x05"})})
}

// source reads a file of the repository.
func (c *class) source(path string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", path))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// TestAClassHandsInItsPrograms lets two clients hand in the programs of a class, some of
// which are hostile, and plays a ladder with them, with a program that plays from home and
// with a host that is killed twice.
func TestAClassHandsInItsPrograms(t *testing.T) {
	long.Only(t, "it builds the programs of a class, and plays 600 matches")
	if runtime.GOOS != "linux" {
		t.Skip("programs are handed in to hosts that run on Linux")
	}
	const (
		most    = 60 // students at most
		matches = 400
	)
	c := newClass(t, most, fmt.Sprintf("  per_day_address: 0\n  build_time: 10m\n  rest: 3\n  cores: %d\n  start: 5s\n", min(2, runtime.NumCPU())))
	world := newVictim(t, c)
	list := slices.Concat(c.honest(), c.hostile(world))
	home := programs.StudentName(len(list))
	entries := make([]string, 0, most)
	for i := range len(list) + 1 {
		entries = append(entries, "{player: "+programs.StudentName(i)+"}")
	}
	c.Create("name: stairs\ngame: roshambo\nargs: {rounds: 7, pace: 0}\ntimeout: 5\nformat: ladder\nentries: [" + strings.Join(entries, ", ") + ", {bot: random}]\n")
	c.handIn(list)
	for left := c.undecided(list); len(left) > 0; {
		before := len(left)
		poll.Until(t, "another program is accepted or refused", func() bool {
			left = c.undecided(list)
			return len(left) < before
		}, func() any { return left })
	}
	c.judged(list)

	c.Run("contest", "start", "stairs")
	daemon := c.home(home, "stairs", always("ROCK"))
	pids := []int{c.Host.Cmd.Process.Pid}
	for n := range 2 {
		c.Plays("stairs", matches/3*(n+1))
		told := c.results("stairs")
		c.Restart()
		pids = append(pids, c.Host.Cmd.Process.Pid)
		after := c.results("stairs")
		for id, m := range told {
			if !slices.Equal(m.Ranks, after[id].Ranks) || !slices.Equal(m.Seats, after[id].Seats) {
				t.Errorf("got the match %+v after the host was killed, want %+v", after[id], m)
			}
		}
	}
	c.Plays("stairs", matches)
	poll.Until(t, "the student at home has met programs of others", func() bool {
		n := 0
		for _, m := range c.results("stairs") {
			if slices.Contains(m.Seats, home) && !slices.Contains(m.Seats, "bot:random") {
				n++
			}
		}
		return n >= 3
	})
	c.Run("contest", "end", "stairs")
	c.Ended("stairs")
	poll.Until(t, "no match runs", func() bool {
		var lobby struct{ Running, Waiting []any }
		c.Get("api/lobby", &lobby)
		return len(lobby.Running)+len(lobby.Waiting) == 0
	})
	d := c.settled("stairs")
	c.Run("contest", "verify", "stairs")
	c.recorded(list, home)
	c.rated(d)
	c.harmless(list, world)
	daemon.Stop(os.Interrupt)
	c.Host.Stop(t, os.Interrupt)
	c.gone(pids)
}

// handIn hands programs in, each as that of another student, with two clients at once.
func (c *class) handIn(list []handed) {
	c.t.Helper()
	work := make(chan int)
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			for i := range work {
				h := list[i]
				out, err := c.Coco(programs.StudentName(i), "submit", "--no-wait", "roshambo", h.path).CombinedOutput()
				if (err == nil) != (h.arrives == "") || !strings.Contains(string(out), h.arrives) {
					c.t.Errorf("%s: got %v, want it to arrive, or not because of %q:\n%s", h.what, err, h.arrives, out)
				}
			}
		})
	}
	for i := range list {
		work <- i
	}
	close(work)
	clients.Wait()
}

// undecided returns the programs that are neither accepted nor refused.
func (c *class) undecided(list []handed) (rest []string) {
	c.t.Helper()
	for i, h := range list {
		if h.arrives != "" {
			continue
		}
		var answer struct{ Submissions []version }
		if err := json.Unmarshal([]byte(c.Own(programs.StudentName(i), "api/games/roshambo/submissions")), &answer); err != nil {
			c.t.Fatal(err)
		}
		if v := answer.Submissions; len(v) != 1 || v[0].State != "accepted" && v[0].State != "refused" {
			rest = append(rest, fmt.Sprintf("%s: %+v", h.what, v))
		}
	}
	return rest
}

// judged checks that each program was accepted, or refused with its reason.
func (c *class) judged(list []handed) {
	c.t.Helper()
	for i, h := range list {
		student := programs.StudentName(i)
		versions := c.versions(student)
		if h.arrives != "" {
			if len(versions) > 0 {
				c.t.Errorf("%s: got %+v, want no version", h.what, versions)
			}
			continue
		}
		want := "accepted"
		if h.refused != "" {
			want = "refused"
		}
		v, log := versions[0], c.log(student)
		ok := v.State == want && v.Active == (want == "accepted")
		if want == "refused" {
			ok = ok && v.Fault == "program" && strings.Contains(v.Reason+log, h.refused)
		}
		if !ok {
			c.t.Errorf("%s: got %+v, want it %s %s\n%.3000s", h.what, v, want, h.refused, log)
		}
		if len(log) > 65<<10 {
			c.t.Errorf("%s: got %d bytes of output, want at most 64 KiB", h.what, len(log))
		}
	}
}

// log returns the output of a student's build and trial.
func (c *class) log(student string) string {
	out, _ := c.Coco(student, "submissions", "log", "roshambo", "1").CombinedOutput() // it fails for what was refused
	return string(out)
}

// results returns the matches of a contest that have a result, by ID.
func (c *class) results(contest string) map[string]programs.ContestMatch {
	c.t.Helper()
	list := map[string]programs.ContestMatch{}
	for _, m := range c.ContestMatches(contest) {
		if m.State == "finished" || m.State == "played" {
			list[m.ID] = m
		}
	}
	return list
}

// settled waits until a contest that has ended shows the results of all matches that were
// over some seconds before its end: its pages are a moment behind the records, and matches
// that had begun end later.
func (c *class) settled(contest string) (d *programs.Contest) {
	c.t.Helper()
	return c.Until(contest, "it has all results", func(d *programs.Contest) bool {
		seats := 0
		for _, row := range d.Standings {
			seats += row.Played
		}
		results := c.results(contest)
		return seats == 2*len(results) && len(c.missing(d, results)) == 0
	})
}

// missing returns the records of matches that a contest must have results of, and has not.
func (c *class) missing(d *programs.Contest, results map[string]programs.ContestMatch) (list []*programs.Record) {
	c.t.Helper()
	for id, r := range c.Host.Records(c.t) {
		if _, ok := results[id]; !ok && r.State == "finished" && r.Ended.Before(d.Ended.Add(-5*time.Second)) {
			list = append(list, r)
		}
	}
	return list
}

// recorded checks that each leg has one result, which is that of a record with the same
// versions, and that the student at home has met programs that were handed in.
func (c *class) recorded(list []handed, home string) {
	c.t.Helper()
	for pair, n := range c.met("stairs") {
		if n < 1 {
			c.t.Errorf("got %d matches of %s", n, pair)
		}
	}
	records := c.Host.Records(c.t)
	met, played := 0, map[string]int{}
	results := c.results("stairs")
	for id, m := range results {
		r := records[id]
		if r == nil || r.State != "finished" || len(r.Seats) != len(m.Seats) {
			c.t.Errorf("match %+v: got the record %+v, want a finished one", m, r)
			continue
		}
		hosted := 0
		for i, name := range m.Seats {
			played[name]++
			want := 1
			if name == home || strings.HasPrefix(name, "bot:") {
				want = 0
			}
			hosted += want
			version := 0
			if len(m.Versions) > 0 {
				version = m.Versions[i]
			}
			if r.Seats[i].Version != want || version != want {
				c.t.Errorf("match %s: got the version %d of %s in the record and %d in the contest, want %d", id, r.Seats[i].Version, name, version, want)
			}
		}
		if hosted > 0 && slices.Contains(m.Seats, home) {
			met++
		}
	}
	if met == 0 {
		c.t.Errorf("got no match of %s against a program that was handed in", home)
	}
	for i, h := range list {
		if name := programs.StudentName(i); (played[name] > 0) != (h.arrives == "" && h.refused == "") {
			c.t.Errorf("%s: got %d matches of %s", h.what, played[name], name)
		}
	}
	c.t.Logf("%d results, %d of them of the student at home with programs of others", len(results), met)
}

// rated compares the ratings of a ladder with those that follow from its results by the
// formulas of docs/ratings.md. All versions are the first ones, so names are competitors.
func (c *class) rated(d *programs.Contest) {
	c.t.Helper()
	number := map[string]int{}
	for i, row := range d.Standings {
		number[row.Name] = i
	}
	// Legs of one seed share the weight of one match.
	type sample struct{ pairing, leg int }
	size, results := map[sample]int{}, c.results("stairs")
	of := func(m programs.ContestMatch) sample { return sample{m.Pairing, (m.Leg - 1) / 2} }
	for _, m := range results {
		size[of(m)]++
	}
	var games []programs.Rated
	for _, m := range results {
		score := 0.5
		if m.Ranks[0] != m.Ranks[1] {
			score = map[bool]float64{true: 1, false: 0}[m.Ranks[0] < m.Ranks[1]]
		}
		games = append(games, programs.Rated{A: number[m.Seats[0]], B: number[m.Seats[1]], Score: score, Weight: 1 / float64(size[of(m)])})
	}
	want := programs.Ratings(len(d.Standings), number["bot:random"], 1500, games)
	furthest := 0.0
	for i, row := range d.Standings {
		if row.Played == 0 { // it has no rating
			continue
		}
		off := math.Abs(row.Rating - want[i].Rating)
		furthest = max(furthest, off)
		if off > 0.01 {
			c.t.Errorf("%s: got the rating %.2f, want %.2f by its results", row.Name, row.Rating, want[i].Rating)
		}
	}
	c.t.Logf("the ratings of %d are at most %.3f points from those that were computed again", len(d.Standings), furthest)
}

// harmless checks that attacks have reached nothing, and that programs that fail rest.
func (c *class) harmless(list []handed, v *victim) {
	c.t.Helper()
	for i, h := range list {
		student := programs.StudentName(i)
		if h.arrives != "" {
			continue
		}
		if h.refused == "" {
			if got := c.versions(student)[0]; got.Rests != h.rests || (got.Failures > 0) != h.rests {
				c.t.Errorf("%s: got %+v, want failures and a rest: %t", h.what, got, h.rests)
			}
		}
		if h.attacks == "" {
			continue
		}
		text := c.log(student)
		for _, m := range c.results("stairs") {
			if slices.Contains(m.Seats, student) {
				text += c.Own(student, "api/games/roshambo/submissions/1/journals/"+m.ID) // none is kept of old ones
			}
		}
		if strings.Contains(text, reached) || !strings.Contains(text, h.attacks) {
			c.t.Errorf("%s: got this output, want %q without %q:\n%.3000s", h.what, h.attacks, reached, text)
		}
	}
	v.untouched()
}
