package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// rowOf returns the row of a match that has ended.
func rowOf(r *record.Match, pack *record.Packer) (row *dialect.Row, err error) {
	if r.Ended.IsZero() || r.State != record.Finished && r.State != record.Aborted {
		return nil, fmt.Errorf("it has not ended (state %q, ended %v)", r.State, r.Ended)
	}
	row = &dialect.Row{Ended: true}
	if row.Values, err = valuesOf(r, pack); err == nil && r.Fixture != nil {
		row.Result = resultOf(r)
	}
	return row, err
}

// valuesOf returns the values of the columns. It runs in the caller's goroutine, so
// that compression uses all cores. It refuses values that SQLite would refuse,
// because they would fail the whole commit.
func valuesOf(r *record.Match, pack *record.Packer) ([]any, error) {
	if r.ID == "" {
		return nil, errors.New("it has no ID")
	}
	if math.IsNaN(r.Timeout) { // SQLite stores it as NULL
		return nil, errors.New("its timeout is not a number")
	}
	args, err := json.Marshal(r.Args)
	if err != nil {
		return nil, err
	}
	params, err := json.Marshal(r.Params)
	if err != nil {
		return nil, err
	}
	seats, err := record.EncodeSeats(r.Seats)
	if err != nil {
		return nil, err
	}
	answers, err := pack.Pack(record.EncodeAnswers(r.Answers))
	if err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	var clock, fixture any
	if r.Clock != nil {
		text, err := json.Marshal(r.Clock)
		if err != nil {
			return nil, fmt.Errorf("clock: %w", err)
		}
		clock = string(text)
	}
	if r.Fixture != nil {
		if err := r.Fixture.Check(len(r.Seats)); err != nil {
			return nil, fmt.Errorf("its place in a contest: %w", err)
		}
		text, err := json.Marshal(r.Fixture)
		if err != nil {
			return nil, fmt.Errorf("its place in a contest: %w", err)
		}
		fixture = string(text)
	}
	clocks, err := pack.Pack(record.EncodeLefts(r))
	if err != nil {
		return nil, fmt.Errorf("clocks: %w", err)
	}
	notes, err := pack.Pack(record.EncodeNotes(r.Answers))
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	stream, err := pack.Pack(r.Stream)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return []any{r.ID, r.Name, r.Game, r.Plugin, r.Version, string(args), string(params), r.Timeout, int64(r.Seed), r.Verified,
		seats, toNanos(r.Started), toNanos(r.Ended), string(r.State), r.Reason, clock, fixture, r.Salt, answers, clocks, notes, stream}, nil
}
