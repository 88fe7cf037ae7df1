package sqlite

import (
	"context"
	"database/sql"

	"colosseum/host/internal/records/dialect"
)

// insertResult adds the result of a match. It does nothing if the match has a result,
// if another match of the same attempt at the leg was finished before, or if there is no such contest: it
// must not fail a commit. Without INSERT SELECT, SQLite need not keep the pages that it
// changes, to undo a part of the statement.
const insertResult = `INSERT OR IGNORE INTO contest_results (contest, game, pairing, leg, attempt, match, ended, aborted, seats) VALUES (
	(SELECT number FROM contests WHERE name = $1), (SELECT game FROM contests WHERE name = $1), $2, $3, $4, $5, $6, $7, $8)`

var (
	insert = dialect.Insert()
	update = dialect.Excluded()
)

// committer writes records to a file.
type committer struct {
	begin, finish, catchUp, result *sql.Stmt
}

// Committer implements [dialect.Database].
func (d File) Committer(ctx context.Context, db *sql.DB) (dialect.Committer, error) {
	c := new(committer)
	for into, text := range map[**sql.Stmt]string{
		&c.begin:   insert + ` ON CONFLICT (id) DO NOTHING`,
		&c.finish:  insert + ` ON CONFLICT (id) DO UPDATE SET ` + update,
		&c.catchUp: insert + ` ON CONFLICT (id) DO UPDATE SET ` + update + ` WHERE state = 'running'`,
		&c.result:  insertResult,
	} {
		stmt, err := db.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		*into = stmt
	}
	return c, nil
}

// Commit writes the rows one after the other. After the checks of package store only the
// file can be broken, so a row is never to blame.
func (c *committer) Commit(ctx context.Context, conn *sql.Conn, batch []*dialect.Row) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	begin, finish, late := tx.StmtContext(ctx, c.begin), tx.StmtContext(ctx, c.finish), tx.StmtContext(ctx, c.catchUp)
	result := tx.StmtContext(ctx, c.result)
	for _, row := range batch {
		stmt := begin
		switch {
		case row.Late:
			stmt = late
		case row.Ended:
			stmt = finish
		}
		_, err := stmt.ExecContext(ctx, row.Values...)
		if err == nil && row.Result != nil {
			_, err = result.ExecContext(ctx, row.Result...)
		}
		if err != nil {
			tx.Rollback() // can fail, because SQLite itself rolls back when the disk is full
			return err
		}
	}
	return tx.Commit()
}
