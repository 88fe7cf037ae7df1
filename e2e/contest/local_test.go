package contest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// local is a contest of programs on this machine.
type local struct {
	t      *testing.T
	config string
	data   string
	file   string
}

// newLocal writes the description of a contest with programs. Its entries and the
// isolation are added.
func newLocal(t *testing.T, spec string, hows []string) *local {
	t.Helper()
	folder := t.TempDir()
	l := &local{t: t, config: filepath.Join(folder, "host.yaml"), data: filepath.Join(folder, "data"), file: filepath.Join(folder, "contest.yaml")}
	var b strings.Builder
	b.WriteString(spec + "programs: {isolation: off}\nentries:\n")
	for i, how := range hows {
		fmt.Fprintf(&b, "  - {name: %s, command: [%s]}\n", programs.StudentName(i), strings.Join(programs.DiceCommand(t, how), ", "))
	}
	for path, text := range map[string]string{l.config: "plugins: {folders: [" + programs.DiceFolder(t) + "]}\n", l.file: b.String()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// host returns a command of the host.
func (l *local) host(args ...string) *exec.Cmd {
	return exec.Command(filepath.Join(programs.Bin, "host"), append([]string{"--config", l.config, "--data", l.data}, args...)...)
}

// run runs a command of the host, and returns what it prints.
func (l *local) run(args ...string) string {
	l.t.Helper()
	cmd := l.host(args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("host %s: got %v, want no error\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// killAfter runs the contest, and kills the command when a number of matches are over.
func (l *local) killAfter(name string, matches int) {
	l.t.Helper()
	cmd := l.host("contest", "run", l.file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	poll.Until(l.t, fmt.Sprintf("%d matches are over", matches), func() bool {
		out, err := l.host("contest", "show", name, "--json").Output()
		if err != nil {
			return false // not created yet
		}
		d, _ := decodeContest(l.t, string(out))
		return d.Done >= matches
	})
	_ = cmd.Process.Kill() // it can have ended
	if err := cmd.Wait(); err == nil {
		l.t.Errorf("got the end of the contest before it was killed after %d matches, want it running\n%s", matches, &stderr)
	}
}

// open starts a host on the data of the contest, to check its records.
func (l *local) open() *class {
	l.t.Helper()
	h := programs.StartHostWith(l.t, l.data, "plugins: {folders: ["+programs.DiceFolder(l.t)+"]}\nlimits: {host_reads_per_second: 1000000}\n")
	return &class{Class: &programs.Class{T: l.t, Host: h}, t: l.t}
}

// TestKnockoutOfProgramsGoesOnAfterItWasKilled plays a knockout for 37 programs, of which
// many are equally strong, and kills the command twice.
func TestKnockoutOfProgramsGoesOnAfterItWasKilled(t *testing.T) {
	long.Only(t, "it plays a knockout of 37 programs")
	t.Parallel()
	const entries = 37
	var hows []string
	for i := range entries {
		hows = append(hows, fmt.Sprintf("%d-%d", i*4%9, i*4%9)) // always the same number
	}
	l := newLocal(t, "name: cup\ngame: dice\nformat: knockout\nmatches: 2\nreplays: 2\nparallel: 4\n", hows)
	l.killAfter("cup", 10)
	l.killAfter("cup", 40)
	d, matches := decodeContest(t, l.run("contest", "run", l.file, "--json"))
	if d.State != "ended" || len(d.Standings) != entries {
		t.Fatalf("got the state %s and %d standings, want ended and %d", d.State, len(d.Standings), entries)
	}
	checkKnockout(t, d, matches)
	l.run("contest", "verify", "cup")
	c := l.open()
	c.CheckOnce("cup")
	c.CheckStandings("cup", 2)
	again, _ := decodeContest(t, l.run("contest", "run", l.file, "--json")) // only prints
	if again.Done != d.Done {
		t.Errorf("got %d matches after the end of the contest, want %d", again.Done, d.Done)
	}
}

// checkKnockout checks who goes on from each round to the next: the player with more
// points in the last replay, or else the better seed. The losers of the semi-finals play for
// the third place in the second slot of the last round.
func checkKnockout(t *testing.T, d *programs.Contest, matches []programs.ContestMatch) {
	t.Helper()
	seeds := map[string]int{}
	for _, e := range d.Entries {
		seeds[e.Name] = e.Seed
	}
	type tie struct{ round, slot int }
	points := map[tie]map[int]map[string]float64{} // by replay and name
	byes, rounds, ties := map[int][]string{}, 0, 0
	for _, m := range matches {
		rounds = max(rounds, m.Round)
		if m.State == "bye" {
			byes[m.Round] = append(byes[m.Round], m.Seats[0])
			continue
		}
		at := tie{m.Round, m.Slot}
		if points[at] == nil {
			points[at] = map[int]map[string]float64{}
		}
		if points[at][m.Replay] == nil {
			points[at][m.Replay] = map[string]float64{}
		}
		for i, name := range m.Seats {
			points[at][m.Replay][name] += m.Points[i]
		}
	}
	in := slices.Collect(maps.Keys(seeds)) // who plays in the round
	lost := map[string]int{}
	var semifinals []string // their losers
	for round := 1; round <= rounds; round++ {
		next := slices.Clone(byes[round])
		play := slices.Clone(byes[round])
		for at, replays := range points {
			if at.round != round {
				continue
			}
			last := slices.Max(slices.Collect(maps.Keys(replays)))
			for replay := range last + 1 {
				tied := len(replays[replay]) == 2
				values := slices.Collect(maps.Values(replays[replay]))
				tied = tied && values[0] == values[1]
				switch {
				case len(replays[replay]) != 2:
					t.Errorf("round %d, slot %d, replay %d: got the players %v, want two", at.round, at.slot, replay, replays[replay])
				case replay < last && !tied:
					t.Errorf("round %d, slot %d: got a replay after %v, want none", at.round, at.slot, replays[replay])
				case replay == last && tied && last < 2:
					t.Errorf("round %d, slot %d: got no replay after %v, want one", at.round, at.slot, replays[replay])
				}
				if tied {
					ties++
				}
			}
			names := slices.SortedFunc(maps.Keys(replays[last]), func(a, b string) int {
				switch x, y := replays[last][a], replays[last][b]; {
				case x > y:
					return -1
				case x < y:
					return 1
				}
				return seeds[a] - seeds[b]
			})
			if round == rounds && at.slot == 2 {
				if slices.Sort(names); !slices.Equal(names, slices.Sorted(slices.Values(semifinals))) {
					t.Errorf("the third place: got the players %v, want %v", names, semifinals)
				}
				continue
			}
			play = append(play, names...)
			next = append(next, names[0])
			lost[names[1]]++
			if round == rounds-1 {
				semifinals = append(semifinals, names[1])
			}
		}
		slices.Sort(in)
		slices.Sort(play)
		if !slices.Equal(in, play) {
			t.Errorf("round %d: got the players %v, want %v", round, play, in)
		}
		in = next
	}
	if len(in) != 1 || len(lost) != len(seeds)-1 || ties == 0 {
		t.Errorf("got the winners %v, %d losers and %d ties, want one, %d and some", in, len(lost), ties, len(seeds)-1)
	}
	for name, n := range lost {
		if n != 1 {
			t.Errorf("%s: got %d lost pairings, want 1", name, n)
		}
	}
	if first := d.Standings[0]; first.Name != in[0] || first.Rank != 1 || d.Standings[1].Rank != 2 {
		t.Errorf("got the standings %+v, want %s alone on the first place", d.Standings[:2], in[0])
	}
}
