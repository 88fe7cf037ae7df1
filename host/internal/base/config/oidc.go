package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OIDC configures a provider of OpenID Connect at which players can log in. It is off without
// an issuer.
type OIDC struct {
	Issuer           string   `yaml:"issuer"`
	ClientID         string   `yaml:"client_id"`
	ClientSecretFile string   `yaml:"client_secret_file"`
	Scopes           []string `yaml:"scopes"`
	Button           string   `yaml:"button"`
	Address          string   `yaml:"address"`
}

// On reports whether players can log in at a provider.
func (o *OIDC) On() bool { return o.Issuer != "" }

// minClientSecret is how many characters the secret of a client has at least. Cookies are
// sealed with it, so it must not be one that can be guessed.
const minClientSecret = 16

// ReadSecret reads the secret of the client. Its errors never quote the content.
func (o *OIDC) ReadSecret() (string, error) {
	secret, err := ReadSecret(o.ClientSecretFile)
	if err == nil && len(secret) < minClientSecret {
		err = fmt.Errorf("%s has %d characters: create a secret of at least %d random ones at the provider", o.ClientSecretFile, len(secret), minClientSecret)
	}
	return secret, err
}

const maxButton = 40 // characters

// oidc checks the settings of the provider.
func (c *Config) oidc() error {
	o := &c.Players.OIDC
	const key = "players.oidc"
	if !o.On() {
		switch {
		case c.Players.Registration == "oidc":
			return wrong("players.registration", "players.registration: oidc needs a provider: set %s.issuer", key)
		case o.ClientID != "" || o.ClientSecretFile != "" || o.Address != "":
			return wrong(key, "%s: issuer is missing", key)
		}
		return nil
	}
	u, err := url.Parse(o.Issuer)
	here := err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && !(u.Scheme == "http" && here):
		return wrong(key+".issuer", "%s.issuer: %q is not like https://login.school.example (http only on this machine)", key, o.Issuer)
	case o.ClientID == "":
		return wrong(key, "%s: client_id is missing: it is what the provider calls this host", key)
	case o.ClientSecretFile == "":
		return wrong(key, "%s: client_secret_file is missing: a file with the secret of this host at the provider", key)
	case !slices.Contains(o.Scopes, "openid"):
		return wrong(key+".scopes", "%s.scopes must contain openid", key)
	case slices.ContainsFunc(o.Scopes, func(s string) bool { return s == "" || strings.ContainsAny(s, " \"\\") }):
		return wrong(key+".scopes", "%s.scopes: %q has one that is empty, or has a space or quote", key, o.Scopes)
	case o.Button == "" || utf8.RuneCountInString(o.Button) > maxButton || strings.ContainsFunc(o.Button, func(r rune) bool { return !unicode.IsPrint(r) }):
		return wrong(key+".button", "%s.button must have 1 to %d characters", key, maxButton)
	case o.Address != "" && !site.MatchString(o.Address):
		return wrong(key+".address", "%s.address: %q is not like https://club.example (without a path, in lower case)", key, o.Address)
	}
	return nil
}
