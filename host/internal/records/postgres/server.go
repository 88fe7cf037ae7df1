// Package postgres keeps records in a database of PostgreSQL: its schema and its locks, how
// matches are written, and what its errors mean.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"colosseum/host/internal/records/dialect"
)

// Server is a database of PostgreSQL.
type Server struct {
	config *pgx.ConnConfig
	shown  string // its URL without the password
	// Moving is set before all calls by a program that moves the records of a file: it
	// can have a part of them. As long as the table migration has a row with the name ""
	// and without an end, Prepare fails without it.
	Moving bool
}

const (
	// connectTimeout bounds the time for a connection.
	connectTimeout = 5 * time.Second
	// transactionTimeout bounds a transaction that the caller cannot cancel: a server
	// that hangs must not block the writer forever.
	transactionTimeout = 30 * time.Second
)

// sessionSettings are settings of all connections. With those of TCP, the server notices
// in seconds that a host is dead, and releases its locks. A host that hangs in the middle
// of a transaction is dead, too: others wait for the end of that transaction.
var sessionSettings = map[string]string{
	"statement_timeout":                   "30s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "5s",
	"tcp_keepalives_idle":                 "5",
	"tcp_keepalives_interval":             "2",
	"tcp_keepalives_count":                "3",
	"tcp_user_timeout":                    "10000",
	"jit":                                 "off", // the statements are short
}

// Parse returns the database at a URL. Its errors do not have the password.
func Parse(where string) (*Server, error) {
	wrong := errors.New("the address must be like postgres://USER:PASSWORD@HOST/DATABASE, with special characters as %XX")
	u, err := url.Parse(where)
	if err != nil {
		return nil, wrong // the cause can have a part of the password
	}
	config, err := pgx.ParseConfig(where)
	if err != nil {
		// Without the URL, which the outer error has.
		if cause := errors.Unwrap(err); cause != nil && !strings.Contains(cause.Error(), "://") {
			return nil, fmt.Errorf("%w: %w", wrong, cause)
		}
		return nil, wrong
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for name, value := range sessionSettings {
		config.RuntimeParams[name] = value
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "colosseum"
	}
	return &Server{config: config, shown: fmt.Sprintf("postgres://%s/%s", u.Host, config.Database)}, nil
}

// String returns the URL without the password.
func (d *Server) String() string { return d.shown }

// Texts implements [dialect.Database].
func (d *Server) Texts() dialect.Texts {
	// The snapshot has the numbers of the next transaction and of those that run, so it
	// changes with each commit. Equal snapshots see equal contents.
	const snapshot = `SELECT hashtextextended(pg_current_snapshot()::text, 0)`
	return dialect.Texts{
		Data:     snapshot,
		Foreign:  snapshot, // its own commits count, too
		Snapshot: `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
		Join:     `JOIN`,
		Lock:     ` FOR UPDATE`,
		Running:  `SELECT EXISTS (SELECT 1 FROM matches WHERE ended IS NULL AND fixture::json ->> 'contest' = $1)`,
		Arm:      `(%[1]s%[2]s)`,          // otherwise it would read and sort both lists
		Fold:     `lower(%s COLLATE "C")`, // names have ASCII letters only

		Submissions: fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, lockSubmissions),
	}
}

// Connect implements [dialect.Database].
func (d *Server) Connect(size int, readOnly bool) (*sql.DB, error) {
	config := d.config.Copy()
	if readOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
		// A plan for any limit of a page would read and sort all matches.
		config.RuntimeParams["plan_cache_mode"] = "force_custom_plan"
	}
	db := sql.OpenDB(connector{stdlib.GetConnector(*config), readOnly})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// Bound implements [dialect.Database].
func (d *Server) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), transactionTimeout)
}

// Size implements [dialect.Database].
func (d *Server) Size(ctx context.Context, db dialect.Querier) (used, free int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
		WHERE c.relkind = 'r' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`).Scan(&used)
	return used, 0, err
}
