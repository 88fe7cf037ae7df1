//go:build go1.21

package main

import (
	"errors"
	"math"
	"strconv"

	"colosseum/sdk"
)

// damathMatch is one match of damath. The first player is seat 0 and White.
type damathMatch struct {
	m     *sdk.Match
	board chipBoard
	past  *history

	average Points   // of the chips' values at the start
	moves   []Move   // legal ones
	paths   []string // of moves
	totals  string   // of both sides, from captures
	offered bool     // the side to move has offered to end the match

	damaLeft int
	repeat   int     // same moves of a side's last chip that end the match; 0: no limit
	gameTime float64 // seconds; infinite: no limit
	timeout  float64 // seconds for an answer
	lenient  bool    // the opponent moves for a player who is late

	// lone has, by side, the moves of its last chip since the last capture.
	lone [2][]string
	// late has, by seat, how many LATE lines the player still owes, one for each
	// late answer. stale is how many other lines it can send before them: the late
	// answers themselves.
	late, stale [2]int

	// A script copies the variables of a function for each function literal, so the match
	// has these once. known are the examples of the next question.
	judged   func(thinking func() bool) (float64, string)
	examples func(seat int) []string
	known    []string
}

// minTimeout is the least time for an answer when the match has some left, in seconds.
const minTimeout = 0.1

// errTimeUp means that the time of the whole match is up.
var errTimeUp = errors.New("the time of the game is up")

// playDamath is the referee of damath. The match begins at position.
func playDamath(m *sdk.Match, position Position) error {
	d := &damathMatch{
		m: m, board: newChipBoard(m.Choice("chips"), position), past: newHistory(&damath, m.Int("draw_after"), &position),
		damaLeft: m.Int("dama_left"), repeat: m.Int("repeat"), gameTime: m.Float("game_time"), timeout: m.Timeout(), lenient: m.Choice("late") == "opponent",
	}
	if d.gameTime == 0 {
		d.gameTime = math.Inf(1)
	}
	d.sum()
	d.average = d.board.average()
	d.judged = func(thinking func() bool) (float64, string) { return judgeDamath(thinking, d) }
	d.examples = func(seat int) []string { return d.known }
	m.TellAll(m.Name(0))
	m.TellAll(m.Name(1))
	m.Tell(0, "0")
	m.Tell(1, "1")
	m.TellAll(m.Choice("chips"))
	for pace := m.Float("pace"); !d.over() && d.turn(); {
		m.Pace(pace)
	}
	return nil
}

// player has the names of the sides, for the record.
var player = [2]string{"the first player", "the second player"}

// over lists the legal moves and reports whether the match is over. If it is, over ends it.
func (d *damathMatch) over() bool {
	d.moves = d.board.pos.Moves(&damath, d.moves[:0])
	d.paths = pathTexts(d.moves, damathNames, "")
	if len(d.moves) > 0 && d.past.quiet == 0 {
		return false
	}
	return d.isOver(d.board.pos.Turn)
}

// isOver is over for a turn after a move of a dama, or without legal moves.
func (d *damathMatch) isOver(side int) bool {
	switch {
	case d.board.pos.Pieces[side] == 0:
		return !d.end("chips", player[side]+" has no chips left")
	case len(d.moves) == 0:
		return !d.end("moves", player[side]+" has no moves left")
	case d.repeat > 0 && d.mostRepeated(1-side) >= d.repeat:
		return !d.end("repeat", player[1-side]+" repeated the moves of the last chip")
	case d.past.tooQuiet():
		return !d.end("quiet", "nothing was taken and no chip but damas moved for long")
	default:
		return false
	}
}

// turn plays the turn of the side to move and reports whether the match goes on.
func (d *damathMatch) turn() bool {
	side := d.board.pos.Turn
	d.offered = false
	d.m.Judge(d.judged)
	for {
		line, err := d.ask(side, d.paths)
		if err != nil {
			return d.unanswered(side, err)
		}
		if i := indexOf(d.paths, line); i >= 0 {
			d.m.TellOthers(side, line)
			d.play(i)
			return true
		}
		if !d.answer(side, line) {
			return false
		}
	}
}

// answer answers a line of the side to move that is not a legal move: the side resigns, offers
// to end the match, or forfeits. It reports whether the match goes on.
func (d *damathMatch) answer(side int, line string) bool {
	switch {
	case line == "resign":
		d.m.TellOthers(side, line)
		d.m.Forfeit(side, sdk.ErrResigned)
		return d.end("resign", "")
	case line == "draw" && !d.offered:
		d.offered = true
		d.m.TellOthers(side, line)
		if !d.offer(1 - side) {
			return false
		}
		d.m.Resume(side) // with the time left after the offer
		return true
	default:
		return d.refuse(side)
	}
}

// unanswered goes on after a question to the side to move that got no answer, and reports
// whether the match goes on.
func (d *damathMatch) unanswered(side int, err error) bool {
	switch {
	case err == errTimeUp:
		return d.timeUp()
	case err == sdk.ErrTimeout && d.lenient:
		return d.moveFor(side)
	default:
		return d.retire(side)
	}
}

// play makes the i-th legal move, which the players and spectators have already received, and
// sends the totals.
func (d *damathMatch) play(i int) {
	m := &d.moves[i]
	own := d.board.pos.Pieces[d.board.pos.Turn]
	if own&(own-1) == 0 && m.Taken == 0 {
		d.noteLone(d.paths[i])
	}
	d.board.play(m)
	d.past.note(&d.board.pos, m)
	if m.Taken != 0 {
		d.lone = [2][]string{}
		d.sum()
	}
	d.m.TellAll(d.totals)
}

