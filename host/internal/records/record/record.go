// Package record defines the record of a match, its encodings in a store, and
// transcripts.
package record

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"colosseum/sdk/driver"
)

// ErrPlayed is the error of a store for a match of a contest if another match of its leg
// has a result. It is recorded as aborted.
var ErrPlayed = errors.New("another match of this leg has a result, so this one is recorded as aborted")

// State is how far a match has come.
type State string

// The states of a match in a record.
const (
	Running  State = "running"  // its answers and stream are not recorded yet
	Finished State = "finished" // the referee ended it
	Aborted  State = "aborted"  // the game or the host failed or stopped
)

// ErrFenced is the error of recording a match whose host was thought dead by the other
// hosts of its cluster. Its record stays aborted.
var ErrFenced = errors.New("the other hosts have lost contact with the host of the match, and have aborted it")

// Match is the record of one match. All strings are UTF-8, except the lines of
// Answers and the bytes of Stream, which can be anything.
type Match struct {
	ID             string            // 13 characters base32hex
	Name           string            // chosen by the match's creator
	Game           string            // the name under which clients know the game
	Plugin         string            // the plugin that implements it
	Version        string            // hash of what the plugin's rules depend on
	Args           map[string]string // parameters as the creator sent them
	Params         map[string]string // all parameters, normalized
	Timeout        float64           // seconds for one answer
	Retries        int               // how often a player can answer again in a turn after an answer that was not legal
	Clock          *Clock            // nil: there is no limit for the whole match
	Seed           uint64
	Salt           []byte // for the commitment to the seed; nil: there is none
	Verified       bool
	Fixture        *Fixture // nil: it belongs to no contest
	Branch         *Branch  // nil: it began with its first move
	Seats          []Seat
	Started, Ended time.Time // Ended is zero while the match runs
	State          State
	Reason         string
	Answers        []Answer // in the order in which the referee got them
	Stream         []byte   // everything sent to spectators
}

// Fixture is the place of a match in a contest. The store and transcripts hold it as
// JSON.
type Fixture struct {
	Contest string `json:"contest"`           // its name
	Pairing int    `json:"pairing"`           // from 0
	Leg     int    `json:"leg"`               // of the pairing, from 0
	Entries []int  `json:"entries"`           // the number of the entry on each seat
	Attempt int    `json:"attempt,omitempty"` // how often an organizer had the leg played again before
}

// Check returns an error if the fixture does not fit a match with a number of seats.
func (f *Fixture) Check(seats int) error {
	switch {
	case f.Contest == "":
		return errors.New("the name of the contest is missing")
	case f.Pairing < 0 || f.Leg < 0:
		return fmt.Errorf("there is no leg %d of pairing %d", f.Leg, f.Pairing)
	case f.Attempt < 0:
		return fmt.Errorf("there is no attempt %d", f.Attempt)
	case len(f.Entries) != seats:
		return fmt.Errorf("it has %d entries for %d seats", len(f.Entries), seats)
	case slices.ContainsFunc(f.Entries, func(n int) bool { return n < 0 }):
		return fmt.Errorf("the entries %v have a negative number", f.Entries)
	}
	return nil
}

// Branch is where a match has left an earlier one: it begins with the same answers. The store
// and transcripts hold it as JSON.
type Branch struct {
	Match   string `json:"match"`   // the ID of the earlier one
	Line    int    `json:"line"`    // of the spectators' stream there, from which they differ
	Answers int    `json:"answers"` // that both begin with
}

// Clock is the time that each player has for a whole match, in seconds. The store and
// transcripts hold it as JSON.
type Clock struct {
	Bank      float64 `json:"bank"`      // at the start
	Increment float64 `json:"increment"` // that each turn adds
}

// Timed reports whether a seat has a bank: the match has a clock, and the seat no bot.
func (m *Match) Timed(seat int) bool {
	return m.Clock != nil && seat >= 0 && seat < len(m.Seats) && !m.Seats[seat].Bot
}

// Setup returns the match as its referee gets it.
func (m *Match) Setup() *driver.Setup {
	s := &driver.Setup{
		ID: m.ID, Seed: m.Seed,
		Settings: driver.Settings{Players: len(m.Seats), Timeout: m.Timeout, Params: m.Params},
		Names:    make([]string, len(m.Seats)), Bots: make([]bool, len(m.Seats)), Levels: make([]string, len(m.Seats)), Banks: make([]driver.Bank, len(m.Seats)),
	}
	for i, seat := range m.Seats {
		s.Names[i], s.Bots[i], s.Levels[i] = seat.Name, seat.Bot, seat.Level
		if m.Timed(i) {
			s.Banks[i] = driver.Bank{Start: m.Clock.Bank, Increment: m.Clock.Increment}
		}
		if seat.Bot {
			s.Settings.Bots++
		}
	}
	return s
}

// Seat is a player and the player's result.
type Seat struct {
	Name   string
	Player string // the registered player; empty: none
	Bot    bool
	Level  string // of the bot; empty: the value of driver.BotParam
	Score  float64
	Rank   int
	Ended  driver.Ended
	Fault  Fault // zero: it did not forfeit, or nothing is known about it
	Team   int   // from 1; the seats of a team share their rank; 0: the seat plays for itself
	// Version is that of the program that the player had handed in and the host ran; 0: the
	// player was a client or a bot.
	Version int
	Missed  int // ticks
	Dropped int // lines, because another one was the answer to the tick
	Refused int // answers
	Hints   int // moves of the host's bot that the player was shown
}

// Fault explains a forfeit to its player. Its texts are shortened, UTF-8 and without
// control characters.
type Fault struct {
	Line  string        // the last line that was refused, or that came too late
	Asked string        // what the seat had last received before it, in one or more lines
	Late  time.Duration // between the end of the time and the line; stored in milliseconds; 0: none came
}

// Answer is the answer of one seat to one question.
type Answer struct {
	Seat    int
	Line    string
	Outcome driver.Outcome
	At      time.Duration // since the start of the match; stored in microseconds
	Left    time.Duration // in the seat's bank after the answer; stored in microseconds; 0 without a clock or for a bot
	Note    string        // of a bot; see driver.CleanNote
	Lines   int           // of the spectators' stream before the answer, if it has a note
	Spent   Spent         // zero: the host did not run the program
}

// Refused is the outcome of an answer that was not legal, in a match with retries. The referee
// has not got it.
const Refused driver.Outcome = "refused"

// maxRefused is how many bytes of a refused line its player is told.
const maxRefused = 100

// Refusal returns the line for a player whose answer is refused.
func Refusal(line string) string {
	return "illegal: " + driver.CleanLine(line, maxRefused) + ", try again\n"
}

// Spent is the time that a program of the host took for an answer. It is stored in
// microseconds.
type Spent struct {
	Wall    time.Duration // from the written question to the line
	CPU     time.Duration // of the program and all that it started
	Counted bool          // CPU is known
}

// Charged returns the time that counts: the CPU time, if it is known and wall is not set.
func (s Spent) Charged(wall bool) time.Duration {
	if s.Counted && !wall {
		return s.CPU
	}
	return s.Wall
}

// NewAnswer returns the record of an answer in a match without a clock.
func NewAnswer(a driver.Answer) Answer {
	return Answer{Seat: a.Seat, Line: a.Line, Outcome: a.Outcome, At: a.At, Note: a.Note}
}

// Given returns the answer as the referee gets it: without the note.
func (a Answer) Given() driver.Answer {
	return driver.Answer{Seat: a.Seat, Line: a.Line, Outcome: a.Outcome, At: a.At, Left: a.Left}
}
