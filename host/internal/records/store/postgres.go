package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresServer is a database of PostgreSQL.
type postgresServer struct {
	config *pgx.ConnConfig
	shown  string        // its URL without the password
	wait   time.Duration // for the locks of another process
	moving bool          // it can have a part of the records of a file; see OpenMoving
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

// parsePostgres returns the database at a URL. Its errors do not have the password.
func parsePostgres(where string) (*postgresServer, error) {
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
	return &postgresServer{config: config, shown: fmt.Sprintf("postgres://%s/%s", u.Host, config.Database), wait: ownTimeout}, nil
}

func (d *postgresServer) String() string { return d.shown }

func (d *postgresServer) texts() texts {
	// The snapshot has the numbers of the next transaction and of those that run, so it
	// changes with each commit. Equal snapshots see equal contents.
	const snapshot = `SELECT hashtextextended(pg_current_snapshot()::text, 0)`
	return texts{
		data:     snapshot,
		foreign:  snapshot, // its own commits count, too
		snapshot: `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
		join:     `JOIN`,
		lock:     ` FOR UPDATE`,
		running:  `SELECT EXISTS (SELECT 1 FROM matches WHERE ended IS NULL AND fixture::json ->> 'contest' = $1)`,
		arm:      `(%[1]s%[2]s)`,          // otherwise it would read and sort both lists
		fold:     `lower(%s COLLATE "C")`, // names have ASCII letters only
	}
}

func (d *postgresServer) connect(size int, readOnly bool) (*sql.DB, error) {
	config := d.config.Copy()
	if readOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
		// A plan for any limit of a page would read and sort all matches.
		config.RuntimeParams["plan_cache_mode"] = "force_custom_plan"
	}
	db := sql.OpenDB(postgresConnector{stdlib.GetConnector(*config), readOnly})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// postgresConnector opens connections that clean their parameters.
type postgresConnector struct {
	driver.Connector
	readOnly bool
}

func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &postgresConn{conn.(*stdlib.Conn), c.readOnly}, nil
}

type postgresConn struct {
	*stdlib.Conn
	readOnly bool
}

// QueryContext implements driver.QueryerContext.
func (c *postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.Conn.QueryContext(ctx, query, args)
	return rows, c.retried(ctx, err)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *postgresConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.retried(ctx, err)
	}
	return postgresStmt{s.(*stdlib.Stmt), c}, nil
}

type postgresStmt struct {
	*stdlib.Stmt
	conn *postgresConn
}

// QueryContext implements driver.StmtQueryContext.
func (s postgresStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.Stmt.QueryContext(ctx, args)
	return rows, s.conn.retried(ctx, err)
}

// retried has database/sql read again on another connection if the server has closed this
// one, as after its restart. Something that writes can have been done, so it is not tried
// again.
func (c *postgresConn) retried(ctx context.Context, err error) error {
	if err != nil && c.readOnly && ctx.Err() == nil && c.Conn.Conn().IsClosed() {
		return driver.ErrBadConn
	}
	return err
}

// CheckNamedValue cleans a parameter.
func (c *postgresConn) CheckNamedValue(v *driver.NamedValue) error {
	v.Value = clean(v.Value)
	return nil
}

// clean makes a parameter one that PostgreSQL takes. Otherwise one text would fail the
// whole transaction.
func clean(v any) any {
	if text, ok := v.(string); ok {
		return CleanText(text)
	}
	return v
}

func (d *postgresServer) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), transactionTimeout)
}

func (d *postgresServer) size(ctx context.Context, db querier) (used, free int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
		WHERE c.relkind = 'r' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`).Scan(&used)
	return used, 0, err
}

// shrink does nothing: PostgreSQL uses the space again by itself.
func (d *postgresServer) shrink(context.Context, *Store) error { return nil }

// explain adds advice to an error of PostgreSQL.
func (d *postgresServer) explain(err error) error {
	var e *pgconn.PgError
	advice := ""
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		advice = adviceFor(e.Code)
	case errors.As(err, new(*pgconn.ConnectError)):
		advice = "could not connect to PostgreSQL; check that it runs, and the setting store"
	case errors.Is(err, context.DeadlineExceeded):
		advice = "PostgreSQL does not answer"
	}
	if advice == "" {
		return err
	}
	return fmt.Errorf("%s: %w", advice, err)
}

// adviceFor returns what an operator can do about an SQLSTATE; "": nothing is known.
func adviceFor(code string) string {
	for prefix, advice := range map[string]string{
		"25006": "the database can only be read; the setting store must name the primary server",
		"28":    "PostgreSQL refuses this user or password",
		"3D000": "the database does not exist; create it with createdb",
		"42501": "the user needs more rights; make it the owner of the database",
		"53100": "the disk of PostgreSQL is full",
		"53300": "PostgreSQL has too many connections; raise its max_connections, a host needs up to 20",
		"55P03": "another program keeps rows locked",
		"57014": "PostgreSQL takes too long",
		"57P":   "PostgreSQL is starting or stopping",
		"58":    "reading or writing the disk of PostgreSQL failed",
		"XX001": "the database is damaged; restore a backup",
		"XX002": "an index of the database is damaged; use REINDEX",
	} {
		if strings.HasPrefix(code, prefix) {
			return advice
		}
	}
	return ""
}

// codeOf returns the SQLSTATE of an error; "": it is not from PostgreSQL.
func codeOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// busy: a deadlock, a conflict of transactions, or a lock that was not free in time.
func (d *postgresServer) busy(err error) bool {
	code := codeOf(err)
	return code == "40P01" || code == "40001" || code == "55P03"
}

// down: errors of the connection, or of classes in which another attempt can succeed.
func (d *postgresServer) down(err error) bool {
	code := codeOf(err)
	if code == "" {
		var network net.Error
		return errors.As(err, new(*pgconn.ConnectError)) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
			errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	}
	switch code[:2] {
	case "08", "53", "57", "58":
		return true
	}
	return code == "25006"
}

// refused reports whether an error is due to the values of a row.
func refused(err error) bool {
	code := codeOf(err)
	return len(code) == 5 && (code[:2] == "22" || code[:2] == "23" || code[:2] == "54")
}
