package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/base/histogram"
	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/sqlite"
)

// writer writes the records of a host. One goroutine, in run, commits everything that is
// queued in one transaction, and then everything that was queued since.
type writer struct {
	d       dialect.Database
	log     *slog.Logger
	waits   bool // see owned
	pack    record.Packer
	queue   *queue
	begun   *begun
	changed func() // called after commits that have changed the list of ended matches

	// For the goroutine of run alone.
	db      *sql.DB
	commits dialect.Committer
	late    late
	retry   *time.Timer // wakes the goroutine after a commit that has failed

	mu        sync.Mutex // guards the fields below
	fault     string     // why the last commit failed, for operators; empty: it succeeded
	lost      int        // calls of begin not written since the last successful commit
	kept      int        // rows in late
	committed histogram.Durations
	failed    uint64 // commits
	records   uint64 // durable, of ended matches
}

func newWriter(d dialect.Database, o owned, log *slog.Logger, changed func()) *writer {
	w := &writer{d: d, log: log, db: o.db, commits: o.commits, waits: o.waits, changed: changed, queue: newQueue(), begun: newBegun(o.hosts)}
	w.retry = time.AfterFunc(retryEvery, w.queue.wakeWriter)
	return w
}

// begin queues the row of a match that has begun.
func (w *writer) begin(r *record.Match) {
	begun := *r
	begun.State, begun.Reason, begun.Ended, begun.Answers, begun.Stream = record.Running, "", time.Time{}, nil, nil
	values, err := valuesOf(&begun, &w.pack)
	if err == nil {
		err = w.queue.addBegin(&dialect.Row{Values: values, Generation: w.begun.add(r.ID)})
	}
	if err != nil {
		w.lose(1, err)
	}
}

// finish queues the row of a match that has ended, and waits for its commit.
func (w *writer) finish(ctx context.Context, r *record.Match) error {
	row, err := rowOf(r, &w.pack)
	if err != nil {
		return err
	}
	if err := w.queue.admit(ctx); err != nil {
		return err
	}
	row.Generation = w.begun.of(r.ID)
	done := make(chan error, 1)
	if err := w.queue.addEnd(entry{row, done, weight(row.Values)}); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run is the goroutine that writes. When the queue is closed and empty, it returns the
// error of the last commit.
func (w *writer) run() error {
	for range w.queue.wake {
		batch, begins, closed := w.queue.take()
		begun := time.Now()
		err := w.commit(rowsOf(batch))
		failedBefore := false
		if len(batch) > 0 {
			w.count(batch, time.Since(begun), err)
			failedBefore = w.noteFault(err)
		}
		switch {
		case err != nil && w.waits && !closed:
			w.queue.putBack(batch, begins)
			if !failedBefore {
				w.log.Error("could not record matches; those that end wait, and it is tried again every second",
					"store", w.d.String(), "error", w.d.Explain(err))
			}
			continue
		case err != nil:
			w.lose(begins, err)
			if !w.waits {
				w.keep(batch)
			}
		case len(batch) > 0:
			w.recovered(w.waits && failedBefore)
		}
		for _, e := range batch {
			if e.done != nil {
				w.answer(e, err)
			}
		}
		if tried, lateErr := w.writeLate(closed); tried {
			err = lateErr
		} else if len(batch) == 0 && !closed {
			w.probe()
		}
		if closed { // nothing is queued after close
			return err
		}
	}
	panic("unreachable: wake is never closed")
}

// rowsOf returns the rows of a batch.
func rowsOf(batch []entry) []*dialect.Row {
	rows := make([]*dialect.Row, len(batch))
	for i, e := range batch {
		rows[i] = e.Row
	}
	return rows
}

// answer returns the result of a commit to its call of finish.
func (w *writer) answer(e entry, err error) {
	if err == nil {
		err = e.Err
	}
	if err == nil { // not after record.ErrFenced, which another call must get again
		w.begun.remove(e.Values[dialect.ColumnID].(string))
	}
	w.queue.leave(e)
	e.done <- err
	w.queue.freeSlot()
}

// commit writes a batch in one transaction. No context cancels it, because SQLite would
// then roll back on its own.
func (w *writer) commit(batch []*dialect.Row) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := w.d.Bound(context.Background())
	defer cancel()
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := w.commits.Commit(ctx, conn, batch); err != nil {
		return err
	}
	for _, row := range batch {
		if row.Late || row.Ended {
			w.changed()
			break
		}
	}
	return nil
}

