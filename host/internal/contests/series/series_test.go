package series

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// askGame is a game that asks each seat for one line: "win" scores a point, "lose"
// none, and others are illegal.
type askGame struct {
	silent bool // it never asks

	mu     sync.Mutex // guards the field below
	starts []*driver.Setup
}

func (g *askGame) Open(start *driver.Setup, in engine.Receiver) (engine.Match, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.starts = append(g.starts, start)
	if !g.silent {
		ask := &driver.Question{Seconds: start.Settings.Timeout}
		for seat := range start.Names {
			ask.Seats = append(ask.Seats, seat)
		}
		in.Put(&driver.Frame{Texts: []driver.Text{{To: driver.ToAll, Lines: []byte("go\n")}}, Question: ask})
	}
	return askMatch{in}, nil
}

type askMatch struct{ engine.Receiver }

func (m askMatch) Answer(answers []driver.Answer) {
	end := &driver.Result{Reason: "all have answered"}
	behind := 1
	for _, a := range answers {
		if a.Outcome == driver.Answered && a.Line == "win" {
			behind++
		}
	}
	for _, a := range answers {
		s := driver.SeatResult{Rank: behind, Ended: "finished"}
		switch {
		case a.Outcome != driver.Answered:
			s.Ended = "forfeit: " + driver.Ended(a.Outcome)
		case a.Line == "win":
			s.Score, s.Rank = 1, 1
		case a.Line != "lose":
			s.Ended = "forfeit: illegal"
		}
		end.Seats = append(end.Seats, s)
	}
	go m.Put(&driver.Frame{End: end}) // ends at once
}

func (askMatch) Stop() {}

// patience is how many seconds a program has for its answer if the test does not want it
// to be late: on a busy machine, one second of CPU time can take half a minute.
const patience = 600

func sh(script string) []string { return []string{"sh", "-c", script} }

var setup = Setup{Stall: time.Minute, Limits: program.Limits{Line: 100, Backlog: 1 << 20}, Log: slog.New(slog.DiscardHandler)}

func configOf(t *testing.T, game *askGame, programs ...[]string) Config {
	t.Helper()
	entrants, err := Entrants(programs, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Record: record.Match{Game: "contest", Plugin: "contest", Version: "v", Timeout: patience},
		Setup:  setup,
		Game:   game, Entrants: entrants, Seats: len(entrants), Seed: 7, Matches: 1, Parallel: 2,
	}
}

// run plays a series without errors.
func run(t *testing.T, c Config) ([]Played, *Report) {
	t.Helper()
	played, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return played, NewReport(c, played)
}

func TestProgramsTakeTurnsOnTheSeatsAndTheBetterOneWins(t *testing.T) {
	t.Parallel()
	game := &askGame{}
	c := configOf(t, game, sh("read x; echo win; cat >&2"), sh("read x; echo lose"))
	c.Matches, c.Folder = 4, filepath.Join(t.TempDir(), "new", "folder")
	each := 0
	c.Each = func(p *Played) bool {
		each++
		return p.State == record.Finished
	}
	played, r := run(t, c)
	if s := r.Standings[0]; s.Wins != 4 || s.Points != 4 || len(s.First) != 4 {
		t.Errorf("the winner: got %+v, want 4 wins, 4 points, 4 first answers", s)
	}
	if s := r.Standings[1]; s.Losses != 4 || len(s.Forfeits) != 0 {
		t.Errorf("the loser: got %+v, want 4 losses, no forfeit", s)
	}
	if each != 4 {
		t.Errorf("Each was called %d times, want 4", each)
	}
	if text := r.Faults(); text != "" {
		t.Errorf("faults: got %s, want none", text)
	}
	for i, p := range played {
		if want := uint64(7 + i/2); p.Number != i+1 || p.Seed != want || p.Seats[i%2].Name != "sh-1" {
			t.Errorf("match %d has seed %d and seats %v, want seed %d and sh-1 on seat %d", p.Number, p.Seed, p.Seats, want, i%2)
		}
		b, err := os.ReadFile(p.File)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := record.DecodeTranscript(b)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Seed != p.Seed || rec.State != record.Finished || len(rec.Answers) != 2 || string(rec.Stream) != "go\n" || rec.Seats[i%2].Score != 1 {
			t.Errorf("transcript %s is %+v, want that of match %+v", p.File, rec, p)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(c.Folder, "contest-*-[01].json")); len(names) != 4 {
		t.Errorf("transcripts %v, want 4", names)
	}
}

func TestFaultsQuoteTheProgram(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		timeout      float64
		want         []string
		forfeit      string
	}{
		{"crash", "echo 'Traceback: boom' >&2; exit 3", patience, []string{"forfeit: disconnected; exit status 3", "its stderr ends with\n    Traceback: boom"}, "disconnected"},
		{"garbage", `read x; printf 'w\033in\n'`, patience, []string{`forfeit: illegal (it wrote "w\x1bin")`}, "illegal"},
		{"hang", "sleep 1000", 0.1, []string{"forfeit: timeout; it did not end within 3s of the end of its input"}, "timeout"},
		{"failure after the match", "read x; echo win; cat >/dev/null; printf '\\033[2Jbye' >&2; kill -9 $$", patience, []string{"signal: killed", `\x1b[2Jbye`}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := configOf(t, &askGame{}, sh(tt.script), sh("read x; echo lose"))
			c.Record.Timeout = tt.timeout
			if tt.timeout == 0.1 {
				c.Entrants[1].Command = sh("echo lose") // it needs no time: a slow machine does not make it late
			}
			_, r := run(t, c)
			for _, want := range append(tt.want, "sh-1 in match 1 (seed 7, seat 0): ") {
				if !strings.Contains(r.Faults(), want) {
					t.Errorf("faults\n%s\nwant %q in them", r.Faults(), want)
				}
			}
			if strings.Contains(r.Faults(), "\x1b") {
				t.Errorf("faults %q, want control characters escaped", r.Faults())
			}
			if tt.forfeit != "" && r.Standings[0].Forfeits[tt.forfeit] != 1 {
				t.Errorf("forfeits %v, want one of %s", r.Standings[0].Forfeits, tt.forfeit)
			}
		})
	}
}

