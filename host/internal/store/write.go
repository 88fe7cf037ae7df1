package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"colosseum/host/internal/record"
)

var (
	insert = `INSERT INTO matches (` + columns + `) VALUES (?` + strings.Repeat(", ?", strings.Count(columns, ",")) + `)`
	update = func() string {
		var sets []string
		for name := range strings.SplitSeq(columns, ",") {
			name = strings.TrimSpace(name)
			sets = append(sets, name+" = excluded."+name)
		}
		return strings.Join(sets, ", ")
	}()
)

// ending returns the rows of a match that has ended.
func ending(r *record.Match, pack *record.Packer) (e entry, err error) {
	if r.Ended.IsZero() || r.State != record.Finished && r.State != record.Aborted {
		return e, fmt.Errorf("it has not ended (state %q, ended %v)", r.State, r.Ended)
	}
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
	stream, err := pack.Pack(r.Stream)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return []any{r.ID, r.Name, r.Game, r.Plugin, r.Version, string(args), string(params), r.Timeout, int64(r.Seed), r.Verified,
		seats, toNanos(r.Started), toNanos(r.Ended), string(r.State), r.Reason, clock, fixture, answers, clocks, stream}, nil
}

// wakeWriter makes the writer look at the queue.
func (s *Store) wakeWriter() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake, or about to be
	}
}

// write is the writer goroutine. When the store is closed and the queue is
// empty, it returns the error of the last commit.
func (s *Store) write() error {
	s.late.retry = time.AfterFunc(retryEvery, s.wakeWriter)
	defer s.late.retry.Stop()
	for range s.wake {
		s.mu.Lock()
		batch, begins, closed := s.queue, s.begins, s.closed
		s.queue, s.begins = nil, 0
		s.mu.Unlock()

		begun := time.Now()
		err := s.commit(batch)
		if len(batch) > 0 {
			s.count(batch, time.Since(begun), err)
		}
		if err != nil {
			s.lose(begins, err)
			s.keep(batch)
		} else if len(batch) > 0 {
			s.recovered()
		}
		for _, e := range batch {
			if e.done != nil {
				e.done <- err
				<-s.slots
			}
		}
		if tried, lateErr := s.writeLate(closed); tried {
			err = lateErr
		}
		if closed { // nothing is queued after Close
			return err
		}
	}
	panic("unreachable: wake is never closed")
}

// commit writes a batch in one transaction. After the checks of rowOf only the
// file can be broken, so writing the rows one by one would not help. No context
// cancels it, because SQLite would then roll back on its own.
func (s *Store) commit(batch []entry) error {
	if len(batch) == 0 {
		return nil
	}
	ctx := context.Background()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	begin, finish, late := tx.StmtContext(ctx, s.begin), tx.StmtContext(ctx, s.finish), tx.StmtContext(ctx, s.catchUp)
	result := tx.StmtContext(ctx, s.result)
	ended := false
	for _, e := range batch {
		stmt := finish
		ended = ended || e.late || e.done != nil
		switch {
		case e.late:
			stmt = late
		case e.done == nil:
			stmt = begin
		}
		_, err := stmt.ExecContext(ctx, e.row...)
		if err == nil && e.result != nil {
			_, err = result.ExecContext(ctx, e.result...)
		}
		if err != nil {
			tx.Rollback() // can fail, because SQLite itself rolls back when the disk is full
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if ended {
		s.generation.Add(1)
	}
	return nil
}

// lose counts rows of Begin that were not written. It logs the first one;
// recovered logs how many there were.
func (s *Store) lose(n int, why error) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	first := s.lost == 0
	s.lost += n
	s.mu.Unlock()
	if first {
		s.log.Error("could not record that matches began; matches that are running when the host stops will be missing",
			"file", s.path, "error", explain(why))
	}
}

func (s *Store) recovered() {
	s.mu.Lock()
	n := s.lost
	s.lost = 0
	s.mu.Unlock()
	if n > 0 {
		s.log.Info("matches are recorded again", "file", s.path, "begins_lost", n)
	}
}
