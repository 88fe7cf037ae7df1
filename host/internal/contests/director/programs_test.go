package director

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
)

// fakePrograms are programs of players.
type fakePrograms struct {
	concurrency, hourly int

	mu       sync.Mutex // guards the fields below
	limit    int
	versions map[string]int
	changed  chan struct{}
}

// newPrograms returns programs in version 1 of the players with these numbers.
func newPrograms(limit, concurrency int, players ...int) *fakePrograms {
	f := &fakePrograms{limit: limit, concurrency: concurrency, versions: map[string]int{}}
	for _, n := range players {
		f.versions[fmt.Sprintf("p%02d", n)] = 1
	}
	return f
}

func (f *fakePrograms) Concurrency() int { return f.concurrency }
func (f *fakePrograms) Hourly() int      { return f.hourly }

func (f *fakePrograms) Limit() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limit
}

func (f *fakePrograms) setLimit(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limit = n
}

func (f *fakePrograms) Versions(game string) map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if game != "duel" {
		return nil
	}
	return f.versions
}

func (f *fakePrograms) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil { // it belongs to the bubble of the test
		f.changed = make(chan struct{})
	}
	return f.changed
}

// set changes the version of a player; 0: none plays any more.
func (f *fakePrograms) set(player string, version int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.versions = maps.Clone(f.versions)
	f.versions[player] = version
	if version == 0 {
		delete(f.versions, player)
	}
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// pair returns how many matches the players with these numbers have begun.
func (d *fakeDesk) pair(a, b int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pairs[[2]string{fmt.Sprintf("p%02d", a), fmt.Sprintf("p%02d", b)}]
}

// begun returns how many matches the player with a number has begun, with those against bots.
func (d *fakeDesk) begun(n int) (all int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for pair, times := range d.pairs {
		if slices.Contains(pair[:], fmt.Sprintf("p%02d", n)) {
			all += times
		}
	}
	return all
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// A connected player and two programs meet each other, and the programs are not idle while
// the connected player plays.
func TestLadderPairsProgramsWithConnectedPlayers(t *testing.T) {
	programs := newPrograms(4, 1, 1, 2)
	withSettings(t, 1, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.fast = time.Second
		create(t, o, "format: ladder", 3)
		time.Sleep(10 * time.Minute)
		for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			if n := desk.pair(pair[0], pair[1]); n < 10 {
				t.Errorf("p%02d and p%02d: got %d matches in 10 minutes, want at least 10", pair[0], pair[1], n)
			}
		}
		if desk.most > 1 {
			t.Errorf("got a program with %d matches at the same time, want at most 1", desk.most)
		}
	})
}

// TestLadderOfProgramsRunsAtFullSpeed also asks for the target of 20,000 matches an hour on
// one core, which is 56 in ten seconds.
func TestLadderOfProgramsRunsAtFullSpeed(t *testing.T) {
	for _, test := range []struct {
		players, concurrency int
		least                int // matches in ten seconds
	}{
		{40, 1, 300},
		{3, 1, 80},
		{2, 2, 160},
	} {
		t.Run(fmt.Sprint(test.players, " programs"), func(t *testing.T) {
			programs := newPrograms(4, test.concurrency, numbers(test.players)...)
			withSettings(t, 0, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
				desk.fast = 50 * time.Millisecond
				create(t, o, "format: ladder", test.players)
				time.Sleep(10 * time.Second) // its first ratings
				before := desk.count()
				time.Sleep(10 * time.Second)
				if n := desk.count() - before; n < test.least {
					t.Errorf("got %d matches in ten seconds, want at least %d", n, test.least)
				}
				desk.mu.Lock()
				defer desk.mu.Unlock()
				if desk.mostAlone > 4 || desk.most > test.concurrency {
					t.Errorf("got %d matches at the same time, and %d of one program, want at most 4 and %d", desk.mostAlone, desk.most, test.concurrency)
				}
			})
		})
	}
}

// TestProgramsBeginAsManyMatchesInAnHourAsTheyCan also has a player that is connected, which
// plays programs that have no match with each other left.
func TestProgramsBeginAsManyMatchesInAnHourAsTheyCan(t *testing.T) {
	programs := newPrograms(4, 1, 0, 1)
	programs.hourly = 30
	withSettings(t, 0, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.fast = time.Second
		create(t, o, "format: ladder", 2)
		time.Sleep(10 * time.Minute) // all at once, and those of these minutes
		if n := desk.begun(0); n < 33 || n > 36 {
			t.Errorf("got %d matches in the first ten minutes, want 30 and about 5", n)
		}
		before := desk.begun(0)
		time.Sleep(time.Hour)
		if n := desk.begun(0) - before; n < 29 || n > 31 {
			t.Errorf("got %d matches in the next hour, want about 30", n)
		}
	})
	programs = newPrograms(4, 1, 1, 2)
	programs.hourly = 1
	withSettings(t, 1, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.fast = time.Second
		create(t, o, "format: ladder", 3)
		time.Sleep(10 * time.Minute)
		if alone, connected := desk.pair(1, 2), desk.pair(0, 1)+desk.pair(0, 2); alone > 1 || connected < 50 {
			t.Errorf("got %d matches between programs and %d with a connected player, want at most 1 and at least 50", alone, connected)
		}
	})
}

