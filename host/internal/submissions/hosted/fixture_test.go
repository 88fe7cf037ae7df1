package hosted

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/director"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/program"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

var (
	_ lobby.Programs    = (*Programs)(nil)
	_ director.Programs = (*Programs)(nil)
	_ Store             = (*store.Submissions)(nil)
	_ Lobby             = (*lobby.Lobby)(nil)
	_ match.Local       = (*player)(nil)
)

// testHost is a lobby with a store and programs, which are scripts of a shell. The game
// "duel" asks both seats for a line: "win" scores a point, "lose" none, and others are
// illegal.
type testHost struct {
	*Programs
	store *store.Store
	lobby *lobby.Lobby

	mu     sync.Mutex                                                       // guards the fields below
	broken bool                                                             // no command can be made
	make   func(s store.Submission, folder string) (program.Command, error) // nil: the script of the version
	rested []string
}

// open starts a host for a test. Rest is the number of failures.
func open(t *testing.T, rest int) *testHost {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh, in which the programs of this test are written")
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	folder := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(folder, "records.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	h := &testHost{store: s}
	h.lobby = lobby.New(duels{}, s, lobby.Limits{Matches: 1000, Expiry: time.Hour, Stall: time.Minute, StartGrace: time.Minute}, "", log)
	h.Programs, err = New(Config{
		Store: s.Submissions(), Lobby: h.lobby, Command: h.command, Folder: filepath.Join(folder, "programs"), Cores: 1,
		Limits: program.Limits{Line: 1000, Backlog: 1 << 20}, Rest: rest, Log: log,
		Rested: func(s store.Submission, reason string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.rested = append(h.rested, s.Player+" because "+reason)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.lobby.SetPrograms(h.Programs)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { h.Run(ctx) }) // ends with ctx
	t.Cleanup(func() {
		h.lobby.Close(ctx)
		cancel()
		running.Wait()
	})
	return h
}

var errBroken = exec.ErrNotFound

// command runs the script of a version.
func (h *testHost) command(s store.Submission, folder string) (program.Command, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		return program.Command{}, errBroken
	}
	if h.make != nil {
		return h.make(s, folder)
	}
	return program.Command{Args: append(slices.Clone(s.Run), filepath.Join(folder, "bot.sh"))}, nil
}

// handIn adds the next version of a player's program, which becomes the active one.
func (h *testHost) handIn(t *testing.T, player, script string, run ...string) store.Submission {
	t.Helper()
	if run == nil {
		run = []string{"sh"}
	}
	return h.accept(t, player, archive.Tree{{Path: "bot.sh", Data: []byte(script)}, {Path: "data/book.txt", Data: []byte("e4\n")}}, run)
}

// accept adds the next version of a player's program as it was built.
func (h *testHost) accept(t *testing.T, player string, tree archive.Tree, run []string) store.Submission {
	t.Helper()
	all := h.store.Submissions()
	s, err := all.Add(t.Context(), store.NewSubmission{Player: player, Game: "duel", Hash: sha256.Sum256(fmt.Append(tree.Pack(), player)), Language: "c", Source: tree.Pack()}, store.SubmissionQuotas{})
	if err == nil {
		_, _, err = all.Claim(t.Context(), "")
	}
	if err == nil {
		s, err = all.Accept(t.Context(), s.Number, "", run, tree.Pack())
	}
	if err != nil {
		t.Fatal(err)
	}
	h.Wake()
	poll.Until(t, "the version plays", func() bool { return h.Versions("duel")[player] == s.Version })
	return s
}

// play creates a match of two players, and returns how it has left the lobby.
func (h *testHost) play(t *testing.T, order []string, versions ...int) lobby.Change {
	t.Helper()
	gone := make(chan lobby.Change, 1)
	seats := &lobby.Seats{Order: order, Programs: versions, Within: time.Minute, Changed: func(c lobby.Change) {
		if c.Gone {
			gone <- c
		}
	}}
	players := 2
	if _, err := h.lobby.CreateFor(t.Context(), lobby.Client{}, protocol.GameNew{Name: "T", Game: "duel", Params: protocol.GameParams{Players: &players}}, seats); err != nil {
		t.Fatal(err)
	}
	return poll.Receive(t, "the match has left the lobby", gone)
}

// duels are the games of the lobby, and the referee of the duel.
type duels struct{}

func (g duels) Find(name string) (*catalog.Offer, error) {
	if name != "duel" {
		return nil, catalog.ErrUnknown
	}
	return &catalog.Offer{Name: name, Plugin: name, Version: "v1", Timeout: 10, Engine: g}, nil
}

func (duels) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(&sdk.Game{Name: "duel", MinPlayers: 2, Players: 2, MaxPlayers: 2, Timeout: 10}).Prepare(r)
}

func (duels) Open(_ *driver.Setup, in engine.Receiver) (engine.Match, error) {
	in.Put(&driver.Frame{Texts: []driver.Text{{To: driver.ToAll, Lines: []byte("go\n")}}, Question: &driver.Question{Seconds: 10, Seats: []int{0, 1}}})
	return duel{in}, nil
}

type duel struct{ engine.Receiver }

func (d duel) Answer(answers []driver.Answer) {
	end := &driver.Result{}
	winners := 0
	for _, a := range answers {
		if a.Outcome == driver.Answered && a.Line == "win" {
			winners++
		}
	}
	for _, a := range answers {
		s := driver.SeatResult{Rank: winners + 1, Ended: driver.EndedFinished}
		switch {
		case a.Outcome != driver.Answered:
			s.Ended = "forfeit: " + driver.Ended(a.Outcome)
		case a.Line == "win":
			s.Score, s.Rank = 1, 1
		case a.Line == "resign":
			s.Ended = driver.ForfeitResigned
		case a.Line != "lose":
			s.Ended = driver.ForfeitIllegal
		}
		end.Seats = append(end.Seats, s)
	}
	go d.Put(&driver.Frame{End: end}) // as that of a process; ends at once
}

func (duel) Stop() {}

// record returns the record of a match.
func (h *testHost) record(t *testing.T, id string) *record.Match {
	t.Helper()
	r, err := h.store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// withContests adds a desk and a director, which plays the contests until the test ends.
func (h *testHost) withContests(t *testing.T) contest.Organizer {
	t.Helper()
	desk := serving.New(h.lobby, duels{}, serving.Limits{Players: 10, Accept: time.Minute}, h.config.Log)
	o := contest.Organizer{Store: h.store.Contests()}
	d := director.New(o, desk, h.lobby, director.Settings{Parallel: 500, Programs: h.Programs}, h.config.Log)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { d.Run(ctx) })  // ends with ctx
	running.Go(func() { d.Lead(ctx) }) // ends with ctx
	t.Cleanup(func() {
		cancel()
		running.Wait()
		desk.Close()
	})
	return o
}
