// Package contest plays contests: entries, a format, pairings and results.
//
// All that a contest consists of is in the store: its description, its events, and
// the results of its matches. [State] is computed from them, so a contest goes on
// where it was after the host was killed at any moment: a match without a result is
// played again, and nothing is played twice. Package director plays contests.
package contest

import (
	"context"

	"colosseum/host/internal/records/store"
)

// Store keeps contests: a *store.Contests. Several processes can use one.
type Store interface {
	// Create adds a contest with its first events, or returns
	// store.ErrContestExists.
	Create(ctx context.Context, c store.Contest, events []store.Event) error
	// List returns all contests, the newest first.
	List(ctx context.Context) ([]store.Contest, error)
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
	// GameResults calls f for each result of a game after the one with the given
	// number, in the order in which they were written.
	GameResults(ctx context.Context, game string, after int64, f func(store.Result) error) error
	// Remove removes a contest with its events and results.
	Remove(ctx context.Context, name string) error
	// Version returns a number that changes with every commit of any process.
	Version(ctx context.Context) (int64, error)
}
