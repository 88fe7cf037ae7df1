package contest

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/poll"
)

// playDice plays dice with numbers that depend on the match and on the player. How is a
// range of numbers, as in 40-49, and what the bot does after its first number in each
// second match: crash, or hang.
func playDice(how string) {
	in := bufio.NewScanner(os.Stdin)
	in.Scan() // the number of rounds
	h := fnv.New64a()
	_, _ = io.WriteString(h, os.Getenv("COCO_NAME")+os.Getenv("COCO_MATCH")+os.Getenv("COLOSSEUM_SEED")) // never fails
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	numbers, fault, _ := strings.Cut(how, " ")
	low, high, _ := strings.Cut(numbers, "-")
	least, err1 := strconv.Atoi(low)
	most, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil {
		panic(how)
	}
	faulty := random.IntN(2) == 0
	for {
		fmt.Println(least + random.IntN(most-least+1))
		switch {
		case faulty && fault == "crash":
			os.Exit(3)
		case faulty && fault == "hang":
			_, _ = io.Copy(io.Discard, os.Stdin)
			return
		}
		if !in.Scan() {
			return // the match has ended
		}
	}
}

// buildDice builds the game, and returns the folder for a host.
var buildDice = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(filepath.Dir(programs.Bin), "games")
	return folder, programs.Run("go", "build", "-o", filepath.Join(folder, "dice", "dice"), "./testdata/dice")
})

// diceFolder returns the folder with the game.
func diceFolder(t testing.TB) string {
	t.Helper()
	folder, err := buildDice()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// newDiceClass starts a host that offers dice, and registers students.
func newDiceClass(t *testing.T, students int) *class {
	t.Helper()
	return newClassWith(t, students, "plugins: {folders: ["+diceFolder(t)+"]}\n"+
		"drain: 1s\n"+
		"limits: {host_reads_per_second: 1000000}\n") // all readers are exempt from the other limit
}

// restart kills the host, and starts it again with the same data and address.
func (c *class) restart() {
	c.t.Helper()
	old := c.host
	old.Stop(c.t, os.Kill)
	text, err := os.ReadFile(old.Config)
	if err != nil {
		c.t.Fatal(err)
	}
	c.host = programs.StartHostWith(c.t, old.Data, string(text), "--listen", strings.Trim(strings.TrimPrefix(old.URL, "ws://"), "/"))
}

// self returns the command that runs the test binary as a bot of dice.
func self(t testing.TB, how string) []string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, asDice, how}
}

// student returns the name of a student, from 0.
func student(i int) string { return fmt.Sprintf("s%02d", i+1) }

// roll starts coco serve for a student that plays dice, at a URL. It returns when the
// student is connected.
func (c *class) roll(student, url, how string, options ...string) *daemon {
	c.t.Helper()
	cmd := c.coco(student)
	cmd.Args = slices.Concat([]string{cmd.Args[0], "-s", url, "serve", "--challenges", "dice"}, options, []string{"--"}, self(c.t, how))
	d := &daemon{programs.StartDaemon(c.t, cmd), student}
	d.Await(c.t, 1, "msg=connected")
	return d
}

// rollAll is roll for several students at the same time.
func (c *class) rollAll(students int, how func(i int) string, options ...string) []*daemon {
	c.t.Helper()
	list := make([]*daemon, students)
	for i := range list {
		cmd := c.coco(student(i))
		cmd.Args = slices.Concat(cmd.Args, []string{"serve", "--challenges", "dice"}, options, []string{"--"}, self(c.t, how(i)))
		list[i] = &daemon{programs.StartDaemon(c.t, cmd), student(i)}
	}
	for _, d := range list {
		d.Await(c.t, 1, "msg=connected")
	}
	return list
}

// drain ends daemons, which finish their matches.
func drain(t *testing.T, daemons []*daemon) {
	t.Helper()
	for _, d := range daemons {
		_ = d.Cmd.Process.Signal(os.Interrupt)
	}
	for _, d := range daemons {
		if code := d.Stop(nil); code != 0 {
			t.Errorf("%s: got exit code %d, want 0\n%s", d.student, code, strings.Join(d.Log[max(0, len(d.Log)-20):], "\n"))
		}
	}
}

