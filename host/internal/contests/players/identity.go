package players

import (
	"context"
	"errors"
	"time"

	"colosseum/host/internal/records/store"
)

// Identity is a person as a provider of OpenID Connect knows it.
type Identity = store.Identity

// BrowserLife is how long a browser stays logged in after a login without a token.
const BrowserLife = 30 * 24 * time.Hour

// browserLabel is the label of the token of such a login.
const browserLabel = "browser"

// OfIdentity returns the player of a person, or "". Its errors are ErrRemoved and
// ErrUnavailable.
func (r *Registry) OfIdentity(ctx context.Context, id Identity) (player string, err error) {
	player, removed, err := r.store.ByIdentity(ctx, id)
	switch {
	case err != nil:
		return "", r.unavailable(err)
	case removed:
		return "", ErrRemoved
	}
	return player, nil
}

// RegisterIdentity registers a player of a person who has none. Nobody has the token of the
// registration: the person logs in by LogIn. Its errors are those of Register, and ErrIdentity.
func (r *Registry) RegisterIdentity(ctx context.Context, address, name, invite string, id Identity) error {
	_, err := r.register(ctx, address, name, invite, &id)
	return err
}

// LinkIdentity gives a registered player to a person who has none. Its errors are ErrIdentity
// and ErrUnavailable.
func (r *Registry) LinkIdentity(ctx context.Context, player string, id Identity) error {
	err := r.store.Link(ctx, id, player)
	switch {
	case errors.Is(err, store.ErrIdentity):
		return ErrIdentity
	case err != nil:
		return r.unavailable(err)
	}
	return nil
}

// LogOut ends the validity of a token of LogIn. It does nothing to others, which a person has
// kept elsewhere.
func (r *Registry) LogOut(ctx context.Context, token string) {
	if err := r.store.EndToken(ctx, hash(token), browserLabel); err != nil {
		_ = r.unavailable(err) // it is logged; the browser forgets the token, and it expires
	}
}

// LogIn returns a new token for a browser of a player, which is valid for BrowserLife. Its
// errors are those of Mint.
func (r *Registry) LogIn(ctx context.Context, player string) (token string, err error) {
	token, _, err = r.Mint(ctx, player, browserLabel, []Scope{All}, BrowserLife)
	return token, err
}
