package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Identity is a person as a provider of OpenID Connect knows it: nothing else about the person
// is stored.
type Identity struct{ Issuer, Subject string }

// ErrIdentity is the error for an identity that has a player already.
var ErrIdentity = errors.New("the identity has a player")

// ByIdentity returns the player of an identity, or "". Removed: the player has no token.
func (p *Players) ByIdentity(ctx context.Context, id Identity) (player string, removed bool, err error) {
	err = p.read.QueryRowContext(ctx, `SELECT players.name, players.token IS NULL FROM identities, players
		WHERE identities.issuer = $1 AND identities.subject = $2 AND `+p.d.Texts().Folded("players.name")+` = `+p.d.Texts().Folded("identities.player"),
		id.Issuer, id.Subject).Scan(&player, &removed)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", false, fmt.Errorf("read the players in %s: %w", p.d, p.d.Explain(err))
	}
	return player, removed, nil
}

// Link gives an identity to a registered player, or returns ErrIdentity.
func (p *Players) Link(ctx context.Context, id Identity, player string) error {
	return p.change(ctx, "link a player", func(ctx context.Context, tx *sql.Tx) error { return link(ctx, tx, id, player) })
}

func link(ctx context.Context, tx *sql.Tx, id Identity, player string) error {
	added, err := changed(tx.ExecContext(ctx, `INSERT INTO identities (issuer, subject, player, created) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		id.Issuer, id.Subject, player, time.Now().UnixNano()))
	if err == nil && !added {
		err = ErrIdentity
	}
	return err
}

// EndToken removes a token with a label, beside that of the registration.
func (p *Players) EndToken(ctx context.Context, token Secret, label string) error {
	return p.change(ctx, "remove a token", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM tokens WHERE hash = $1 AND label = $2`, token[:], label)
		return err
	})
}
