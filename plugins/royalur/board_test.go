package main

import (
	"math"
	"slices"
	"testing"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// on returns a board with the tokens of both sides on the given places, by number, and
// the other tokens at the start.
func on(first, second []int) *board {
	b := &board{}
	for side, places := range [][]int{first, second} {
		for token, place := range places {
			b.at[side][token] = uint8(place)
			switch {
			case place == home:
				b.home[side]++
			case place != start:
				b.occupied[side] |= 1 << place
			}
		}
	}
	return b
}

func TestLegalTokens(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6}
	tests := []struct {
		name          string
		first, second []int
		roll          int
		want          []int
	}{
		{"all enter at the first roll", nil, nil, 3, all},
		{"no heads never move", []int{4, 9}, nil, 0, nil},
		{"own token blocks", []int{2}, nil, 2, []int{0}},
		{"own token on the near rosette blocks", []int{4, 1}, nil, 3, []int{0, 2, 3, 4, 5, 6}},
		{"opponent's private cells do not block", nil, []int{4, 2}, 4, all},
		{"opponent's token on the far rosette does not block", []int{12, 15, 15, 15, 15, 15, 15}, []int{14}, 2, []int{0}},
		{"opponent's token can be captured", []int{5, 15, 15, 15, 15, 15, 15}, []int{7}, 2, []int{0}},
		{"opponent's token on the middle rosette is safe", []int{5, 15, 15, 15, 15, 15, 15}, []int{8}, 3, nil},
		{"own token on the middle rosette blocks", []int{5, 8, 15, 15, 15, 15, 15}, nil, 3, []int{1}},
		{"cell 14 leaves with 1", []int{14, 15, 15, 15, 15, 15, 15}, nil, 1, []int{0}},
		{"cell 14 does not leave with 2", []int{14, 15, 15, 15, 15, 15, 15}, nil, 2, nil},
		{"cell 14 does not leave with 4", []int{14, 15, 15, 15, 15, 15, 15}, nil, 4, nil},
		{"cell 12 leaves with 3", []int{12, 15, 15, 15, 15, 15, 15}, nil, 3, []int{0}},
		{"cell 11 leaves with 4", []int{11, 15, 15, 15, 15, 15, 15}, nil, 4, []int{0}},
		{"cell 12 does not leave with 4", []int{12, 15, 15, 15, 15, 15, 15}, nil, 4, nil},
		{"a token at home stays there", []int{15, 15, 15, 15, 15, 15, 15}, nil, 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := on(tt.first, tt.second).legal(0, tt.roll); !slices.Equal(got, tt.want) {
				t.Errorf("legal tokens %v, want %v", got, tt.want)
			}
			if got := on(tt.second, tt.first).legal(1, tt.roll); !slices.Equal(got, tt.want) {
				t.Errorf("second player: legal tokens %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMoves(t *testing.T) {
	tests := []struct {
		name          string
		first, second []int // token 0 of first moves
		roll          int
		want          *board
		again         bool
	}{
		{"enters", nil, nil, 3, on([]int{3}, nil), false},
		{"near rosette plays again", nil, nil, 4, on([]int{4}, nil), true},
		{"middle rosette plays again", []int{6}, nil, 2, on([]int{8}, nil), true},
		{"far rosette plays again", []int{12}, nil, 2, on([]int{14}, nil), true},
		{"captures on the first shared cell", []int{4}, []int{0, 5}, 1, on([]int{5}, nil), false},
		{"captures on the last shared cell", []int{9}, []int{12, 7}, 3, on([]int{12}, []int{0, 7}), false},
		{"passes over an opponent", []int{5}, []int{6}, 2, on([]int{7}, []int{6}), false},
		{"does not capture on cell 4", []int{1}, []int{4}, 3, on([]int{4}, []int{4}), true},
		{"does not capture on cell 13", []int{12}, []int{13}, 1, on([]int{13}, []int{13}), false},
		{"does not capture on cell 14", []int{13}, []int{14}, 1, on([]int{14}, []int{14}), true},
		{"leaves the track and does not play again", []int{14}, []int{15}, 1, on([]int{15}, []int{15}), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for side := range 2 {
				b, want := on(tt.first, tt.second), *tt.want
				if side == 1 {
					b = on(tt.second, tt.first)
					want.at[0], want.at[1] = want.at[1], want.at[0]
					want.occupied[0], want.occupied[1] = want.occupied[1], want.occupied[0]
					want.home[0], want.home[1] = want.home[1], want.home[0]
				}
				if again := b.move(side, 0, tt.roll); again != tt.again {
					t.Errorf("side %d: plays again %v, want %v", side, again, tt.again)
				}
				if *b != want {
					t.Errorf("side %d: got %+v, want %+v", side, *b, want)
				}
			}
		})
	}
}

func TestTheSeventhTokenWins(t *testing.T) {
	b := on([]int{14, 15, 15, 15, 15, 15, 15}, nil)
	if b.won(0) || b.won(1) {
		t.Fatalf("before the last token left: won by the first %v, by the second %v, want neither", b.won(0), b.won(1))
	}
	b.move(0, 0, 1)
	if !b.won(0) || b.won(1) {
		t.Errorf("won by the first %v, by the second %v, want only the first", b.won(0), b.won(1))
	}
}

// track is an independent implementation of the game. Squares have names, and the token
// on a square is found by a search among all tokens.
type track struct{ steps [2][7]int }

func (k *track) square(side, step int) string {
	names := [2][16]string{
		{"", "a1", "a2", "a3", "a4*", "m1", "m2", "m3", "m4*", "m5", "m6", "m7", "m8", "a5", "a6*", ""},
		{"", "b1", "b2", "b3", "b4*", "m1", "m2", "m3", "m4*", "m5", "m6", "m7", "m8", "b5", "b6*", ""},
	}
	return names[side][step]
}

// tokenOn returns the side and number of the token on a square.
func (k *track) tokenOn(square string) (side, token int, ok bool) {
	for side := range k.steps {
		for token, step := range k.steps[side] {
			if square != "" && k.square(side, step) == square {
				return side, token, true
			}
		}
	}
	return 0, 0, false
}

func (k *track) legal(side, n int) (list []int) {
	for token, step := range k.steps[side] {
		if n == 0 || step == 15 || step+n > 15 {
			continue
		}
		square := k.square(side, step+n)
		owner, _, taken := k.tokenOn(square)
		rosette := square != "" && square[len(square)-1] == '*'
		if !taken || owner != side && !rosette {
			list = append(list, token)
		}
	}
	return list
}

func (k *track) move(side, token, n int) (again bool) {
	square := k.square(side, k.steps[side][token]+n)
	if owner, captured, taken := k.tokenOn(square); taken {
		k.steps[owner][captured] = 0
	}
	k.steps[side][token] += n
	return square != "" && square[len(square)-1] == '*'
}

func TestRandomGamesFollowAnIndependentGenerator(t *testing.T) {
	t.Parallel()
	r := driver.NewRand(1, 0)
	for range gametest.Fewer(1000) {
		var b board
		var k track
		for mover, again := 0, false; !b.won(0) && !b.won(1); {
			n := r.Intn(2) + r.Intn(2) + r.Intn(2) + r.Intn(2)
			legal := b.legal(mover, n)
			if want := k.legal(mover, n); !slices.Equal(legal, want) {
				t.Fatalf("%+v, side %d, roll %d: legal tokens %v, want %v", b, mover, n, legal, want)
			}
			again = false
			if len(legal) > 0 {
				token := legal[r.Intn(len(legal))]
				again = b.move(mover, token, n)
				if want := k.move(mover, token, n); again != want {
					t.Fatalf("%+v: plays again %v, want %v", b, again, want)
				}
			}
			if want := on(k.steps[0][:], k.steps[1][:]); b != *want {
				t.Fatalf("board %+v, want %+v", b, *want)
			}
			for c := firstShared; c <= lastShared; c++ {
				if b.occupied[0]&b.occupied[1]&(1<<c) != 0 {
					t.Fatalf("%+v: both sides are on cell %d, want one", b, c)
				}
			}
			if !again {
				mover = 1 - mover
			}
		}
	}
}

// playRandom plays a game of uniformly random legal moves. It returns the number of
// rolls and the winner.
func playRandom(r *driver.Rand) (rolls, winner int) {
	var b board
	for mover := 0; ; rolls++ {
		n := r.Intn(2) + r.Intn(2) + r.Intn(2) + r.Intn(2)
		again := false
		if legal := b.legal(mover, n); len(legal) > 0 {
			again = b.move(mover, legal[r.Intn(len(legal))], n)
			if b.won(mover) {
				return rolls + 1, mover
			}
		}
		if !again {
			mover = 1 - mover
		}
	}
}

// An independent program played 400,000 games: 169.06 rolls a game with a standard
// deviation of 24.96, and 51.30 % won by the first player.
func TestRandomGamesHaveTheKnownLength(t *testing.T) {
	t.Parallel()
	games := gametest.Fewer(20000)
	r := driver.NewRand(2, 0)
	rolls, wins := 0, 0
	for range games {
		n, winner := playRandom(r)
		rolls += n
		wins += 1 - winner
	}
	mean, share, root := float64(rolls)/float64(games), float64(wins)/float64(games), math.Sqrt(float64(games))
	t.Logf("%.2f rolls a game, %.2f %% won by the first player", mean, 100*share)
	if e := 24.96 / root; math.Abs(mean-169.06) > 4*e {
		t.Errorf("%.2f rolls a game, want 169.06 with a standard error of %.2f", mean, e)
	}
	if e := 0.5 / root; math.Abs(share-0.513) > 4*e {
		t.Errorf("the first player won %.4f of the games, want 0.5130 with a standard error of %.4f", share, e)
	}
}

func BenchmarkRandomGame(b *testing.B) {
	r := driver.NewRand(3, 0)
	rolls := 0
	for b.Loop() {
		n, _ := playRandom(r)
		rolls += n
	}
	b.ReportMetric(float64(rolls)/b.Elapsed().Seconds(), "plies/s")
}
