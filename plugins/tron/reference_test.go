package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// slow is an independent implementation of the rules. It knows a match only by the first
// lines of the spectators and the answers, and keeps the whole path of each rider.
type slow struct {
	width, height int
	riders        []*rider
	lines         []string // of the ticks
}

type rider struct {
	path [][2]int
	way  string
	team string
	last int // the tick at which it crashed; 0: it rides
}

var vectors = map[string][2]int{"U": {0, -1}, "D": {0, 1}, "L": {-1, 0}, "R": {1, 0}}

func newSlow(stream []string) *slow {
	var s slow
	var tick, players int
	scan(stream[0], &s.width, &s.height, &tick, &players)
	for _, line := range stream[1 : 1+players] {
		var at [2]int
		r := &rider{}
		scan(line, &at[0], &at[1], &r.way, &r.team)
		r.path = [][2]int{at}
		s.riders = append(s.riders, r)
	}
	return &s
}

func scan(line string, values ...any) {
	if _, err := fmt.Sscan(line, values...); err != nil {
		panic(fmt.Sprintf("%q: %v", line, err))
	}
}

func (s *slow) riding() (teams []string) {
	for _, r := range s.riders {
		if r.last == 0 && !slices.Contains(teams, r.team) {
			teams = append(teams, r.team)
		}
	}
	return teams
}

// blocked reports whether a place is outside or on a path.
func (s *slow) blocked(at [2]int) bool {
	return min(at[0], at[1]) < 0 || at[0] >= s.width || at[1] >= s.height ||
		slices.ContainsFunc(s.riders, func(r *rider) bool { return slices.Contains(r.path, at) })
}

// play moves everybody, by the lines of those who ride.
func (s *slow) play(said map[int]string) {
	aims := map[[2]int][]*rider{}
	for seat, r := range s.riders {
		if r.last > 0 {
			continue
		}
		head := r.path[len(r.path)-1]
		if v, ok := vectors[said[seat]]; ok && v[0]*vectors[r.way][0]+v[1]*vectors[r.way][1] >= 0 {
			r.way = said[seat]
		}
		aim := [2]int{head[0] + vectors[r.way][0], head[1] + vectors[r.way][1]}
		aims[aim] = append(aims[aim], r)
	}
	tick := len(s.lines) + 1
	for aim, riders := range aims {
		for _, r := range riders {
			if len(riders) > 1 || s.blocked(aim) {
				r.last = tick
			}
		}
	}
	for aim, riders := range aims {
		if riders[0].last == 0 {
			riders[0].path = append(riders[0].path, aim)
		}
	}
	text := ""
	for _, r := range s.riders {
		at := r.path[len(r.path)-1]
		if r.last > 0 {
			at = [2]int{-1, -1}
		}
		text += fmt.Sprintf(" %d %d", at[0], at[1])
	}
	s.lines = append(s.lines, text[1:])
}

// points returns the points of the seats: a win is 1 and a draw a half, of each two teams.
func (s *slow) points() []float64 {
	ends := map[string]int{}
	for _, r := range s.riders {
		end := r.last
		if end == 0 {
			end = 1 << 30
		}
		ends[r.team] = max(ends[r.team], end)
	}
	var list []float64
	for _, r := range s.riders {
		sum := 0.0
		for team, end := range ends {
			switch {
			case team == r.team:
			case end < ends[r.team]:
				sum++
			case end == ends[r.team]:
				sum += 0.5
			}
		}
		list = append(list, sum)
	}
	return list
}

// wayward is a player of any kind: sometimes late, sometimes nonsensical, mostly straight.
func wayward(seed uint64) gametest.Player {
	r := driver.NewRand(seed, 0)
	return func(q gametest.Question) (string, error) {
		switch r.Intn(12) {
		case 0:
			return "", sdk.ErrTimeout
		case 1:
			return "u -1", nil
		case 2, 3, 4:
			return ways[r.Intn(4)], nil
		default:
			return "", nil
		}
	}
}

func TestMatchesAreThoseOfAnotherReferee(t *testing.T) {
	t.Parallel()
	ends := map[string]int{}
	for seed := range uint64(gametest.Fewer(300)) {
		r := driver.NewRand(seed, 9)
		args := map[string]string{"width": fmt.Sprint(8 + r.Intn(20)), "height": fmt.Sprint(8 + r.Intn(20)), "bot": []string{"random", "newcomer", "beginner"}[r.Intn(3)]}
		players := make([]gametest.Player, 2+r.Intn(3))
		if len(players) == 4 && r.Intn(2) == 0 {
			args["teams"] = "yes"
		}
		for seat := range players {
			switch r.Intn(5) {
			case 0:
				players[seat] = wayward(seed*10 + uint64(seat))
			case 1:
				players[seat] = gametest.Leaving(r.Intn(20), gametest.Random(seed))
			}
		}
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: players, Args: args, Seed: seed})
		stream := strings.Split(strings.TrimSuffix(got.Spectators, "\n"), "\n")
		s := newSlow(stream)
		answers := got.Answers
		for len(s.riding()) > 1 {
			said := map[int]string{}
			for _, rider := range s.riders {
				if rider.last > 0 {
					continue
				}
				if len(answers) == 0 {
					t.Fatalf("seed %d, %v: no answers are left at tick %d\n%s", seed, args, len(s.lines)+1, got)
				}
				said[answers[0].Seat] = answers[0].Line
				answers = answers[1:]
			}
			s.play(said)
		}
		if a, b := stream[1+len(players):], s.lines; !slices.Equal(a, b) {
			t.Fatalf("seed %d, %v: got the ticks\n%s\nwant\n%s", seed, args, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		if len(answers) > 0 {
			t.Fatalf("seed %d, %v: %d answers more than questions", seed, args, len(answers))
		}
		for seat, want := range s.points() {
			if got := got.Result.Seats[seat]; got.Score != want || got.Ended != driver.EndedFinished {
				t.Fatalf("seed %d, %v: seat %d ended %q with %v points, want finished with %v", seed, args, seat, got.Ended, got.Score, want)
			}
		}
		ends[fmt.Sprint(len(players), " players, ", len(s.riding()), " teams left ", args["teams"])]++
	}
	for _, kind := range []string{"2 players, 0 teams left ", "2 players, 1 teams left ", "3 players, 1 teams left ", "4 players, 1 teams left ", "4 players, 1 teams left yes"} {
		if ends[kind] == 0 {
			t.Errorf("no match of the kind %q: %v", kind, ends)
		}
	}
}
