// Package contest tests contests with real programs: a host, its commands, and a coco for
// each player.
package contest

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
)

// With asBot as its first argument the test binary is a bot of roshambo; the second one is
// how it plays.
const asBot = "-as-bot"

// class is a host with registered students.
type class struct {
	*programs.Class
	t *testing.T
}

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == asBot:
		play(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == asSolver:
		solve(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == programs.AsDice:
		programs.PlayDice(os.Args[2])
	default:
		waits.Together()
		programs.Main(m, nil)
	}
}

// play plays roshambo with hands that depend on the match and on the player. A bot that
// crashes does so after its first hand.
func play(how string) {
	lines := bufio.NewScanner(os.Stdin)
	receive := func() string {
		if !lines.Scan() {
			os.Exit(0) // the match has ended
		}
		return lines.Text()
	}
	_, _, rounds := receive(), receive(), receive()
	n, err := strconv.Atoi(rounds)
	if err != nil {
		panic(err)
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, os.Getenv("COCO_NAME")+os.Getenv("COCO_MATCH")) // never fails
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	for range n {
		fmt.Println([]string{"ROCK", "PAPER", "SCISSORS"}[random.IntN(3)])
		if how == "crash" {
			os.Exit(3)
		}
		if receive() == "RETIRE" {
			return
		}
	}
}

// newClass starts a host, and registers students from a list.
func newClass(t *testing.T, students int) *class {
	t.Helper()
	return newClassWith(t, students, "plugins: {folders: ["+programs.Plugins+"]}\n"+
		"games: {quick: {plugin: roshambo, params: {pace: {default: 0}}}}\n")
}

// newClassWith is newClass with another configuration.
func newClassWith(t *testing.T, students int, config string) *class {
	t.Helper()
	host := programs.StartHostWith(t, t.TempDir(), config+"operations: {listen: '127.0.0.1:0'}\nplayers: {registration: closed}\n")
	return &class{Class: programs.Enroll(t, host, students), t: t}
}

// serve lets a student enter a contest and serve, and returns when both is done.
func (c *class) serve(student, contest, how string) *programs.Student {
	c.t.Helper()
	bot, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := c.Coco(student, "serve", "quick", "--challenges", "--contest", contest, "--", bot, asBot, how)
	d := &programs.Student{Daemon: programs.StartDaemon(c.t, cmd), Name: student}
	d.Await(c.t, 1, "msg=entered contest="+contest)
	d.Await(c.t, 1, "msg=connected")
	return d
}

// view is a contest as the API describes it.
type view struct {
	State     string
	Round     int
	Done, All int
	Standings []struct {
		Rank                                  int
		Name                                  string
		Points                                float64
		Played, Wins, Draws, Losses, Forfeits int
	}
}

// match is a match of a contest as the API describes it.
type match struct {
	ID                  string
	Round, Pairing, Leg int
	Seats               []string
	State               string
	Points              []float64
}

