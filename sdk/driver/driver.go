// Package driver is for drivers of referees: programs that run matches of a game,
// such as the game's own process under a host, the terminal or a test. The author
// of a game needs only package sdk.
//
// A driver gets a [Game] from [Of], asks its Prepare for the [Settings] of a match, puts
// them into a [Setup] and calls Run with it. Run plays the match, sends every [Frame] of
// the referee through [Driver.Send], and returns when the match has ended.
package driver

import "time"

// Driver receives what a referee does and returns the answers of players. The
// referee's goroutine calls its methods, one at a time. Each returns false when
// the match has been stopped; no method is called after that.
type Driver interface {
	// Send takes a frame, which then belongs to the driver.
	Send(t *Frame) bool
	// Wait blocks until every seat of the last Question that is not held by a
	// bot has an Answer, and returns these.
	Wait() ([]Answer, bool)
	// Pause blocks for d.
	Pause(d time.Duration) bool
}

// Request is what the creator of a match asked for. A nil pointer leaves the
// choice to the game.
type Request struct {
	Players *int
	Bots    int
	Levels  []string // of the first bots, which the host checks; empty: the value of BotParam
	Timeout *float64 // seconds
	Args    map[string]string
}

// Settings are the complete, checked settings of one match.
type Settings struct {
	Players int               // seats, bots included
	Bots    int               // seats held by server bots
	Timeout float64           // seconds for one answer
	Params  map[string]string // all parameters in canonical form, by name
}

// Bank is the time of a seat for all its answers in a match with a clock, in seconds.
// Without a bank, as for bots, both are 0.
type Bank struct {
	Start     float64
	Increment float64 // for each turn except the first
}

// Setup is one match before it begins.
type Setup struct {
	Settings Settings
	Seed     uint64
	Names    []string // by seat
	Bots     []bool   // by seat; nil: no seat is held by a bot
	Levels   []string // of the bots, by seat; empty: the value of BotParam; nil: all are empty
	Banks    []Bank   // by seat, in a match with a clock; nil: no seat has one
	Hints    []bool   // by seat: each question to it has a Hint; nil: to no seat
	// Log receives what the author of the game should read: panics with their
	// stacks, and errors of bots. The goroutines of the referee and of the bots
	// call it, also after Run has returned. Nil drops the texts.
	Log func(text string)
	// Thoughts, when above 0, makes the match independent of the machine's
	// speed, for tests and for training: Bot.Thinking returns true that many times for each line
	// read, bots answer in no time, and a pause is as long as if the referee
	// needed no time itself.
	Thoughts int
	// Thought, when not nil, is called whenever Bot.Thinking returns true, to measure
	// searches. The goroutines of all bots call it.
	Thought func()

	// Judge, when above 0, makes Match.Judge judge positions for up to this time each,
	// or for Thoughts if that is above 0. Otherwise Match.Judge does nothing.
	Judge time.Duration
	// JudgeAfter is how many answers the referee gets before Match.Judge judges.
	JudgeAfter int

	// Begin are answers of an earlier match of the same settings and seed, with which this one
	// begins, in the order in which its referee got them. Each line that a bot writes is
	// replaced by its next one in Begin; the driver gives those of players. No pause takes time
	// until all have been used.
	Begin []Answer

	// Stall, when above 0, is how long the referee can be silent before the driver
	// gives it up. If it is silent for almost this time, the match is ended with a Result
	// that says where the referee is, as its stack shows, or for a script a second run.
	// The goroutine of Run then does not end.
	Stall time.Duration

	// The fields below are for the driver, when the match is that of a host. Run ignores
	// them.
	ID    string // of the match, as people see it; empty: it has none
	Rerun bool   // of a recorded match: the host answers for Bots too, and no pause takes time
}