// noteLone notes a move of the last chip of the side to move.
func (d *damathMatch) noteLone(path string) {
	side := d.board.pos.Turn
	d.lone[side] = append(d.lone[side], path)
}

// sum sets the totals.
func (d *damathMatch) sum() {
	d.totals = pointsText(d.board.scored[0]) + " " + pointsText(d.board.scored[1])
}

// mostRepeated returns how many times the last chip of a side has made its most
// frequent move.
func (d *damathMatch) mostRepeated(side int) int {
	most := 0
	for _, a := range d.lone[side] {
		n := 0
		for _, b := range d.lone[side] {
			if a == b {
				n++
			}
		}
		if n > most {
			most = n
		}
	}
	return most
}

// offer asks a player whether it agrees to end the match, and reports whether the
// match goes on.
func (d *damathMatch) offer(seat int) bool {
	line, err := d.ask(seat, []string{"draw", "no"})
	switch {
	case err == errTimeUp:
		return d.timeUp()
	case err == sdk.ErrTimeout && d.lenient:
		d.pardon(seat)
		return true
	case err != nil:
		return d.retire(seat)
	case line != "draw" && line != "no":
		return d.refuse(seat)
	}
	d.m.TellOthers(seat, line)
	if line == "draw" {
		return d.end("draw", "the players agreed to end the match")
	}
	return true
}

// moveFor asks the opponent to choose a move for a player who is late. If the
// opponent is late too, the move is drawn by lot.
func (d *damathMatch) moveFor(side int) bool {
	d.pardon(side)
	chooser := 1 - side
	line, err := d.ask(chooser, d.paths)
	i := indexOf(d.paths, line)
	switch {
	case err == errTimeUp:
		return d.timeUp()
	case err == sdk.ErrTimeout:
		d.pardon(chooser)
		i = d.m.Rand(len(d.paths))
		d.m.TellAll(d.paths[i])
	case err != nil:
		return d.retire(chooser)
	case i < 0:
		return d.refuse(chooser)
	default:
		d.m.TellOthers(chooser, line)
	}
	d.play(i)
	return true
}

// pardon lets a player who was late stay in the match.
func (d *damathMatch) pardon(seat int) {
	d.m.Pardon(seat)
	d.late[seat]++
	d.stale[seat]++
	d.m.TellAll("LATE " + strconv.Itoa(seat))
}

// ask asks a player and returns any line. A player who was late can first send its late answers
// and must send LATE, all within the time for one answer. The error is errTimeUp or one of the
// SDK's.
func (d *damathMatch) ask(seat int, examples []string) (string, error) {
	if d.late[seat] > 0 {
		if err := d.catchUp(seat); err != nil {
			return "", err
		}
	}
	return d.listen(seat, examples)
}

// catchUp reads the late answers of a player, and LATE for each.
func (d *damathMatch) catchUp(seat int) error {
	for d.late[seat] > 0 {
		line, err := d.listen(seat, []string{"LATE"})
		switch {
		case err != nil:
			return err
		case line == "LATE":
			d.late[seat]--
		case d.stale[seat] > 0:
			d.stale[seat]--
		default:
			d.m.Forfeit(seat, sdk.ErrIllegal)
			return sdk.ErrIllegal
		}
		d.m.Resume(seat)
	}
	d.stale[seat] = 0
	return nil
}

// listen asks a player for a line, with a timeout of at most the time left of the
// match.
func (d *damathMatch) listen(seat int, examples []string) (string, error) {
	m := d.m
	left := d.gameTime - m.Elapsed()
	if left <= 0 {
		return "", errTimeUp
	}
	if left < d.timeout {
		m.SetTimeout(math.Max(left, minTimeout))
	}
	d.known = examples
	m.Examples(d.examples)
	line, err := m.AskLine(seat)
	// The match is over if its time is up, even if the player has answered. Times are
	// whole milliseconds and a bot has its own clock, so after a timeout less than
	// minTimeout counts as no time left.
	left = d.gameTime - m.Elapsed()
	if left < minTimeout && (left <= 0 || err == sdk.ErrTimeout) && err != sdk.ErrDisconnected {
		m.Pardon(seat)
		return "", errTimeUp
	}
	return line, err
}

// refuse ends the match after a line that is not legal.
func (d *damathMatch) refuse(seat int) bool {
	d.m.Forfeit(seat, sdk.ErrIllegal)
	return d.retire(seat)
}

func (d *damathMatch) timeUp() bool { return d.end("time", "the time of the game is up") }

// retire ends the match because a player has forfeited it.
func (d *damathMatch) retire(seat int) bool {
	d.m.TellOthers(seat, "RETIRE")
	d.score()
	return false
}

// end ends the match and returns false. why is one word for the players, reason a
// text for the record.
func (d *damathMatch) end(why, reason string) bool {
	totals := d.score()
	d.m.TellAll("END " + why + " " + pointsText(totals[0]) + " " + pointsText(totals[1]))
	d.m.Reason(reason)
	return false
}

// score sets each player's score to its final total, and returns both totals.
func (d *damathMatch) score() (totals [2]Points) {
	for side := 0; side < 2; side++ {
		totals[side] = d.board.total(side, d.damaLeft)
		d.m.Score(side, float64(totals[side])/float64(onePoint))
	}
	return totals
}

func indexOf(list []string, s string) int {
	for i := range list {
		if list[i] == s {
			return i
		}
	}
	return -1
}
