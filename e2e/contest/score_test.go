package contest

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"colosseum/e2e/internal/programs"
)

// With asSolver as its first argument the test binary is a bot of samegame; the second one
// is how it plays.
const asSolver = "-as-solver"

// solve plays samegame: it removes the first or the last group of the board. Otherwise how is a
// file: while it is there, the player leaves after its first move.
func solve(how string) {
	in := bufio.NewScanner(os.Stdin)
	receive := func() string {
		if !in.Scan() {
			os.Exit(0) // the match has ended
		}
		return in.Text()
	}
	receive() // its name
	receive() // the number of columns
	height, err := strconv.Atoi(receive())
	if err != nil {
		panic(err)
	}
	for {
		rows := make([]string, height)
		for y := range rows {
			rows[y] = receive()
		}
		var moves []string
		for y, row := range rows {
			for x := range row {
				right := x+1 < len(row) && row[x+1] == row[x]
				if below := y+1 < height && rows[y+1][x] == row[x]; row[x] != '.' && (right || below) {
					moves = append(moves, fmt.Sprint(x, y))
				}
			}
		}
		if len(moves) == 0 {
			return
		}
		if how == "last" {
			slices.Reverse(moves)
		}
		fmt.Println(moves[0])
		receive() // the points
		if _, err := os.Stat(how); err == nil {
			return
		}
	}
}

// buildPuzzle builds samegame, and returns the folder for a host.
var buildPuzzle = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(filepath.Dir(programs.Bin), "puzzles")
	return folder, programs.Build("colosseum/examples/games/samegame", filepath.Join(folder, "samegame", "samegame"), false)
})

func puzzleConfig(t *testing.T) string {
	t.Helper()
	folder, err := buildPuzzle()
	if err != nil {
		t.Fatal(err)
	}
	return "plugins: {folders: [" + folder + "]}\ndrain: 1s\nlimits: {host_reads_per_second: 1000000}\n"
}

// scoreSpec is that of a contest on small boards, where hosts spend little time.
const scoreSpec = "name: puzzles\ngame: samegame\nargs: {width: 5, height: 4, colours: 3}\ntimeout: 60\nformat: score\nrounds: 3\nmatches: 2\n"