// lose counts rows of begin that were not written. It logs the first one;
// recovered logs how many there were.
func (w *writer) lose(n int, why error) {
	if n == 0 {
		return
	}
	w.mu.Lock()
	first := w.lost == 0
	w.lost += n
	w.mu.Unlock()
	if first {
		w.log.Error("could not record that matches began; matches that are running when the host stops will be missing",
			"file", w.d.String(), "error", w.d.Explain(why))
	}
}

// recovered notes a commit that has succeeded. It logs that if rows were lost or waited.
func (w *writer) recovered(waited bool) {
	w.queue.written()
	w.mu.Lock()
	n := w.lost
	w.lost = 0
	w.mu.Unlock()
	if n > 0 || waited {
		w.log.Info("matches are recorded again", "file", w.d.String(), "begins_lost", n)
	}
}

// keep adds the ends of matches in a failed batch to the late rows.
func (w *writer) keep(batch []entry) {
	if w.late.add(batch) {
		w.log.Error("too many records are waiting to be written: dropping the oldest", "file", w.d.String())
	}
	w.scheduleRetry()
}

// writeLate commits the late rows, if there are any and a retry is due or last is
// set. It does not overwrite a newer record of the same match.
func (w *writer) writeLate(last bool) (tried bool, err error) {
	n := len(w.late.rows)
	if n == 0 || time.Now().Before(w.late.due) && !last {
		return false, nil
	}
	err = w.commit(w.late.rows)
	w.noteFault(err)
	if err != nil {
		err = fmt.Errorf("could not record %d matches: %w", n, err)
	} else {
		w.log.Info("wrote the records that were waiting", "file", w.d.String(), "matches", n, "given_up", w.late.lost)
		w.late = late{}
		w.mu.Lock()
		w.records += uint64(n)
		w.mu.Unlock()
	}
	w.scheduleRetry()
	return true, err
}

// scheduleRetry sets the time of the next attempt if there are late rows.
func (w *writer) scheduleRetry() {
	n := len(w.late.rows)
	w.mu.Lock()
	w.kept = n
	w.mu.Unlock()
	if n > 0 {
		w.late.due = time.Now().Add(retryEvery)
		w.retry.Reset(retryEvery)
	}
}

// probe writes one page of a file when the last commit failed and no row waits for another
// attempt, so that the writer notices the end of a fault without a new match.
func (w *writer) probe() {
	w.mu.Lock()
	failed := w.fault != ""
	w.mu.Unlock()
	if file, ok := w.d.(sqlite.File); ok && failed && len(w.late.rows) == 0 {
		w.noteFault(file.Probe(context.Background(), w.db))
	}
}

// noteFault keeps why a commit failed, and then wakes the writer after some time; nil: it
// succeeded. It returns whether the commit before has failed.
func (w *writer) noteFault(err error) (before bool) {
	text := ""
	if err != nil {
		text = w.d.Explain(err).Error()
		w.retry.Reset(retryEvery)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before = w.fault != ""
	w.fault = text
	return before
}

// count counts a commit.
func (w *writer) count(batch []entry, took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failed++
		return
	}
	w.committed.Add(took)
	for _, e := range batch {
		if e.Ended && e.Err == nil {
			w.records++
		}
	}
}

// addStats adds the counters of the writer. With PostgreSQL a fault is not one of them:
// Store.Available has another rule there.
func (w *writer) addStats(s *Stats) {
	queued := w.queue.length()
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Commits, s.Failed, s.Records, s.Waiting = w.committed, w.failed, w.records, queued+w.kept
	if !w.waits {
		s.Fault = w.fault
	}
}
