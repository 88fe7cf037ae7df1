package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
)

// The table endings is the index for Reader.Select of package store: each ended match has
// one row with an empty player, for lists of all matches, and one row for each player's
// name. Only triggers write it, so it follows every change of a match, even a DELETE
// in the sqlite3 shell.
const (
	endingsTable = `
	CREATE TABLE endings (
		player  TEXT    NOT NULL,    -- empty: any
		aborted INTEGER NOT NULL,    -- 0 or 1
		ended   INTEGER NOT NULL,
		match   INTEGER NOT NULL,    -- its number
		game    TEXT    NOT NULL,
		id      TEXT    NOT NULL,
		PRIMARY KEY (player, aborted, ended, match)
	) STRICT, WITHOUT ROWID;
	CREATE TRIGGER matches_inserted AFTER INSERT ON matches WHEN new.ended IS NOT NULL BEGIN
		INSERT INTO endings ` + endingsOfNew + `;
	END;
	-- One trigger before and one after, because the order of two triggers of the
	-- same time is undefined.
	CREATE TRIGGER matches_updating BEFORE UPDATE ON matches WHEN old.ended IS NOT NULL BEGIN
		DELETE FROM endings WHERE ` + isOfOld + `;
	END;
	CREATE TRIGGER matches_updated AFTER UPDATE ON matches WHEN new.ended IS NOT NULL BEGIN
		INSERT INTO endings ` + endingsOfNew + `;
	END;
	CREATE TRIGGER matches_deleted AFTER DELETE ON matches WHEN old.ended IS NOT NULL BEGIN
		DELETE FROM endings WHERE ` + isOfOld + `;
	END;
	CREATE INDEX matches_running ON matches (ended) WHERE ended IS NULL;
	DROP INDEX matches_ended;
	DROP INDEX matches_game;`

	// endingsGame is created after the table has been filled, which is faster.
	endingsGame = `CREATE INDEX endings_game ON endings (player, game, aborted, ended, match)`

	endingsOfNew = `SELECT '', new.state = 'aborted', new.ended, new.number, new.game, new.id
			UNION SELECT name, new.state = 'aborted', new.ended, new.number, new.game, new.id FROM (
				SELECT CASE type WHEN 'object' THEN value ->> 'name' END AS name
				FROM json_each(CASE WHEN json_valid(new.seats) THEN new.seats ELSE '[]' END)
			) WHERE name <> ''`

	isOfOld = `aborted = (old.state = 'aborted') AND ended = old.ended AND match = old.number AND player IN (
			SELECT '' UNION ALL
				SELECT CASE type WHEN 'object' THEN value ->> 'name' END
				FROM json_each(CASE WHEN json_valid(old.seats) THEN old.seats ELSE '[]' END))`

	// endingsOfRange selects the endings of the matches with numbers above the
	// first parameter and up to the second, in the order of the table, since
	// UNION sorts.
	endingsOfRange = `SELECT '', state = 'aborted', ended, number, game, id FROM matches
			WHERE ended IS NOT NULL AND number > ?1 AND number <= ?2
			UNION SELECT name, aborted, ended, number, game, id FROM (
				SELECT CASE type WHEN 'object' THEN value ->> 'name' END AS name, state = 'aborted' AS aborted, ended, number, game, matches.id AS id
				FROM matches, json_each(CASE WHEN json_valid(seats) THEN seats ELSE '[]' END)
				WHERE ended IS NOT NULL AND number > ?1 AND number <= ?2
			) WHERE name <> ''`
)

// fillChunk is how many matches fillEndings inserts with one statement.
const fillChunk = 20_000

// fillEndings fills the table endings of a file that was written before the
// table existed. It logs its progress.
func fillEndings(ctx context.Context, tx *sql.Tx, log *slog.Logger) error {
	var last int64
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM matches`).Scan(&last); err != nil {
		return err
	}
	// 64 MiB for sorting and for changed pages, to write few of them twice.
	if _, err := tx.ExecContext(ctx, `PRAGMA cache_size = -65536`); err != nil {
		return err
	}
	for from := int64(0); from < last; from += fillChunk {
		if _, err := tx.ExecContext(ctx, `INSERT INTO endings `+endingsOfRange, from, from+fillChunk); err != nil {
			return fmt.Errorf("enter the matches after number %d: %w", from, err)
		}
		if last > fillChunk {
			log.Info("building the index of players; this happens once", "matches", min(from+fillChunk, last), "of", last)
		}
	}
	_, err := tx.ExecContext(ctx, endingsGame+`; PRAGMA cache_size = -2000`) // SQLite's default
	return err
}
