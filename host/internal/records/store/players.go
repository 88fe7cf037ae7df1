package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/records/dialect"
)

// Secret is the SHA-256 of a token or of the code of an invitation.
type Secret = [sha256.Size]byte

// Player is a registered player.
type Player struct {
	Name    string
	Created time.Time
	Seen    time.Time // when it last logged in, up to a minute late; zero: never
	Removed bool      // it has no token, and its name stays its own

	RealName, Class string // only for organizers; empty: not known
}

// NewPlayer is a player's name, and the secret that it gets.
type NewPlayer struct {
	Name  string
	Token Secret
}

// ErrInvite is the error of Add for an invitation that does not exist or was used.
var ErrInvite = errors.New("no such invitation is left")

// TakenError is the error of Add for names that exist.
type TakenError struct {
	Names []string // as they are registered, in the order of the call
}

func (e *TakenError) Error() string { return "registered before: " + strings.Join(e.Names, ", ") }

// UnknownError is the error of Reset and Remove for names that do not exist.
type UnknownError struct {
	Names []string
}

func (e *UnknownError) Error() string {
	return "not registered: " + strings.Join(e.Names, ", ") + " (see host players list)"
}

// Players are the registered players, next to the records. Several processes
// can have them open at once, next to the host's. Names are equal whatever their
// case. The methods can be called concurrently; those that write do all or nothing.
type Players struct {
	d                      dialect.Database
	read                   *sql.DB // sees each commit of any process at once
	update                 *updater
	owner, byToken, invite *sql.Stmt
}

// playerReaders is how many reads of players run at once; others wait. They take
// microseconds.
const playerReaders = 2

// OpenPlayers opens the players in a file of records or in PostgreSQL, next to running
// hosts or without. If a file does not exist or is older, it creates or updates it first,
// which needs that no host runs. The folder must exist.
func OpenPlayers(ctx context.Context, where string, log *slog.Logger) (*Players, error) {
	d, shown, err := find(where)
	if err == nil {
		var p *Players
		if p, err = openPlayers(ctx, d, log); err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("open the players in %s: %w", shown, explain(d, err))
}

func openPlayers(ctx context.Context, d dialect.Database, log *slog.Logger) (*Players, error) {
	if err := d.Prepare(ctx, log); err != nil {
		return nil, err
	}
	write, err := d.Connect(1, false)
	if err != nil {
		return nil, err
	}
	p, err := newPlayers(ctx, newUpdater(d, write))
	if err != nil {
		write.Close()
	}
	return p, err
}

// newPlayers opens the connections that read. If it fails, those of u stay open.
func newPlayers(ctx context.Context, u *updater) (*Players, error) {
	read, err := u.d.Connect(playerReaders, true)
	if err != nil {
		return nil, err
	}
	p := &Players{d: u.d, read: read, update: u}
	for _, s := range []struct {
		into **sql.Stmt
		sql  string
	}{
		{&p.owner, `SELECT name FROM players WHERE ` + p.named("$1") + ` UNION ALL SELECT player FROM former_names WHERE ` + p.named("$1")},
		{&p.byToken, byToken},
		{&p.invite, `SELECT '' FROM invites WHERE code = $1 AND player IS NULL`},
	} {
		if *s.into, err = read.PrepareContext(ctx, s.sql); err != nil {
			read.Close()
			return nil, err
		}
	}
	return p, nil
}

// named returns the condition on a player's name.
func (p *Players) named(name string) string {
	t := p.d.Texts()
	return t.Folded("name") + " = " + t.Folded(name)
}

// Close closes the connections. It must not be called for the players of a [Store].
func (p *Players) Close() error { return errors.Join(p.read.Close(), p.update.db.Close()) }

// Owner returns the registered name that equals name, also of a removed player; or the name
// that a player has now which had this one before; or "".
func (p *Players) Owner(ctx context.Context, name string) (string, error) {
	owner, _, err := p.find(ctx, p.owner, name)
	return owner, err
}

// validBatch is how many tokens one statement of Valid has.
const validBatch = 500

// Valid returns the players of those tokens that players have and that have not expired.
func (p *Players) Valid(ctx context.Context, tokens []Secret) (map[Secret]string, error) {
	valid := map[Secret]string{}
	for batch := range slices.Chunk(tokens, validBatch) {
		if err := p.addValid(ctx, valid, batch); err != nil {
			return nil, fmt.Errorf("read the players in %s: %w", p.d, p.d.Explain(err))
		}
	}
	return valid, nil
}

func (p *Players) addValid(ctx context.Context, valid map[Secret]string, tokens []Secret) error {
	var marks []string
	values := []any{time.Now().UnixNano()}
	for i, t := range tokens {
		marks, values = append(marks, fmt.Sprintf("$%d", i+2)), append(values, t[:])
	}
	in := " IN (" + strings.Join(marks, ", ") + ")"
	rows, err := p.read.QueryContext(ctx, `SELECT token, name FROM players WHERE token`+in+`
		UNION ALL SELECT hash, player FROM tokens WHERE (expires IS NULL OR expires > $1) AND hash`+in, values...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var token []byte
		var player string
		if err := rows.Scan(&token, &player); err != nil {
			return err
		}
		if len(token) == sha256.Size {
			valid[Secret(token)] = player
		}
	}
	return rows.Err()
}

// HasInvite reports whether an invitation exists and was not used.
func (p *Players) HasInvite(ctx context.Context, code Secret) (bool, error) {
	_, found, err := p.find(ctx, p.invite, code[:])
	return found, err
}

func (p *Players) find(ctx context.Context, s *sql.Stmt, key any) (name string, found bool, err error) {
	switch err := s.QueryRowContext(ctx, key).Scan(&name); {
	case errors.Is(err, sql.ErrNoRows):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("read the players in %s: %w", p.d, p.d.Explain(err))
	}
	return name, true, nil
}

// List returns all players, by name.
func (p *Players) List(ctx context.Context) ([]Player, error) {
	list, err := p.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the players in %s: %w", p.d, p.d.Explain(err))
	}
	return list, nil
}

