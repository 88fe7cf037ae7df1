CREATE TABLE matches (
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
		stream   BLOB, clock TEXT, clocks BLOB,                   -- encode.go
		CHECK ((ended IS NULL) = (state = 'running'))
	) STRICT;
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
		INSERT INTO endings SELECT '', new.state = 'aborted', new.ended, new.number, new.game, new.id
			UNION SELECT name, new.state = 'aborted', new.ended, new.number, new.game, new.id FROM (
				SELECT CASE type WHEN 'object' THEN value ->> 'name' END AS name
				FROM json_each(CASE WHEN json_valid(new.seats) THEN new.seats ELSE '[]' END)
			) WHERE name <> '';
	END;
CREATE TRIGGER matches_updating BEFORE UPDATE ON matches WHEN old.ended IS NOT NULL BEGIN
		DELETE FROM endings WHERE aborted = (old.state = 'aborted') AND ended = old.ended AND match = old.number AND player IN (
			SELECT '' UNION ALL
				SELECT CASE type WHEN 'object' THEN value ->> 'name' END
				FROM json_each(CASE WHEN json_valid(old.seats) THEN old.seats ELSE '[]' END));
	END;
CREATE TRIGGER matches_updated AFTER UPDATE ON matches WHEN new.ended IS NOT NULL BEGIN
		INSERT INTO endings SELECT '', new.state = 'aborted', new.ended, new.number, new.game, new.id
			UNION SELECT name, new.state = 'aborted', new.ended, new.number, new.game, new.id FROM (
				SELECT CASE type WHEN 'object' THEN value ->> 'name' END AS name
				FROM json_each(CASE WHEN json_valid(new.seats) THEN new.seats ELSE '[]' END)
			) WHERE name <> '';
	END;
CREATE TRIGGER matches_deleted AFTER DELETE ON matches WHEN old.ended IS NOT NULL BEGIN
		DELETE FROM endings WHERE aborted = (old.state = 'aborted') AND ended = old.ended AND match = old.number AND player IN (
			SELECT '' UNION ALL
				SELECT CASE type WHEN 'object' THEN value ->> 'name' END
				FROM json_each(CASE WHEN json_valid(old.seats) THEN old.seats ELSE '[]' END));
	END;
CREATE INDEX matches_running ON matches (ended) WHERE ended IS NULL;
CREATE INDEX endings_game ON endings (player, game, aborted, ended, match);
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
	) STRICT, WITHOUT ROWID;
PRAGMA application_id = 1129270351;
PRAGMA user_version = 5;
