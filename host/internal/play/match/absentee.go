package match

import (
	"time"

	"colosseum/protocol"
)

// Absentee is the player of a program that could not be started. It has no connection, and
// nobody reads what it gets.
type Absentee struct{}

// The methods of Player.

func (Absentee) Send([]byte)                {}
func (Absentee) Written() (time.Time, bool) { return time.Time{}, true }
func (Absentee) Unread(time.Time) bool      { return false }
func (Absentee) Lag() time.Duration         { return 0 }
func (Absentee) Probe()                     {}
func (Absentee) Away(string, time.Time)     {}
func (Absentee) Cut()                       {}
func (Absentee) Ended(protocol.MatchResult) {}
