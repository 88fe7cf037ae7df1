//go:build unix

package engine

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/poll"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

func TestGameDescribesPreparesAndPlays(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	d := g.Description()
	if d.Name != "parity" || d.Title != "Odds and evens" || d.MinPlayers != 2 || d.MaxBots != 1 || d.Timeout != 10 || d.Delay != 1.5 || len(d.Params) != 1 || d.Params[0].Name != "rounds" {
		t.Errorf("got %+v, want the description of parity", d)
	}
	settings, err := g.Prepare(context.Background(), driver.Request{Bots: 1, Args: map[string]string{"rounds": "3"}})
	if err != nil || settings.Players != 2 || settings.Bots != 1 || settings.Timeout != 10 || settings.Params["rounds"] != "3" {
		t.Errorf("got %+v, error %v, want 2 players, 1 bot, 10 s and 3 rounds", settings, err)
	}
	var refusal Refusal
	if _, err := g.Prepare(context.Background(), driver.Request{Args: map[string]string{"rounds": "x"}}); !errors.As(err, &refusal) || !strings.HasPrefix(err.Error(), "Invalid number of rounds") {
		t.Errorf("got %v, want a refusal: Invalid number of rounds", err)
	}
	a := s.open(g)
	b := s.open(g)
	if g.Matches() != 2 {
		t.Errorf("it plays %d matches, want 2", g.Matches())
	}
	b.Stop()
	b.Stop()
	a.Answer(line(0, "1"))
	if f := a.next(t); f.Question == nil || !slices.Equal(f.Question.Seats, []int{1}) {
		t.Errorf("got %v, want a question to seat 1", f)
	}
	a.Answer(line(1, "2"))
	if f := a.next(t); f.End == nil || len(f.End.Seats) != 2 {
		t.Errorf("got %v, want a result for 2 seats", f)
	}
	poll.Until(s.t, "both matches are forgotten", func() bool { return g.Matches() == 0 })
	a.Stop() // too late, harmless
	if frames, err := b.Take(); len(frames) > 0 || err != nil {
		t.Errorf("a match that was stopped got %v, error %v, want nothing", frames, err)
	}
	g.Close()
	g.Close()
	if _, err := g.Open(&driver.Setup{}, newInbox()); !errors.Is(err, ErrGone) {
		t.Errorf("a match after the end: error %v, want %v", err, ErrGone)
	}
}

func TestGameThatDoesNotStartIsExplainedAndLeavesNothing(t *testing.T) {
	tests := []struct {
		child   string
		timeout time.Duration // of the start, until the handshake
		want    []string
	}{
		{"garbage", limit, []string{"start odd: ", "hello, world"}},
		{"exit", limit, []string{"start odd: it ended with exit status 3; it wrote:\nno luck today"}},
		{"hang", short, []string{"timeout while waiting for plugin to start"}},
		{"nobody", limit, []string{"get its description"}},
		{"elsewhere", limit, []string{"it announces the address unix /elsewhere/socket: want a Unix socket in the folder"}},
		{"certificate", limit, []string{"get its description"}},
		{"future", limit, []string{"Plugin version: 99"}},
		{"misnamed", limit, []string{`game name "Bad Name"`}},
		{"seatless", limit, []string{"players from 0 to 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.child, func(t *testing.T) {
			s := newStarter(t, tt.child)
			s.spec.StartTimeout = tt.timeout
			g, err := Start(t.Context(), s.spec)
			if err == nil {
				g.Close()
				t.Fatalf("got no error, want %q", tt.want)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %q, want it to contain %q", err, want)
				}
			}
		})
	}
	t.Run("no program", func(t *testing.T) {
		s := newStarter(t, "")
		s.spec.Command = []string{"/nowhere"}
		if _, err := Start(context.Background(), s.spec); err == nil || !strings.Contains(err.Error(), "/nowhere") {
			t.Errorf("the error is %v, want it to name /nowhere", err)
		}
	})
}

