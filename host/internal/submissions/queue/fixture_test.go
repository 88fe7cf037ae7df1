package queue

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"colosseum/host/internal/contests/series"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/build"
	"colosseum/host/internal/submissions/language"
	"colosseum/internal/test/poll"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

var (
	_ Store = (*store.Submissions)(nil)
	_ Games = (*catalog.Catalog)(nil)
)

// shell is a language that each machine with Linux has.
const shell = `name: sh
title: Shell
install: install a shell
tools: [{name: sh}]
version: [sh, -c, "echo a shell"]
sources: ["bot.sh"]
recipes:
  - main: [bot.sh]
    run: [sh, "{main}"]
`

// good is a program that plays the game of the tests.
const good = "while read -r line; do echo win; done\n"

// bench is a queue with a store, for programs in shell.
type bench struct {
	*Queue
	t     *testing.T
	store *store.Submissions

	mu      sync.Mutex // guards the field below
	changes []string   // "STATE FAULT" of each state that the queue has set
}

// set notes a state that the queue sets.
func (b *bench) set(state store.SubmissionState, fault string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, strings.TrimSpace(string(state)+" "+fault))
}

// noted is the store of a bench.
type noted struct {
	*store.Submissions
	b       *bench
	claimed func(store.Submission) // nil: nothing happens
}

func (n noted) Claim(ctx context.Context, host string) (store.Submission, bool, error) {
	s, ok, err := n.Submissions.Claim(ctx, host)
	if ok && n.claimed != nil {
		n.claimed(s)
	}
	return s, ok, err
}

func (n noted) SetState(ctx context.Context, number int64, host string, state store.SubmissionState, fault, reason string) error {
	n.b.set(state, fault)
	return n.Submissions.SetState(ctx, number, host, state, fault, reason)
}

// newBench returns a bench, or skips the test where programs cannot be confined.
func newBench(t *testing.T) *bench {
	t.Helper()
	if missing := sandbox.Supported().Missing(); len(missing) > 0 {
		t.Skip(missing[0].Text)
	}
	languages, err := language.Load(fstest.MapFS{"sh.yaml": {Data: []byte(shell)}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := &bench{t: t, store: s.Submissions()}
	folder := t.TempDir()
	isolation := program.Isolation{Level: sandbox.Require, Memory: 512 << 20, CPU: poll.Limit}
	b.Queue = New(Config{
		Host: "h", Store: noted{b.store, b, nil}, Games: duels{}, Languages: languages, Folder: filepath.Join(folder, "builds"), Prepared: filepath.Join(folder, "prepared"),
		Build: build.Limits{Time: poll.Limit, CPU: poll.Limit, Memory: 1 << 30, Disk: 1 << 26, File: 1 << 26, Files: 1000, Processes: 64, Output: 1 << 20},
		Level: sandbox.Require, Parallel: 1, Changed: func() {}, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Command: func(run []string, l *language.Language, folder string) (program.Command, error) {
			return build.Command(run, l, folder, isolation)
		},
		Setup: series.Setup{
			Stall: poll.Limit, StartGrace: poll.Limit, Cores: program.NewCores(1), Limits: program.Limits{Line: 1000, Backlog: 1 << 20}, Log: slog.New(slog.DiscardHandler),
		},
	})
	return b
}

// start lets the queue work until stop is called, or the test ends.
func (b *bench) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { b.Run(ctx) }) // ends with ctx
	stop = func() {
		cancel()
		running.Wait()
	}
	b.t.Cleanup(stop)
	return stop
}

// handIn adds the next version of Ana with files, each "path=content".
func (b *bench) handIn(files ...string) store.Submission {
	b.t.Helper()
	return b.handInTo("duel", files...)
}

