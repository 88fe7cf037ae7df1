// Package contest plays contests: entries, a format, pairings and results.
//
// All that a contest consists of is in the store: its description, its events, and
// the results of its matches. [State] is computed from them, so a contest goes on
// where it was after the host was killed at any moment: a match without a result is
// played again, and nothing is played twice. [Run] plays a contest; where and how its
// matches are played is the matter of a [Field].
package contest

import (
	"context"

	"colosseum/host/internal/store"
)

// Store keeps contests. Several processes can use one.
type Store interface {
	// Contest returns a contest, or store.ErrNoContest.
	Contest(ctx context.Context, name string) (store.Contest, error)
	// Events returns the events of a contest after the one with the given number.
	Events(ctx context.Context, name string, after int64) ([]store.Event, error)
	// Results returns the results of a contest after the one with the given number,
	// in the order in which they were written.
	Results(ctx context.Context, name string, after int64) ([]store.Result, error)
	// Append adds events after the one with the given number, which must be the last
	// one, or else returns store.ErrChanged.
	Append(ctx context.Context, name string, after int64, events []store.Event) error
	// Version returns a number that changes with every commit of any process.
	Version(ctx context.Context) (int64, error)
}

// Field plays matches.
type Field interface {
	// Play plays a match, and returns when its record is durable, or when it is clear
	// that it will not be played. It returns the entries that did not come to it, if
	// that was the reason. After an error nothing is known about the match; the store
	// is read, and if it has no result, the match is played again.
	Play(ctx context.Context, s *State, f Fixture) (absent []int, err error)
}
