package doctor

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"colosseum/host/internal/base/config"
)

// secrets checks that the host, and no other user, can read its passwords.
func secrets(c *config.Config, path string) []Finding {
	var all []Finding
	if file := c.VerificationPasswordFile; file != "" && c.VerificationPassword == "" {
		if _, err := config.ReadSecret(file); err != nil {
			all = append(all, fail("verification password", err, "write the password into the file, as its only line"))
		} else {
			all = append(all, private("verification password", file))
		}
	}
	if o := c.Players.OIDC; o.On() {
		if _, err := o.ReadSecret(); err != nil {
			all = append(all, fail("secret of the login provider", err, "write the secret that the provider has given this host into the file, as its only line"))
		} else {
			all = append(all, private("secret of the login provider", o.ClientSecretFile))
		}
	}
	if path == "" {
		return append(all, ok("configuration", "no file is given: the defaults are used"))
	}
	secret := false
	_, _ = config.Source{Path: path, Override: func(f *config.Config) {
		secret = f.VerificationPassword != "" || hasPassword(f.Store) || hasPassword(f.Cluster.NATS)
	}}.Load()
	if secret {
		all = append(all, private("configuration with a password", path))
	}
	return append(all, ok("configuration", "%s is valid", path))
}

// hasPassword reports whether a URL has a password.
func hasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return true // it can be anywhere
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

// private checks that other users can't read a file.
func private(what, path string) Finding {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fail(what, err, "make the file readable for the host")
	case !hasModes:
		return ok(what, "%s is readable; which users can read it is not examined on this system", path)
	case info.Mode().Perm()&0o077 != 0:
		return warn(what, fmt.Sprintf("%s can be read by others (mode %04o)", path, info.Mode().Perm()), "chmod 600 "+path)
	default:
		return ok(what, "%s is private", path)
	}
}

// soon is how long before its expiry a certificate should have been renewed.
const soon = 14 * 24 * time.Hour

func certificates(c *config.Config) []Finding {
	const what = "certificate"
	if domains := c.TLS.ACME.Domains; len(domains) > 0 {
		if _, port, err := net.SplitHostPort(c.Listen); err != nil || port != "443" {
			return []Finding{warn(what, fmt.Sprintf("the authority will connect to port 443 of %s, but the host listens at %s", domains[0], c.Listen),
				"listen at port 443, or forward it to the host")}
		}
		return []Finding{ok(what, "will be obtained for %v", domains)}
	}
	if c.TLS.Certificate == "" {
		return []Finding{ok(what, "connections are not encrypted by this host")}
	}
	pair, err := tls.LoadX509KeyPair(c.TLS.Certificate, c.TLS.Key)
	if err != nil {
		return []Finding{fail(what, err, "correct tls.certificate and tls.key")}
	}
	all := []Finding{private("certificate's key", c.TLS.Key)}
	switch left := time.Until(pair.Leaf.NotAfter); {
	case left <= 0:
		return append(all, fail(what, fmt.Errorf("it expired on %s", pair.Leaf.NotAfter.Format(time.DateOnly)), "renew it"))
	case left < soon:
		return append(all, warn(what, fmt.Sprintf("it expires on %s", pair.Leaf.NotAfter.Format(time.DateOnly)), "renew it"))
	default:
		return append(all, ok(what, "for %v until %s", pair.Leaf.DNSNames, pair.Leaf.NotAfter.Format(time.DateOnly)))
	}
}

// ports checks that the host can listen.
func ports(c *config.Config, try func(address string) error) []Finding {
	operations := ok("operations.listen", "metrics and health are not served")
	if at := c.Operations.Listen; at == config.OperationsAuto {
		operations = port("operations.listen", config.OperationsDefault, try)
	} else if at != "" {
		operations = port("operations.listen", at, try)
	}
	return []Finding{port("listen", c.Listen, try), operations}
}

func port(what, address string, try func(string) error) Finding {
	err := try(address)
	switch {
	case err == nil:
		return ok(what, "%s is free", address)
	case inUse(err):
		return warn(what, address+" is in use", "if that is not this host, choose another address")
	case errors.Is(err, os.ErrPermission):
		return fail(what, err, "choose a port above 1023, or give the host the right: setcap cap_net_bind_service=+ep, or AmbientCapabilities in systemd")
	default:
		return fail(what, err, "choose another address")
	}
}