// TestPlayersAreComparedByScore plays a contest of players that are connected, one of which
// enters late, while the host is killed. Until then, one of them leaves each match, and so
// delays the end.
func TestPlayersAreComparedByScore(t *testing.T) {
	t.Parallel()
	const rounds, legs = 3, 2
	c := newClassWith(t, 4, puzzleConfig(t))
	c.Create(scoreSpec + "grace: 10m\nentries: open\n")
	leave := filepath.Join(t.TempDir(), "leave")
	if err := os.WriteFile(leave, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	hows := []string{"first", "last", leave, "first"}
	serve := func(i int) *programs.Student {
		name := programs.StudentName(i)
		bot, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		d := &programs.Student{Daemon: programs.StartDaemon(t, c.Coco(name, "serve", "samegame", "--challenges", "--contest", "puzzles", "--", bot, asSolver, hows[i])), Name: name}
		d.Await(t, 1, "msg=entered contest=puzzles")
		d.Await(t, 1, "msg=connected")
		return d
	}
	daemons := []*programs.Student{serve(0), serve(1), serve(2)}
	c.Run("contest", "start", "puzzles")
	c.Until("puzzles", "two matches are over", func(d *programs.Contest) bool { return d.Done >= 2 })
	c.Restart()
	daemons = append(daemons, serve(3))
	c.Until("puzzles", "a match was left", func(*programs.Contest) bool { return len(left(c.Class)) > 0 })
	if err := os.Remove(leave); err != nil {
		t.Fatal(err)
	}
	d := c.Ended("puzzles")
	if d.Done != 4*rounds*legs || d.All != d.Done || d.Round != rounds {
		t.Errorf("got %d of %d matches in %d rounds, want %d in %d", d.Done, d.All, d.Round, 4*rounds*legs, rounds)
	}
	scores := checkScores(t, c.Class, d)
	if !slices.Equal(scores["s01"], scores["s04"]) {
		t.Errorf("got the scores %v and %v of the same program, want the same ones", scores["s01"], scores["s04"])
	}
	if names := left(c.Class); len(names) != 1 || !names["s03"] {
		t.Errorf("got %v that left matches, want s03", names)
	}
	c.Run("contest", "verify", "puzzles")
	programs.Drain(t, daemons)
}

// left returns the names of those that have left a match.
func left(c *programs.Class) map[string]bool {
	names := map[string]bool{}
	for _, m := range c.ContestMatches("puzzles") {
		if len(m.Outcomes) > 0 && m.Outcomes[0] == "forfeit: disconnected" {
			names[m.Seats[0]] = true
		}
	}
	return names
}

// checkScores compares the standings with the records of the matches, and with the
// exported table. It returns the scores by name, in the order of rounds and legs.
func checkScores(t *testing.T, c *programs.Class, d *programs.Contest) map[string][]float64 {
	t.Helper()
	played := c.CheckOnce("puzzles")["puzzles"]
	slices.SortFunc(played, func(a, b programs.ContestMatch) int { return (a.Round-b.Round)*d.Legs + a.Leg - b.Leg })
	records := c.Host.Records(t)
	scores := map[string][]float64{}
	for _, m := range played {
		r := records[m.ID]
		if m.Points[0] != r.Seats[0].Score {
			t.Errorf("got %+v, want the score %v of its record", m, r.Seats[0].Score)
		}
		scores[m.Seats[0]] = append(scores[m.Seats[0]], m.Points[0])
	}
	rows, err := csv.NewReader(strings.NewReader(c.Run("contest", "standings", "puzzles", "--csv"))).ReadAll()
	if err != nil || len(rows) != len(d.Standings)+1 {
		t.Fatalf("got the table %q, %v, want a row for each entry", rows, err)
	}
	for i, r := range d.Standings {
		sum := 0.0
		for _, x := range scores[r.Name] {
			sum += x
		}
		mean := sum / float64(len(scores[r.Name]))
		if diff := mean - r.Points; len(scores[r.Name]) != r.Played || diff > 1e-6 || diff < -1e-6 {
			t.Errorf("got %+v, want the mean %v of %v", r, mean, scores[r.Name])
		}
		if i > 0 && (r.Points > d.Standings[i-1].Points || r.Rank < d.Standings[i-1].Rank) {
			t.Errorf("got %+v after %+v, want the better mean first", r, d.Standings[i-1])
		}
		best := strconv.FormatFloat(slices.Max(scores[r.Name]), 'f', -1, 64)
		if row := rows[i+1]; row[1] != r.Name || row[3] != best || row[5] != strconv.Itoa(r.Played) {
			t.Errorf("got the row %q, want %s with the best score %s in %d matches", row, r.Name, best, r.Played)
		}
	}
	return scores
}

// TestProgramsAreComparedByScore plays a local contest, which is killed in between.
func TestProgramsAreComparedByScore(t *testing.T) {
	t.Parallel()
	config := puzzleConfig(t)
	folder := t.TempDir()
	l := &local{t: t, config: filepath.Join(folder, "host.yaml"), data: filepath.Join(folder, "data"), file: filepath.Join(folder, "contest.yaml")}
	bot, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := scoreSpec + "parallel: 1\nprograms: {isolation: off}\nentries:\n"
	for i, how := range []string{"first", "last", "leave"} {
		spec += fmt.Sprintf("  - {name: %s, command: [%s, %s, %s]}\n", programs.StudentName(i), bot, asSolver, how)
	}
	for path, text := range map[string]string{l.config: config, l.file: spec} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.killAfter("puzzles", 1)
	d, _ := decodeContest(t, l.run("contest", "run", l.file, "--json"))
	if d.State != "ended" || d.Done != 3*3*2 {
		t.Errorf("got the contest %s after %d matches, want it ended after 18", d.State, d.Done)
	}
	l.run("contest", "verify", "puzzles")
	if table := l.run("contest", "standings", "puzzles"); !strings.Contains(table, "mean") || strings.Contains(table, "rating") {
		t.Errorf("got the table\n%s\nwant the scores, and no ratings", table)
	}
	h := programs.StartHostWith(t, l.data, config)
	checkScores(t, &programs.Class{T: t, Host: h}, d)
}
