// Package season plays a term of a school with real programs: a league of two seasons and a
// contest of teams among the same players, some of whose programs the host keeps, while its
// organizer decides about results and the host is killed.
package season

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

func TestMain(m *testing.M) {
	if !long.Run() { // there is nothing to build programs for
		os.Exit(m.Run())
	}
	programs.Main(m, nil)
}

const (
	students = 60
	teams    = 20 // of three students
	rounds   = 4  // of the teams
	matches  = 300
	least    = 5 // matches in a division before a move

	renamed = 51 // the number of a student that gets another name
	newName = "smith"
)

// owner returns the first name of the player with a name.
func owner(name string) string {
	if name == newName {
		return programs.StudentName(renamed)
	}
	return name
}

// term is a host with the students and their contests.
type term struct {
	*programs.Class
	t *testing.T
}

// handsIn reports whether a student hands its program in. The others serve.
func handsIn(i int) bool { return (i+i/teams)%2 == 0 }

// player is a program in shell that always names the same number. The last students are the
// best, and some of them are as good as others.
func player(i int) string {
	return fmt.Sprintf(`
read -r rounds
while [ "$rounds" -gt 0 ]; do
	echo %d
	read -r numbers || exit 0
	rounds=$((rounds - 1))
done
`, 40+i-i%3)
}

// team returns the name of the team of a student.
func team(i int) string { return fmt.Sprintf("team-%02d", i%teams+1) }

// TestATermInAnHour plays two seasons of a league with three divisions, the second of which
// follows the first, and beside them a Swiss of teams, whose rounds open on dates. Half of the
// programs are handed in. The organizer decides about results and entries while they are
// played, and the host is killed four times. What the exports say in the end must follow from
// the matches in them, by the arithmetic of this test.
func TestATermInAnHour(t *testing.T) {
	long.Only(t, "it plays 700 matches of 60 players")
	if runtime.GOOS != "linux" {
		t.Skip("programs are handed in to hosts that run on Linux")
	}
	c := newTerm(t)
	c.handIn()
	serving := c.serve()
	var all, members []string
	for i := range students {
		all = append(all, "{player: "+programs.StudentName(i)+"}")
	}
	for i := range teams {
		var players []string
		for p := i; p < students; p += teams {
			players = append(players, programs.StudentName(p))
		}
		members = append(members, fmt.Sprintf("{name: %s, team: {captain: %s, players: [%s]}}", team(i), players[0], strings.Join(players, ", ")))
	}
	league := func(name, season string) string {
		return "name: " + name + "\ngame: dice\nargs: {rounds: 2}\ntimeout: 600\ngrace: 10m\nformat: league\nseeding: entry\nboss: {silver: strong, bronze: random}\nentries: [" +
			strings.Join(all, ", ") + "]\nseason: {divisions: [gold, silver, bronze], matches: " + fmt.Sprint(least) + ", " + season + "}\n"
	}
	date := func(in time.Duration) string { return time.Now().Add(in).UTC().Format(time.RFC3339Nano) }
	c.Create("name: clubs\ngame: dice\nargs: {rounds: 2}\ntimeout: 600\ngrace: 10m\nformat: swiss\nmatches: 1\nrounds: " + fmt.Sprint(rounds) + "\nteams: {size: 3, points: match}\n" +
		"dates: {first: " + date(24*time.Hour) + ", every: 168h, open: 48h}\nentries: [" + strings.Join(members, ", ") + "]\n")
	c.Create(league("spring", "after: 4, start: "+date(time.Second))) // it starts by itself
	open := func(round int) {
		c.Run("contest", "shift", "clubs", fmt.Sprint(round), "--opens", date(0), "--reason", "all are here")
		c.Until("clubs", "the round is paired", func(d *programs.Contest) bool { return d.Round == round })
	}

	c.Plays("spring", 20)
	open(1)
	c.Plays("clubs", 10)
	c.Plays("spring", 60)
	c.kill()
	c.round("clubs", 1, "spring")
	legs := c.finished("clubs")
	for i, result := range []string{opposite(legs[0]), "annul", "replay", opposite(legs[3])} {
		c.Run("contest", "rule", "clubs", fmt.Sprintf("%d.%d", legs[i].Pairing, legs[i].Leg), result, "--reason", result)
	}
	c.round("clubs", 1, "spring")

	c.Run("contest", "withdraw", "clubs", team(3), "--reason", "it did not answer letters")
	open(2)
	c.Run("contest", "enter", "clubs", team(3), "--reason", "it has answered now")
	c.Run("contest", "withdraw", "spring", programs.StudentName(50), "--reason", "its program shouts")
	c.Run("contest", "rename", "clubs", team(7), "old-boys", "--reason", "they are")
	c.Plays("spring", 150)
	c.Run("contest", "enter", "spring", programs.StudentName(50), "--reason", "it whispers now")
	c.Run("players", "rename", programs.StudentName(renamed), newName)
	c.Plays("spring", 180)
	c.round("clubs", 2, "spring")
	c.Plays("spring", matches)
	c.rest("spring")
	c.Run("contest", "promote", "spring", "--reason", "the holidays begin")
	c.Run("contest", "end", "spring")
	c.Ended("spring")

	c.Create(league("autumn", "follows: spring, start: "+date(0)+", moves: ["+date(20*time.Second)+"]"))
	open(3)
	c.Run("contest", "undo", "clubs", fmt.Sprint(c.export("clubs").decision(legs[3])), "--reason", "the other one was right")
	c.Plays("autumn", 100)
	c.kill()
	c.round("clubs", 3, "autumn")
	open(4)
	c.Plays("autumn", 200)
	c.round("clubs", 4, "autumn")
	c.Ended("clubs")
	c.Plays("autumn", matches)
	c.rest("autumn")
	c.Run("contest", "end", "autumn")
	c.Ended("autumn")

	for _, name := range []string{"clubs", "spring", "autumn"} {
		c.Run("contest", "verify", name)
	}
	clubs, spring, autumn := c.export("clubs"), c.export("spring"), c.export("autumn")
	c.recorded(clubs, spring, autumn)
	first := map[string]int{}
	for i := range students {
		first[programs.StudentName(i)] = i * len(divisions) / students
	}
	second := c.checkLeague(spring, first)
	c.checkLeague(autumn, second)
	c.checkTeams(clubs)
	programs.Drain(t, serving)
}

