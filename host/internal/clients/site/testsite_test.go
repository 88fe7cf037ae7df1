package site

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"colosseum/host/internal/clients/downloads"
	"colosseum/host/internal/clients/exported"
	"colosseum/host/internal/clients/gamefiles"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/play/serving"
	exporting "colosseum/host/internal/records/export"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/internal/test/filetree"
	"colosseum/protocol"
	"colosseum/sdk"
)

var quiet = slog.New(slog.DiscardHandler)

type fakeCatalog []*catalog.Offer

func (c fakeCatalog) List() []*catalog.Offer { return c }
func (c fakeCatalog) Generation() uint64     { return 1 }

type fakeLobby []protocol.MatchInfo

func (l fakeLobby) List() []protocol.MatchInfo { return l }
func (l fakeLobby) Generation() uint64         { return 1 }

func (l fakeLobby) Info(id string) (protocol.MatchInfo, bool) {
	for _, m := range l {
		if m.ID == id {
			return m, true
		}
	}
	return protocol.MatchInfo{}, false
}

func (l fakeLobby) Snapshot() ([]protocol.MatchInfo, uint64)         { return l, 1 }
func (l fakeLobby) Subscribe(_ lobby.Subscriber, seed func() uint64) { seed() }
func (l fakeLobby) Unsubscribe(lobby.Subscriber)                     {}

// ClocksFor has for players a player that must answer and is away, one that must answer, and one that
// need not.
func (l fakeLobby) ClocksFor(id string, player bool) ([]match.Clock, bool) {
	m, ok := l.Info(id)
	if !player {
		return []match.Clock{{Name: "ann"}}, ok && m.Running
	}
	return []match.Clock{
		{Name: "ann", Asked: true, Timed: true, Away: time.Now().Add(-time.Second)},
		{Name: "bob", Asked: true, Left: 1500 * time.Millisecond, Timed: true, Bank: time.Minute, Lag: 20 * time.Millisecond},
		{Name: "eve", Timed: true, Bank: time.Hour},
	}, ok && m.Running
}

// fakeSeats has a seat in the match "running".
type fakeSeats struct{}

func (fakeSeats) Holds(id string, ticket [32]byte) bool {
	return id == "running" && ticket == sha256.Sum256([]byte("my ticket"))
}

type fakeDesk []serving.Player

func (d fakeDesk) List() []serving.Player { return d }
func (d fakeDesk) Generation() uint64     { return 1 }

// fakeReaders counts the points and bytes of readers.
type fakeReaders struct {
	retry   time.Duration // result of Pay
	busy    bool          // result of Pay
	full    bool          // Work is not ok
	paid    int           // points
	charged int           // bytes
	work    int           // calls of Work
	working bool          // between Work and done
	secure  bool          // result of Client

	following atomic.Int32 // between Follow and done
}

func (c *fakeReaders) Pay(_ *http.Request, points int) (time.Duration, bool) {
	c.paid += points
	return c.retry, c.busy
}

func (c *fakeReaders) Charge(_ *http.Request, bytes int) time.Duration {
	c.charged += bytes
	return 0
}

func (c *fakeReaders) Work(context.Context) (done func(), ok bool) {
	c.work++
	if c.full {
		return nil, false
	}
	c.working = true
	return func() { c.working = false }, true
}

func (c *fakeReaders) Follow(*http.Request) (done func(), err error) {
	if c.full {
		return nil, errors.New("too many connections")
	}
	c.following.Add(1)
	return func() { c.following.Add(-1) }, nil
}

func (c *fakeReaders) Client(r *http.Request) (address string, encrypted bool) {
	return r.RemoteAddr, c.secure
}

// documents are those of a host without a prefix.
func documents() map[string]*document { return newLibrary("", "'self'").documents() }

const hostile = `<script>alert(1)</script>"'&`

func writeViewer(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, gamefiles.ViewerFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var noon = time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)

