package director

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/internal/test/long"
)

// boards is a runner that watches the players of teams.
type boards struct {
	*chance
	mu      sync.Mutex // guards the fields below
	playing map[string]bool
	crowded bool // a player had two matches at the same time
	most    int  // matches of one team at the same time
	teams   map[int]int
}

func (b *boards) Play(ctx context.Context, m contest.Match) ([]int, error) {
	b.mu.Lock()
	for i, e := range m.Entries {
		b.crowded = b.crowded || b.playing[e.Player] || e.Player == ""
		b.playing[e.Player] = true
		b.teams[m.Seats[i]]++
		b.most = max(b.most, b.teams[m.Seats[i]])
	}
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for i, e := range m.Entries {
			delete(b.playing, e.Player)
			b.teams[m.Seats[i]]--
		}
	}()
	return b.chance.Play(ctx, m)
}

// newTeams returns a contest of teams with three players each, which has started.
func newTeams(t *testing.T, seed uint64, text string, teams int) *tournament {
	t.Helper()
	var list strings.Builder
	fmt.Fprintf(&list, "name: cup\ngame: duel\nseed: %d\n%s\nentries:\n", seed+1, text)
	for i := range teams {
		fmt.Fprintf(&list, "  - {name: t%d, team: {captain: p%d, players: [p%d, q%d, r%d]}}\n", i, i, i, i, i)
	}
	m := newMemory()
	o := contest.Organizer{Store: m}
	spec, err := o.Create(t.Context(), []byte(list.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	return &tournament{t: t, store: m, runner: &chance{store: m, rand: r, playing: map[legKey]bool{}, entries: map[int]int{}}, rand: rand.New(rand.NewPCG(seed, 1)), spec: spec}
}

var teamFormats = []string{
	"format: round-robin\nteams: {size: 3}", "format: swiss\nrounds: 4\nmatches: 1\nteams: {size: 2, reserves: 1, points: match}",
	"format: knockout\nteams: {size: 3, points: match}\nmatches: 1", "format: double-elimination\nteams: {size: 2, reserves: 1}",
}

func TestTeamsPlayToTheEnd(t *testing.T) {
	for _, text := range teamFormats {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newTeams(t, 1, text, 7)
				b := &boards{chance: x.runner, playing: map[string]bool{}, teams: map[int]int{}}
				if err := x.playBy(b, 24*time.Hour, 6, true); err != nil {
					t.Fatal(err)
				}
				x.check()
				x.checkBoards()
				if b.crowded || b.most < 2 {
					t.Errorf("got a player with two matches at the same time: %t, and %d matches of one team at most, want none, and several", b.crowded, b.most)
				}
				x.checkRatings()
			})
		})
	}
}

// checkBoards compares the standings with the sums of the matches that were played.
func (x *tournament) checkBoards() {
	x.t.Helper()
	s := x.state()
	v, err := s.View(nil)
	if err != nil {
		x.t.Fatal(err)
	}
	points, played := map[string]float64{}, map[string]int{}
	for _, m := range v.Matches {
		for i, p := range m.Players {
			if i < len(m.Points) {
				points[m.Seats[i]] += m.Points[i]
				points[m.Seats[i]+" "+p] += m.Points[i]
			}
			if m.ID != "" {
				played[m.Seats[i]]++
				played[m.Seats[i]+" "+p]++
			}
		}
	}
	for _, r := range v.Standings {
		sum := 0.0
		for _, b := range r.Boards {
			sum += b.Points
			key := r.Name + " " + b.Player
			if b.Points != points[key] || b.Played != played[key] || b.Wins+b.Draws+b.Losses != b.Played {
				x.t.Errorf("%s of %s: got %+v, want %v points in %d matches", b.Player, r.Name, b, points[key], played[key])
			}
		}
		if sum > points[r.Name]+1e-9 || r.Played > played[r.Name] { // those of a team that withdrew early count for nobody
			x.t.Errorf("%s: got %v points on its boards in %d matches, want at most %v in %d", r.Name, sum, r.Played, points[r.Name], played[r.Name])
		}
	}
}

