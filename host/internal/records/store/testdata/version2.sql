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
		stream   BLOB,                   -- encode.go
		CHECK ((ended IS NULL) = (state = 'running'))
	) STRICT;
CREATE INDEX matches_ended ON matches (ended);
CREATE INDEX matches_game ON matches (game, ended);
PRAGMA application_id = 1129270351;
PRAGMA user_version = 2;
