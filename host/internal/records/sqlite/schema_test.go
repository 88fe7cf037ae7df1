package sqlite

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
)

func TestAMigrationHappensWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	db, err := connect(path, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	steps := []step{
		{sql: "CREATE TABLE a (x)"},
		{sql: "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = 1"},
		{sql: "CREATE TABLE b (x)", fill: func(ctx context.Context, tx *sql.Tx, _ *slog.Logger) error {
			_, err := tx.ExecContext(ctx, "CREATE TABLE c (x); CREATE TABLE a (x)") // fails half-way
			return err
		}},
	}
	if err := migrate(ctx, db, 0, steps[:1], log); err != nil {
		t.Fatal(err)
	}
	if err := migrate(ctx, db, 1, steps, log); err == nil || !strings.Contains(err.Error(), "to version 3") {
		t.Errorf("the third step: got %v, want its error", err)
	}
	var version, tables, columns int
	if err := db.QueryRow(`SELECT user_version, (SELECT count(*) FROM sqlite_schema), (SELECT count(*) FROM pragma_table_info('a'))
		FROM pragma_user_version`).Scan(&version, &tables, &columns); err != nil {
		t.Fatal(err)
	}
	if version != 2 || tables != 1 || columns != 2 {
		t.Errorf("got version %d with %d tables, %d columns, want 2, 1, 2", version, tables, columns)
	}
}
