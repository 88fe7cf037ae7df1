package players

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"colosseum/host/internal/records/store"
)

// RenameEvery is the time in which a player can change its name once.
const RenameEvery = 30 * 24 * time.Hour

// ErrRecent is a refusal of Rename. Its text is for clients.
var ErrRecent = fmt.Errorf("you have changed your name in the last %d days: ask the operator of this host", RenameEvery/(24*time.Hour))

// Rename gives a player another name, for the player itself: once in RenameEvery. The old name
// stays reserved for it, and records and contests that have ended keep that. Its errors are
// ErrName, ErrTaken, ErrRecent, ErrNoPlayer and ErrUnavailable.
func (r *Registry) Rename(ctx context.Context, player, name string) error {
	if !ValidName(name) {
		return ErrName
	}
	if r.reserved(name) {
		return ErrTaken
	}
	err := r.store.Rename(ctx, player, name, RenameEvery)
	var taken *store.TakenError
	var unknown *store.UnknownError
	switch {
	case err == nil:
		r.renamed(player, name)
		return nil
	case errors.As(err, &taken):
		return ErrTaken
	case errors.As(err, &unknown):
		return ErrNoPlayer
	case errors.Is(err, store.ErrRecent):
		return ErrRecent
	}
	return r.unavailable(err)
}

// renamed keeps when a player has logged in that has another name now.
func (r *Registry) renamed(old, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for player, at := range r.seen {
		if strings.EqualFold(player, old) {
			delete(r.seen, player)
			r.seen[name] = at
			return
		}
	}
}

// RenameBy is Rename for the operator, at any time. Its errors are for the operator.
func (r *Registry) RenameBy(ctx context.Context, player, name string) error {
	if !ValidName(name) {
		return fmt.Errorf("%q: %w", name, ErrName)
	}
	if r.reserved(name) {
		return fmt.Errorf("%s: the setting players.reserved reserves this name", name)
	}
	err := r.store.Rename(ctx, player, name, 0)
	var taken *store.TakenError
	if errors.As(err, &taken) {
		return fmt.Errorf("%s is the name of the player %s, or was", name, taken.Names[0])
	}
	var unknown *store.UnknownError
	if errors.As(err, &unknown) {
		if now, err := r.store.Owner(ctx, player); err == nil && now != "" {
			return fmt.Errorf("%s has the name %s now", player, now)
		}
	}
	return err
}

// Aliases returns all names that players had before, in lower case, with the names that they
// have now. Its only error is ErrUnavailable.
func (r *Registry) Aliases(ctx context.Context) (map[string]string, error) {
	list, err := r.store.Former(ctx)
	if err != nil {
		return nil, r.unavailable(err)
	}
	aliases := map[string]string{}
	for _, f := range list {
		aliases[strings.ToLower(f.Name)] = f.Player
	}
	return aliases, nil
}

// Names returns all names of the player that has or had a name: the one that it has now first,
// and then the others in alphabetical order; none if there is no such player. Its only error is
// ErrUnavailable.
func (r *Registry) Names(ctx context.Context, name string) ([]string, error) {
	now, err := r.Owner(ctx, name)
	if err != nil || now == "" {
		return nil, err
	}
	list, err := r.store.Former(ctx)
	if err != nil {
		return nil, r.unavailable(err)
	}
	names := []string{now}
	for _, f := range list {
		if strings.EqualFold(f.Player, now) {
			names = append(names, f.Name)
		}
	}
	return names, nil
}
