package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// day is the time of the quotas for a day.
const day = 24 * time.Hour

// Add adds a submission with the next version of its player and game, which waits to be
// built. Its error is a *SameSubmissionError if the newest version that was neither refused
// nor removed has the same files, or a *SubmissionQuotaError.
func (s *Submissions) Add(ctx context.Context, n NewSubmission, most SubmissionQuotas) (added Submission, err error) {
	err = s.changeAlone(ctx, "add a submission", func(ctx context.Context, tx *sql.Tx) error {
		mine := s.named("$1") + ` AND game = $2`
		newest, err := submission(ctx, tx, mine+` AND state NOT IN ('refused', 'removed') ORDER BY version DESC LIMIT 1`, n.Player, n.Game)
		switch {
		case err == nil && newest.Hash == n.Hash:
			return &SameSubmissionError{newest.Version}
		case err != nil && !errors.Is(err, ErrNoSubmission):
			return err
		}
		now := time.Now()
		if err := s.checkQuotas(ctx, tx, &n, most, now); err != nil {
			return err
		}
		added, err = scanSubmission(tx.QueryRowContext(ctx, `INSERT INTO submissions (player, game, version, hash, language, state, fault, reason, created, changed,
				bytes, built, active, failures, rests, address, host, attempts, claimed)
			VALUES ($1, $2, (SELECT coalesce(max(version), 0) + 1 FROM submissions WHERE `+mine+`), $3, $4, 'queued', '', '', $5, $5, $6, 0, FALSE, 0, FALSE, $7, '', 0, 0)
			RETURNING `+submissionColumns, n.Player, n.Game, n.Hash[:], n.Language, now.UnixNano(), len(n.Source), n.Address).Scan)
		if err != nil {
			return err
		}
		for i, data := range blocks(n.Source) {
			if err := addBlock(ctx, tx, added.Number, ofSource, i, data); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Submission{}, err
	}
	return added, nil
}

// checkQuotas returns a *SubmissionQuotaError if a new submission would exceed a quota.
func (s *Submissions) checkQuotas(ctx context.Context, tx *sql.Tx, n *NewSubmission, most SubmissionQuotas, now time.Time) error {
	const count = `SELECT count(*) FROM submissions WHERE `
	since, size := now.Add(-day).UnixNano(), int64(len(n.Source))
	if n.Address == "" {
		most.PerDayAddress = 0
	}
	for _, q := range []struct {
		name      string
		most, add int64
		sql       string
		args      []any
	}{
		{"day", int64(most.PerDay), 1, count + s.named("$1") + ` AND created > $2`, []any{n.Player, since}},
		{"address", int64(most.PerDayAddress), 1, count + `address = $1 AND created > $2`, []any{n.Address, since}},
		{"waiting", int64(most.Waiting), 1, count + s.named("$1") + ` AND state = 'queued'`, []any{n.Player}},
		{"bytes", most.PlayerBytes, size, keptBytes + ` AND ` + s.named("$1"), []any{n.Player}},
		{"all", most.AllBytes, size, keptBytes, nil},
	} {
		if q.most <= 0 {
			continue
		}
		var used int64
		if err := tx.QueryRowContext(ctx, q.sql, q.args...).Scan(&used); err != nil {
			return err
		}
		if used+q.add > q.most {
			return &SubmissionQuotaError{q.name, q.most}
		}
	}
	return nil
}

// Claim makes the next submission in the queue one that is being built by a host; ok is
// false if none waits. Each player has a turn, see Waiting.
func (s *Submissions) Claim(ctx context.Context, host string) (claimed Submission, ok bool, err error) {
	const what = "claim a submission"
	// Most calls find nothing, and need not wait for the turn to write.
	if err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM submissions WHERE state = 'queued')`).Scan(&ok); err != nil || !ok {
		return claimed, false, s.wrap(what, err)
	}
	err = s.changeAlone(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		claimed, err = scanSubmission(tx.QueryRowContext(ctx, `UPDATE submissions SET state = 'building', host = $1, changed = $2, fault = '', reason = '',
				attempts = attempts + 1, claimed = 1 + (SELECT max(claimed) FROM submissions)
			WHERE number = (`+s.queueSQL()+`SELECT number FROM queue WHERE place = 1) RETURNING `+submissionColumns, host, time.Now().UnixNano()).Scan)
		return err
	})
	if errors.Is(err, ErrNoSubmission) {
		return Submission{}, false, nil
	}
	return claimed, err == nil, err
}

// inWork is the condition on a submission on which a host works.
const inWork = `state IN ('building', 'trying')`

// Release queues again what a host has left half done, and returns its number: at the start
// of this host, or for one that is dead.
func (s *Submissions) Release(ctx context.Context, host string) (released int, err error) {
	err = s.change(ctx, "queue again what the host "+host+" has left", func(ctx context.Context, tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `UPDATE submissions SET state = 'queued', host = '', changed = $1 WHERE host = $2 AND `+inWork, time.Now().UnixNano(), host)
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		released = int(n)
		return err
	})
	return released, err
}

// SetState changes the state of a submission on which a host works, or returns
// ErrNotClaimed. Queued means that it is tried again later; with Queued and Refused the host
// no longer works on it. Accept makes it accepted.
func (s *Submissions) SetState(ctx context.Context, number int64, host string, state SubmissionState, fault, reason string) error {
	more := ""
	switch state {
	case Building, Trying:
	case Queued:
		more = `, host = ''`
	case Refused:
		more = `, host = '', active = FALSE`
	default:
		return fmt.Errorf("a host cannot make a submission %s", state)
	}
	return s.change(ctx, fmt.Sprintf("change submission %d", number), func(ctx context.Context, tx *sql.Tx) error {
		set, err := changed(tx.ExecContext(ctx, `UPDATE submissions SET state = $1, fault = $2, reason = $3, changed = $4`+more+`
			WHERE number = $5 AND host = $6 AND `+inWork, string(state), fault, reason, time.Now().UnixNano(), number, host))
		if err == nil && !set {
			err = ErrNotClaimed
		}
		if err != nil || state != Refused {
			return err
		}
		one, err := submission(ctx, tx, `number = $1`, number)
		if err == nil {
			err = announceProgram(ctx, tx, ProgramRefused, &one)
		}
		return err
	})
}

// Accept accepts a submission on which a host works, with the command and the packed files
// of the built program, or returns ErrNotClaimed. At its first acceptance it becomes the
// active version unless a newer one is accepted; one that was built again stays active or
// not.
func (s *Submissions) Accept(ctx context.Context, number int64, host string, run []string, program []byte) (accepted Submission, err error) {
	what := fmt.Sprintf("accept submission %d", number)
	command, err := json.Marshal(append([]string{}, run...))
	if err != nil {
		return Submission{}, s.wrap(what, err)
	}
	// After a Release the same host can have begun again; the numbers of the two differ.
	const own = `number = $1 AND host = $2 AND attempts = $3 AND ` + inWork
	begun, err := s.Number(ctx, number)
	if err != nil {
		return Submission{}, err
	}
	before := begun
	check := func(ctx context.Context, tx *sql.Tx) (err error) {
		before, err = submission(ctx, tx, own+s.d.Texts().Lock, number, host, begun.Attempts)
		if errors.Is(err, ErrNoSubmission) {
			err = ErrNotClaimed
		}
		return err
	}
	if err := s.change(ctx, what, check); err != nil {
		return Submission{}, err
	}
	// Those of an acceptance that a kill has interrupted.
	if err := s.drop(ctx, what, `b.kind = 'program' AND s.host = $2 AND s.attempts = $3 AND s.`+inWork, number, host, begun.Attempts); err != nil {
		return Submission{}, err
	}
	if err := s.addProgram(ctx, what, number, program, check); err != nil {
		return Submission{}, err
	}
	err = s.changeAlone(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		if err := check(ctx, tx); err != nil {
			return err
		}
		var newer bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM submissions WHERE `+s.named("$1")+` AND game = $2 AND version > $3 AND state = 'accepted')`,
			before.Player, before.Game, before.Version).Scan(&newer); err != nil {
			return err
		}
		active := before.Active
		if before.Run == nil && !newer {
			if err := s.deactivate(ctx, tx, before.Player, before.Game); err != nil {
				return err
			}
			active = true
		}
		accepted, err = scanSubmission(tx.QueryRowContext(ctx, `UPDATE submissions SET state = 'accepted', fault = '', reason = '', changed = $1,
				built = $2, run = $3, active = $4, host = '' WHERE number = $5 RETURNING `+submissionColumns,
			time.Now().UnixNano(), len(program), string(command), active, number).Scan)
		if err == nil {
			err = announceProgram(ctx, tx, ProgramAccepted, &accepted)
		}
		return err
	})
	if err != nil {
		return Submission{}, err
	}
	return accepted, nil
}

