package players

import (
	"context"
	"strings"
	"sync"
	"time"
)

// ownerTimeout is how long the store can take for one name before the names that were read
// before count.
const ownerTimeout = time.Second

// known are the registered names as they were read last, so that players without a
// registration can join matches while PostgreSQL is away. A name that was registered
// since, less than a minute before that, is not protected then.
type known struct {
	mu      sync.Mutex        // guards the fields below
	names   map[string]string // see store.Players.Names; nil: never read
	failing bool              // it was logged that they are used
}

// set replaces the names.
func (k *known) set(names map[string]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.names = names
}

// owner returns the registered name that equals name, or "". Ok: the names were read.
func (k *known) owner(name string) (player string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.names[strings.ToLower(name)], k.names != nil
}

// has reports whether the names were read.
func (k *known) has() bool {
	_, ok := k.owner("")
	return ok
}

// became records whether the store fails. It reports whether that is new.
func (k *known) became(failing bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing == failing {
		return false
	}
	k.failing = failing
	return true
}

// remember reads all names.
func (r *Registry) remember(ctx context.Context) {
	if names, err := r.store.Names(ctx); err == nil {
		r.known.set(names)
	} else if ctx.Err() == nil {
		r.log.Warn("could not read the names of the registered players", "error", err)
	}
}

// lookUp returns the registered name that equals name, or "".
func (r *Registry) lookUp(ctx context.Context, name string) (player string, err error) {
	if !r.known.has() {
		return r.store.Owner(ctx, name)
	}
	asking, cancel := context.WithTimeout(ctx, ownerTimeout)
	defer cancel()
	player, err = r.store.Owner(asking, name)
	if err == nil || ctx.Err() != nil {
		if err == nil && r.known.became(false) {
			r.log.Info("the registered players can be read again")
		}
		return player, err
	}
	if r.known.became(true) {
		r.log.Error("could not read the registered players: their names are protected as they were a minute ago, and nobody can log in", "error", err)
	}
	player, _ = r.known.owner(name)
	return player, nil
}