// go-plugin keeps everything that a game sends on the stream of its broker.
func TestHostDoesNotOpenTheStreamOfTheBroker(t *testing.T) {
	s := newStarter(t, "deaf")
	s.spec.Grace = short
	s.start()
	poll.Until(t, "the game has logged the stream of matches", func() bool { return strings.Contains(s.log.String(), "stream /colosseum.wire.v1.Game/Play") })
	if log := s.log.String(); strings.Contains(log, "GRPCBroker") {
		t.Errorf("got the log\n%s\nwant no stream of a broker", log)
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	for child, sign := range map[string]string{"hang": "pid", "mute": "asked"} { // a file that it writes
		t.Run(child, func(t *testing.T) {
			s := newStarter(t, child)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { // ends with the start of the child
				poll.Until(s.t, "the child runs", func() bool {
					_, err := os.Stat(filepath.Join(s.dir, sign))
					return err == nil
				})
				cancel()
			}()
			if _, err := Start(ctx, s.spec); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		})
	}
}

func TestDescriptionsThatCannotBeShownAreRefused(t *testing.T) {
	for want, change := range map[string]func(d *driver.Description){
		"":                                          func(d *driver.Description) { d.Title, d.Rules = "Odds – & evens", "# Rules\n\tof `odd`" },
		"its title is not a line":                   func(d *driver.Description) { d.Title = "Odd\x1b[2J" },
		"its title is not a line of at most":        func(d *driver.Description) { d.Title = strings.Repeat("x", maxLine+1) },
		"its rules have 1048577 bytes":              func(d *driver.Description) { d.Rules = strings.Repeat("x", maxRules+1) },
		"it has 101 parameters":                     func(d *driver.Description) { d.Params = slices.Repeat(d.Params, maxParams+1) },
		`the description of its parameter "size"`:   func(d *driver.Description) { d.Params[0].Description = "a\nb" },
		`its parameter "size" has 1001 choices`:     func(d *driver.Description) { d.Params[0].Choices = make([]string, maxChoices+1) },
		`a choice of its parameter "size" is not a`: func(d *driver.Description) { d.Params[0].Choices = []string{"a", "\u009b"} },
		"sdk: game odd has two parameters":          func(d *driver.Description) { d.Params = slices.Repeat(d.Params, 2) },
	} {
		d := &driver.Description{
			Name: "odd", MinPlayers: 1, MaxPlayers: 1, Timeout: 1,
			Params: []driver.Param{{Name: "size", Description: "size of the board", Kind: driver.KindChoice, Choices: []string{"a", "b"}, Default: "a"}},
		}
		change(d)
		if err := checkDescription(d); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestPreparedMatchMustFitTheDescription(t *testing.T) {
	d := driver.Description{Name: "odd", MinPlayers: 2, MaxPlayers: 3, Params: []sdk.Param{sdk.Int("size", "size of the board", 5, 1, 9), sdk.Text("start", "first position", "", 10)}}
	for want, change := range map[string]func(s *driver.Settings){
		"":                               func(s *driver.Settings) {},
		"with 1 players":                 func(s *driver.Settings) { s.Players = 1 },
		"with 4 players":                 func(s *driver.Settings) { s.Players = 4 },
		"with a timeout of NaN s":        func(s *driver.Settings) { s.Timeout = math.NaN() },
		"with 3 parameters instead of 2": func(s *driver.Settings) { s.Params["more"] = "1" },
		"without the parameter start": func(s *driver.Settings) {
			delete(s.Params, "start")
			s.Params["stat"] = ""
		},
		"with an invalid size":  func(s *driver.Settings) { s.Params["size"] = "10" },
		"with an invalid start": func(s *driver.Settings) { s.Params["start"] = "\x1b[2J" },
	} {
		s := &driver.Settings{Players: 2, Timeout: 1, Params: map[string]string{"size": "5", "start": ""}}
		change(s)
		if err := checkSettings(&d, s); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestRefusalIsShownAsOneShortLine(t *testing.T) {
	s := newStarter(t, "refuser")
	s.spec.Grace = short
	var refusal Refusal
	if _, err := s.start().Prepare(t.Context(), driver.Request{}); !errors.As(err, &refusal) || err.Error() != "no\ufffd[2J way "+strings.Repeat("x", maxRefusal-11)+"…" {
		t.Errorf("got %q, want one line of %d bytes and an ellipsis", err, maxRefusal)
	}
}

func TestPreparationBeyondTheLimitsIsAnError(t *testing.T) {
	s := newStarter(t, "deaf")
	s.spec.Grace = short
	if _, err := s.start().Prepare(context.Background(), driver.Request{}); err == nil || !strings.Contains(err.Error(), "1000 players") {
		t.Errorf("got %v, want an error that names 1000 players", err)
	}
}

// BenchmarkStart compares starts of a confined game to those of one with the host's
// rights, in turns; over-ms is the difference of the medians.
func BenchmarkStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "roshambo")
	if out, err := exec.Command("go", "build", "-o", program, "../../../../plugins/roshambo").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	needs, err := sandbox.Examine(program)
	if err != nil {
		b.Fatal(err)
	}
	took := map[sandbox.Level][]time.Duration{}
	for b.Loop() {
		for _, level := range []sandbox.Level{sandbox.BestEffort, sandbox.Off} {
			begin := time.Now()
			g, err := Start(b.Context(), Spec{
				Name: "roshambo", Command: []string{program}, Dir: b.TempDir(), StartTimeout: limit, Log: slog.New(slog.DiscardHandler),
				Isolation: level, Policy: sandbox.Policy{Execute: needs.Execute, Read: needs.Read, Listen: true},
			})
			if err != nil {
				b.Fatal(err)
			}
			took[level] = append(took[level], time.Since(begin))
			g.Close()
		}
	}
	for _, all := range took {
		slices.Sort(all)
	}
	median := func(level sandbox.Level) float64 { return took[level][len(took[level])/2].Seconds() * 1e3 }
	b.ReportMetric(median(sandbox.BestEffort), "ms/start")
	b.ReportMetric(median(sandbox.BestEffort)-median(sandbox.Off), "over-ms")
	b.ReportMetric(0, "ns/op")
}
