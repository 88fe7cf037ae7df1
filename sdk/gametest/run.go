package gametest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// Sizes of the conformance test.
const (
	randomMatches = 200
	botMatches    = 30    // with the default parameters
	choiceMatches = 4     // of bots with each choice
	levelMatches  = 2     // of bots of each level, which can search long
	fewMatches    = 20    // as a script, without Twice
	maxQuestions  = 20000 // in one match; a match with more is reported as endless
	enoughMatches = 20    // without a forfeit, to conclude that nobody can score
	probes        = 25    // questions of a match at which a player fails or the match is stopped
	stopLimit     = 2 * time.Minute
)

// Run checks what every game must do:
//
//   - Its description is valid.
//   - The same seed and answers give the same match.
//   - Random matches end, with every number of players and every choice of
//     parameters.
//   - Some seat gets points, unless all are one team or alone.
//   - A player who is late, gone or sends an illegal line at any question does no
//     harm, and a player who sends only illegal lines cannot keep a match from
//     ending.
//   - In a game with ticks, players who miss some, who send many lines or who are gone
//     do no harm, and a match ends even if nobody answers any more.
//   - A match can be stopped at any question.
//   - Bots never forfeit, with every choice of parameters.
//   - Bots go on from any moves: a match can begin with those of another one.
//   - Judging the positions of a match does not change it, and gives the same values
//     each time.
//   - The match recorded in testdata/match.golden stays the same, if there is such
//     a file. GOLDEN=update in the environment writes it.
//   - The folder plays the same matches as a script. This is skipped for a game that
//     imports another module, which is never a script.
//
// The whole test of a game is
//
//	func TestGame(t *testing.T) { gametest.Run(t, &game) }
//
// Each [Twice] describes matches that are compared with the script's. Without any,
// Run compares a few with the default parameters. A bot that searches is slow as a
// script: give it few matches, or a level that searches less.
//
// The checks are parallel subtests, as matches run concurrently on a host: with the
// race detector they also find variables that matches share.
func Run(t *testing.T, game *sdk.Game, twice ...Twice) {
	if len(twice) == 0 {
		twice = []Twice{{Matches: fewMatches}}
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := c.check(game); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("plays the same as a script", func(t *testing.T) {
		t.Parallel()
		playsTheSameAsScript(t, ".", game, twice...)
	})
}

// checks are the subtests of Run that need only the game.
var checks = []struct {
	name  string
	check func(game *sdk.Game) error
}{
	{"valid description", func(game *sdk.Game) error { return driver.Of(game).Validate() }},
	{"same seed, same match", checkSame},
	{"random matches end", checkEnds},
	{"every choice of parameters", checkChoices},
	{"somebody scores", checkScores},
	{"failing players do no harm", checkFailures},
	{"nonsense without end ends", checkNonsense},
	{"missed ticks do no harm", checkTicks},
	{"a match can be stopped", checkStops},
	{"bots never forfeit", checkBots},
	{"bots go on from the moves of another match", checkBegins},
	{"judging changes nothing", checkJudgements},
	{"the recorded match", checkGolden},
}

// trial is one random match.
type trial struct {
	players, bots int
	botsFirst     bool // on the first seats, not the last
	seed          uint64
	judge         bool
	begin         []driver.Answer // see driver.Setup.Begin
	args          map[string]string
	change        func(seat int, p Player) Player                                       // of the random players if not nil
	spoil         func(question int, q Question) (line string, err error, spoiled bool) // replaces random answers if not nil
	stop          int                                                                   // stop at this question, from 1; 0: never
}

var errRefused = errors.New("the game refuses the match")

// play plays the trial. It returns an error if the match is refused, aborted or
// endless.
func (tr trial) play(game *sdk.Game) (*Transcript, error) {
	m := Match{Game: game, Seed: tr.seed, Args: tr.args, Thoughts: 5, Judge: tr.judge, begin: tr.begin, stop: maxQuestions}
	if tr.stop > 0 {
		m.stop = tr.stop
	}
	questions := 0
	for seat := range tr.players {
		if tr.hasBot(seat) {
			m.Players = append(m.Players, nil)
			continue
		}
		random := Random(tr.seed*100 + uint64(seat))
		if tr.change != nil {
			random = tr.change(seat, random)
		}
		m.Players = append(m.Players, func(q Question) (string, error) {
			questions++
			if tr.spoil != nil {
				if line, err, spoiled := tr.spoil(questions, q); spoiled {
					return line, err
				}
			}
			return random(q)
		})
	}
	t, err := Play(m)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	case t.Result == nil && tr.stop == 0:
		return nil, fmt.Errorf("%v: did not end after %d questions", tr, maxQuestions)
	case t.Result != nil && t.Result.Aborted:
		return nil, fmt.Errorf("%v: aborted: %s\n%s", tr, t.Result.Reason, t.Log)
	}
	return t, nil
}