func (p *Players) list(ctx context.Context) ([]Player, error) {
	rows, err := p.read.QueryContext(ctx, `SELECT name, created, seen, token IS NULL, real_name, class FROM players ORDER BY `+p.d.Texts().Folded("name"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Player
	for rows.Next() {
		var one Player
		var created, seen sql.NullInt64
		if err := rows.Scan(&one.Name, &created, &seen, &one.Removed, &one.RealName, &one.Class); err != nil {
			return nil, err
		}
		one.Created, one.Seen = fromNanos(created), fromNanos(seen)
		list = append(list, one)
	}
	return list, rows.Err()
}

// Add registers players. If any of the names are taken, also by removed players or because
// others had them before, its error is a *TakenError. With an invitation it uses that up, or returns ErrInvite.
func (p *Players) Add(ctx context.Context, players []NewPlayer, invite *Secret) error {
	return p.AddWith(ctx, players, invite, nil)
}

// AddWith is Add for the person with an identity, who gets the first player. If the person has
// a player already, its error is ErrIdentity.
func (p *Players) AddWith(ctx context.Context, players []NewPlayer, invite *Secret, id *Identity) error {
	return p.change(ctx, "register players", func(ctx context.Context, tx *sql.Tx) error {
		if err := p.add(ctx, tx, players); err != nil {
			return err
		}
		if id != nil {
			if err := link(ctx, tx, *id, players[0].Name); err != nil {
				return err
			}
		}
		if invite == nil {
			return nil
		}
		used, err := changed(tx.ExecContext(ctx, `UPDATE invites SET player = $1 WHERE code = $2 AND player IS NULL`, players[0].Name, invite[:]))
		if err == nil && !used {
			err = ErrInvite
		}
		return err
	})
}

// add adds players, or returns a *TakenError.
func (p *Players) add(ctx context.Context, tx *sql.Tx, players []NewPlayer) error {
	now := time.Now().UnixNano()
	var taken []string
	for _, n := range players {
		added, err := changed(tx.ExecContext(ctx, `INSERT INTO players (name, token, created) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			n.Name, n.Token[:], now))
		if err != nil {
			return err
		}
		// After the insertion, which has waited for another process that gives the name up.
		which := `SELECT player FROM former_names WHERE `
		if !added {
			which = `SELECT name FROM players WHERE `
		}
		var name string
		switch err := tx.QueryRowContext(ctx, which+p.named("$1"), n.Name).Scan(&name); {
		case err == nil:
			taken = append(taken, name)
		case !added || !errors.Is(err, sql.ErrNoRows):
			return err
		}
	}
	if len(taken) > 0 {
		return &TakenError{taken}
	}
	return nil
}

// Reset gives players, also removed ones, a new token instead of all their old ones. It
// returns their registered names, in the order of the call. If any are not
// registered, its error is an *UnknownError.
func (p *Players) Reset(ctx context.Context, players []NewPlayer) (names []string, err error) {
	err = p.change(ctx, "reset the tokens of players", func(ctx context.Context, tx *sql.Tx) error {
		secrets := map[string]any{}
		var given []string
		for _, n := range players {
			secrets[n.Name] = n.Token[:]
			given = append(given, n.Name)
		}
		names, err = p.setTokens(ctx, tx, given, secrets)
		return err
	})
	return names, err
}

// Remove deletes the tokens of players, their real names and their classes; their names stay
// theirs. It returns their registered names, in the order of the call. If any are not registered, its error
// is an *UnknownError.
func (p *Players) Remove(ctx context.Context, names []string) (removed []string, err error) {
	err = p.change(ctx, "remove players", func(ctx context.Context, tx *sql.Tx) error {
		if removed, err = p.setTokens(ctx, tx, names, nil); err != nil {
			return err
		}
		return p.forget(ctx, tx, removed)
	})
	return removed, err
}

// setTokens sets the tokens of players, to null if secrets has none, and removes their others.
func (p *Players) setTokens(ctx context.Context, tx *sql.Tx, names []string, secrets map[string]any) (registered []string, err error) {
	var unknown []string
	for _, n := range names {
		var name string
		err := tx.QueryRowContext(ctx, `UPDATE players SET token = $1 WHERE `+p.named("$2")+` RETURNING name`, secrets[n], n).Scan(&name)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			unknown = append(unknown, n)
		case err != nil:
			return nil, err
		default:
			if err := p.removeTokens(ctx, tx, name); err != nil {
				return nil, err
			}
		}
		registered = append(registered, name)
	}
	if len(unknown) > 0 {
		return nil, &UnknownError{unknown}
	}
	return registered, nil
}

// SetSeen stores when players last logged in, by name, and when their tokens beside that of
// the registration were last used, by ID.
func (p *Players) SetSeen(ctx context.Context, players, tokens map[string]time.Time) error {
	return p.change(ctx, "store when players logged in", func(ctx context.Context, tx *sql.Tx) error {
		for name, at := range players {
			if _, err := tx.ExecContext(ctx, `UPDATE players SET seen = $1 WHERE `+p.named("$2"), toNanos(at), name); err != nil {
				return err
			}
		}
		for id, at := range tokens {
			if _, err := tx.ExecContext(ctx, `UPDATE tokens SET seen = $1 WHERE id = $2`, toNanos(at), id); err != nil {
				return err
			}
		}
		return nil
	})
}

// AddInvites stores new invitations.
func (p *Players) AddInvites(ctx context.Context, codes []Secret) error {
	return p.change(ctx, "store invitations", func(ctx context.Context, tx *sql.Tx) error {
		now := time.Now().UnixNano()
		for _, c := range codes {
			if _, err := tx.ExecContext(ctx, `INSERT INTO invites (code, created) VALUES ($1, $2)`, c[:], now); err != nil {
				return err
			}
		}
		return nil
	})
}

// change runs a transaction.
func (p *Players) change(ctx context.Context, what string, do func(context.Context, *sql.Tx) error) error {
	err := p.update.change(ctx, dialect.BusyTimeout, do)
	var taken *TakenError
	var unknown *UnknownError
	if err == nil || errors.Is(err, ErrInvite) || errors.Is(err, ErrFull) || errors.Is(err, ErrRecent) || errors.Is(err, ErrIdentity) || errors.Is(err, ErrDevices) || errors.As(err, &taken) || errors.As(err, &unknown) {
		return err
	}
	return fmt.Errorf("%s in %s: %w", what, p.d, p.d.Explain(err))
}
