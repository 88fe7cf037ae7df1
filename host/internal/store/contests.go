package store

import (
	"encoding/json"
	"errors"
	"time"

	"colosseum/sdk/driver"
)

// Errors of contests.
var (
	ErrNoContest     = errors.New("there is no such contest")
	ErrContestExists = errors.New("there is a contest with this name")
	ErrChanged       = errors.New("the contest has changed in between")
)

// Contest is a contest as it was created. Everything that happens afterwards is an
// event or a result.
type Contest struct {
	Name    string // in lower case
	Game    string
	Spec    string // YAML
	Seed    uint64
	Created time.Time
}

// Event is something that happened in a contest, except the result of a match.
type Event struct {
	Number int64 // in its contest, from 1
	At     time.Time
	Kind   string
	Data   json.RawMessage
}

// Result is the result of one match of a contest. It is written in the same
// transaction as the match's record, and stays when the record is removed.
type Result struct {
	Number       int64 // grows with each result in the file
	Contest      string
	Pairing, Leg int
	Match        string // its ID
	Ended        time.Time
	Aborted      bool
	Seats        []ResultSeat
}

// ResultSeat is the result of one seat.
type ResultSeat struct {
	Entry int // its number in the contest
	Rank  int
	Score float64
	Ended driver.Ended
}
