package dialect

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Row is what is written of a match: of its beginning or of its end.
type Row struct {
	Values     []any // of Columns
	Result     []any // of a contest; nil: none
	Ended      bool  // it is the end of a match
	Late       bool  // a commit of it has failed
	Generation int64 // of this host in which the match began; 0: there is only one host
	Err        error // set by a commit that has left it out
}

// Committer writes records.
type Committer interface {
	// Commit writes a batch in one transaction, or nothing. It sets the errors of
	// rows that it leaves out.
	Commit(ctx context.Context, conn *sql.Conn, batch []*Row) error
}

// Columns are the columns of a record, in the order of Row.Values.
const Columns = `id, name, game, plugin, version, args, params, timeout, seed, verified,
	seats, started, ended, state, reason, clock, fixture, salt, retries, branch, answers, clocks, notes, spent, stream`

// Indexes of Columns.
const (
	ColumnID      = 0
	ColumnEnded   = 12
	ColumnAnswers = 20 // clocks, notes, spent and stream follow
)

// HostStopped is the reason of matches whose host did not record their end.
const HostStopped = "the host stopped during the match"

// Insert returns a statement that inserts a match. More columns follow those of Row.Values.
func Insert(more ...string) string {
	columns := strings.Join(append([]string{Columns}, more...), ", ")
	return `INSERT INTO matches (` + columns + `) VALUES (` + places(1+strings.Count(columns, ",")) + `)`
}

// Excluded sets the columns of a match that exists to those of its new row.
func Excluded() string {
	var sets []string
	for name := range strings.SplitSeq(Columns, ",") {
		name = strings.TrimSpace(name)
		sets = append(sets, name+" = excluded."+name)
	}
	return strings.Join(sets, ", ")
}

// places returns n placeholders.
func places(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint("$", 1+i))
	}
	return strings.Join(list, ", ")
}