func (tr trial) hasBot(seat int) bool {
	if tr.botsFirst {
		return seat < tr.bots
	}
	return seat >= tr.players-tr.bots
}

// String describes the trial for an error message.
func (tr trial) String() string {
	return fmt.Sprintf("match with %d players (%d bots), seed %d, args %v", tr.players, tr.bots, tr.seed, tr.args)
}

// numbers returns up to six numbers of players to try.
func numbers(game *sdk.Game) []int {
	var list []int
	step := (game.MaxPlayers-game.MinPlayers)/5 + 1
	for n := game.MinPlayers; n < game.MaxPlayers; n += step {
		list = append(list, n)
	}
	return append(list, game.MaxPlayers)
}

// checkSame plays each match twice. Every second match has bots.
func checkSame(game *sdk.Game) error {
	for _, n := range numbers(game) {
		for seed := range uint64(6) {
			tr := trial{players: n, seed: seed}
			if seed%2 == 1 {
				tr.bots = min(game.MaxBots, n-1)
			}
			first, err := tr.play(game)
			if err != nil {
				return err
			}
			second, err := tr.play(game)
			if err != nil {
				return err
			}
			if a, b := first.String(), second.String(); a != b {
				return fmt.Errorf("%v: played twice, it differs: use m.Rand for chance, no clock, no map order, no package variables\n%s", tr, difference(b, a))
			}
		}
	}
	return nil
}

func checkEnds(game *sdk.Game) error {
	ns := numbers(game)
	for i := range randomMatches {
		if _, err := (trial{players: ns[i%len(ns)], seed: uint64(i)}).play(game); err != nil {
			return err
		}
	}
	return nil
}

// checkScores plays random matches, and then some with bots, until a seat has points at
// the end. Points that a referee gives when others forfeit do not count.
func checkScores(game *sdk.Game) error {
	ended := 0
	for i := range randomMatches + botMatches {
		tr := trial{players: max(game.MinPlayers, min(2+i%3, game.MaxPlayers)), seed: uint64(i)}
		if i >= randomMatches {
			if tr.bots = min(game.MaxBots, tr.players-1); tr.bots == 0 {
				break
			}
		}
		t, err := tr.play(game)
		if err != nil {
			return err
		}
		one := true // all seats are alone or one team
		for _, s := range t.Result.Seats {
			one = one && s.Team > 0 && s.Team == t.Result.Seats[0].Team
		}
		if tr.players == 1 || one || slices.ContainsFunc(t.Result.Seats, func(s driver.SeatResult) bool { return s.Ended != driver.EndedFinished }) {
			continue
		}
		if slices.ContainsFunc(t.Result.Seats, func(s driver.SeatResult) bool { return s.Score != 0 }) {
			return nil
		}
		ended++
	}
	if ended < enoughMatches {
		return nil
	}
	return fmt.Errorf("in %d matches without a forfeit, no seat got points, so all were drawn: call m.Score for the seat that wins, and for a draw with half a point for each seat", ended)
}

// extremes returns values of a parameter: each choice, the least and the greatest
// number, the latter at most 1000, or texts of which a game refuses most.
func extremes(p driver.Param) []string {
	switch p.Kind {
	case driver.KindChoice:
		return p.Choices
	case driver.KindText:
		return []string{"", p.Default, "x", "0 -1 99999999999999999999 ☃", strings.Repeat("x", int(p.Max))}
	default:
		return []string{fmt.Sprint(p.Min), fmt.Sprint(min(p.Max, 1000))}
	}
}

// checkChoices plays two matches with each of the extremes of each parameter.
func checkChoices(game *sdk.Game) error {
	for _, p := range game.Params {
		for _, value := range extremes(p) {
			for seed := range uint64(2) {
				tr := trial{players: game.MinPlayers, seed: seed, args: map[string]string{p.Name: value}}
				if _, err := tr.play(game); err != nil && !errors.Is(err, errRefused) {
					return err
				}
			}
		}
	}
	return nil
}

