package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"colosseum/host/internal/records/dialect"
)

// submissionColumns are what scanSubmission reads.
const submissionColumns = `number, player, game, version, hash, language, state, fault, reason, created, changed, bytes,
	active, failures, rests, run, address, host, attempts`

// scanSubmission reads a row of submissionColumns. It returns ErrNoSubmission if there is
// none.
func scanSubmission(scan func(...any) error) (s Submission, err error) {
	var hash []byte
	var created, changed int64
	var run sql.NullString
	err = scan(&s.Number, &s.Player, &s.Game, &s.Version, &hash, &s.Language, &s.State, &s.Fault, &s.Reason, &created, &changed, &s.Bytes,
		&s.Active, &s.Failures, &s.Rests, &run, &s.Address, &s.Host, &s.Attempts)
	if errors.Is(err, sql.ErrNoRows) {
		return s, ErrNoSubmission
	}
	if err != nil {
		return s, err
	}
	copy(s.Hash[:], hash)
	s.Created, s.Changed = time.Unix(0, created).UTC(), time.Unix(0, changed).UTC()
	if run.Valid {
		if err := json.Unmarshal([]byte(run.String), &s.Run); err != nil {
			return s, fmt.Errorf("submission %d: run: %w", s.Number, err)
		}
	}
	return s, nil
}

// submission returns the submission that a condition selects, or ErrNoSubmission.
func submission(ctx context.Context, db dialect.Querier, which string, args ...any) (Submission, error) {
	return scanSubmission(db.QueryRowContext(ctx, `SELECT `+submissionColumns+` FROM submissions WHERE `+which, args...).Scan)
}

// Get returns a version of a player, also a removed one, or ErrNoSubmission.
func (s *Submissions) Get(ctx context.Context, player, game string, version int) (Submission, error) {
	one, err := submission(ctx, s.read, s.named("$1")+` AND game = $2 AND version = $3`, player, game, version)
	return one, s.wrap("read a submission", err)
}

// Number returns a submission, also a removed one, or ErrNoSubmission.
func (s *Submissions) Number(ctx context.Context, number int64) (Submission, error) {
	one, err := submission(ctx, s.read, `number = $1`, number)
	return one, s.wrap("read a submission", err)
}

// List returns the submissions that a query selects, the newest first.
func (s *Submissions) List(ctx context.Context, q SubmissionQuery) ([]Submission, error) {
	which, args := []string{"TRUE"}, []any{}
	add := func(condition string, arg any) {
		args = append(args, arg)
		which = append(which, strings.ReplaceAll(condition, "$", fmt.Sprint("$", len(args))))
	}
	if q.Player != "" {
		add(s.named("$"), q.Player)
	}
	if q.Game != "" {
		add("game = $", q.Game)
	}
	if q.State != "" {
		add("state = $", string(q.State))
	}
	if q.Before > 0 {
		add("number < $", q.Before)
	}
	limit := ""
	if q.Limit > 0 {
		limit = fmt.Sprint(" LIMIT ", q.Limit)
	}
	return s.list(ctx, strings.Join(which, " AND ")+` ORDER BY number DESC`+limit, args...)
}

// Active returns the submissions that play: the active ones that are accepted and do not
// rest, of players that were not removed, in the order of their numbers.
func (s *Submissions) Active(ctx context.Context) ([]Submission, error) {
	// Without coalesce, SQLite would look at all accepted ones instead of the active ones.
	fold := s.d.Texts().Folded
	return s.list(ctx, `active AND coalesce(state, '') = 'accepted' AND NOT rests
		AND NOT EXISTS (SELECT 1 FROM players WHERE `+fold("players.name")+` = `+fold("submissions.player")+` AND token IS NULL) ORDER BY number`)
}

func (s *Submissions) list(ctx context.Context, which string, args ...any) (list []Submission, err error) {
	defer func() { err = s.wrap("list the submissions", err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT `+submissionColumns+` FROM submissions WHERE `+which, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scanSubmission(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// queueSQL selects the places in the queue: each player in turn, first the one whose last
// claim is longest ago. Of a player, what was tried least often comes first, and then what
// is oldest.
func (s *Submissions) queueSQL() string {
	return `WITH queue AS (
		SELECT number, row_number() OVER (ORDER BY turn, last, oldest) AS place FROM (
			SELECT number, row_number() OVER own AS turn, first_value(number) OVER own AS oldest,
				(SELECT max(c.claimed) FROM submissions c WHERE ` + s.d.Texts().Folded("c.player") + ` = ` + s.d.Texts().Folded("s.player") + `) AS last
			FROM submissions s WHERE state = 'queued'
			WINDOW own AS (PARTITION BY ` + s.d.Texts().Folded("player") + ` ORDER BY attempts, number)
		) AS waiting
	) `
}

// Waiting returns the place of a submission in the queue, from 1; 0: it does not wait.
func (s *Submissions) Waiting(ctx context.Context, number int64) (place int, err error) {
	err = s.read.QueryRowContext(ctx, s.queueSQL()+`SELECT place FROM queue WHERE number = $1`, number).Scan(&place)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return place, s.wrap("read the queue of submissions", err)
}

// Count returns the number of submissions in each state that some have, and the bytes of
// the sources and programs that are kept.
func (s *Submissions) Count(ctx context.Context) (states map[SubmissionState]int, bytes int64, err error) {
	defer func() { err = s.wrap("count the submissions", err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT state, count(*), CAST(sum(bytes + built) AS bigint) FROM submissions GROUP BY state`)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	states = map[SubmissionState]int{}
	for rows.Next() {
		var state SubmissionState
		var n int
		var size int64
		if err := rows.Scan(&state, &n, &size); err != nil {
			return nil, 0, err
		}
		if states[state] = n; state != Removed {
			bytes += size
		}
	}
	return states, bytes, rows.Err()
}

// keptBytes selects the bytes of the sources and programs that are kept.
const keptBytes = `SELECT CAST(coalesce(sum(bytes + built), 0) AS bigint) FROM submissions WHERE state <> 'removed'`