func TestPlayerWhoseProgramRestsIsSeatedOnlyIfItIsConnected(t *testing.T) {
	programs := newPrograms(4, 1, 0, 1, 2)
	withSettings(t, 1, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.fast = time.Second
		create(t, o, "format: ladder", 3)
		time.Sleep(time.Minute)
		programs.set("p02", 0)
		time.Sleep(5 * time.Second) // its last match
		rested := desk.pair(0, 2) + desk.pair(1, 2)
		time.Sleep(time.Minute)
		if n := desk.pair(0, 2) + desk.pair(1, 2); n != rested {
			t.Errorf("p02, whose program rests, got %d matches, want none", n-rested)
		}
		programs.set("p00", 0) // it is connected
		before := desk.pair(0, 1)
		time.Sleep(5 * time.Minute)
		if n := desk.pair(0, 1) - before; n < 3 {
			t.Errorf("p00, which is connected, got %d matches with p01, want some", n)
		}
		programs.set("p02", 7)
		time.Sleep(time.Minute)
		if n := desk.pair(1, 2); n == 0 {
			t.Error("p02 got no match with its new version, want some")
		}
		list, err := d.Ratings(t.Context(), "duel")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if want := map[string]int{"p00": 0, "p01": 1, "p02": 7}[s.Name]; s.Version != want {
				t.Errorf("got version %d of %s in the ratings, want %d", s.Version, s.Name, want)
			}
		}
	})
}

func TestProgramThatCannotBeStartedHoldsUpNobody(t *testing.T) {
	programs := newPrograms(4, 1, numbers(6)...)
	withSettings(t, 0, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.fast, desk.broken["p00"] = time.Second, true
		create(t, o, "format: ladder", 6)
		time.Sleep(15 * time.Minute) // it is tried once a minute or two
		tried, others := 0, 0
		for i := range 6 {
			for j := i + 1; j < 6; j++ {
				if n := desk.pair(i, j); i == 0 {
					tried += n
				} else {
					others += n
				}
			}
		}
		if tried < 3 || tried > 100 || others < 1200 {
			t.Errorf("got %d matches of the broken program and %d of the others, want a few and at least 1200", tried, others)
		}
	})
}

// In rounds, programs play at once, and only players that connect are engaged.
func TestRoundsOfProgramsWaitForNobody(t *testing.T) {
	all := numbers(8)
	programs := newPrograms(3, 1, all[:6]...)
	withSettings(t, 8, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.fast = time.Second
		desk.serves = desk.serves[5:] // p05, for which a program plays, p06 and p07
		create(t, o, "format: round-robin", 8)
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		desk.mu.Lock()
		engaged := maps.Clone(desk.engaged)
		desk.mu.Unlock()
		if want := map[string]int{"p06": 1, "p07": 1}; !maps.Equal(engaged, want) {
			t.Errorf("got %v engaged, want %v", engaged, want)
		}
		programs.set("p06", 3)
		time.Sleep(time.Second)
		desk.mu.Lock()
		if desk.engaged["p06"] != 0 {
			t.Error("got p06 engaged, want it free since a program plays for it")
		}
		desk.mu.Unlock()
		time.Sleep(3 * time.Minute)
		v := view(t, d)
		if v.Phase != contest.Ended || v.Done != v.All {
			t.Errorf("got the contest %s with %d of %d matches, want it ended", v.Phase, v.Done, v.All)
		}
		walkovers := slices.ContainsFunc(v.Matches, func(m contest.MatchView) bool { return len(m.Absent) > 0 })
		if walkovers || desk.mostAlone > 3 {
			t.Errorf("got walkovers: %v, and %d matches of programs at the same time, want none and at most 3", walkovers, desk.mostAlone)
		}
	})
}

// While no host runs programs, connected players play each other and bots, and nobody tries
// to play a match of a program.
func TestProgramsWaitForAHostAndHoldUpNobody(t *testing.T) {
	for _, test := range []struct {
		format string
		least  int // matches of p00 and p03
	}{{"format: ladder", 3}, {"format: round-robin", 1}} {
		t.Run(test.format, func(t *testing.T) {
			programs := newPrograms(0, 1, 1, 2)
			withSettings(t, 4, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
				desk.fast = time.Second
				create(t, o, test.format, 4)
				if err := o.Start(t.Context(), "cup"); err != nil && test.least == 1 {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				desk.mu.Lock()
				if desk.most > 0 || len(desk.graces) < test.least {
					t.Errorf("without a host: got programs in %d matches at the same time, and %d matches, want none and at least %d", desk.most, len(desk.graces), test.least)
				}
				desk.mu.Unlock()
				if n := view(t, d).Done; n < test.least {
					t.Errorf("without a host: got %d matches, want at least %d", n, test.least)
				}
				programs.setLimit(4)
				time.Sleep(5 * time.Minute)
				for _, pair := range [][2]int{{0, 1}, {1, 2}} {
					if desk.pair(pair[0], pair[1]) == 0 {
						t.Errorf("with a host: got no match of p%02d and p%02d, want one", pair[0], pair[1])
					}
				}
			})
		})
	}
}

func TestThatNoHostRunsProgramsIsLoggedOnce(t *testing.T) {
	programs := newPrograms(0, 1)
	var log bytes.Buffer
	d := New(contest.Organizer{}, nil, nil, Settings{Programs: programs}, slog.New(slog.NewTextHandler(&log, nil)))
	for _, limit := range []int{0, 0, 0, 4, 4, 0, 0} {
		programs.setLimit(limit)
		if got := d.limit(); got != limit {
			t.Errorf("got the limit %d, want %d", got, limit)
		}
	}
	if warned, back := strings.Count(log.String(), "level=WARN"), strings.Count(log.String(), "level=INFO"); warned != 2 || back != 1 {
		t.Errorf("got %d warnings and %d ends of them, want 2 and 1:\n%s", warned, back, &log)
	}
}
