package main

import (
	"fmt"
	"slices"
	"strings"
)

// slow is an independent implementation of the rules: an array of rows from the top,
// with "" for an empty square, and for a tower "b" or "w" and the letter of its colour.
type slow struct {
	grid   [8][8]string
	played []string
}

func newSlow() *slow {
	k := &slow{}
	for c := range 8 {
		k.grid[0][c] = "w" + k.colour(0, c)
		k.grid[7][c] = "b" + k.colour(7, c)
	}
	return k
}

func (k *slow) colour(r, c int) string {
	i := (((c-r)*(2*r+1))%8 + 8) % 8
	return "OBPKYRGN"[i : i+1]
}

func (k *slow) mover() string { return []string{"b", "w"}[len(k.played)%2] }

func (k *slow) moves() (list []string) {
	want := ""
	if len(k.played) > 0 {
		last := k.played[len(k.played)-1]
		want = k.colour(int('8'-last[3]), int(last[2]-'a'))
	}
	ahead := map[string]int{"b": -1, "w": 1}[k.mover()]
	zero := ""
	for r := range 8 {
		for c := range 8 {
			tower := k.grid[r][c]
			if !strings.HasPrefix(tower, k.mover()) || want != "" && tower[1:] != want {
				continue
			}
			from := fmt.Sprintf("%c%d", 'a'+c, 8-r)
			zero = from + from
			for _, sideways := range []int{-1, 0, 1} {
				for n := 1; n < 8; n++ {
					y, x := r+n*ahead, c+n*sideways
					if y < 0 || y > 7 || x < 0 || x > 7 || k.grid[y][x] != "" {
						break
					}
					list = append(list, fmt.Sprintf("%s%c%d", from, 'a'+x, 8-y))
				}
			}
		}
	}
	if list == nil {
		list = []string{zero}
	}
	slices.Sort(list)
	return list
}

func (k *slow) play(line string) {
	from, to := &k.grid['8'-line[1]][line[0]-'a'], &k.grid['8'-line[3]][line[2]-'a']
	tower := *from
	*from = ""
	*to = tower
	k.played = append(k.played, line)
}

// loser returns the side that has lost: the one whose home row was reached, or, in a
// deadlock, the one that made the last move of more than distance zero.
func (k *slow) loser() (int, bool) {
	for c := range 8 {
		if strings.HasPrefix(k.grid[0][c], "b") {
			return white, true
		}
		if strings.HasPrefix(k.grid[7][c], "w") {
			return black, true
		}
	}
	last := k.played[len(k.played)-1]
	next := k.moves()[0]
	if last[:2] != last[2:] || next[:2] != next[2:] {
		return 0, false
	}
	for i := len(k.played) - 1; ; i-- {
		if line := k.played[i]; line[:2] != line[2:] {
			return i % 2, true
		}
	}
}

func (k *slow) occupied() (squares uint64) {
	for r := range 8 {
		for c := range 8 {
			if k.grid[r][c] != "" {
				squares |= 1 << (8*(7-r) + c)
			}
		}
	}
	return squares
}
