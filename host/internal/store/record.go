package store

import (
	"time"

	"colosseum/sdk/driver"
)

// State says how far a match came.
type State string

const (
	Running  State = "running"  // begun; its answers and stream are not recorded yet
	Finished State = "finished" // the referee came to the end
	Aborted  State = "aborted"  // the host or the game's process gave up
)

// Record is all that is kept of one match. Its texts are UTF-8, except for the
// lines of Answers and for Stream, which may be any bytes.
type Record struct {
	ID             string            // 13 characters base32hex
	Name           string            // of the match, given by its creator
	Game           string            // as offered to clients
	Plugin         string            // the plugin behind it
	Version        string            // hash of the plugin's binary or folder
	Args           map[string]string // as given by the creator
	Params         map[string]string // complete and normalised
	Timeout        float64           // seconds for one answer
	Seed           uint64
	Verified       bool
	Seats          []Seat
	Started, Ended time.Time // Ended is zero while the match runs
	State          State
	Reason         string
	Answers        []Answer // in the order they were used
	Stream         []byte   // all that the spectators received
}

// Seat is one place at the table and how it came out.
type Seat struct {
	Name  string
	Bot   bool
	Score float64
	Rank  int
	Ended driver.Ended
}

// Answer is one line that a seat was asked for.
type Answer struct {
	Seat    int
	Line    string
	Outcome driver.Outcome
	At      time.Duration // since the start of the match; kept to the microsecond
}