// dice is a contest of dice as the API describes it.
type dice struct {
	Name, State, Reason, Format string
	Round, Done, All            int
	Players, Legs               int
	Started, Ended              time.Time
	Entries                     []struct {
		Name, Kind string
		Seed       int
		Withdrawn  bool
	}
	Standings []row
	Running   []fixture
}

// row is an entry in the standings.
type row struct {
	Rank                                  int
	Name                                  string
	Points                                float64
	Played, Wins, Draws, Losses, Forfeits int
	Rating, Low, High                     float64
}

// fixture is a match of a contest.
type fixture struct {
	ID                                string
	Round, Slot, Replay, Pairing, Leg int
	Bracket                           string
	Seats                             []string
	State                             string
	Points                            []float64
	Ranks                             []int
	Outcomes                          []string
	Absent                            []string
}

// contest reads a contest.
func (c *class) contest(name string) *dice {
	c.t.Helper()
	var d dice
	c.get("api/contests/"+name, &d)
	return &d
}

// until waits until a contest is as it should be, and returns it.
func (c *class) until(name, condition string, ok func(d *dice) bool) *dice {
	c.t.Helper()
	var d *dice
	poll.Until(c.t, name+": "+condition, func() bool {
		d = c.contest(name)
		return ok(d)
	})
	return d
}

// ended waits for the end of a contest.
func (c *class) ended(name string) *dice {
	c.t.Helper()
	return c.until(name, "it has ended", func(d *dice) bool { return d.State == "ended" })
}

// fixtures reads all matches of a contest.
func (c *class) fixtures(name string) []fixture {
	c.t.Helper()
	var all []fixture
	for after := ""; ; {
		var page struct {
			Matches []fixture
			Next    int
		}
		c.get("api/contests/"+name+"/matches?limit=150"+after, &page)
		all = append(all, page.Matches...)
		if page.Next == 0 {
			return all
		}
		after = fmt.Sprintf("&after=%d", page.Next)
	}
}

// checkOnce checks that each leg of each pairing was decided exactly once, that its
// match has a record with the same seats, and that no other match of the game has been
// finished. It returns the matches that were played.
func (c *class) checkOnce(contests ...string) (played map[string][]fixture) {
	c.t.Helper()
	records := c.host.Records(c.t)
	played = map[string][]fixture{}
	seen := map[string]bool{}
	for _, name := range contests {
		d, list := c.contest(name), c.fixtures(name)
		legs := map[int][]int{}
		for _, m := range list {
			switch m.State {
			case "bye":
				continue
			case "finished":
				r := records[m.ID]
				if r == nil || r.State != "finished" || len(r.Seats) != len(m.Seats) {
					c.t.Errorf("%s, match %+v: got the record %+v, want a finished one", name, m, r)
					continue
				}
				for i, seat := range r.Seats {
					if strings.HasPrefix(m.Seats[i], "bot:") != (seat.Name != m.Seats[i]) {
						c.t.Errorf("%s, match %s: got %q on seat %d of the record, want %q", name, m.ID, seat.Name, i, m.Seats[i])
					}
				}
				if seen[m.ID] {
					c.t.Errorf("%s: got the match %s twice, want once", name, m.ID)
				}
				seen[m.ID] = true
				played[name] = append(played[name], m)
			case "walkover":
				if m.ID != "" {
					c.t.Errorf("%s: got the walkover %+v with a match, want none", name, m)
				}
			default:
				c.t.Errorf("%s: got the match %+v, want it decided", name, m)
			}
			legs[m.Pairing] = append(legs[m.Pairing], m.Leg)
		}
		for pairing, got := range legs {
			var want []int
			for i := range d.Legs {
				want = append(want, i+1)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				c.t.Errorf("%s: pairing %d: got the legs %v, want %v", name, pairing, got, want)
			}
		}
	}
	for id, r := range records {
		if r.State == "finished" && !seen[id] {
			c.t.Errorf("got a record of the finished match %s between %v that belongs to no leg of %v, want none", id, r.Seats, contests)
		}
	}
	return played
}