func TestFaultsOfManyMatchesAreCounted(t *testing.T) {
	t.Parallel()
	c := configOf(t, &askGame{}, sh("exit 1"), sh("read x; echo win"))
	c.Matches = 10
	_, r := run(t, c)
	text := r.Faults()
	if strings.Count(text, "sh-1 in match") != faultsShown || !strings.HasSuffix(text, "sh-1 had faults in 7 more matches\n") {
		t.Errorf("faults\n%s\nwant %d of sh-1, and the number of others", text, faultsShown)
	}
}

func TestProgramThatCannotBeStartedEndsTheSeries(t *testing.T) {
	t.Parallel()
	c := configOf(t, &askGame{}, sh("read x; echo win"), []string{"./no-such-program"})
	c.Matches = 100
	played, err := Run(t.Context(), c)
	if want := "start the program ./no-such-program"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if len(played) > 0 {
		t.Errorf("%d matches were played, want 0", len(played))
	}
}

func TestInterruptedSeriesKeepsWhatWasPlayed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := configOf(t, &askGame{}, sh("read x; echo win"), sh("read x; echo lose"))
	c.Matches, c.Parallel = 1000, 1
	n := 0
	c.Each = func(*Played) bool {
		if n++; n == 3 {
			cancel()
		}
		return true
	}
	played, err := Run(ctx, c)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if len(played) != 3 {
		t.Errorf("%d matches, want 3", len(played))
	}
}

func TestMatchOfASilentGameIsAborted(t *testing.T) {
	t.Parallel()
	c := configOf(t, &askGame{silent: true}, sh("cat"), sh("cat"))
	c.Stall = 50 * time.Millisecond
	_, r := run(t, c)
	if r.Aborted() != 1 || r.Standings[0].Matches != 0 {
		t.Errorf("%d aborted, standings %+v, want 1 aborted and no match counted", r.Aborted(), r.Standings)
	}
	if want := "match 1 (seed 7) was aborted: the game was silent"; !strings.HasPrefix(r.Faults(), want) {
		t.Errorf("faults %q, want %q", r.Faults(), want)
	}
}

