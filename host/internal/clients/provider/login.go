package provider

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"colosseum/host/internal/contests/players"
)

const (
	// Life is how long a login can take, and how long a person can choose a name.
	Life = 10 * time.Minute
	// skew is how much the clock of the provider can differ from that of this host.
	skew = 5 * time.Minute
	// maxSubject bounds the name of a person at the provider, in bytes. OpenID Connect Core, 2,
	// allows 255.
	maxSubject = 255
)

// attempt is a login that has begun. Its cookie is its only copy.
type attempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"p"` // of PKCE
	Callback string `json:"c"` // the address to which the provider sends the browser back
	Then     string `json:"t"`
}

// Person is somebody whom the provider has let in.
type Person struct {
	players.Identity
	Name string // that the person uses at the provider; empty: unknown
	Then string // the path of the page on which the login was begun
}

// Begin begins a login. The browser must get the cookie, and go to the address. The provider
// sends it back to callback. The error is ErrUnavailable.
func (p *Provider) Begin(ctx context.Context, callback, then string) (address, cookie string, err error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", "", err
	}
	a := attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Callback: callback, Then: then}
	address = p.config(found, callback).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier))
	return address, p.seal("attempt", a, Life), nil
}

// Finish ends a login: with the cookie of Begin, and the query with which the provider has
// sent the browser back. The errors are those of the package.
func (p *Provider) Finish(ctx context.Context, cookie string, query url.Values) (Person, error) {
	var a attempt
	if !p.open("attempt", cookie, &a) || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(a.State)) != 1 {
		return Person{}, ErrAttempt
	}
	if iss := query.Get("iss"); iss != "" && iss != p.Issuer { // RFC 9207
		return Person{}, p.wrong(fmt.Errorf("the answer is of the issuer %q", iss))
	}
	if code := query.Get("error"); code != "" {
		p.log.Info("the login provider has refused a login", "issuer", p.Issuer, "error", code)
		return Person{}, ErrDenied
	}
	found, err := p.discover(ctx)
	if err != nil {
		return Person{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := p.config(found, a.Callback).Exchange(ctx, query.Get("code"), oauth2.VerifierOption(a.Verifier))
	// The text of a refusal has the whole answer, which can have secrets.
	switch refused, ok := errors.AsType[*oauth2.RetrieveError](err); {
	case ok && refused.Response.StatusCode >= http.StatusInternalServerError:
		p.log.Warn("the login provider fails", "issuer", p.Issuer, "status", refused.Response.StatusCode)
		return Person{}, ErrUnavailable
	case ok:
		return Person{}, p.wrong(fmt.Errorf("the provider does not take the code: %d %s", refused.Response.StatusCode, refused.ErrorCode))
	case err != nil:
		p.log.Warn("could not ask the login provider", "issuer", p.Issuer, "error", short(err))
		return Person{}, ErrUnavailable
	}
	text, _ := tokens.Extra("id_token").(string)
	id, name, err := p.verify(ctx, found, text, a.Nonce)
	if err != nil {
		return Person{}, p.wrong(err)
	}
	if name == "" {
		name = p.nameOf(ctx, found, tokens, id.Subject)
	}
	return Person{Identity: id, Name: name, Then: a.Then}, nil
}

// wrong logs why an answer of the provider is not valid.
func (p *Provider) wrong(err error) error {
	p.log.Warn("the answer of the login provider is not valid", "issuer", p.Issuer, "error", short(err))
	return ErrAnswer
}

// claims are those of an ID token that go-oidc does not check as this host needs it.
type claims struct {
	Authorized string  `json:"azp"`
	Expires    float64 `json:"exp"` // Unix time in seconds
	Issued     float64 `json:"iat"`
	NotBefore  float64 `json:"nbf"`
	Name       string  `json:"preferred_username"`
}

// verify returns who an ID token is about, and the name that the person uses there, if the
// token is valid (OpenID Connect Core, 3.1.3.7).
func (p *Provider) verify(ctx context.Context, found *oidc.Provider, text, nonce string) (id players.Identity, name string, err error) {
	// Expiry is checked below, since go-oidc allows no difference of clocks.
	token, err := found.Verifier(&oidc.Config{ClientID: p.ClientID, SkipExpiryCheck: true}).Verify(ctx, text)
	if err != nil {
		return id, "", err
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return id, "", err
	}
	now := p.now()
	since := func(at float64) time.Duration { return now.Sub(time.UnixMilli(int64(at * 1000))) }
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		return id, "", errors.New("the ID token is that of another login")
	case len(token.Audience) > 1 && c.Authorized == "", c.Authorized != "" && c.Authorized != p.ClientID:
		return id, "", fmt.Errorf("the ID token is for %q", cmp.Or(c.Authorized, fmt.Sprint(token.Audience)))
	case since(c.Expires) > skew:
		return id, "", errors.New("the ID token has expired: are the clocks right?")
	case since(c.Issued).Abs() > skew:
		return id, "", fmt.Errorf("the ID token was issued %v ago: are the clocks right?", since(c.Issued).Round(time.Second))
	case since(c.NotBefore) < -skew:
		return id, "", errors.New("the ID token is not valid yet: are the clocks right?")
	case token.Subject == "" || len(token.Subject) > maxSubject:
		return id, "", fmt.Errorf("the ID token has a subject of %d bytes", len(token.Subject))
	}
	// The configured issuer, since Google's tokens can have another form of it.
	return players.Identity{Issuer: p.Issuer, Subject: token.Subject}, c.Name, nil
}

// nameOf asks the provider for the name that a person uses there. It is only a suggestion, so
// any failure means that there is none.
func (p *Provider) nameOf(ctx context.Context, found *oidc.Provider, tokens *oauth2.Token, subject string) string {
	if found.UserInfoEndpoint() == "" || !slices.Contains(p.Scopes, "profile") {
		return ""
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil || info.Subject != subject {
		return ""
	}
	var c claims
	_ = info.Claims(&c) // then it is empty
	return c.Name
}

// Seal returns the text of a cookie for a person who has no player yet, and Open reads it.
func (p *Provider) Seal(person Person) string { return p.seal("person", person, Life) }

// Open returns the person of a cookie of Seal; ok: it is one, and has not expired.
func (p *Provider) Open(cookie string) (person Person, ok bool) {
	ok = p.open("person", cookie, &person)
	return person, ok && person.Issuer == p.Issuer
}
