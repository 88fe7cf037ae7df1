// Package players registers players and recognizes them by their tokens.
//
// A player is a competitor with a name of its own. It logs in with a token: a random
// secret that its client keeps. The host has only a hash of it.
package players

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/base/guess"
	"colosseum/host/internal/records/store"
)

// The values of Settings.Registration.
const (
	Open   = "open"   // anyone can register
	Invite = "invite" // registration takes an invitation
	OIDC   = "oidc"   // only persons of the OpenID Connect provider can register
	Closed = "closed" // only the operator registers players
)

// Cookie is the name of the cookie in which a browser keeps the token of its player.
// Package site sets it, and package web logs in with it.
const Cookie = "colosseum_token"

// Settings are what a reload of the configuration changes.
type Settings struct {
	Registration string   // Open, Invite, OIDC or Closed
	PerHour      int      // registrations from one address in an hour, which can come all at once; 0: no limit
	Guesses      int      // wrong tokens and invitations from one address in a minute; 0: no limit
	Reserved     []string // names that nobody can register or show
}

// The refusals. Their texts are for clients.
var (
	ErrToken       = errors.New("the token is not valid on this host: it was replaced or removed, or belongs to another host; log in with the right one or register")
	ErrTooMany     = errors.New("too many wrong tokens or invitations from your address: try again in a minute")
	ErrTooOften    = errors.New("too many registrations from your address: try again in an hour")
	ErrName        = errors.New("the name of a player has 1 to 16 letters, digits, dots, hyphens and underscores, and begins with a letter or digit")
	ErrTaken       = errors.New("another player has this name: choose another one")
	ErrInvite      = errors.New("the invitation is not valid: it was used, or is misspelled; ask the operator of this host for one")
	ErrClosed      = errors.New("this host does not register players: ask its operator for a token")
	ErrOIDC        = errors.New("this host registers only people who log in at its provider: open its pages in a browser and log in there")
	ErrIdentity    = errors.New("this person has a player already: log in again")
	ErrRemoved     = errors.New("the player of this person was removed: ask the operator of this host")
	ErrDevices     = errors.New("too many programs wait to be let in: try again in a few minutes")
	ErrCode        = errors.New("no program waits with this code: it has 8 letters, is used once, and expires after 10 minutes")
	ErrScope       = errors.New("this token does not allow that: see coco tokens, or log in with another one")
	ErrUnavailable = errors.New("the host cannot read its players now: try again later")
)

// Registry is the registered players of one host. Its methods can be called
// concurrently. An address is a limit.Address.Key; it is empty for clients without
// limits.
type Registry struct {
	store   *store.Players
	log     *slog.Logger
	guesses *guess.Limiter // of tokens and invitations
	perHour *perHour       // registrations
	known   known

	mu       sync.Mutex // guards the fields below
	settings Settings
	seen     map[string]time.Time // players that have logged in since it was last stored
	used     map[string]time.Time // their tokens beside that of the registration, by ID
	stats    Stats
}

// New returns the registry of the players in a store.
func New(players *store.Players, settings Settings, log *slog.Logger) *Registry {
	return &Registry{
		store: players, log: log,
		guesses: guess.New(guess.Limits{Address: settings.Guesses}), perHour: newPerHour(settings.PerHour),
		settings: settings, seen: map[string]time.Time{}, used: map[string]time.Time{},
		stats: Stats{Logins: map[string]uint64{}, Registrations: map[string]uint64{}},
	}
}

// SetSettings changes the settings. If a limit changes, its tries are forgotten.
func (r *Registry) SetSettings(s Settings) {
	r.guesses.SetLimits(guess.Limits{Address: s.Guesses})
	r.perHour.setLimit(s.PerHour)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settings = s
}

// Registration returns who can register: Open, Invite, OIDC or Closed.
func (r *Registry) Registration() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.settings.Registration
}

// Authenticate returns the player with a token that is good for a scope. Its errors are
// ErrToken, ErrTooMany after too many wrong tokens, ErrScope and ErrUnavailable.
//
// The right token is never refused: nobody can guess one, and otherwise one program
// with an old token would lock out all others behind its address.
func (r *Registry) Authenticate(ctx context.Context, address, token string, scope Scope) (player string, err error) {
	t, err := r.authenticate(ctx, address, token, scope)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Logins[result(err)]++
	if err != nil {
		return "", err
	}
	now := time.Now()
	r.seen[t.Player] = now
	if t.ID != "" {
		r.used[t.ID] = now
	}
	return t.Player, nil
}

func (r *Registry) authenticate(ctx context.Context, address, token string, scope Scope) (t store.Token, err error) {
	if len(token) == tokenLen && strings.HasPrefix(token, tokenPrefix) {
		if t, err = r.store.ByToken(ctx, hash(token)); err != nil {
			return t, r.unavailable(err)
		}
	}
	switch {
	case t.Player == "":
		return t, r.guess(address, ErrToken)
	case t.ID != "" && !allows(t.Scopes, scope):
		return t, ErrScope
	}
	return t, nil
}

// Login identifies the token with which a client has logged in.
type Login = store.Secret

// LoginOf returns the login with a token.
func LoginOf(token string) Login { return hash(token) }

// Valid returns the players of those logins whose tokens were neither replaced nor removed,
// and have not expired. Its only error is ErrUnavailable.
func (r *Registry) Valid(ctx context.Context, logins []Login) (map[Login]string, error) {
	valid, err := r.store.Valid(ctx, logins)
	if err != nil {
		return nil, r.unavailable(err)
	}
	return valid, nil
}