// newTerm starts a host that takes programs, and registers the students.
func newTerm(t *testing.T) *term {
	t.Helper()
	host := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], isolation: require}\ndrain: 1s\nplayers: {registration: closed}\nlimits: {host_reads_per_second: 1000000}\n"+
		"submissions:\n  games: [dice]\n  folder: %s\n  per_day_address: 0\n  hourly: 0\n  cores: %d\n", programs.DiceFolder(t), programs.Languages(t), min(2, runtime.NumCPU())))
	return &term{programs.Enroll(t, host, students), t}
}

// handIn hands half of the programs in, with two clients at once.
func (c *term) handIn() {
	c.t.Helper()
	work := make(chan int)
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() { // ends with the work
			for i := range work {
				file := filepath.Join(c.t.TempDir(), "bot.sh")
				if err := os.WriteFile(file, []byte(player(i)), 0o644); err != nil {
					c.t.Error(err)
					continue
				}
				if out, err := c.Coco(programs.StudentName(i), "submit", "--no-wait", "dice", file).CombinedOutput(); err != nil {
					c.t.Errorf("coco submit: got %v, want no error\n%s", err, out)
				}
			}
		})
	}
	for i := range students {
		if handsIn(i) {
			work <- i
		}
	}
	close(work)
	clients.Wait()
	if c.t.Failed() {
		c.t.FailNow()
	}
	for i := range students {
		if !handsIn(i) {
			continue
		}
		var got string
		poll.Until(c.t, "the program of "+programs.StudentName(i)+" is accepted", func() bool {
			var own struct{ Submissions []struct{ State string } }
			got = c.Own(programs.StudentName(i), "api/games/dice/submissions")
			return json.Unmarshal([]byte(got), &own) == nil && len(own.Submissions) == 1 && own.Submissions[0].State == "accepted"
		}, func() any { return got })
	}
}

// serve lets the other half serve.
func (c *term) serve() (list []*programs.Student) {
	c.t.Helper()
	for i := range students {
		if !handsIn(i) {
			name := programs.StudentName(i)
			list = append(list, &programs.Student{Daemon: programs.StartDaemon(c.t, c.Coco(name, "serve", "--challenges", "dice", "--", "sh", "-c", player(i))), Name: name})
		}
	}
	for _, s := range list {
		s.Await(c.t, 1, "msg=connected")
	}
	return list
}

// round waits until all matches of a round are decided. Meanwhile a league is paused, because
// its export has the last 1,000 matches.
func (c *term) round(name string, round int, league string) {
	c.t.Helper()
	c.Run("contest", "pause", league)
	for last := -1; ; {
		d := c.Until(name, "another match is decided", func(d *programs.Contest) bool { return d.Done != last })
		if d.Round == round && d.Done == d.All {
			break
		}
		last = d.Done
	}
	c.Run("contest", "resume", league)
}

// rest pauses a contest and kills the host: then none of its matches runs. Without that, one
// that was due can begin after the pause, and would not count at the end of the contest.
func (c *term) rest(name string) {
	c.t.Helper()
	c.Run("contest", "pause", name)
	c.kill()
}

// finished returns the matches of a contest that were played.
func (c *term) finished(name string) (list []programs.ContestMatch) {
	c.t.Helper()
	for _, m := range c.ContestMatches(name) {
		if m.State == "finished" {
			list = append(list, m)
		}
	}
	return list
}

// opposite returns another result of a match.
func opposite(m programs.ContestMatch) string {
	if score(m.Ranks) == 1 {
		return "0-1"
	}
	return "1-0"
}

// kill kills the host, and starts it again. No result is lost that it has shown.
func (c *term) kill() {
	c.t.Helper()
	results := func(name string) map[string]string { // by match; names and points can change
		list := map[string]string{}
		for _, m := range c.finished(name) {
			list[m.ID] = fmt.Sprint(m.Pairing, m.Leg, m.Ranks, m.Outcomes, m.Versions)
		}
		return list
	}
	shown := map[string]map[string]string{}
	for _, name := range []string{"clubs", "spring", "autumn"} {
		if status, _ := programs.Get(c.t, c.Host.Page("api/contests/"+name)); status == 200 {
			shown[name] = results(name)
		}
	}
	c.Restart()
	for name, list := range shown {
		after := results(name)
		for id, want := range list {
			if after[id] != want {
				c.t.Errorf("%s: got the result %q of match %s after the host was killed, want %q", name, after[id], id, want)
			}
		}
	}
}
