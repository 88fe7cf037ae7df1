package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Explain adds advice to an error of PostgreSQL.
func (d *Server) Explain(err error) error {
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

// Busy: a deadlock, a conflict of transactions, or a lock that was not free in time.
func (d *Server) Busy(err error) bool {
	code := codeOf(err)
	return code == "40P01" || code == "40001" || code == "55P03"
}

// Down: errors of the connection, or of classes in which another attempt can succeed.
func (d *Server) Down(err error) bool {
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
