// Package registry is the access of clients and commands to programs that players have
// handed in.
package registry

import "time"

// Version is a program that a player has handed in for a game, as its owner sees it. Its
// number and its files never change.
type Version struct {
	Game     string    `json:"game"`
	Version  int       `json:"version"` // from 1 for each player and game
	Player   string    `json:"player"`
	Language string    `json:"language"`
	State    string    `json:"state"`              // queued, building, trying, accepted, refused or removed
	Fault    string    `json:"fault"`              // program or host, with Reason; empty: none
	Reason   string    `json:"reason"`             // for people: why it was refused, rests or is tried again
	Position int       `json:"position,omitempty"` // in the queue, from 1; 0: it does not wait
	Created  time.Time `json:"created"`
	Changed  time.Time `json:"changed"`
	Bytes    int64     `json:"bytes"`  // of the packed source
	Hash     string    `json:"hash"`   // of the unpacked files, in hexadecimal digits
	Active   bool      `json:"active"` // it plays for its player, unless it rests
	Rests    bool      `json:"rests"`
	Failures int       `json:"failures"` // matches in a row that it did not finish by its own fault
}

// Done reports whether the host has built and tried the version, or has dropped it.
func (v *Version) Done() bool {
	return v.State == "accepted" || v.State == "refused" || v.State == "removed"
}

// Language is one in which programs can be handed in.
type Language struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"` // of its compiler or interpreter on this host
}

// JournalEntry is a match of which the standard error of a program is kept.
type JournalEntry struct {
	Match string    `json:"match"`
	At    time.Time `json:"at"`
}

// Work is what the host does for all programs together. It names nobody.
type Work struct {
	Queued   int `json:"queued"`
	Building int `json:"building"` // with those that are tried
	Busy     int `json:"busy"`     // cores that matches of programs use now
	Cores    int `json:"cores"`    // that they can use
	Matches  int `json:"matches"`  // of programs that ended in the last hour
}

// Refusal is an error for the client.
type Refusal struct {
	Status int // of HTTP
	Text   string
}

func (r *Refusal) Error() string { return r.Text }
