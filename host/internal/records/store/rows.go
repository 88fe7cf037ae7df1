package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"colosseum/host/internal/records/record"
)

var (
	insert = `INSERT INTO matches (` + columns + `) VALUES (` + places(1, 1+strings.Count(columns, ",")) + `)`
	update = func() string {
		var sets []string
		for name := range strings.SplitSeq(columns, ",") {
			name = strings.TrimSpace(name)
			sets = append(sets, name+" = excluded."+name)
		}
		return strings.Join(sets, ", ")
	}()
)

// places returns n placeholders from $first.
func places(first, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint("$", first+i))
	}
	return strings.Join(list, ", ")
}

// ending returns the rows of a match that has ended.
func ending(r *record.Match, pack *record.Packer) (e entry, err error) {
	if r.Ended.IsZero() || r.State != record.Finished && r.State != record.Aborted {
		return e, fmt.Errorf("it has not ended (state %q, ended %v)", r.State, r.Ended)
	}
	e.ended = true
	if e.row, err = rowOf(r, pack); err == nil && r.Fixture != nil {
		e.result = resultOf(r)
	}
	return e, err
}

// rowOf returns the values of the columns. It runs in the caller's goroutine, so
// that compression uses all cores. It refuses values that SQLite would refuse,
// because they would fail the whole commit.
func rowOf(r *record.Match, pack *record.Packer) ([]any, error) {
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
