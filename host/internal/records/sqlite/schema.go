package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
)

// applicationID marks the host's files in SQLite's header: "COLO" in ASCII.
const applicationID = 0x434f4c4f

// step brings the schema from one version to the next.
type step struct {
	sql string
	// fill, if not nil, runs after the SQL in the same transaction. It is for
	// work that takes long in a large file, and logs its progress.
	fill func(ctx context.Context, tx *sql.Tx, log *slog.Logger) error
}

// migrations are the steps of the schema: step i leads from version i to i+1. A
// released step is never changed; add another one.
var migrations = []step{
	{sql: `CREATE TABLE matches (
		number   INTEGER PRIMARY KEY,    -- in the order in which matches were first written
		id       TEXT    NOT NULL UNIQUE,
		name     TEXT    NOT NULL,
		game     TEXT    NOT NULL,
		plugin   TEXT    NOT NULL,
		version  TEXT    NOT NULL,
		args     TEXT    NOT NULL,       -- JSON object of strings, or null
		params   TEXT    NOT NULL,       -- JSON object of strings, or null
		timeout  REAL    NOT NULL,       -- seconds for one answer
		seed     INTEGER NOT NULL,       -- the 64 bits; above 2^63 shown as negative
		verified INTEGER NOT NULL,       -- 0 or 1
		seats    TEXT    NOT NULL,       -- JSON array of {name, bot, score, rank, ended}
		started  INTEGER,                -- Unix time in nanoseconds
		ended    INTEGER,                -- Unix time in nanoseconds; null while running
		state    TEXT    NOT NULL,       -- running, finished or aborted
		reason   TEXT    NOT NULL,
		answers  BLOB,                   -- encode.go
		stream   BLOB,                   -- encode.go
		CHECK ((ended IS NULL) = (state = 'running'))
	) STRICT;
	-- This index finds both the newest matches and the running ones (null).
	CREATE INDEX matches_ended ON matches (ended);`},
	// The newest matches of one game.
	{sql: `CREATE INDEX matches_game ON matches (game, ended);`},
	// Pages of ended matches by any filters: see endings.go.
	{sql: endingsTable, fill: fillEndings},
	// Clocks: the match's as a JSON object of seconds, null for none; and what is left
	// in the banks after each answer (encode.go).
	{sql: `ALTER TABLE matches ADD COLUMN clock TEXT; ALTER TABLE matches ADD COLUMN clocks BLOB`},
	// Registered players: see players.go of package store.
	{sql: playersTable},
	// Contests, and the place of a match in one: see contests.go of package store.
	{sql: contestsTables},
	// The notes of bots (encode.go), and the salt of the commitment to the seed.
	{sql: `ALTER TABLE matches ADD COLUMN notes BLOB; ALTER TABLE matches ADD COLUMN salt BLOB`},
	// The time of programs that a host ran (encode.go).
	{sql: `ALTER TABLE matches ADD COLUMN spent BLOB`},
	// Programs that players have handed in: see submissions.go of package store.
	{sql: submissionsTables},
	// Rulings, class lists, tokens with scopes, logins of other sites, and webhooks.
	{sql: accountsTables},
	// How often a player can answer again in a turn.
	{sql: `ALTER TABLE matches ADD COLUMN retries INTEGER NOT NULL DEFAULT 0`},
	// Where a match has left an earlier one, as a JSON object; null: it has not.
	{sql: `ALTER TABLE matches ADD COLUMN branch TEXT`},
}

// identify returns the version of the schema in a file, which is 0 for an empty
// file, or an error if the file is not a record. It changes nothing.
func identify(ctx context.Context, db *sql.DB) (version int, err error) {
	var id uint32
	var tables int
	for _, q := range []struct {
		query string
		into  any
	}{
		{"PRAGMA application_id", &id},
		{"PRAGMA user_version", &version},
		{"SELECT count(*) FROM sqlite_schema", &tables},
	} {
		if err := db.QueryRowContext(ctx, q.query).Scan(q.into); err != nil {
			return 0, err
		}
	}
	fresh := id == 0 && version == 0 && tables == 0
	switch {
	case !fresh && id != applicationID:
		return 0, errors.New("this SQLite database is not a record of matches")
	case version > len(migrations):
		return 0, fmt.Errorf("a newer host wrote it (its schema has version %d, this host supports up to %d)", version, len(migrations))
	}
	return version, nil
}

// migrate applies the steps after the given version, each in a transaction.
func migrate(ctx context.Context, db *sql.DB, version int, steps []step, log *slog.Logger) error {
	for v := version; v < len(steps); v++ {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", steps[v].sql, applicationID, v+1))
		if err == nil && steps[v].fill != nil {
			err = steps[v].fill(ctx, tx, log)
		}
		if err == nil {
			err = tx.Commit()
		} else {
			tx.Rollback()
		}
		if err != nil {
			return fmt.Errorf("update the schema to version %d: %w", v+1, err)
		}
	}
	return nil
}

