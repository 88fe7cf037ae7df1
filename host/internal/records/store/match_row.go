package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
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
	var clock, fixture, branch any
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
	if r.Branch != nil {
		text, err := json.Marshal(r.Branch)
		if err != nil {
			return nil, fmt.Errorf("branch: %w", err)
		}
		branch = string(text)
	}
	clocks, err := pack.Pack(record.EncodeLefts(r))
	if err != nil {
		return nil, fmt.Errorf("clocks: %w", err)
	}
	notes, err := pack.Pack(record.EncodeNotes(r.Answers))
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	spent, err := pack.Pack(record.EncodeSpent(r.Answers))
	if err != nil {
		return nil, fmt.Errorf("spent: %w", err)
	}
	stream, err := pack.Pack(r.Stream)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return []any{r.ID, r.Name, r.Game, r.Plugin, r.Version, string(args), string(params), r.Timeout, int64(r.Seed), r.Verified,
		seats, toNanos(r.Started), toNanos(r.Ended), string(r.State), r.Reason, clock, fixture, r.Salt, r.Retries, branch, answers, clocks, notes, spent, stream}, nil
}

// scan reads the columns of a record, and the columns after them into more.
func scan(row interface{ Scan(into ...any) error }, more ...any) (*record.Match, error) {
	var (
		r                   record.Match
		args, params, seats string
		seed                int64
		started, ended      sql.NullInt64
		clock, fixture      sql.NullString
		branch              sql.NullString
		answers             []byte
		clocks, notes       []byte
		spent               []byte
		stream              []byte
	)
	into := []any{&r.ID, &r.Name, &r.Game, &r.Plugin, &r.Version, &args, &params, &r.Timeout, &seed, &r.Verified,
		&seats, &started, &ended, &r.State, &r.Reason, &clock, &fixture, &r.Salt, &r.Retries, &branch, &answers, &clocks, &notes, &spent, &stream}
	if err := row.Scan(append(into, more...)...); err != nil {
		return nil, err
	}
	r.Seed, r.Started, r.Ended = uint64(seed), fromNanos(started), fromNanos(ended)
	var err error
	if err = json.Unmarshal([]byte(args), &r.Args); err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	if err = json.Unmarshal([]byte(params), &r.Params); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if r.Seats, err = record.DecodeSeats(seats); err != nil {
		return nil, fmt.Errorf("seats: %w", err)
	}
	if r.State == record.Aborted { // as its players were told; a host that died could not write it
		for i := range r.Seats {
			r.Seats[i].Ended = cmp.Or(r.Seats[i].Ended, driver.EndedAborted)
		}
	}
	if answers, err = record.Unpack(answers); err == nil {
		r.Answers, err = record.DecodeAnswers(answers)
	}
	if err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	if clock.Valid {
		if err = json.Unmarshal([]byte(clock.String), &r.Clock); err != nil {
			return nil, fmt.Errorf("clock: %w", err)
		}
	}
	if fixture.Valid {
		if err = json.Unmarshal([]byte(fixture.String), &r.Fixture); err != nil {
			return nil, fmt.Errorf("fixture: %w", err)
		}
	}
	if branch.Valid {
		if err = json.Unmarshal([]byte(branch.String), &r.Branch); err != nil {
			return nil, fmt.Errorf("branch: %w", err)
		}
	}
	if clocks, err = record.Unpack(clocks); err == nil {
		err = record.DecodeLefts(clocks, r.Answers)
	}
	if err != nil {
		return nil, fmt.Errorf("clocks: %w", err)
	}
	if notes, err = record.Unpack(notes); err == nil {
		err = record.DecodeNotes(notes, r.Answers)
	}
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	if spent, err = record.Unpack(spent); err == nil {
		err = record.DecodeSpent(spent, r.Answers)
	}
	if err != nil {
		return nil, fmt.Errorf("spent: %w", err)
	}
	if r.Stream, err = record.Unpack(stream); err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return &r, nil
}
