// Package provider logs people in at a provider of OpenID Connect, such as the login of a
// school: by the code flow with PKCE.
//
// What has to be known between two requests of a browser is in its cookies, sealed with a key
// that is derived from the secret of the client. All hosts of a cluster have that, so each can
// go on with what another has begun.
package provider

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Settings are those of the provider.
type Settings struct {
	Issuer   string // its address, of which everything else is read
	ClientID string // of this host at the provider
	Secret   string // of the client
	Scopes   []string
}

// The refusals. Their texts are for people.
var (
	ErrUnavailable = errors.New("the login provider does not answer now: try again later, or log in with a token")
	ErrAttempt     = errors.New("this login was not begun in this browser, or more than 10 minutes ago: begin again")
	ErrDenied      = errors.New("the login provider has not let you in")
	ErrAnswer      = errors.New("the answer of the login provider is not valid: try again, or tell the operator of this host")
)

const (
	// timeout is the limit for one request to the provider.
	timeout = 10 * time.Second
	// maxAnswer bounds an answer of the provider, in bytes.
	maxAnswer = 1 << 20
	// fresh is how long the description of the provider counts. Its keys are read whenever a
	// new one is used.
	fresh = 24 * time.Hour
)

// Provider is a provider of OpenID Connect. Nothing is read of it before the first login. Its
// methods can be called concurrently.
type Provider struct {
	Settings
	log    *slog.Logger
	client *http.Client
	sealer cipher.AEAD
	now    func() time.Time
	turn   chan struct{} // holds a value while the description is read

	mu    sync.Mutex // guards the fields below
	found *oidc.Provider
	read  time.Time // when found was read
}

// New returns a provider.
func New(s Settings, log *slog.Logger) *Provider {
	return &Provider{
		Settings: s, log: log, sealer: newSealer(s), now: time.Now, turn: make(chan struct{}, 1),
		client: &http.Client{
			Timeout: timeout, Transport: bounded{http.DefaultTransport},
			// A redirection would send the secret of the client elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// bounded limits the length of answers.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		reply.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(reply.Body, maxAnswer), reply.Body}
	}
	return reply, err
}

// known returns the description that was read last, and whether it is fresh.
func (p *Provider) known() (found *oidc.Provider, isFresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found, p.found != nil && p.now().Sub(p.read) < fresh
}

// discover returns the description of the provider. One that was read before also counts
// while the provider does not answer.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	if found, isFresh := p.known(); isFresh {
		return found, nil
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ErrUnavailable
	}
	old, isFresh := p.known()
	if isFresh { // another one has read it meanwhile
		return old, nil
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.Issuer)
	if err == nil {
		err = secure(found.Endpoint().AuthURL, found.Endpoint().TokenURL)
	}
	switch {
	case err == nil:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.found, p.read = found, p.now()
		return found, nil
	case old != nil:
		return old, nil
	}
	p.log.Warn("could not read the description of the login provider", "issuer", p.Issuer, "error", short(err))
	return nil, ErrUnavailable
}

// short returns the beginning of the text of an error, which can have a whole answer.
func short(err error) string {
	text := err.Error()
	return text[:min(len(text), 300)]
}

// secure returns an error if an address is neither encrypted nor on this machine.
func secure(addresses ...string) error {
	for _, address := range addresses {
		if !Secure(address) {
			return fmt.Errorf("%q does not begin with https://", address)
		}
	}
	return nil
}

// Secure reports whether an address is a URL with https, or with http on this machine.
func Secure(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
}

// config returns the settings of this host as a client.
func (p *Provider) config(found *oidc.Provider, callback string) *oauth2.Config {
	at := found.Endpoint()
	var offered struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	at.AuthStyle = oauth2.AuthStyleInHeader // what all support that name no methods
	if found.Claims(&offered) == nil && len(offered.Methods) > 0 && !slices.Contains(offered.Methods, "client_secret_basic") {
		at.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.Secret, Endpoint: at, RedirectURL: callback, Scopes: p.Scopes}
}
