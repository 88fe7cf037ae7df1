package store

import (
	"context"
	"database/sql"
	"errors"
)

// Details are what only organizers see of a player. A nil pointer leaves a text as it is.
type Details struct {
	Name            string
	RealName, Class *string
}

// Import registers players and sets details, of them or of others, all or nothing. If any of
// the names to be registered are taken, its error is a *TakenError. If any of the others are
// not registered, or were removed, it is an *UnknownError.
func (p *Players) Import(ctx context.Context, add []NewPlayer, details []Details) error {
	return p.change(ctx, "import players", func(ctx context.Context, tx *sql.Tx) error {
		if err := p.add(ctx, tx, add); err != nil {
			return err
		}
		return p.describe(ctx, tx, details)
	})
}

func (p *Players) describe(ctx context.Context, tx *sql.Tx, details []Details) error {
	var unknown []string
	for _, d := range details {
		var name string
		err := tx.QueryRowContext(ctx, `UPDATE players SET real_name = COALESCE($1, real_name), class = COALESCE($2, class)
			WHERE `+p.named("$3")+` AND token IS NOT NULL RETURNING name`, d.RealName, d.Class, d.Name).Scan(&name)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			unknown = append(unknown, d.Name)
		case err != nil:
			return err
		}
	}
	if len(unknown) > 0 {
		return &UnknownError{unknown}
	}
	return nil
}

// forget removes the details of players.
func (p *Players) forget(ctx context.Context, tx *sql.Tx, names []string) error {
	for _, name := range names {
		if _, err := tx.ExecContext(ctx, `UPDATE players SET real_name = '', class = '' WHERE `+p.named("$1"), name); err != nil {
			return err
		}
	}
	return nil
}
