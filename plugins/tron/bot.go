//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// bot keeps the board from the lines that its seat receives.
func bot(b *sdk.Bot) error {
	first := numbers(b.Read())
	position := emptyBoard(first[0], first[1])
	for seat := 0; seat < first[3]; seat++ {
		position.join(b.Read())
	}
	own, err := strconv.Atoi(b.Read())
	if err != nil {
		return err
	}
	level := b.Choice("bot")
	thinking := func() bool { return b.Searching() } // a script has no method values
	if level == "strong" {
		thinking = func() bool { return b.Thinking() }
	}
	for {
		if position.cycles[own].crashed == 0 {
			p := player{level: level, board: position, own: own, rand: func(n int) int { return b.Rand(n) }, thinking: thinking}
			way, note := p.choose()
			b.Note(note)
			b.Write(ways[way])
		}
		position.follow(numbers(b.Read())) // ends with the match
	}
}

// numbers returns the whole numbers of a line.
func numbers(line string) []int {
	var list []int
	for _, field := range strings.Fields(line) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return list
		}
		list = append(list, n)
	}
	return list
}

// join adds a cycle from its line at the start of the stream.
func (b *board) join(line string) {
	fields := strings.Fields(line)
	place := numbers(line)
	team, err := strconv.Atoi(fields[3])
	if err != nil {
		return
	}
	for way := range ways {
		if ways[way] == fields[2] {
			b.add(place[0], place[1], way, team)
		}
	}
}

// follow moves the cycles to the heads of a tick's line.
func (b *board) follow(heads []int) {
	b.ticks++
	for seat := range b.cycles {
		c := &b.cycles[seat]
		if c.crashed > 0 {
			continue
		}
		if heads[2*seat] < 0 {
			c.crashed = b.ticks
			continue
		}
		cell := b.at(heads[2*seat], heads[2*seat+1])
		for way := range b.steps {
			if c.cell+b.steps[way] == cell {
				c.way = way
			}
		}
		c.cell = cell
		b.taken[cell] = true
	}
}

// player is the bot at one tick.
type player struct {
	level    string
	board    *board
	own      int // seat
	rand     func(n int) int
	thinking func() bool
}

// How far the levels below strong look, and in how many of a hundred ticks they do as the
// random one.
const (
	mediumRounds     = 2
	mediumCareless   = 5
	easyRounds       = 1
	easyCareless     = 8
	beginnerCells    = 150
	beginnerCareless = 1
	newcomerAhead    = 6
	newcomerCareless = 10
)

// choose returns a way at the player's level, and a note about it. All levels avoid cells
// that are taken.
func (p *player) choose() (way int, note string) {
	c := &p.board.cycles[p.own]
	turns := []int{c.way, c.way ^ 2, c.way ^ 3}
	if p.rand(2) == 1 {
		turns = []int{c.way, c.way ^ 3, c.way ^ 2}
	}
	var free []int // ways, with straight on before the others
	for _, way := range turns {
		if !p.board.taken[c.cell+p.board.steps[way]] {
			free = append(free, way)
		}
	}
	switch len(free) {
	case 0:
		return c.way, "no way out"
	case 1:
		return free[0], "the only way"
	}
	lot := p.rand(100)
	switch {
	case p.level == "strong":
		return p.search(free, mostRounds)
	case p.level == "medium" && lot >= mediumCareless:
		return p.search(free, mediumRounds)
	case p.level == "easy" && lot >= easyCareless:
		return p.search(free, easyRounds)
	case p.level == "beginner" && lot >= beginnerCareless:
		return p.roomiest(free), ""
	case p.level == "newcomer" && lot >= newcomerCareless:
		return p.longest(free), ""
	case p.rand(10) > 0:
		return free[0], "" // mostly straight on
	}
	return free[p.rand(len(free))], ""
}

// longest returns the way that is free for the most cells, of the first newcomerAhead.
func (p *player) longest(free []int) int {
	best := free[0]
	most := -1
	for _, way := range free {
		n := 0
		for cell := p.board.cycles[p.own].cell + p.board.steps[way]; n < newcomerAhead && !p.board.taken[cell]; n++ {
			cell += p.board.steps[way]
		}
		if n > most {
			best = way
			most = n
		}
	}
	return best
}

// roomiest returns the way from which the most cells can be reached, of beginnerCells.
func (p *player) roomiest(free []int) int {
	best := free[0]
	most := -1
	for _, way := range free {
		if n := room(p.board, p.board.cycles[p.own].cell+p.board.steps[way], beginnerCells); n > most {
			best = way
			most = n
		}
	}
	return best
}

// room returns how many free cells can be reached from a free one, with it, but at most
// a number.
func room(b *board, from, most int) int {
	seen := append([]bool{}, b.taken...)
	seen[from] = true
	queue := []int{from}
	for i := 0; i < len(queue) && len(queue) < most; i++ {
		for _, step := range b.steps {
			if cell := queue[i] + step; !seen[cell] {
				seen[cell] = true
				queue = append(queue, cell)
			}
		}
	}
	return len(queue)
}
