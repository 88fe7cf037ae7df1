package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"colosseum/internal/locale"
)

// Tokens are the tokens of a player beside that of its registration, as the HTTP API
// describes them.
type Tokens struct {
	Player string  `json:"player"`
	Tokens []Token `json:"tokens"`
}

// Token is one of them, without its secret.
type Token struct {
	ID      string    `json:"id"`
	Label   string    `json:"label"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	Seen    time.Time `json:"seen"`    // zero: never
	Expires time.Time `json:"expires"` // zero: never
}

// NewToken is a token that was just created.
type NewToken struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

var tokenID = regexp.MustCompile(`^[A-Za-z0-9]{1,32}$`)

// ValidTokenID reports whether a token can have an ID.
func ValidTokenID(id string) bool { return tokenID.MatchString(id) }

// Tokens returns the JSON of Tokens, for the player of the token.
func (a *API) Tokens(ctx context.Context) ([]byte, error) {
	return a.account(ctx, http.MethodGet, "tokens", nil, locale.Errorf("cannot list your tokens"))
}

// CreateToken creates a token that is valid for some days, or for ever if they are 0. It
// returns the JSON of a NewToken.
func (a *API) CreateToken(ctx context.Context, label string, scopes []string, days int) ([]byte, error) {
	form := struct {
		Label  string   `json:"label"`
		Scopes []string `json:"scopes"`
		Days   int      `json:"days"`
	}{label, scopes, days}
	return a.account(ctx, http.MethodPost, "tokens", form, locale.Errorf("cannot create a token"))
}

// RevokeToken revokes a token. Its ID must be valid.
func (a *API) RevokeToken(ctx context.Context, id string) error {
	_, err := a.account(ctx, http.MethodDelete, "tokens/"+id, nil, locale.Errorf("cannot revoke the token %s", id))
	return err
}

// Rename gives the player another name.
func (a *API) Rename(ctx context.Context, name string) error {
	form := struct {
		Name string `json:"name"`
	}{name}
	_, err := a.account(ctx, http.MethodPost, "name", form, locale.Errorf("cannot change the name"))
	return err
}

// account sends a request about the player; a nil form is an empty object.
func (a *API) account(ctx context.Context, method, part string, form any, what error) ([]byte, error) {
	r := request{method: method, path: &url.URL{Path: "api/account/" + part}, player: true, most: maxAnswer, timeout: answerTimeout}
	if form != nil {
		body, err := json.Marshal(form)
		if err != nil {
			return nil, err
		}
		r.body = body
	}
	text, err := a.call(ctx, r)
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == http.StatusNotFound && status.Text != "" && method == http.MethodDelete {
		return nil, &Refused{Text: reason(what, status.Text), Err: status}
	}
	if err != nil {
		return nil, a.explained(err, what, locale.Errorf("the server %s has no such accounts: its host is older", a.Addr))
	}
	return text, valid(text)
}