// TestTeachersEvening plays a Swiss of four rounds among twelve students from the import
// of their names to the export of the table, with the commands of docs/teachers.md. The
// bot of one of them crashes in each match.
func TestTeachersEvening(t *testing.T) {
	t.Parallel()
	const students, rounds, legs = 12, 4, 2
	c := newClass(t, students)
	c.Create("name: friday\ntitle: Friday cup\ngame: quick\nargs: {rounds: 20}\ntimeout: 60\nformat: swiss\nrounds: 4\nentries: open\ngrace: 10m\n")
	if out, err := c.Coco("s01", "contest", "enter", "friday").CombinedOutput(); err != nil {
		t.Fatalf("coco contest enter: got %v, want no error\n%s", err, out)
	}
	var daemons []*programs.Student
	for i := range students {
		how := "play"
		if i == students-1 {
			how = "crash"
		}
		daemons = append(daemons, c.serve(fmt.Sprintf("s%02d", i+1), "friday", how))
	}
	c.Run("contest", "start", "friday")
	var v view
	poll.Until(t, "the contest has ended", func() bool {
		c.Get("api/contests/friday", &v)
		return v.State == "ended"
	})
	if v.Round != rounds || v.Done != rounds*students/2*legs || v.All != v.Done || len(v.Standings) != students {
		t.Errorf("got %d of %d matches in %d rounds and %d standings, want %d in %d and %d", v.Done, v.All, v.Round, len(v.Standings), rounds*students/2*legs, rounds, students)
	}
	for _, s := range v.Standings {
		forfeits := 0
		if s.Name == "s12" {
			forfeits = rounds * legs
		}
		if s.Played != rounds*legs || s.Forfeits != forfeits || s.Points != float64(s.Wins)+float64(s.Draws)/2 || s.Wins+s.Draws+s.Losses != s.Played {
			t.Errorf("got %+v, want %d matches and %d forfeits", s, rounds*legs, forfeits)
		}
	}
	c.checkMatches(rounds, students/2, legs)
	c.checkTables(&v)
	c.checkCoco(&v)
	c.Run("contest", "verify", "friday")
	for _, d := range daemons { // all at once, since each waits for a moment
		_ = d.Cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, d := range daemons {
		if code := d.Stop(nil); code != 0 {
			t.Errorf("%s: got exit code %d, want 0\n%s", d.Name, code, strings.Join(d.Log, "\n"))
		}
		played := d.Count(`msg="match ended"`)
		if played != rounds*legs {
			t.Errorf("%s: got %d matches, want %d\n%s", d.Name, played, rounds*legs, strings.Join(d.Log, "\n"))
		}
	}
}

// checkMatches checks that no two students were paired twice, that each pairing was
// played with all seats, and that each match has a record.
func (c *class) checkMatches(rounds, pairings, legs int) {
	c.t.Helper()
	var page struct{ Matches []match }
	c.Get("api/contests/friday/matches", &page)
	records := c.Host.Records(c.t)
	met, seats := map[string]int{}, map[string]bool{}
	perRound := map[int]int{}
	for _, m := range page.Matches {
		if len(m.Seats) != 2 || m.State != "finished" || len(m.Points) != 2 || m.Points[0]+m.Points[1] != 1 {
			c.t.Errorf("got the match %+v, want two students, finished, one point", m)
			continue
		}
		if r := records[m.ID]; r == nil || r.State != "finished" || r.Seats[0].Name != m.Seats[0] || r.Seats[1].Name != m.Seats[1] {
			c.t.Errorf("match %+v: got the record %+v, want a finished one with the same seats", m, r)
		}
		pair := slices.Sorted(slices.Values(m.Seats))
		met[strings.Join(pair, "-")]++
		seats[strings.Join(m.Seats, "-")] = true
		perRound[m.Round]++
	}
	if len(records) != len(page.Matches) {
		c.t.Errorf("got %d records, want %d", len(records), len(page.Matches))
	}
	if len(met) != rounds*pairings || len(seats) != len(met)*legs {
		c.t.Errorf("got %d pairs on %d different seats, want %d on %d", len(met), len(seats), rounds*pairings, rounds*pairings*legs)
	}
	for round := range rounds {
		if perRound[round+1] != pairings*legs {
			c.t.Errorf("round %d: got %d matches, want %d", round+1, perRound[round+1], pairings*legs)
		}
	}
}

// checkTables compares the exported tables with the standings of the API.
func (c *class) checkTables(v *view) {
	c.t.Helper()
	_, page := programs.Get(c.t, c.Host.Page("api/contests/friday/standings.csv"))
	coco, err := c.Coco("s01", "contest", "standings", "friday", "--csv").Output()
	if err != nil {
		c.t.Errorf("coco contest standings: got %v, want no error", err)
	}
	for from, text := range map[string]string{"page": page, "coco": string(coco), "host": c.Run("contest", "standings", "friday", "--csv")} {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != len(v.Standings)+1 {
			c.t.Errorf("%s: got %d rows, %v, want %d:\n%s", from, len(rows), err, len(v.Standings)+1, text)
			continue
		}
		cell := func(row int, column string) string {
			i := slices.Index(rows[0], column)
			if i < 0 {
				return "no column " + column
			}
			return rows[row][i]
		}
		for i, s := range v.Standings {
			got := []string{}
			for _, column := range []string{"rank", "name", "points", "played", "wins", "draws", "losses"} {
				got = append(got, cell(i+1, column))
			}
			want := fmt.Sprint([]any{s.Rank, s.Name, s.Points, s.Played, s.Wins, s.Draws, s.Losses})
			if fmt.Sprint(got) != want {
				c.t.Errorf("%s, row %d: got %v, want %v", from, i+1, got, want)
			}
		}
	}
}

// checkCoco checks that coco finds what it prints in the host's answers.
func (c *class) checkCoco(v *view) {
	c.t.Helper()
	first := v.Standings[0]
	for command, want := range map[string][]string{
		"list":      {" friday ", " Friday cup ", " quick ", " swiss ", " ended ", " 12 ", " 4/4 ", " 48/48 ", " " + first.Name},
		"show":      {"Game      quick rounds=20\n", "Timeout   60 s\n", "State     ended\n", "Entrants  12 s01, ", "First     " + first.Name},
		"standings": {" " + first.Name + " ", fmt.Sprintf(" %v ", first.Points), " to "},
		"matches":   {" finished ", " : ", " s12"},
	} {
		args := []string{"contest", command}
		if command != "list" {
			args = append(args, "friday")
		}
		out, err := c.Coco("s01", args...).Output()
		if err != nil {
			c.t.Errorf("coco contest %s: got %v, want no error", command, err)
		}
		for _, part := range want {
			if !strings.Contains(string(out), part) {
				c.t.Errorf("coco contest %s: got\n%s\nwant in it %q", command, out, part)
			}
		}
	}
}