// endedMatches has the record of twelve ended matches in record.db, and their export in
// files/2025-03. It is written once and copied for each site, because each commit waits for
// the disk.
var endedMatches = sync.OnceValues(func() (kept fstest.MapFS, err error) {
	dir, err := os.MkdirTemp("", "site-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	records, err := store.Open(context.Background(), filepath.Join(dir, "record.db"), quiet)
	if err != nil {
		return nil, err
	}
	for i := range 12 {
		r := &record.Match{
			ID: fmt.Sprintf("ended%d", i), Name: hostile, Game: []string{"roshambo", "tiny"}[i%2], Plugin: "roshambo", Version: "v1",
			Params: map[string]string{"rounds": "2"}, Timeout: 30, Seed: math.MaxUint64, State: record.Finished,
			Seats:   []record.Seat{{Name: "ann", Player: "Ann", Score: 1, Rank: 1, Ended: "finished"}, {Name: hostile, Bot: true, Score: math.Inf(1), Rank: 2, Ended: "forfeit: timeout", Fault: record.Fault{Line: "b", Asked: "your\nmove", Late: 12 * time.Millisecond}}},
			Answers: []record.Answer{{Line: "ROCK", At: time.Second}, {Seat: 1, Outcome: "timeout", Line: "\xff", Note: "depth 9", Lines: 2}},
			Stream:  []byte("ann\nbot\n\xff\n"), Started: noon, Ended: noon.Add(time.Duration(i) * time.Minute),
		}
		if i == 0 {
			r.Salt = []byte("sixteen\x00\x01 bytes.")
			r.Clock = &record.Clock{Bank: 60, Increment: 0.5}
			r.Answers[0].Left = 59500 * time.Millisecond
		}
		if i == 1 {
			r.Fixture = &record.Fixture{Contest: "cup", Entries: []int{0, 1}}
		}
		if i == 11 {
			r.State, r.Reason = record.Aborted, "the game failed"
		}
		if err := records.Finish(context.Background(), r); err != nil {
			return nil, errors.Join(err, records.Close())
		}
	}
	if err = os.Mkdir(filepath.Join(dir, "files"), 0o755); err == nil {
		_, err = exporting.Write(context.Background(), records, filepath.Join(dir, "files", "2025-03"), exporting.Options{Since: noon, Until: noon.AddDate(0, 1, 0), Host: hostile, Key: ed25519.NewKeyFromSeed(make([]byte, 32))})
	}
	if err := errors.Join(err, records.Close()); err != nil {
		return nil, err
	}
	kept = fstest.MapFS{}
	return kept, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		kept[path] = &fstest.MapFile{Data: text, Mode: 0o644}
		return err
	})
})

// newSite returns a site with two games, one of them with a viewer, and a waiting,
// a running and twelve ended matches.
func newSite(t *testing.T) (*Site, fakeCatalog) {
	t.Helper()
	kept, err := endedMatches()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if err := os.CopyFS(data, kept); err != nil {
		t.Fatal(err)
	}
	records, err := store.Open(context.Background(), filepath.Join(data, "record.db"), quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	records.Begin(&record.Match{ID: "running", Seed: 7})
	dir := t.TempDir()
	writeViewer(t, dir, "export const start = 1;\n")
	files := filetree.New(t, map[string]string{"coco-linux-amd64": "a program", "coco-windows-arm64.exe": "another", "players/player.py": "print('ROCK')\n"})
	if err := os.Rename(filepath.Join(files, "players"), filepath.Join(dir, "players")); err != nil {
		t.Fatal(err)
	}
	offered := downloads.Open(files)
	if _, err := offered.List(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(files, "2025-03"), os.DirFS(filepath.Join(data, "files", "2025-03"))); err != nil {
		t.Fatal(err)
	}
	list := fakeCatalog{
		{
			Name: "roshambo", Title: "Rock", Plugin: "roshambo", Version: "v1", Dir: dir, MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
			Rules:  "# roshambo\n\n" + hostile + "\n\n[x](javascript:alert(1))\n\n| a |\n|:-:|\n| b |\n",
			Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 10, 1, 9999), sdk.Float("pace", "seconds", 1, 0, 30), sdk.Choice("bot", "level", "strong", "random"), sdk.Text("start", "position", "", 90)},
		},
		{Name: "tiny", Plugin: "tiny", MinPlayers: 1, MaxPlayers: 3, Unavailable: "it is being compiled", Preparing: true},
	}
	waiting := protocol.MatchInfo{ID: "waiting", Name: hostile, Game: "tiny", Players: 3, Reserved: []string{"bob"}, Timeout: 5, Args: map[string]string{}, Connected: []string{"ann"}, Identities: map[string]string{"ann": "Ann"}, Lag: map[string]int64{"ann": 12}, Time: 7}
	running := protocol.MatchInfo{ID: "running", Clock: &protocol.Clock{Bank: 60, Increment: 1}, Name: "r", Contest: "cup", Game: "roshambo", Players: 2, Args: map[string]string{"rounds": "3"}, Connected: []string{}, Running: true, Commitment: "c0ffee", Delay: 1.5}
	desk := fakeDesk{{Name: "ann", Games: []string{"tiny"}, Concurrency: 2, Matches: 1}}
	return New(Parts{Games: list, Lobby: fakeLobby{waiting, running}, Serving: desk, Records: records, Readers: &fakeReaders{}, Seats: fakeSeats{}, Contests: someContests(noon), Downloads: offered, Exported: exported.Open(files), Analyses: &fakeAnalyses{}}, quiet), list
}

func get(s http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}
