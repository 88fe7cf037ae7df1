package config

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Webhook is an address to which the host sends what happens.
type Webhook struct {
	Name       string   `yaml:"name"`
	URL        string   `yaml:"url"`
	SecretFile string   `yaml:"secret_file"`
	Events     []string `yaml:"events"`  // none: all
	Private    bool     `yaml:"private"` // the receiver has a private address, where http is enough
}

// WebhookEvents returns the events that webhooks can have.
func WebhookEvents() []string {
	return []string{
		"contest.created", "contest.started", "contest.paused", "contest.resumed", "contest.ended", "round.paired", "round.closing",
		"result.ruled", "result.undone", "league.moved", "player.passed", "program.accepted", "program.refused", "program.rests",
	}
}

const (
	maxWebhooks  = 20
	secretPrefix = "whsec_"
	// The least and the most bytes of a secret, by the Standard Webhooks specification.
	minWebhookSecret, maxWebhookSecret = 24, 64
)

var webhookName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// webhooks checks the webhooks. Its errors show no URL, because its path can be a secret.
func (c *Config) webhooks() error {
	if len(c.Webhooks) > maxWebhooks {
		return wrong("webhooks", "webhooks: more than %d", maxWebhooks)
	}
	seen := map[string]bool{}
	for i, w := range c.Webhooks {
		at := fmt.Sprintf("webhooks: number %d", i+1)
		if !webhookName.MatchString(w.Name) {
			return wrong("webhooks", "%s: the name %q is not 1 to 32 of a-z, 0-9 and -", at, w.Name)
		}
		at = "webhooks: " + w.Name
		u, err := url.Parse(w.URL)
		switch {
		case seen[w.Name]:
			return wrong("webhooks", "%s is listed twice", at)
		case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
			return wrong("webhooks", "%s: url must be like https://club.example/hook", at)
		case u.User != nil || u.Fragment != "":
			return wrong("webhooks", "%s: url must have neither a user nor a fragment", at)
		case u.Scheme == "http" && !w.Private:
			return wrong("webhooks", `%s: url must be https; http is allowed at a private address, with "private: true"`, at)
		case w.SecretFile == "":
			return wrong("webhooks", "%s: secret_file is missing", at)
		}
		for _, e := range w.Events {
			if !slices.Contains(WebhookEvents(), e) {
				return wrong("webhooks", "%s: %q is not one of %s", at, e, strings.Join(WebhookEvents(), ", "))
			}
		}
		seen[w.Name] = true
	}
	return nil
}

// Wants reports whether the webhook has an event.
func (w *Webhook) Wants(event string) bool {
	return len(w.Events) == 0 || slices.Contains(w.Events, event)
}

// Receiver returns the scheme and the host of the URL, which everybody can see.
func (w *Webhook) Receiver() string {
	u, err := url.Parse(w.URL)
	if err != nil { // the configuration was checked
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// ReadSecret returns the key with which messages are signed. The file has it as one line:
// whsec_ and 24 to 64 bytes in base64. Errors never quote the content.
func (w *Webhook) ReadSecret() ([]byte, error) {
	text, err := ReadSecret(w.SecretFile)
	if err != nil {
		return nil, err
	}
	encoded, ok := strings.CutPrefix(strings.TrimSpace(text), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) < minWebhookSecret || len(key) > maxWebhookSecret {
		return nil, fmt.Errorf("%s must have one line: %s and %d to %d random bytes in base64", w.SecretFile, secretPrefix, minWebhookSecret, maxWebhookSecret)
	}
	return key, nil
}

// PublicAddress returns the address of the pages as it follows from the names of the host and
// the prefix, without a slash at the end; "": it is not known. A host behind a proxy is taken
// to be reached by https.
func (c *Config) PublicAddress() string {
	if origin := c.publicOrigin(); origin != "" {
		return origin + c.PathPrefix()
	}
	return ""
}

func (c *Config) publicOrigin() string {
	scheme, own := "http", c.TLS.Certificate != "" || len(c.TLS.ACME.Domains) > 0
	host, port, err := net.SplitHostPort(c.Listen)
	proxied := err != nil || strings.HasPrefix(c.Listen, "unix:") || len(c.TrustedProxies) > 0
	if own || proxied {
		scheme = "https"
	}
	name := slices.Concat(c.TLS.ACME.Domains, c.Names)
	if i := slices.IndexFunc(name, func(n string) bool { return n != "*" }); i >= 0 {
		host = name[i]
	} else if a, err := netip.ParseAddr(host); proxied || host == "" || port == "0" || err == nil && a.IsUnspecified() {
		return ""
	}
	if proxied || own && port == "443" || !own && port == "80" {
		return scheme + "://" + bracketed(host)
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// bracketed returns the name or address of a host as it is in a URL.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
