// Package sdk is what the author of a game uses. A game is a value of type
// [Game]; its referee is a function that reads like the rules and plays one
// [Match]. The SDK judges answers, handles forfeits, keeps the clocks of bots and
// ranks the seats. It depends on the standard library alone.
//
// # The smallest game
//
// Two players choose a number; the first wins if both choose the same one.
//
//	var game = sdk.Game{
//		Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
//		Play: func(m *sdk.Match) error {
//			legal := []string{"0", "1"}
//			answers := m.AskAll([][]string{legal, legal})
//			if answers[0].Err != nil || answers[1].Err != nil {
//				return nil // the seat has forfeited
//			}
//			winner := 0
//			if answers[0].Line != answers[1].Line {
//				winner = 1
//			}
//			m.Score(winner, 1)
//			m.TellAll(m.Name(winner) + " wins")
//			return nil
//		},
//	}
//
//	func main() { plugin.Serve(game) }
//
// A host plays many matches at the same time, so Play keeps the state of a match in
// local variables. Play must be a function of the settings, the seed and the
// answers, so that a match can be played again from its record: randomness comes
// from [Match.Rand], time from [Match.Elapsed]. The creator of a match chooses the
// values of the game's [Param]s, which Match.Int, Match.Float, Match.Choice and
// Match.Text return. Game.Check refuses values that do not fit together, and a [Text],
// such as a position, that the game can't read.
//
// # Hidden information
//
// A player gets the lines sent to its seat, and no others:
//
//	m.Tell(seat, card)               // this player only
//	m.TellOthers(seat, "draws")      // the other players and the spectators
//	m.Show(m.Name(seat) + ": " + card) // the spectators only
//	m.TellAll("the deck is empty")   // all of them
//
// # Simultaneous moves
//
// [Match.AskAll] asks all seats at once, with one list of legal answers for each.
// It returns when all have answered, so no player sees another's answer first.
// [Match.AskSeats] does the same with some seats, such as those of one team, and
// [Match.AskLines] with free text.
//
// # Ticks
//
// A game in real time asks in ticks. [Match.Tick] asks all seats and ends when its time has
// passed, however slow the players are. The last line of a seat counts; a seat without one
// has missed the tick, and does not forfeit:
//
//	for _, a := range m.Tick(0.2) {
//		if turn(a.Line) { // not for an empty line or nonsense
//			direction[a.Seat] = a.Line
//		}
//	}
//
// [Match.TickSeats] leaves out players who are eliminated, [Match.MaxMisses] makes a seat
// forfeit when it misses many ticks in a row, and [Match.StayWhenGone] keeps the seats of
// players who are gone. A bot answers with the last line that it has written in the tick, so
// it reads all lines of a tick, and thinks for less than a tick.
//
// # More than two seats
//
// Seats are numbered from 0 to m.Players()-1. When a seat forfeits, the others can
// go on: Ask and AskAll do not ask it again and return its error. The ranks follow
// from the points of [Match.Score]; seats that forfeited come last.
//
//	for seat := 0; seat < m.Players(); seat++ {
//		answer, err := m.Ask(seat, legal)
//		if err != nil {
//			continue // this seat has forfeited, now or before
//		}
//		…
//	}
//
// [Match.Team] makes seats one team, which shares a rank:
//
//	m.Team(0, 2)
//	m.Team(1, 3)
//
// # Messages
//
// The lines of a game can be anything; other programs read words and numbers most easily.
// For lines with more structure, [JSON] returns a value as one line, and [ParseJSON] reads
// one strictly, with errors that a player can read. Players' lines have at most 4,096 bytes,
// or those of [Game.MaxLine].
//
// # Turns with several questions
//
// Each question gives a seat the whole time. [Match.Refuse] lets a seat try again
// in the time that is left, up to a hundred lines in one turn:
//
//	line, err := m.AskLine(seat)
//	for err == nil && !legal(line) {
//		if err = m.Refuse(seat, "illegal, try again"); err == nil {
//			line, err = m.AskLine(seat)
//		}
//	}
//
// [Match.Resume] does the same after an interruption, for example when another
// seat was asked whether it accepts a draw. [Match.TimeLeft] returns the seconds that a
// seat has, also those of a match with a clock such as 60+1.
//
// # Bots
//
// A [Bot] plays a seat for the server. [Game.Bot] reads the lines that a player on
// that seat gets, and writes the lines that a player writes. Randomness comes from
// [Bot.Rand]; a search calls [Bot.Thinking] to know when to stop, or if it has a fixed
// size, [Bot.Searching]. [Bot.Note] keeps a text with an answer, for the author. The
// parameter [BotParam] names the levels of the bots, and each bot reads its own.
//
// # Testing
//
// Package colosseum/sdk/gametest plays matches in memory. gametest.Run checks a
// game with random, late, disconnected and nonsensical players; gametest.Play
// returns the lines of every seat for tests of your own. The examples of this
// package use it.
//
// # Further reading
//
// docs/writing-a-game.md writes a whole game with bot, tests and a board in the
// browser, step by step; docs/scripts.md lists what a game that a host runs
// from source can use; the examples of this package run as they are. Serve a game
// with colosseum/sdk/plugin. Package colosseum/sdk/driver is for programs that run
// games.
package sdk