// playersTable holds the registered players. A player is never deleted, because
// records hold its name. COLLATE NOCASE makes names that differ only in the case of
// ASCII letters equal, and names have no other letters.
const playersTable = `
	CREATE TABLE players (
		name    TEXT    NOT NULL PRIMARY KEY COLLATE NOCASE,
		token   BLOB    UNIQUE CHECK (length(token) = 32), -- SHA-256 of the token; null: the player was removed
		created INTEGER NOT NULL,                          -- Unix time in nanoseconds
		seen    INTEGER                                    -- the same; null: never
	) STRICT, WITHOUT ROWID;
	CREATE TABLE invites (
		code    BLOB    NOT NULL PRIMARY KEY CHECK (length(code) = 32), -- SHA-256 of the code
		created INTEGER NOT NULL,                                       -- Unix time in nanoseconds
		player  TEXT                                                    -- the player that used it; null: none
	) STRICT, WITHOUT ROWID;`

// contestsTables hold the contests. A result refers to its match by ID, because it
// stays when the record is removed. AUTOINCREMENT gives no number twice, even after
// rows are removed.
const contestsTables = `
	CREATE TABLE contests (
		number  INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which contests were created
		name    TEXT    NOT NULL UNIQUE,
		game    TEXT    NOT NULL,
		spec    TEXT    NOT NULL,    -- YAML
		seed    INTEGER NOT NULL,    -- the 64 bits; above 2^63 shown as negative
		created INTEGER NOT NULL     -- Unix time in nanoseconds
	) STRICT;
	CREATE TABLE contest_events (
		contest INTEGER NOT NULL,    -- its number
		number  INTEGER NOT NULL,    -- from 1 in each contest
		at      INTEGER NOT NULL,    -- Unix time in nanoseconds
		kind    TEXT    NOT NULL,
		data    TEXT    NOT NULL,    -- JSON
		PRIMARY KEY (contest, number)
	) STRICT;
	CREATE TABLE contest_results (
		number  INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which results were written
		contest INTEGER NOT NULL,    -- its number
		game    TEXT    NOT NULL,    -- of the contest
		pairing INTEGER NOT NULL,
		leg     INTEGER NOT NULL,
		match   TEXT    NOT NULL UNIQUE, -- its ID
		ended   INTEGER NOT NULL,    -- Unix time in nanoseconds
		aborted INTEGER NOT NULL,    -- 0 or 1
		seats   BLOB    NOT NULL     -- results.go
	) STRICT;
	CREATE INDEX contest_results_contest ON contest_results (contest);
	CREATE INDEX contest_results_game ON contest_results (game);
	-- A leg has at most one match that was not aborted.
	CREATE UNIQUE INDEX contest_results_leg ON contest_results (contest, pairing, leg) WHERE aborted = 0;
	-- A JSON object; null: the match belongs to no contest.
	ALTER TABLE matches ADD COLUMN fixture TEXT`

// submissionsTables hold the programs that players have handed in. A row of submissions is
// never deleted, so no number and no version is given twice.
const submissionsTables = `
	CREATE TABLE submissions (
		number   INTEGER PRIMARY KEY AUTOINCREMENT,
		player   TEXT    NOT NULL COLLATE NOCASE,
		game     TEXT    NOT NULL,
		version  INTEGER NOT NULL,   -- from 1 for each player and game
		hash     BLOB    NOT NULL CHECK (length(hash) = 32), -- of the files
		language TEXT    NOT NULL,
		state    TEXT    NOT NULL,
		fault    TEXT    NOT NULL,
		reason   TEXT    NOT NULL,
		created  INTEGER NOT NULL,   -- Unix time in nanoseconds
		changed  INTEGER NOT NULL,   -- the same
		bytes    INTEGER NOT NULL,   -- of the source
		built    INTEGER NOT NULL,   -- bytes of the program
		active   INTEGER NOT NULL,   -- 0 or 1
		failures INTEGER NOT NULL,
		rests    INTEGER NOT NULL,   -- 0 or 1
		run      TEXT,               -- JSON array of strings; null: it was never accepted
		address  TEXT    NOT NULL,
		host     TEXT    NOT NULL,
		attempts INTEGER NOT NULL,
		claimed  INTEGER NOT NULL    -- grows with each claim of any; 0: never
	) STRICT;
	CREATE UNIQUE INDEX submissions_version ON submissions (player, game, version);
	CREATE UNIQUE INDEX submissions_active ON submissions (player, game) WHERE active;
	CREATE INDEX submissions_address ON submissions (address, created);
	CREATE INDEX submissions_state ON submissions (state, bytes, built);
	CREATE TABLE submission_blocks (
		submission INTEGER NOT NULL, -- its number
		kind       TEXT    NOT NULL, -- source or program
		number     INTEGER NOT NULL, -- from 0 in each of them
		data       BLOB    NOT NULL,
		PRIMARY KEY (submission, kind, number)
	) STRICT;
	CREATE TABLE submission_logs (
		submission INTEGER PRIMARY KEY, -- its number
		head       BLOB    NOT NULL, -- the first bytes
		tail       BLOB    NOT NULL, -- the last bytes after them
		total      INTEGER NOT NULL  -- bytes that were added
	) STRICT;
	CREATE TABLE submission_journals (
		number     INTEGER PRIMARY KEY AUTOINCREMENT,
		submission INTEGER NOT NULL, -- its number
		match      TEXT    NOT NULL, -- its ID
		at         INTEGER NOT NULL, -- Unix time in nanoseconds
		output     BLOB    NOT NULL,
		UNIQUE (submission, match)
	) STRICT;`