func TestReportHasATableAListAndJSON(t *testing.T) {
	c := configOf(t, &askGame{}, sh("read x; echo win"), sh("read x; echo oops"))
	c.Matches = 2
	_, r := run(t, c)
	for _, want := range []string{"sh-1", "100.0 %", "34.2 % – 100.0 %", "2 (2 illegal)"} {
		if !strings.Contains(r.Table(), want) {
			t.Errorf("the table is\n%s\nwant %q in it", r.Table(), want)
		}
	}
	for _, want := range []string{"sh-1 1, sh-2 0", "sh-2 0, sh-1 1", "all have answered"} {
		if !strings.Contains(r.Matches(), want) {
			t.Errorf("the list is\n%s\nwant %q in it", r.Matches(), want)
		}
	}
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"name":"sh-1","command":["sh","-c","read x; echo win"],"matches":2,"wins":2,"draws":0,"losses":0,"points":2,"rate":1,`,
		`"forfeits":{"illegal":2},"answers":2,`,
		`{"match":2,"seed":"7","state":"finished","reason":"all have answered","seats":[{"name":"sh-2","score":0,"rank":2,"ended":"forfeit: illegal","illegal":"oops",`,
		`{"name":"sh-1","score":1,"rank":1,"ended":"finished"}`,
	} {
		if !strings.Contains(compact.String(), want) {
			t.Errorf("the JSON is\n%s\nwant %s in it", b, want)
		}
	}
}

func TestEntrantsAreNamedAfterTheirProgramsAndDiffer(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "bot.py")
	if err := os.WriteFile(script, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		programs [][]string
		bots     int
		want     string
	}{
		{"programs", [][]string{{"./a/one"}, {"two", "-x"}}, 0, "one two"},
		{"a script", [][]string{{"python3", script}, {"python3", "-u"}}, 0, "bot.py python3"},
		{"an argument that is a file", [][]string{{"./bot", script}}, 0, "bot"},
		{"twins", [][]string{{"bot"}, {"x/bot"}, {"other"}}, 0, "bot-1 bot-2 other"},
		{"long twins", [][]string{{"a-very-long-name-of-a-bot"}, {"a-very-long-name-of-a-bot"}}, 0, "a-very-long-na-1 a-very-long-na-2"},
		{"odd characters", [][]string{{"./my $bot\x1bü"}}, 0, "my__bot___"},
		{"bots", [][]string{{"x"}}, 2, "x ServerBot$0 ServerBot$1"},
		{"an installed interpreter", [][]string{{"/usr/bin/python3", script}, {"/usr/bin/python3", "-u"}}, 0, "bot.py python3"},
		{"any path and version of Python", [][]string{{"/root/.pyenv/shims/python3", "-u", "-X", "dev", "a/x.py", "-m", "y"}, {"./venv/bin/python3.11", "-m", "bots.greedy"}, {"/usr/bin/python3", "-c", "print()"}}, 0, "x.py bots.greedy python3"},
		{"Java", [][]string{{"java", "-Xmx64m", "-jar", "out/Bot.jar"}, {"/usr/lib/jvm/bin/java", "-cp", "classes", "org.school.Main", "fast"}, {"java", "Player.java"}, {"java", "-version"}}, 0, "Bot.jar Main Player.java java"},
		{"JavaScript", [][]string{{"node", "--max-old-space-size=64", "-r", "x", "a.js"}, {"deno", "run", "--allow-read", "b.ts"}, {"bun", "c.ts"}, {"bun", "run", "d.ts"}, {"node", "-e", "1"}}, 0, "a.js b.ts c.ts d.ts node"},
		{"Ruby, Perl, Lua and PHP", [][]string{{"ruby3.1", "-I", "lib", "a.rb"}, {"perl", "-w", "b.pl"}, {"lua5.4", "c.lua"}, {"php", "-f", "d.php"}}, 0, "a.rb b.pl c.lua d.php"},
		{"go run", [][]string{{"go", "run", "-tags", "x", "./bot"}, {"go", "run", "main.go"}, {"go", "tool", "x"}}, 0, "bot main.go go"},
		{"go run in the folder", [][]string{{"go", "run", "."}}, 0, "series"},
		{"env", [][]string{{"/usr/bin/env", "-u", "X", "A=b", "python3", "x.py"}, {"env", "-S", "node --y a.js"}, {"env", "./b"}, {"env"}, {"env", "-S", " "}}, 0, "x.py a.js b env-1 env-2"},
		{"shells", [][]string{{"sh", "-c", "read x"}, {"bash", "run.sh"}}, 0, "sh run.sh"},
		{"twins of interpreters", [][]string{{"python3", "a/x.py"}, {"/usr/bin/python3", "b/x.py"}}, 0, "x.py-1 x.py-2"},
		{"given names", [][]string{{"name=alice", "python3", script}, {"name=bob", "./x"}, {"./x"}}, 0, "alice bob x"},
		{"a given name that is also a file's", [][]string{{"./Bot"}, {"name=bot", "./x"}, {"name=bot-1", "./y"}}, 0, "Bot-2 bot bot-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := Entrants(tt.programs, tt.bots, nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for i, e := range list {
				names = append(names, e.Name)
				if (e.Command == nil) != (i >= len(tt.programs)) {
					t.Errorf("%s has the command %v, want one for programs only", e.Name, e.Command)
				}
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("names %s, want %s", got, tt.want)
			}
		})
	}
	for want, programs := range map[string][][]string{
		"a program is missing":          {{"a"}, {}},
		"a program is missing: write":   {{"a"}, {"name=alice"}},
		"name=Alice is there twice":     {{"name=alice", "a"}, {"name=Alice", "b"}},
		"name==x: a name has 1 to 16 ":  {{"name==x", "a"}},
		"name=: a name has 1 to 16 let": {{"name=", "a"}},
	} {
		if _, err := Entrants(programs, 0, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got the error %v, want %q", programs, err, want)
		}
	}
}