// checkStandings computes the points of a contest again from its matches, and compares
// them with the standings, and these with the exported ones. A bye is worth the points of
// byes.
func (c *class) checkStandings(name string, byes float64) {
	c.t.Helper()
	d := c.contest(name)
	void := voided(d, c.fixtures(name))
	type tally struct {
		points                      float64
		played, wins, draws, losses int
	}
	want := map[string]*tally{}
	for _, e := range d.Entries {
		want[e.Name] = &tally{}
	}
	for _, m := range c.fixtures(name) {
		if slices.ContainsFunc(m.Seats, func(name string) bool { return void[name] }) {
			continue
		}
		switch m.State {
		case "bye":
			want[m.Seats[0]].points += byes
			continue
		case "walkover":
			for i, seat := range m.Seats {
				want[seat].points += m.Points[i]
			}
			continue
		}
		others := float64(len(m.Seats) - 1)
		for i, seat := range m.Seats {
			s := want[seat]
			s.played++
			above, below := 0, 0
			for j := range m.Seats {
				switch {
				case i == j:
				case m.Ranks[j] < m.Ranks[i]:
					above++
				case m.Ranks[j] > m.Ranks[i]:
					below++
				default:
					s.points += 0.5 / others
				}
			}
			s.points += float64(below) / others
			switch {
			case len(m.Seats) > 2: // what a win is among more than two is not computed here
			case below > 0:
				s.wins++
			case above > 0:
				s.losses++
			default:
				s.draws++
			}
		}
	}
	if len(d.Standings) != len(want) {
		c.t.Errorf("%s: got %d standings, want %d", name, len(d.Standings), len(want))
	}
	for i, r := range d.Standings {
		w := want[r.Name]
		got := tally{r.Points, r.Played, r.Wins, r.Draws, r.Losses}
		if d.Players > 2 {
			got.wins, got.draws, got.losses = 0, 0, 0
		}
		if diff := got.points - w.points; diff > 1e-9 || diff < -1e-9 {
			c.t.Errorf("%s, %s: got %v points, want %v", name, r.Name, got.points, w.points)
		}
		if got.points = w.points; got != *w {
			c.t.Errorf("%s, %s: got %+v, want %+v", name, r.Name, got, *w)
		}
		if i > 0 && (r.Rank < d.Standings[i-1].Rank || d.Format != "knockout" && r.Points > d.Standings[i-1].Points+1e-9) {
			c.t.Errorf("%s: got %+v after %+v, want them in the order of ranks and points", name, r, d.Standings[i-1])
		}
	}
	_, page := programs.Get(c.t, c.host.Page("api/contests/"+name+"/standings.csv"))
	for from, text := range map[string]string{"page": page, "host": c.run("contest", "standings", name, "--csv")} {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != len(d.Standings)+1 {
			c.t.Errorf("%s from the %s: got %d rows of CSV, %v, want %d:\n%s", name, from, len(rows), err, len(d.Standings)+1, text)
			continue
		}
		for i, r := range d.Standings {
			points, err := strconv.ParseFloat(rows[i+1][2], 64)
			rest := slices.Concat(rows[i+1][:2], rows[i+1][3:8])
			want := fmt.Sprint([]any{r.Rank, r.Name, r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits})
			if diff := points - r.Points; err != nil || diff > 0.01 || diff < -0.01 || fmt.Sprint(rest) != want {
				c.t.Errorf("%s from the %s, row %d: got %v, want %s and %v points", name, from, i+1, rows[i+1], want, r.Points)
			}
		}
	}
}

// voided returns the entries of a round robin that withdrew before half of their matches:
// none of their results counts (FIDE Tournament Rules, C.06, article 5.4).
func voided(d *dice, list []fixture) map[string]bool {
	void := map[string]bool{}
	for _, e := range d.Entries {
		all, played := 0, 0
		for _, m := range list {
			if m.State != "bye" && slices.Contains(m.Seats, e.Name) {
				all++
				if m.State == "finished" {
					played++
				}
			}
		}
		void[e.Name] = d.Format == "round-robin" && d.Players == 2 && e.Withdrawn && 2*played < all
	}
	return void
}

// decodeContest reads what host contest prints with --json.
func decodeContest(t testing.TB, text string) (d *dice, matches []fixture) {
	t.Helper()
	var v struct {
		dice
		Matches []fixture
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("got %v, want JSON:\n%s", err, text)
	}
	return &v.dice, v.Matches
}
