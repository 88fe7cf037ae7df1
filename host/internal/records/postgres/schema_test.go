package postgres

import (
	"log/slog"
	"strings"
	"testing"

	"colosseum/internal/test/pgserver"
)

func TestAStepOfTheSchemaHappensWholeOrNotAtAll(t *testing.T) {
	pg, err := Parse(pgserver.Start(t, false).Database(t))
	if err != nil {
		t.Fatal(err)
	}
	steps := []string{"CREATE TABLE a (x int)", "ALTER TABLE a ADD COLUMN y int; CREATE TABLE b (x int); CREATE TABLE a (x int)"}
	if err := pg.migrate(t.Context(), steps, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "to version 2") {
		t.Errorf("got %v, want the error of the second step", err)
	}
	var version, tables int
	db, err := pg.Connect(1, true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT version, (SELECT count(*) FROM pg_class WHERE relname IN ('a', 'b')) FROM colosseum").Scan(&version, &tables); err != nil || version != 1 || tables != 1 {
		t.Errorf("got version %d with %d tables, %v, want 1 and 1", version, tables, err)
	}
}
