package driver

import "context"

// Game is a game as drivers see it; see [Of].
type Game interface {
	// Validate returns an error that says what to change in the description of the
	// game, or nil.
	Validate() error

	// Describe returns the description of the game.
	Describe() Description

	// Prepare checks a request against the game and completes it with the game's
	// defaults. Its error is for the creator of the match.
	Prepare(r Request) (Settings, error)

	// Run plays one match to its end and sends the result with the last frame. It does not
	// change the setup, and needs it only until the referee begins.
	//
	// Run must be called in a goroutine of its own: when the driver reports that the
	// match has been stopped, Run ends the calling goroutine (its deferred functions
	// run). While only bots are asked, that happens once they have answered or are
	// late. Each bot runs in its own goroutine, which ends at the bot's first Read or
	// Write after the end of the match.
	Run(s *Setup, d Driver)

	// OnFailure sets a function that describes failures of the game's Play and Bot
	// better than their error does, with the help of a second run. It is for the
	// interpreter.
	//
	// The function gets the error of Play or Bot, or nil if the referee is silent, and
	// returns the error that is reported instead; for a silent referee, nil if it found
	// nothing. Again runs the same match, or bot, with the same answers, or lines, and
	// with the functions of another game. It calls sent each time the referee sends or
	// gets anything, and returns the error of the function; nil: it returned none. If ctx
	// ends before the match has used all answers, it returns an error. The
	// function must return when ctx ends, and can be called by several goroutines.
	OnFailure(explain func(ctx context.Context, why error, again func(g Game, sent func()) error) error)
}

// Of returns what drivers see of a game, a *sdk.Game. It panics for any other value.
//
// These are not methods of sdk.Game, so that an author's game has only what an author
// uses. This package can't import sdk, which imports it; so sdk sets the function of
// Of with [Implement].
func Of(game any) Game { return of(game) }

var of func(game any) Game

// Implement sets the function of [Of]. It is for package sdk.
func Implement(f func(game any) Game) { of = f }