// checkRatings checks that the players have ratings of the game, and their teams have none.
func (x *tournament) checkRatings() {
	x.t.Helper()
	ratings, err := contest.LoadRatings(x.t.Context(), x.store, "duel", 0)
	if err != nil {
		x.t.Fatal(err)
	}
	played := map[string]int{}
	for _, r := range x.store.results {
		for seat := range r.Seats {
			if !r.Aborted {
				played[x.store.records[r.Match].Seats[seat].Name]++
			}
		}
	}
	list := ratings.Standings(time.Now())
	for _, r := range list {
		if r.Played != played[r.Name] || strings.HasPrefix(r.Name, "t") {
			x.t.Errorf("got the rating of %s from %d matches, want players with their matches, of which it has %d", r.Name, r.Played, played[r.Name])
		}
	}
	if len(list) != len(played) {
		x.t.Errorf("got %d ratings, want %d", len(list), len(played))
	}
}

func TestRandomContestsOfTeamsSurviveKillsAndChanges(t *testing.T) {
	contests := 24
	if long.Run() {
		contests = 240
	}
	for i := range contests {
		synctest.Test(t, func(t *testing.T) { playRandomTeams(t, i, teamFormats[i%len(teamFormats)]) })
		if t.Failed() {
			t.Fatalf("contest %d failed", i)
		}
	}
}

// playRandomTeams is playRandom with teams.
func playRandomTeams(t *testing.T, number int, text string) {
	x := newTeams(t, uint64(number), text, 2+number%7)
	x.runner.faults = true
	o := contest.Organizer{Store: x.store}
	for range 2000 {
		err := x.play(time.Duration(1+x.rand.IntN(8000))*time.Millisecond, 1+number%4, number%2 == 0)
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		s := x.state()
		if s.Phase == contest.Ended {
			continue
		}
		team := fmt.Sprint("t", x.rand.IntN(len(s.Entries)))
		n, _ := s.Number(team)
		members := slices.Clone(s.Entries[n].Team.Players)
		switch x.rand.IntN(12) {
		case 0:
			if x.rand.IntN(2) == 0 {
				err = o.Withdraw(t.Context(), "cup", []string{team}, false)
			} else {
				err = o.Leave(t.Context(), "cup", s.Entries[n].Team.Captain)
			}
		case 1, 2, 3:
			x.rand.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			err = o.LineUp(t.Context(), "cup", "", team, members)
		case 4:
			if len(members) > 1 {
				err = o.Leave(t.Context(), "cup", members[len(members)-1])
			}
		default:
			err = nil
		}
		if err != nil && !strings.Contains(err.Error(), "needs") && !strings.Contains(err.Error(), "is in no team") {
			t.Fatal(err)
		}
	}
	x.check()
	x.checkBoards()
	x.checkRatings()
}

// Two teams of three boards: programs play for some players, one player does not come, and the
// reserve is free for others.
func TestTeamsOfConnectedPlayersAndPrograms(t *testing.T) {
	programs := newPrograms(4, 1, 1, 4)
	withSettings(t, 8, Settings{Parallel: 100, Programs: programs}, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		desk.absent["p05"] = true
		desk.fast = time.Second
		spec := "name: cup\ngame: duel\nseed: 7\nformat: swiss\nrounds: 1\nmatches: 1\nteams: {size: 3, reserves: 1}\nentries:\n" +
			"  - {name: reds, team: {captain: p00, players: [p00, p01, p02, p03]}}\n  - {name: blues, team: {players: [p04, p05, p06]}}\n"
		if _, err := o.Create(t.Context(), []byte(spec)); err != nil {
			t.Fatal(err)
		}
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		free := map[string]bool{}
		for _, w := range desk.Free("duel") {
			free[w.Player] = true
		}
		for player, want := range map[string]bool{"p00": false, "p01": true, "p02": false, "p03": true, "p04": true, "p06": false, "p07": true} {
			if free[player] != want {
				t.Errorf("%s is free: got %t, want %t", player, free[player], want)
			}
		}
		time.Sleep(time.Hour)
		v, err := d.View(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		if v.Phase != contest.Ended {
			t.Fatalf("got the contest %s, want it ended", v.Phase)
		}
		for i, want := range []string{"finished [p00 p04] [0 1]", "walkover [p05 p01] []", "finished [p02 p06] []"} {
			m := v.Matches[i]
			if got := fmt.Sprint(m.State, " ", m.Players, " ", m.Versions); got != want {
				t.Errorf("board %d: got %s, want %s", i+1, got, want)
			}
		}
		if absent := v.Matches[1].Absent; !slices.Equal(absent, []string{"blues"}) {
			t.Errorf("got %v absent, want the blues", absent)
		}
	})
}