// accountsTables hold what belongs to players beside their names, and the messages for other
// sites. Names of players are as in playersTable.
const accountsTables = `
	-- How often the leg was to be played again before this match.
	ALTER TABLE contest_results ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
	DROP INDEX contest_results_leg;
	CREATE UNIQUE INDEX contest_results_leg ON contest_results (contest, pairing, leg, attempt) WHERE aborted = 0;
	-- What only organizers see.
	ALTER TABLE players ADD COLUMN real_name TEXT NOT NULL DEFAULT '';
	ALTER TABLE players ADD COLUMN class TEXT NOT NULL DEFAULT '';
	-- The names that players had before. They stay reserved.
	CREATE TABLE former_names (
		name    TEXT    NOT NULL PRIMARY KEY COLLATE NOCASE,
		player  TEXT    NOT NULL COLLATE NOCASE, -- the name that it has now
		changed INTEGER NOT NULL                 -- Unix time in nanoseconds
	) STRICT, WITHOUT ROWID;
	-- Tokens beside the one in players.
	CREATE TABLE tokens (
		hash    BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of the token
		id      TEXT    NOT NULL UNIQUE,         -- for its owner; no secret
		player  TEXT    NOT NULL COLLATE NOCASE,
		label   TEXT    NOT NULL,
		scopes  TEXT    NOT NULL,                -- with spaces between
		created INTEGER NOT NULL,                -- Unix time in nanoseconds
		seen    INTEGER,                         -- the same; null: never
		expires INTEGER                          -- the same; null: never
	) STRICT, WITHOUT ROWID;
	CREATE INDEX tokens_player ON tokens (player);
	-- Players that log in with OpenID Connect.
	CREATE TABLE identities (
		issuer  TEXT    NOT NULL,
		subject TEXT    NOT NULL,
		player  TEXT    NOT NULL COLLATE NOCASE,
		created INTEGER NOT NULL,                -- Unix time in nanoseconds
		PRIMARY KEY (issuer, subject)
	) STRICT, WITHOUT ROWID;
	-- Clients that wait until a person allows them to log in (RFC 8628).
	CREATE TABLE device_codes (
		code    BLOB    NOT NULL PRIMARY KEY CHECK (length(code) = 32), -- SHA-256 of the device code
		shown   TEXT    NOT NULL UNIQUE,         -- the user code
		client  TEXT    NOT NULL,                -- what it says about itself
		address TEXT    NOT NULL,                -- from which it asks, as limits count it
		player  TEXT    COLLATE NOCASE,          -- null: not allowed yet; empty: denied
		polled  INTEGER NOT NULL,                -- Unix time in nanoseconds; 0: never
		expires INTEGER NOT NULL                 -- the same
	) STRICT, WITHOUT ROWID;
	-- How far the events of contests were turned into deliveries.
	CREATE TABLE webhook_positions (
		contest  INTEGER NOT NULL PRIMARY KEY,   -- its number
		position INTEGER NOT NULL                -- the number of the last event
	) STRICT;
	CREATE TABLE webhook_deliveries (
		number  INTEGER PRIMARY KEY AUTOINCREMENT,
		id      TEXT    NOT NULL,                -- of the message; each hook gets it once
		hook    TEXT    NOT NULL,                -- its name in the configuration
		event   TEXT    NOT NULL,
		body    TEXT    NOT NULL,                -- JSON
		created INTEGER NOT NULL,                -- Unix time in nanoseconds
		next    INTEGER,                         -- when it is tried again; null: delivered, or given up
		tries   INTEGER NOT NULL,
		status  INTEGER NOT NULL,                -- of the last HTTP answer; 0: none
		problem TEXT    NOT NULL,                -- of the last try; empty: it was delivered
		UNIQUE (hook, id)
	) STRICT;
	CREATE INDEX webhook_deliveries_next ON webhook_deliveries (next) WHERE next IS NOT NULL;`
