package gametest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// cut is a place before a question, where another match can leave this one.
type cut struct {
	answers int // before it
	shown   int // bytes for the spectators before it
	tick    bool
}

// give returns the answers of Match.begin to the last question, of the seats without bots.
func (d *memoryDriver) give() (answers []driver.Answer) {
	for _, a := range d.given {
		if d.match.Players[a.Seat] != nil {
			a.At, a.Left = d.now, d.banks[a.Seat]
			d.record(a)
			answers = append(answers, a)
		}
	}
	return answers
}

// checkBegins plays matches that begin with the first moves of random ones, and go on with
// bots on some of the seats.
func checkBegins(game *sdk.Game) error {
	if game.Bot == nil {
		return nil
	}
	for _, args := range choices(game) {
		for i := range botTrials(args, botMatches/3) {
			tr := trial{players: numbers(game)[i%len(numbers(game))], seed: uint64(i), args: args, botsFirst: i%2 == 1}
			err := tr.checkBegins(game, i)
			if args != nil && errors.Is(err, errRefused) {
				break // this choice is valid only with certain others
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (tr trial) checkBegins(game *sdk.Game, number int) error {
	first, err := tr.play(game)
	if err != nil {
		return err
	}
	// A match with ticks cannot begin with the moves of another.
	cuts := first.cuts[:max(0, slices.IndexFunc(append(slices.Clip(first.cuts), cut{tick: true}), func(c cut) bool { return c.tick }))]
	if tr.bots = min(game.MaxBots, tr.players-1); len(cuts) == 0 || tr.bots == 0 {
		return nil
	}
	at := cuts[number*7%len(cuts)]
	tr.begin = first.Answers[:at.answers]
	if slices.ContainsFunc(tr.begin, func(a driver.Answer) bool { return a.Outcome != driver.Answered }) {
		return nil
	}
	second, err := tr.play(game)
	if err != nil {
		return err
	}
	why := ""
	for seat := range tr.players {
		if got, want := lines(second.Answers[:min(at.answers, len(second.Answers))], seat), lines(tr.begin, seat); !slices.Equal(got, want) {
			why = fmt.Sprintf("seat %d answers %q, not %q", seat, got, want)
		}
		if ended := second.Result.Seats[seat].Ended; tr.hasBot(seat) && ended != driver.EndedFinished {
			why = fmt.Sprintf("the bot on seat %d ended as %q", seat, ended)
		}
	}
	switch {
	case second.Log != "":
		why = "the log says " + second.Log
	case why == "" && !strings.HasPrefix(second.Spectators, first.Spectators[:at.shown]):
		why = "the spectators do not receive the same"
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%v, which begins with %d answers of random players: %s: a bot that keeps the board itself must play the line that b.Write returns\n%s", tr, at.answers, why, second)
}

// lines returns the lines of a seat.
func lines(answers []driver.Answer, seat int) (list []string) {
	for _, a := range answers {
		if a.Seat == seat {
			list = append(list, a.Line)
		}
	}
	return list
}
