package store

import (
	"context"
	"database/sql"
)

// insertResult adds the result of a match. It does nothing if the match has a result,
// if another match of the leg was finished before, or if there is no such contest: it
// must not fail a commit. Without INSERT SELECT, SQLite need not keep the pages that it
// changes, to undo a part of the statement.
const insertResult = `INSERT OR IGNORE INTO contest_results (contest, game, pairing, leg, match, ended, aborted, seats) VALUES (
	(SELECT number FROM contests WHERE name = $1), (SELECT game FROM contests WHERE name = $1), $2, $3, $4, $5, $6, $7)`

// sqliteCommitter writes records to a file.
type sqliteCommitter struct {
	begin, finish, catchUp, result *sql.Stmt
}

func (d sqliteFile) committer(ctx context.Context, db *sql.DB) (committer, error) {
	c := new(sqliteCommitter)
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

// commit writes the rows one after the other. After the checks of rowOf only the file
// can be broken, so a row is never to blame.
func (c *sqliteCommitter) commit(ctx context.Context, conn *sql.Conn, batch []entry) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	begin, finish, late := tx.StmtContext(ctx, c.begin), tx.StmtContext(ctx, c.finish), tx.StmtContext(ctx, c.catchUp)
	result := tx.StmtContext(ctx, c.result)
	for _, e := range batch {
		stmt := begin
		switch {
		case e.late:
			stmt = late
		case e.ended:
			stmt = finish
		}
		_, err := stmt.ExecContext(ctx, e.row...)
		if err == nil && e.result != nil {
			_, err = result.ExecContext(ctx, e.result...)
		}
		if err != nil {
			tx.Rollback() // can fail, because SQLite itself rolls back when the disk is full
			return err
		}
	}
	return tx.Commit()
}