// guess counts a wrong token or invitation. It returns wrong, or ErrTooMany.
func (r *Registry) guess(address string, wrong error) error {
	err := r.guesses.Try(address, "", func() bool { return false })
	if errors.Is(err, guess.ErrAddress) {
		return ErrTooMany
	}
	return wrong
}

// Register registers a player and returns its token, which cannot be read again. The
// code of an invitation is used up only where registration takes one. Its errors are
// those above, except ErrToken.
func (r *Registry) Register(ctx context.Context, address, name, invite string) (token string, err error) {
	return r.register(ctx, address, name, invite, nil)
}

// register registers a player, also of a person with an identity.
func (r *Registry) register(ctx context.Context, address, name, invite string, id *Identity) (token string, err error) {
	token, err = r.tryRegister(ctx, address, name, invite, id)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Registrations[result(err)]++
	return token, err
}

func (r *Registry) tryRegister(ctx context.Context, address, name, invite string, id *Identity) (string, error) {
	var code *store.Secret
	switch mode := r.Registration(); {
	case mode == Open, mode == OIDC && id != nil:
	case mode == OIDC:
		return "", ErrOIDC
	case mode == Invite:
		h := hashInvite(invite)
		code = &h
		has, err := r.store.HasInvite(ctx, h)
		if err != nil {
			return "", r.unavailable(err)
		}
		if !has {
			return "", r.guess(address, ErrInvite)
		}
	default:
		return "", ErrClosed
	}
	if !ValidName(name) {
		return "", ErrName
	}
	owner, err := r.Owner(ctx, name)
	if err != nil {
		return "", err
	}
	if owner != "" {
		return "", ErrTaken
	}
	// A person has one player, so a class behind one address needs no limit.
	if id == nil && !r.perHour.allow(address) {
		return "", ErrTooOften
	}
	token := newToken()
	err = r.store.AddWith(ctx, []store.NewPlayer{{Name: name, Token: hash(token)}}, code, id)
	var taken *store.TakenError
	switch {
	case errors.As(err, &taken): // after Owner
		return "", ErrTaken
	case errors.Is(err, store.ErrInvite):
		return "", ErrInvite
	case errors.Is(err, store.ErrIdentity):
		return "", ErrIdentity
	case err != nil:
		return "", r.unavailable(err)
	}
	return token, nil
}

// Owner returns the registered name that equals name in any case, also that of a
// removed player; or the name that a player has now which had this one before; or name itself
// if it is reserved; or "". A client can show a name only if its owner is "" or the client's
// own player. It sees changes of other processes at
// once, and while Run runs and the store fails, those before the last minute. Its only
// error is ErrUnavailable.
func (r *Registry) Owner(ctx context.Context, name string) (player string, err error) {
	if !ValidName(name) {
		return "", nil
	}
	player, err = r.lookUp(ctx, name)
	if err != nil {
		return "", r.unavailable(err)
	}
	if player == "" && r.reserved(name) {
		return name, nil
	}
	return player, nil
}

func (r *Registry) reserved(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return containsFold(r.settings.Reserved, name)
}

// unavailable logs an error of the store. Its texts are not for clients, and have no
// secrets.
func (r *Registry) unavailable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w (%w)", ErrUnavailable, err) // the client or the host has left
	}
	r.log.Error("could not use the registered players", "error", err)
	return ErrUnavailable
}

// storeSeen is how often Run stores when players logged in, one commit for all, and reads
// the names of all.
const storeSeen = time.Minute

// Run stores when players logged in, and reads their names, until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	tick := time.NewTicker(storeSeen)
	defer tick.Stop()
	r.remember(ctx)
	for {
		select {
		case <-tick.C:
			r.flush()
			r.remember(ctx)
		case <-ctx.Done():
			r.flush()
			return
		}
	}
}

func (r *Registry) flush() {
	r.mu.Lock()
	seen, used := r.seen, r.used
	r.seen, r.used = map[string]time.Time{}, map[string]time.Time{}
	r.mu.Unlock()
	if len(seen) == 0 {
		return
	}
	if err := r.store.SetSeen(context.Background(), seen, used); err != nil {
		r.log.Warn("could not store when players logged in", "players", len(seen), "error", err)
	}
}

// Stats are the registry's counters, by result: "ok", or the name of a refusal.
type Stats struct {
	Logins        map[string]uint64
	Registrations map[string]uint64
}

// The results in Stats.
const (
	ResultOK       = "ok"
	ResultToken    = "wrong_token"
	ResultScope    = "scope"
	ResultGuesses  = "guesses"
	ResultOften    = "registrations"
	ResultName     = "name"
	ResultInvite   = "wrong_invite"
	ResultClosed   = "closed"
	ResultHostFail = "unavailable"
)

func result(err error) string {
	for e, name := range map[error]string{
		ErrToken: ResultToken, ErrScope: ResultScope, ErrTooMany: ResultGuesses, ErrTooOften: ResultOften,
		ErrName: ResultName, ErrTaken: ResultName, ErrInvite: ResultInvite, ErrClosed: ResultClosed, ErrOIDC: ResultClosed, ErrIdentity: ResultName,
	} {
		if errors.Is(err, e) {
			return name
		}
	}
	if err == nil {
		return ResultOK
	}
	return ResultHostFail
}

// Stats returns the counters.
func (r *Registry) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stats{Logins: maps.Clone(r.stats.Logins), Registrations: maps.Clone(r.stats.Registrations)}
}