func (b *bench) handInTo(game string, files ...string) store.Submission {
	b.t.Helper()
	tree := treeOf(files...)
	s, err := b.store.Add(b.t.Context(), store.NewSubmission{Player: "Ana", Game: game, Hash: tree.Hash(), Language: "sh", Source: tree.Pack()}, store.SubmissionQuotas{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Wake()
	return s
}

func treeOf(files ...string) (tree archive.Tree) {
	for _, f := range files {
		path, text, _ := strings.Cut(f, "=")
		tree = append(tree, archive.File{Path: path, Data: []byte(text)})
	}
	return tree
}

// builtBy returns the files of a good program with a script that builds it.
func builtBy(script string) []string {
	return []string{"bot.sh=" + good, "build.sh=" + script, "colosseum.yaml=build: [[sh, build.sh]]\n"}
}

// await waits until a version has a state, and returns it with its log.
func (b *bench) await(number int64, state store.SubmissionState) (s store.Submission, log string) {
	b.t.Helper()
	poll.Until(b.t, "the version is "+string(state), func() (done bool) {
		s, log = b.look(number)
		return s.State == state
	}, func() any { return s }, func() any { return log })
	return s, log
}

// logged waits until the log of a version has a text.
func (b *bench) logged(number int64, text string) {
	b.t.Helper()
	log := ""
	poll.Until(b.t, "the log has "+text, func() bool {
		_, log = b.look(number)
		return strings.Contains(log, text)
	}, func() any { return log })
}

func (b *bench) look(number int64) (store.Submission, string) {
	b.t.Helper()
	s, err := b.store.Number(b.t.Context(), number)
	if err != nil {
		b.t.Fatal(err)
	}
	text, _, err := b.store.Log(b.t.Context(), number, 0)
	if err != nil && s.State != store.Removed {
		b.t.Fatal(err)
	}
	return s, string(text)
}

// ended waits until the queue has counted an end, and returns all ends.
func (b *bench) ended(result string) map[string]uint64 {
	b.t.Helper()
	poll.Until(b.t, "an end is counted: "+result, func() bool { return b.Stats().Ended[result] > 0 && b.Stats().Working == 0 })
	return b.Stats().Ended
}

// duels have the duel between two, and the brawl between two, by default, and five: each
// seat is asked for a line once, and has to send "win".
type duels struct{}

// most returns the most players of a game.
func most(game string) int {
	if game == "brawl" {
		return 5
	}
	return 2
}

func (duels) Find(name string) (*catalog.Offer, error) {
	if name != "duel" && name != "brawl" {
		return nil, catalog.ErrUnknown
	}
	return &catalog.Offer{Name: name, Plugin: name, Version: "v1", MinPlayers: 2, MaxPlayers: most(name), Timeout: 10, Engine: melee{name}}, nil
}

// melee is one of the games.
type melee struct{ name string }

func (m melee) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(&sdk.Game{Name: m.name, MinPlayers: 2, MaxPlayers: most(m.name), Timeout: 10}).Prepare(r)
}

func (melee) Open(s *driver.Setup, in engine.Receiver) (engine.Match, error) {
	q := &driver.Question{Seconds: 10}
	for seat := range s.Settings.Players {
		q.Seats = append(q.Seats, seat)
	}
	in.Put(&driver.Frame{Texts: []driver.Text{{To: driver.ToAll, Lines: []byte("go\n")}}, Question: q})
	return duel{in}, nil
}

type duel struct{ engine.Receiver }

func (d duel) Answer(answers []driver.Answer) {
	end := &driver.Result{}
	for _, a := range answers {
		s := driver.SeatResult{Rank: 1, Ended: driver.EndedFinished}
		switch {
		case a.Outcome != driver.Answered:
			s.Ended = "forfeit: " + driver.Ended(a.Outcome)
		case a.Line != "win":
			s.Ended = driver.ForfeitIllegal
		}
		end.Seats = append(end.Seats, s)
	}
	go d.Put(&driver.Frame{End: end}) // as that of a process; ends at once
}

func (duel) Stop() {}