func (s *Submissions) deactivate(ctx context.Context, tx *sql.Tx, player, game string) error {
	_, err := tx.ExecContext(ctx, `UPDATE submissions SET active = FALSE, changed = $3 WHERE active AND `+s.named("$1")+` AND game = $2`,
		player, game, time.Now().UnixNano())
	return err
}

// Activate makes an accepted version the one that plays for its player, and ends its rest.
// With version 0 none plays, and it returns the zero Submission. Its error can be
// ErrNoSubmission or ErrNotAccepted.
func (s *Submissions) Activate(ctx context.Context, player, game string, version int) (active Submission, err error) {
	err = s.changeAlone(ctx, "activate a submission", func(ctx context.Context, tx *sql.Tx) error {
		if version == 0 {
			return s.deactivate(ctx, tx, player, game)
		}
		one, err := submission(ctx, tx, s.named("$1")+` AND game = $2 AND version = $3 AND state <> 'removed'`+s.d.Texts().Lock, player, game, version)
		if err == nil && one.State != Accepted {
			err = fmt.Errorf("%w: it is %s", ErrNotAccepted, one.State)
		}
		if err == nil {
			err = s.deactivate(ctx, tx, player, game)
		}
		if err != nil {
			return err
		}
		active, err = scanSubmission(tx.QueryRowContext(ctx, `UPDATE submissions SET active = TRUE, rests = FALSE, failures = 0, fault = '', reason = '', changed = $1
			WHERE number = $2 RETURNING `+submissionColumns, time.Now().UnixNano(), one.Number).Scan)
		return err
	})
	if err != nil {
		return Submission{}, err
	}
	return active, nil
}

