package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Token is a token of a player, without its secret.
type Token struct {
	ID      string // empty: of the registration, or of a reset
	Player  string
	Label   string
	Scopes  []string // nil: of the registration, which can do everything
	Created time.Time
	Seen    time.Time // when it was last used, up to a minute late; zero: never
	Expires time.Time // zero: never
}

// ErrFull is the error of AddToken for a player that has as many tokens as it can have.
var ErrFull = errors.New("the player has too many tokens")

// AddToken stores a token of a player that was not removed, or returns an *UnknownError.
// Tokens of the player that have expired are removed. If it has `most` others, one that
// expires and has the same label is removed, the one that was used least recently; without
// one the error is ErrFull.
func (p *Players) AddToken(ctx context.Context, secret Secret, t Token, most int) error {
	return p.change(ctx, "store a token", func(ctx context.Context, tx *sql.Tx) error {
		// The row is locked, so that the tokens are counted by one transaction at a time.
		err := tx.QueryRowContext(ctx, `UPDATE players SET seen = seen WHERE `+p.named("$1")+` AND token IS NOT NULL RETURNING name`, t.Player).Scan(&t.Player)
		if errors.Is(err, sql.ErrNoRows) {
			return &UnknownError{[]string{t.Player}}
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM tokens WHERE `+p.of("$1")+` AND expires <= $2`, t.Player, t.Created.UnixNano()); err != nil {
			return err
		}
		var count int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM tokens WHERE `+p.of("$1"), t.Player).Scan(&count); err != nil {
			return err
		}
		if count >= most {
			room, err := changed(tx.ExecContext(ctx, `DELETE FROM tokens WHERE hash = (SELECT hash FROM tokens WHERE `+p.of("$1")+`
				AND label = $2 AND expires IS NOT NULL ORDER BY coalesce(seen, created), id LIMIT 1)`, t.Player, t.Label))
			if err != nil {
				return err
			}
			if !room {
				return ErrFull
			}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tokens (hash, id, player, label, scopes, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			secret[:], t.ID, t.Player, t.Label, strings.Join(t.Scopes, " "), t.Created.UnixNano(), toNanos(t.Expires))
		return err
	})
}

// of returns the condition on the player of a row.
func (p *Players) of(player string) string {
	t := p.d.Texts()
	return t.Folded("player") + " = " + t.Folded(player)
}

// ByToken returns a token that has not expired, with the name of its player; without a
// player if there is none. Only ID, Player and Scopes are set.
func (p *Players) ByToken(ctx context.Context, secret Secret) (t Token, err error) {
	var scopes string
	switch err := p.byToken.QueryRowContext(ctx, secret[:], time.Now().UnixNano()).Scan(&t.Player, &t.ID, &scopes); {
	case errors.Is(err, sql.ErrNoRows):
		return Token{}, nil
	case err != nil:
		return Token{}, fmt.Errorf("read the players in %s: %w", p.d, p.d.Explain(err))
	}
	if t.ID != "" {
		t.Scopes = strings.Fields(scopes)
	}
	return t, nil
}

// byToken has the token and the time now.
const byToken = `SELECT name, '', '' FROM players WHERE token = $1
	UNION ALL SELECT player, id, scopes FROM tokens WHERE hash = $1 AND (expires IS NULL OR expires > $2)`

// Tokens returns the tokens of a player that have not expired, beside that of its
// registration, by the time when they were created.
func (p *Players) Tokens(ctx context.Context, player string) ([]Token, error) {
	list, err := p.tokens(ctx, player)
	if err != nil {
		return nil, fmt.Errorf("list tokens in %s: %w", p.d, p.d.Explain(err))
	}
	return list, nil
}

func (p *Players) tokens(ctx context.Context, player string) ([]Token, error) {
	rows, err := p.read.QueryContext(ctx, `SELECT id, player, label, scopes, created, seen, expires FROM tokens
		WHERE `+p.of("$1")+` AND (expires IS NULL OR expires > $2) ORDER BY created, id`, player, time.Now().UnixNano())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Token
	for rows.Next() {
		var t Token
		var scopes string
		var created, seen, expires sql.NullInt64
		if err := rows.Scan(&t.ID, &t.Player, &t.Label, &scopes, &created, &seen, &expires); err != nil {
			return nil, err
		}
		t.Scopes = strings.Fields(scopes)
		t.Created, t.Seen, t.Expires = fromNanos(created), fromNanos(seen), fromNanos(expires)
		list = append(list, t)
	}
	return list, rows.Err()
}

// RemoveToken removes a token of a player. It reports whether there was one.
func (p *Players) RemoveToken(ctx context.Context, player, id string) (removed bool, err error) {
	err = p.change(ctx, "remove a token", func(ctx context.Context, tx *sql.Tx) error {
		removed, err = changed(tx.ExecContext(ctx, `DELETE FROM tokens WHERE `+p.of("$1")+` AND id = $2`, player, id))
		return err
	})
	return removed, err
}

// removeTokens removes all tokens of a player beside that of its registration.
func (p *Players) removeTokens(ctx context.Context, tx *sql.Tx, player string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM tokens WHERE `+p.of("$1"), player)
	return err
}
