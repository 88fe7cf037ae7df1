package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"colosseum/host/internal/records/dialect"
)

// SubmissionState is how far a submission has come.
type SubmissionState string

// The states of a submission. A host works on it while it is built or tried.
const (
	Queued   SubmissionState = "queued"
	Building SubmissionState = "building"
	Trying   SubmissionState = "trying" // it plays its first matches
	Accepted SubmissionState = "accepted"
	Refused  SubmissionState = "refused"
	Removed  SubmissionState = "removed" // its files and texts are gone
)

// Faults of a submission: why it was refused, rests, or is tried again.
const (
	FaultOfProgram = "program"
	FaultOfHost    = "host"
)

// Errors of submissions.
var (
	ErrNoSubmission = errors.New("there is no such submission")
	ErrNotClaimed   = errors.New("this host does not work on the submission")
	ErrNotAccepted  = errors.New("the submission is not accepted")
	ErrInWork       = errors.New("the submission waits, or a host works on it")
)

// SubmissionQuotaError is the error of Add for a program that is more than a quota allows.
type SubmissionQuotaError struct {
	Quota string // "day", "address", "bytes", "all" or "waiting"
	Most  int64
}

func (e *SubmissionQuotaError) Error() string {
	return fmt.Sprintf("the quota %s of submissions is used up: at most %d", e.Quota, e.Most)
}

// SameSubmissionError is the error of Add for the files of the player's newest version.
type SameSubmissionError struct {
	Version int
}

func (e *SameSubmissionError) Error() string {
	return fmt.Sprintf("version %d has the same files", e.Version)
}

// Submission is a program that a player has handed in for a game.
type Submission struct {
	Number   int64    // in the store; never used twice
	Player   string   // as registered
	Game     string   // as clients know it
	Version  int      // from 1 for each player and game; never used twice
	Hash     [32]byte // of the unpacked files
	Language string
	State    SubmissionState
	Fault    string // FaultOfProgram or FaultOfHost; "": none
	Reason   string // of the fault, for people
	Created  time.Time
	Changed  time.Time // of State, Active or Rests, the last time
	Bytes    int64     // of the packed source
	Active   bool      // it plays for its player unless it rests; at most one of a player and game
	Failures int       // matches in a row that it did not finish by its own fault
	Rests    bool      // it does not play, because of its failures
	Run      []string  // the command; nil: it was never accepted
	Address  string    // limit key of the client that sent it, never shown; "": exempt
	Host     string    // that works on it; "" is also the name of a host that is alone
	Attempts int       // how many times hosts have begun with it, since the last Requeue
}

// NewSubmission is a program to be added. Source is the archive of its files.
type NewSubmission struct {
	Player   string // as registered
	Game     string
	Hash     [32]byte
	Language string
	Address  string
	Source   []byte
}

// SubmissionQuotas are bounds on submissions; 0: none. Those that were removed count for a
// day only.
type SubmissionQuotas struct {
	PerDay        int   // versions of a player within 24 h
	PerDayAddress int   // the same of an address
	PlayerBytes   int64 // of the sources and programs of a player
	AllBytes      int64 // of all players
	Waiting       int   // queued of a player at a time
}

// SubmissionQuery selects submissions. Its zero value selects all.
type SubmissionQuery struct {
	Player, Game string
	State        SubmissionState
	Before       int64 // only numbers below this one; 0: all
	Limit        int   // 0: none
}

// JournalEntry names a text that [Submissions.AddJournal] has kept.
type JournalEntry struct {
	Match string // its ID
	At    time.Time
}

// Submissions are the programs that players have handed in, next to the records. Several
// processes can have them open at once, next to the host's. Names of players are equal
// whatever their case. The methods can be called concurrently; those that write do all or
// nothing, and return ErrNoSubmission for a number that does not exist or was removed.
type Submissions struct {
	d      dialect.Database
	read   *sql.DB // sees each commit of any process at once
	update *updater
}

// submissionReaders is how many reads of submissions run at once; others wait.
const submissionReaders = 2

// OpenSubmissions opens the submissions in a file of records or in PostgreSQL, next to
// running hosts or without. If a file does not exist or is older, it creates or updates it
// first, which needs that no host runs. The folder must exist.
func OpenSubmissions(ctx context.Context, where string, log *slog.Logger) (*Submissions, error) {
	d, shown, err := find(where)
	if err == nil {
		var s *Submissions
		if s, err = openSubmissions(ctx, d, log); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("open the submissions in %s: %w", shown, explain(d, err))
}

func openSubmissions(ctx context.Context, d dialect.Database, log *slog.Logger) (*Submissions, error) {
	if err := d.Prepare(ctx, log); err != nil {
		return nil, err
	}
	write, err := d.Connect(1, false)
	if err != nil {
		return nil, err
	}
	s, err := newSubmissions(newUpdater(d, write))
	if err != nil {
		write.Close()
	}
	return s, err
}

// newSubmissions opens the connections that read. If it fails, those of u stay open.
func newSubmissions(u *updater) (*Submissions, error) {
	read, err := u.d.Connect(submissionReaders, true)
	if err != nil {
		return nil, err
	}
	return &Submissions{d: u.d, read: read, update: u}, nil
}

// Close closes the connections. It must not be called for the submissions of a [Store].
func (s *Submissions) Close() error { return errors.Join(s.read.Close(), s.update.db.Close()) }

// named returns the condition on a player's name.
func (s *Submissions) named(name string) string {
	t := s.d.Texts()
	return t.Folded("player") + " = " + t.Folded(name)
}

// wrap adds to an error what was done, except to those that callers know.
func (s *Submissions) wrap(what string, err error) error {
	var quota *SubmissionQuotaError
	var same *SameSubmissionError
	switch {
	case err == nil, errors.As(err, &quota), errors.As(err, &same):
		return err
	}
	for _, known := range []error{ErrNoSubmission, ErrNotClaimed, ErrNotAccepted, ErrInWork} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%s in %s: %w", what, s.d, s.d.Explain(err))
}

// change runs a transaction, and for some time again if others are in its way.
func (s *Submissions) change(ctx context.Context, what string, do func(context.Context, *sql.Tx) error) error {
	return s.wrap(what, s.update.change(ctx, dialect.BusyTimeout, do))
}

// changeAlone is change for a transaction that depends on several submissions: no other one
// runs at the same time.
func (s *Submissions) changeAlone(ctx context.Context, what string, do func(context.Context, *sql.Tx) error) error {
	return s.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		if lock := s.d.Texts().Submissions; lock != "" {
			if _, err := tx.ExecContext(ctx, lock); err != nil {
				return err
			}
		}
		return do(ctx, tx)
	})
}
