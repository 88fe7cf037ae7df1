package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// site matches the origin of a site. Nothing else can be in a list of a policy that
// browsers read.
var site = regexp.MustCompile(`^https?://([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$`)

// security checks the settings of proxies, origins, embedding, names, certificates and
// passwords.
func (c *Config) security() error {
	if _, err := Networks("trusted_proxies", c.TrustedProxies); err != nil {
		return err
	}
	if _, err := Networks("limits.exempt", c.Limits.Exempt); err != nil {
		return err
	}
	for _, o := range c.Origins {
		u, err := url.Parse(o)
		if o != "*" && (err != nil || u.Host == "" || o != u.Scheme+"://"+u.Host) {
			return wrong("origins", `origins: %q is not like https://example.org, nor "*"`, o)
		}
	}
	for _, o := range c.Embed {
		if o != "*" && !site.MatchString(o) {
			return wrong("embed", `embed: %q is not the origin of a site, like https://school.example (without a path, in lower case), nor "*"`, o)
		}
	}
	for _, n := range c.Names {
		if n != "*" && (n == "" || strings.ContainsAny(n, "*/: ")) {
			return wrong("names", `names: %q is not the name of a host, like club.example, nor "*"`, n)
		}
	}
	if (c.TLS.Certificate == "") != (c.TLS.Key == "") {
		return wrong("tls", "tls: give both certificate and key, or neither")
	}
	if c.TLS.Certificate != "" && len(c.TLS.ACME.Domains) > 0 {
		return wrong("tls", "tls: give either a certificate or acme")
	}
	for _, d := range c.TLS.ACME.Domains {
		if d == "" || strings.ContainsAny(d, "*/: ") {
			return wrong("tls.acme.domains", "tls.acme.domains: %q is not the name of a host", d)
		}
	}
	if c.VerificationPassword != "" && c.VerificationPasswordFile != "" {
		return wrong("verification_password_file", "give either verification_password or verification_password_file")
	}
	return nil
}

// tooWide are folders that no exception can name, because they hold files of many
// users and programs.
var tooWide = []string{"/", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/usr", "/var"}

// isolation checks what games can use.
func (c *Config) isolation() error {
	if l := c.Plugins.Isolation; l != "require" && l != "best-effort" && l != "off" {
		return wrong("plugins.isolation", "plugins.isolation: %q is not one of require, best-effort, off", l)
	}
	folders := map[string][]string{"plugins.libraries": c.Plugins.Libraries}
	for name, e := range c.Plugins.Exceptions {
		folders["plugins.exceptions."+name+".read"] = e.Read
		if e.TemporaryMB < 0 || e.TemporaryMB > 1<<20 {
			return wrong("plugins.exceptions."+name, "plugins.exceptions.%s.temporary_mb must be between 0 and %d", name, 1<<20)
		}
	}
	for key, paths := range folders {
		for _, path := range paths {
			if !filepath.IsAbs(path) {
				return wrong(key, "%s: %q is not an absolute path", key, path)
			}
			if slices.Contains(tooWide, filepath.Clean(path)) {
				return wrong(key, "%s: %s holds files of other programs and users: name a folder below it", key, path)
			}
		}
	}
	return nil
}

// Networks parses addresses and networks. The error names the setting key.
func Networks(key string, texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			addr, err := netip.ParseAddr(text)
			if err != nil {
				return nil, wrong(key, "%s: %q is neither an address nor a network like 10.0.0.0/8", key, text)
			}
			p = netip.PrefixFrom(addr, addr.BitLen())
		}
		list = append(list, p)
	}
	return list, nil
}

// maxSecret is the longest password in bytes; a longer file probably does not hold one.
const maxSecret = 1 << 10

// ErrNoSecret is the error of ReadSecret for an empty file.
var ErrNoSecret = errors.New("is empty")

// ReadSecret returns the only line of a file. Its errors never quote the content.
func ReadSecret(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(b), "\r\n")
	switch {
	case secret == "":
		return "", fmt.Errorf("%s %w", path, ErrNoSecret)
	case len(secret) > maxSecret || strings.ContainsAny(secret, "\r\n\x00"):
		return "", fmt.Errorf("%s does not hold a password: it must be one line of at most %d bytes", path, maxSecret)
	}
	return secret, nil
}
