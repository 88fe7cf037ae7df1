package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrRecent is the error of Rename for a player that has changed its name a short time ago.
var ErrRecent = errors.New("the player has changed its name before")

// Rename gives a player another name. The old one stays reserved for it. Programs, tokens and
// all else that belongs to the player outside of records and contests follow. If the player
// had another name less than a time ago, the error is ErrRecent. If it is not registered, or
// has had the old name before, it is an *UnknownError; if another player has or had the new
// name, a *TakenError.
func (p *Players) Rename(ctx context.Context, old, name string, within time.Duration) error {
	return p.change(ctx, "rename a player", func(ctx context.Context, tx *sql.Tx) error {
		// The row is locked first, so that a name is never both registered and reserved for
		// another player.
		err := tx.QueryRowContext(ctx, `UPDATE players SET seen = seen WHERE `+p.named("$1")+` RETURNING name`, old).Scan(&old)
		if errors.Is(err, sql.ErrNoRows) {
			return &UnknownError{[]string{old}}
		}
		if err != nil {
			return err
		}
		now := time.Now()
		if recent, err := p.renamedSince(ctx, tx, old, now.Add(-within)); err != nil || recent {
			if err == nil {
				err = ErrRecent
			}
			return err
		}
		if strings.EqualFold(old, name) {
			if _, err := tx.ExecContext(ctx, `UPDATE players SET name = $1 WHERE `+p.named("$2"), name, old); err != nil {
				return err
			}
		} else if err := p.move(ctx, tx, old, name); err != nil {
			return err
		}
		if err := p.follow(ctx, tx, old, name); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM former_names WHERE `+p.named("$1"), name); err != nil { // its own
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO former_names (name, player, changed) VALUES ($1, $2, $3)`, old, name, now.UnixNano())
		return err
	})
}

func (p *Players) renamedSince(ctx context.Context, tx *sql.Tx, player string, at time.Time) (recent bool, err error) {
	var changed sql.NullInt64
	err = tx.QueryRowContext(ctx, `SELECT max(changed) FROM former_names WHERE `+p.of("$1"), player).Scan(&changed)
	return changed.Valid && changed.Int64 > at.UnixNano(), err
}

// move moves the row of a player to a new name, or returns a *TakenError. It inserts a row
// instead of changing one, because PostgreSQL cannot go on in the transaction after a conflict
// with another.
func (p *Players) move(ctx context.Context, tx *sql.Tx, old, name string) error {
	added, err := changed(tx.ExecContext(ctx, `INSERT INTO players (name, created, seen, real_name, class)
		SELECT $1, created, seen, real_name, class FROM players WHERE `+p.named("$2")+` ON CONFLICT DO NOTHING`, name, old))
	if err != nil {
		return err
	}
	var owner string
	switch err := tx.QueryRowContext(ctx, `SELECT player FROM former_names WHERE `+p.named("$1"), name).Scan(&owner); {
	case errors.Is(err, sql.ErrNoRows):
		owner = old
	case err != nil:
		return err
	}
	if !added {
		err := tx.QueryRowContext(ctx, `SELECT name FROM players WHERE `+p.named("$1"), name).Scan(&owner)
		if err != nil {
			return err
		}
	}
	if !strings.EqualFold(owner, old) {
		return &TakenError{[]string{owner}}
	}
	var token []byte
	if err := tx.QueryRowContext(ctx, `SELECT token FROM players WHERE `+p.named("$1"), old).Scan(&token); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM players WHERE `+p.named("$1"), old); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE players SET token = $1 WHERE `+p.named("$2"), token, name)
	return err
}

// follow gives what belongs to a player its new name.
func (p *Players) follow(ctx context.Context, tx *sql.Tx, old, name string) error {
	for _, table := range []string{"former_names", "submissions", "tokens", "identities", "device_codes", "invites"} {
		if _, err := tx.ExecContext(ctx, `UPDATE `+table+` SET player = $1 WHERE `+p.of("$2"), name, old); err != nil {
			return err
		}
	}
	return nil
}

// FormerName is a name that a player had before.
type FormerName struct {
	Name   string
	Player string // the name that it has now
}

// Former returns all names that players had before, by name.
func (p *Players) Former(ctx context.Context) (list []FormerName, err error) {
	err = p.eachName(ctx, `SELECT name, player FROM former_names ORDER BY `+p.d.Texts().Folded("name"), func(name, player string) {
		list = append(list, FormerName{name, player})
	})
	return list, err
}

// Names returns all names that players have, or had before, in lower case, with those that
// they have now. Those of removed players are among them.
func (p *Players) Names(ctx context.Context) (map[string]string, error) {
	names := map[string]string{}
	err := p.eachName(ctx, `SELECT name, name FROM players UNION ALL SELECT name, player FROM former_names`, func(name, player string) {
		names[strings.ToLower(name)] = player
	})
	return names, err
}

func (p *Players) eachName(ctx context.Context, query string, f func(name, player string)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read the names of players in %s: %w", p.d, p.d.Explain(err))
		}
	}()
	rows, err := p.read.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, player string
		if err := rows.Scan(&name, &player); err != nil {
			return err
		}
		f(name, player)
	}
	return rows.Err()
}