// Played counts a match of a submission: its failures in a row, by its own fault. With as
// many as the limit it rests, for the reason of the last one; 0: never. It returns whether
// it rests. It does nothing for one that is not accepted any more.
func (s *Submissions) Played(ctx context.Context, number int64, failed bool, reason string, limit int) (rests bool, err error) {
	what := fmt.Sprintf("count a match of submission %d", number)
	one, err := s.Number(ctx, number)
	if err != nil {
		return false, err
	}
	if !failed && one.Failures == 0 { // as after most matches; nothing changes
		return one.Rests && one.State == Accepted, nil
	}
	err = s.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		one, err := submission(ctx, tx, `number = $1`+s.d.Texts().Lock, number)
		if err != nil || one.State != Accepted {
			rests = false
			return err
		}
		if rests = one.Rests; !failed {
			_, err := tx.ExecContext(ctx, `UPDATE submissions SET failures = 0 WHERE number = $1`, number)
			return err
		}
		one.Failures++
		begins := !rests && limit > 0 && one.Failures >= limit
		if begins {
			rests = true
			one.Fault, one.Reason, one.Changed = FaultOfProgram, reason, time.Now()
		}
		_, err = tx.ExecContext(ctx, `UPDATE submissions SET failures = $1, rests = $2, fault = $3, reason = $4, changed = $5 WHERE number = $6`,
			one.Failures, rests, one.Fault, one.Reason, one.Changed.UnixNano(), number)
		if err == nil && begins {
			err = announceProgram(ctx, tx, ProgramRests, &one)
		}
		return err
	})
	return rests, err
}

// Requeue queues an accepted or refused submission again, with an empty log, or returns
// ErrInWork.
func (s *Submissions) Requeue(ctx context.Context, number int64) error {
	what := fmt.Sprintf("queue submission %d again", number)
	if err := s.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		one, err := submission(ctx, tx, `number = $1 AND state <> 'removed'`+s.d.Texts().Lock, number)
		if err == nil && one.State != Accepted && one.State != Refused {
			err = ErrInWork
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE submissions SET state = 'queued', fault = '', reason = '', changed = $1,
				built = 0, failures = 0, rests = FALSE, attempts = 0 WHERE number = $2`, time.Now().UnixNano(), number)
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM submission_logs WHERE submission = $1`, number)
		}
		return err
	}); err != nil {
		return err
	}
	return s.clear(ctx, what)
}

// Remove deletes the files, the log and the journals of a submission. It is removed at once;
// its files are deleted in short transactions, so that the end of a match never waits long.
func (s *Submissions) Remove(ctx context.Context, number int64) error {
	what := fmt.Sprintf("remove submission %d", number)
	if err := s.changeAlone(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		removed, err := changed(tx.ExecContext(ctx, `UPDATE submissions SET state = 'removed', host = '', active = FALSE, rests = FALSE, failures = 0,
			fault = '', reason = '', changed = $1 WHERE number = $2 AND state <> 'removed'`, time.Now().UnixNano(), number))
		if err == nil && !removed {
			err = ErrNoSubmission
		}
		for _, table := range []string{"submission_logs", "submission_journals"} {
			if err == nil {
				_, err = tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE submission = $1`, number)
			}
		}
		return err
	}); err != nil {
		return err
	}
	return s.clear(ctx, what)
}
