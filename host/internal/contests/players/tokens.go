package players

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"colosseum/host/internal/records/store"
)

// MaxTokens is how many tokens a player can have beside that of its registration.
const MaxTokens = 20

const maxLabel = 40 // characters

// The refusals of tokens. Their texts are for clients.
var (
	ErrLabel    = fmt.Errorf("the label of a token says what it is for, in 1 to %d characters", maxLabel)
	ErrScopes   = errors.New("a token is for one or more of play, submit, read and all")
	ErrLife     = errors.New("a token is valid for ever, or for 1 to 3650 days")
	ErrFull     = fmt.Errorf("you have %d tokens: revoke one that you no longer need", MaxTokens)
	ErrNoToken  = errors.New("you have no such token")
	ErrNoPlayer = errors.New("no player has this name")
)

// Mint returns a new token of a player and its ID, which is no secret. The token cannot be
// read again. It is valid for a life of at least a minute, or for ever if that is 0. A player
// has at most MaxTokens: beyond that the new token replaces one that expires and has the same
// label, so that logins of browsers need no attention. Its errors are ErrLabel, ErrScopes,
// ErrLife, ErrFull, ErrNoPlayer, also for a removed player, and ErrUnavailable.
func (r *Registry) Mint(ctx context.Context, player, label string, scopes []Scope, life time.Duration) (token, id string, err error) {
	label = strings.TrimSpace(label)
	switch {
	case label == "" || utf8.RuneCountInString(label) > maxLabel || strings.ContainsFunc(label, func(c rune) bool { return !unicode.IsPrint(c) || c == utf8.RuneError }):
		return "", "", ErrLabel
	case len(scopes) == 0 || slices.ContainsFunc(scopes, func(s Scope) bool { return !slices.Contains(scopesInOrder, s) }):
		return "", "", ErrScopes
	case life != 0 && life < time.Minute:
		return "", "", ErrLife
	}
	now := time.Now()
	t := store.Token{ID: newTokenID(), Player: player, Label: label, Created: now}
	for _, s := range scopesInOrder {
		if slices.Contains(scopes, s) {
			t.Scopes = append(t.Scopes, string(s))
		}
	}
	if life > 0 {
		t.Expires = now.Add(life)
	}
	token = newToken()
	err = r.store.AddToken(ctx, hash(token), t, MaxTokens)
	var unknown *store.UnknownError
	switch {
	case errors.Is(err, store.ErrFull):
		return "", "", ErrFull
	case errors.As(err, &unknown):
		return "", "", ErrNoPlayer
	case err != nil:
		return "", "", r.unavailable(err)
	}
	return token, t.ID, nil
}

// scopesInOrder are all scopes.
var scopesInOrder = []Scope{Play, Submit, Read, All}

// allows reports whether scopes cover one: All covers each, and each covers Read.
func allows(scopes []string, s Scope) bool {
	return len(scopes) > 0 && s == Read || slices.Contains(scopes, string(s)) || slices.Contains(scopes, string(All))
}

// newTokenID returns a random ID that people can type.
func newTokenID() string { return strings.ToLower(rand.Text()[:10]) }

// Tokens returns the tokens of a player beside that of its registration, the oldest first.
// Those that have expired are not among them. Its only error is ErrUnavailable.
func (r *Registry) Tokens(ctx context.Context, player string) ([]store.Token, error) {
	list, err := r.store.Tokens(ctx, player)
	if err != nil {
		return nil, r.unavailable(err)
	}
	return list, nil
}

// Revoke removes a token of a player, which ends its sessions within seconds. Its errors are
// ErrNoToken and ErrUnavailable.
func (r *Registry) Revoke(ctx context.Context, player, id string) error {
	switch removed, err := r.store.RemoveToken(ctx, player, strings.ToLower(id)); {
	case err != nil:
		return r.unavailable(err)
	case !removed:
		return ErrNoToken
	}
	return nil
}