// choices returns the default parameters, and for each choice the parameters of a
// match with that choice.
func choices(game *sdk.Game) []map[string]string {
	list := []map[string]string{nil}
	for _, p := range game.Params {
		for _, value := range p.Choices {
			if value != p.Default {
				list = append(list, map[string]string{p.Name: value})
			}
		}
	}
	return list
}

// botTrials returns the number of matches of bots with parameters from choices.
func botTrials(args map[string]string, byDefault int) int {
	switch {
	case args == nil:
		return byDefault
	case args[driver.BotParam] != "":
		return levelMatches
	}
	return choiceMatches
}

const garbage = "\x00\xff 99999999999999999999 -1 ☃"

// failure is a way in which a player can fail.
type failure struct {
	name string
	line string
	err  error
}

func failures(game *sdk.Game) []failure {
	return []failure{
		{name: "is late", err: sdk.ErrTimeout},
		{name: "is gone", err: sdk.ErrDisconnected},
		{name: "sends nothing", line: ""},
		{name: "sends garbage", line: garbage},
		{name: "sends a long line", line: strings.Repeat("x", max(driver.DefaultLine, game.MaxLine))},
	}
}

func checkFailures(game *sdk.Game) error {
	n := game.MinPlayers
	for _, at := range spots(game, n) {
		for _, f := range failures(game) {
			seat, stays := -1, false
			tr := trial{players: n, seed: 1, spoil: func(question int, q Question) (string, error, bool) {
				if question < at || seat >= 0 && q.Seat != seat {
					return "", nil, false
				}
				stays = q.Tick // see sdk.Match.StayWhenGone
				seat = q.Seat  // this seat answers all further questions like that
				if question > at+3 {
					return "", sdk.ErrDisconnected, true
				}
				return f.line, f.err, true
			}}
			t, err := tr.play(game)
			if err != nil {
				return fmt.Errorf("a player who %s at question %d: %w", f.name, at, err)
			}
			if f.err == sdk.ErrDisconnected && seat >= 0 && !stays {
				if _, forfeited := t.Result.Seats[seat].Ended.Forfeit(); !forfeited {
					return fmt.Errorf("a player who %s at question %d ended as %q: it must forfeit", f.name, at, t.Result.Seats[seat].Ended)
				}
			}
		}
	}
	return nil
}

// checkNonsense plays matches in which one player, or every player, never sends a
// legal line: a losing player could keep the others waiting that way.
func checkNonsense(game *sdk.Game) error {
	for _, everybody := range []bool{false, true} {
		_, err := trial{players: game.MinPlayers, seed: 1, spoil: func(_ int, q Question) (string, error, bool) {
			return garbage, nil, everybody || q.Seat == 0
		}}.play(game)
		if err != nil {
			return fmt.Errorf("a player who sends nothing but garbage: %w: m.Refuse lets a player try again, but not forever", err)
		}
	}
	return nil
}

// absences are the ways in which a player can fail in ticks.
var absences = []struct {
	name   string
	player func(p Player) Player
}{
	{"misses every tick", func(p Player) Player { return inTicks(Late, p) }},
	{"misses every second tick", func(p Player) Player { return inTicks(Missing(2, p), p) }},
	{"sends a thousand lines in a tick", func(p Player) Player { return Flooding(1000, p) }},
	{"is gone in the first tick", func(p Player) Player { return goneAfter(0, p) }},
	{"is gone in the fourth tick", func(p Player) Player { return goneAfter(3, p) }},
}

// inTicks answers ticks like in, and all other questions like p.
func inTicks(in, p Player) Player {
	return func(q Question) (string, error) {
		if q.Tick {
			return in(q)
		}
		return p(q)
	}
}

// goneAfter answers like p until it has been asked in a number of ticks, and then is gone.
func goneAfter(ticks int, p Player) Player {
	return func(q Question) (string, error) {
		if q.Tick {
			ticks--
		}
		if ticks < 0 {
			return Gone(q)
		}
		return p(q)
	}
}

