package postgres

import (
	"context"
	"database/sql/driver"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"
)

// connector opens connections that clean their parameters.
type connector struct {
	driver.Connector
	readOnly bool
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{opened.(*stdlib.Conn), c.readOnly}, nil
}

type conn struct {
	*stdlib.Conn
	readOnly bool
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.Conn.QueryContext(ctx, query, args)
	return rows, c.retried(ctx, err)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.retried(ctx, err)
	}
	return stmt{s.(*stdlib.Stmt), c}, nil
}

type stmt struct {
	*stdlib.Stmt
	conn *conn
}

// QueryContext implements driver.StmtQueryContext.
func (s stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.Stmt.QueryContext(ctx, args)
	return rows, s.conn.retried(ctx, err)
}

// retried has database/sql read again on another connection if the server has closed this
// one, as after its restart. Something that writes can have been done, so it is not tried
// again.
func (c *conn) retried(ctx context.Context, err error) error {
	if err != nil && c.readOnly && ctx.Err() == nil && c.Conn.Conn().IsClosed() {
		return driver.ErrBadConn
	}
	return err
}

// CheckNamedValue cleans a parameter.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
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

// CleanText replaces what PostgreSQL does not take in texts, and SQLite does: invalid UTF-8
// and the character 0.
func CleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
