package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

// small are the parameters of a small board.
var small = map[string]string{"width": "4", "height": "3", "colours": "2"}

// TestMovesAreThoseOfTheReference plays random matches on boards of all sizes, and compares
// each position with that of another implementation.
func TestMovesAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		width, height := 2+r.IntN(9), 2+r.IntN(9)
		b := deal(width, height, 2+r.IntN(5), r.IntN)
		ref := newReference(b.rows())
		for {
			moves := b.moves()
			if want := ref.moves(height); !slices.Equal(moves, want) {
				t.Fatalf("got the moves %q, want %q on\n%s", moves, want, strings.Join(b.rows(), "\n"))
			}
			if b.empty() != (len(ref) == 0) {
				t.Fatalf("got empty=%t on\n%s", b.empty(), strings.Join(b.rows(), "\n"))
			}
			if len(moves) == 0 {
				break
			}
			move := moves[r.IntN(len(moves))]
			before := strings.Join(b.rows(), "\n")
			n := b.remove(parse(move))
			if want := ref.remove(move, height); n != want {
				t.Fatalf("got %d blocks removed by %q, want %d on\n%s", n, move, want, before)
			}
			if got, want := b.rows(), ref.rows(width, height); !slices.Equal(got, want) {
				t.Fatalf("after %q on\n%s\ngot\n%s\nwant\n%s", move, before, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// reference is a board as columns from the left, each from the bottom to the top. Columns
// and blocks that are gone are not in it, so nothing has to fall.
type reference []string

func newReference(rows []string) reference {
	ref := make(reference, len(rows[0]))
	for _, row := range rows {
		for x := range ref {
			ref[x] = row[x:x+1] + ref[x]
		}
	}
	return ref
}

func (r reference) rows(width, height int) (rows []string) {
	for y := height - 1; y >= 0; y-- {
		row := ""
		for x := range width {
			if x < len(r) && y < len(r[x]) {
				row += r[x][y : y+1]
			} else {
				row += "."
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// group returns the cells that are connected with one, by growing a set until it stays.
func (r reference) group(x, y int) map[[2]int]bool {
	set := map[[2]int]bool{{x, y}: true}
	for size := 0; size < len(set); {
		size = len(set)
		for a := range r {
			for b := range r[a] {
				near := set[[2]int{a - 1, b}] || set[[2]int{a + 1, b}] || set[[2]int{a, b - 1}] || set[[2]int{a, b + 1}]
				if near && r[a][b] == r[x][y] {
					set[[2]int{a, b}] = true
				}
			}
		}
	}
	return set
}

// moves returns the cells of groups, from the top row and the left.
func (r reference) moves(height int) (list []string) {
	for y := height - 1; y >= 0; y-- {
		for x := range r {
			if y < len(r[x]) && len(r.group(x, y)) > 1 {
				list = append(list, fmt.Sprintf("%d %d", x, height-1-y))
			}
		}
	}
	return list
}

func (r *reference) remove(move string, height int) (n int) {
	var x, y int
	_, _ = fmt.Sscan(move, &x, &y)
	group := r.group(x, height-1-y)
	var rest reference
	for a := range *r {
		column := ""
		for b := range (*r)[a] {
			if !group[[2]int{a, b}] {
				column += (*r)[a][b : b+1]
			}
		}
		if column != "" {
			rest = append(rest, column)
		}
	}
	*r = rest
	return len(group)
}

// TestASearchBeatsTheGreedyPlayer plays the same boards with both example players.
func TestASearchBeatsTheGreedyPlayer(t *testing.T) {
	t.Parallel()
	const boards = 3
	score := func(file string) (sum float64) {
		command := gamefixture.Command(t, file)
		for seed := range uint64(boards) {
			p := gamefixture.StartProgram(t, command...)
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{p.Answer}, Seed: seed})
			p.Finish(got.Seats[0])
			sum += got.Result.Seats[0].Score
		}
		return sum / boards
	}
	search, greedy := score("players/player.go"), score("players/player.py")
	t.Logf("mean of %d boards: search %v, greedy %v", boards, search, greedy)
	if search < 2*greedy {
		t.Errorf("got a mean of %v points for the search, want twice the %v of the greedy player", search, greedy)
	}
}

func TestRecordedMatchStaysTheSame(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Random(1)}, Seed: 42})
	gametest.Golden(t, "random", got.String())
}

// TestForfeitKeepsThePoints: a run that is broken off is worth what it has until then.
func TestForfeitKeepsThePoints(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("2 2", "3 0")}, Args: small, Seed: 0})
	got.ExpectResult(t, "Player0 forfeits: illegal", "score 25, rank 1, forfeit: illegal")
}

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	seeds := map[string]uint64{"ann": 11, "bob": 2}
	match := func(e gametest.Example) gametest.Match {
		return gametest.Match{Game: &game, Args: small, Seed: seeds[e.Names[0]]}
	}
	gamefixture.CheckExamples(t, match, "", "bob forfeits: illegal")
}

func TestViewerShowsTheMatch(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	for _, tt := range []struct {
		player         gametest.Player
		mine, everyone string // why the match ended
	}{
		{gametest.Random(11), "The board is empty", "The board is empty"},
		{gametest.Script("1 1", "0 0"), "", "Player0 forfeited"},
	} {
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{tt.player}, Args: small, Seed: 11})
		shown = append(shown, gamefixture.Shown{
			Names: []string{"Player0"}, Params: small, Streams: []string{got.Seats[0], got.Spectators}, Ends: []string{tt.mine, tt.everyone}, Drawn: true,
		})
	}
	gamefixture.CheckViewer(t, shown)
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "width", "from 2 to 30", "1", "31")
	gametest.CheckRefused(t, &game, "colours", "from 2 to 6", "1", "7")
}

func TestRulesNameEveryParameter(t *testing.T) {
	gametest.CheckParams(t, "rules.md", &game)
}

func TestExamplePlayers(t *testing.T) {
	for _, player := range gamefixture.Examples(t, "players") {
		t.Run(player, func(t *testing.T) {
			t.Parallel()
			gametest.RunPlayer(t, &game, small, gamefixture.Command(t, player)...)
		})
	}
}