// checkTicks plays matches in which the player of one seat, or every player, fails in ticks,
// with as many bots as possible and without any.
func checkTicks(game *sdk.Game) error {
	n := game.MinPlayers
	ticks := false
	look := trial{players: n, seed: 1, change: func(_ int, p Player) Player {
		return func(q Question) (string, error) {
			ticks = ticks || q.Tick
			return p(q)
		}
	}}
	if _, err := look.play(game); err != nil || !ticks {
		return nil // other checks report the error
	}
	for _, a := range absences {
		for _, who := range []string{"a player", "every player"} {
			for _, bots := range slices.Compact([]int{0, min(game.MaxBots, n-1)}) {
				_, err := trial{players: n, bots: bots, seed: 1, change: func(seat int, p Player) Player {
					if who == "every player" || seat == 0 {
						return a.player(p)
					}
					return p
				}}.play(game)
				if err != nil {
					return fmt.Errorf("%s who %s: %w: the Line of a missed tick is empty, and a match must end without answers", who, a.name, err)
				}
			}
		}
	}
	return nil
}

func checkStops(game *sdk.Game) error {
	n := game.MinPlayers
	for _, at := range spots(game, n) {
		done := make(chan error, 1)
		go func() { // ends with the match, or never if the referee does not stop
			_, err := trial{players: n, seed: 1, stop: at}.play(game)
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("stopped at question %d: %w", at, err)
			}
		case <-time.After(stopLimit):
			return fmt.Errorf("stopped at question %d, the referee goes on: check that no deferred function waits or asks", at)
		}
	}
	return nil
}

// spots returns numbers of questions, from 1, spread over a match.
func spots(game *sdk.Game, players int) []int {
	last := 0
	tr := trial{players: players, seed: 1, spoil: func(question int, _ Question) (string, error, bool) {
		last = question
		return "", nil, false
	}}
	if _, err := tr.play(game); err != nil || last == 0 {
		return []int{1} // other checks report the error
	}
	var list []int
	for at := 1; at < last; at += last/probes + 1 {
		list = append(list, at)
	}
	return append(list, last)
}

func checkBots(game *sdk.Game) error {
	if game.Bot == nil {
		return nil
	}
	for _, args := range choices(game) {
		for i := range botTrials(args, botMatches) {
			tr := trial{players: numbers(game)[i%len(numbers(game))], seed: uint64(i), args: args, botsFirst: i%2 == 1}
			tr.bots = min(game.MaxBots, tr.players-1)
			if tr.bots == 0 {
				continue
			}
			err := tr.checkBots(game)
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

func (tr trial) checkBots(game *sdk.Game) error {
	t, err := tr.play(game)
	if err != nil {
		return err
	}
	for seat := range tr.players {
		if ended := t.Result.Seats[seat].Ended; tr.hasBot(seat) && ended != driver.EndedFinished {
			return fmt.Errorf("%v: the bot on seat %d ended as %q\n%s%s", tr, seat, ended, t.Seats[seat], t.Log)
		}
	}
	if t.Log != "" {
		return fmt.Errorf("%v: the log says\n%s", tr, t.Log)
	}
	return nil
}

// checkJudgements plays matches with and without judgements, with every choice of
// parameters except the levels of bots.
func checkJudgements(game *sdk.Game) error {
	players := max(game.MinPlayers, min(2, game.MaxPlayers))
	for i, args := range choices(game) {
		if args[driver.BotParam] != "" {
			continue // no bot plays
		}
		tr := trial{players: players, seed: uint64(i), args: args}
		without, err := tr.play(game)
		if args != nil && errors.Is(err, errRefused) {
			continue // this choice is valid only with certain others
		}
		if err != nil {
			return err
		}
		tr.judge = true
		var first *Transcript
		for range 2 {
			with, err := tr.play(game)
			if err != nil {
				return err
			}
			if a, b := without.String(), with.String(); a != b {
				return fmt.Errorf("%v: with m.Judge judging, it differs: the function must only read the position\n%s", tr, difference(b, a))
			}
			if first == nil {
				first = with
			}
			if a, b := fmt.Sprint(first.Judgements), fmt.Sprint(with.Judgements); a != b {
				return fmt.Errorf("%v: judged twice, it has other values: chance must come from m.Rand\n%s", tr, difference(b, a))
			}
		}
	}
	return nil
}

func checkGolden(game *sdk.Game) error {
	t, err := trial{players: game.MinPlayers, seed: 1}.play(game)
	if err != nil {
		return err
	}
	err = golden("match", t.String())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
