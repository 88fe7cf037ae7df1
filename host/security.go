package main

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"colosseum/host/internal/certificate"
	"colosseum/host/internal/config"
	"colosseum/host/internal/disk"
	"colosseum/host/internal/doctor"
	"colosseum/host/internal/limit"
	"colosseum/host/internal/web"
)

// passwordFile, in the data folder, holds the verification password that the
// host made for itself.
const passwordFile = "verification_password"

// verificationPassword returns the password of the configuration, of the file
// that it names, or one of our own, which is made once and kept in the data
// folder. The log names its file alone.
func verificationPassword(c *config.Config, log *slog.Logger) (string, error) {
	switch {
	case c.VerificationPassword != "": // flag or environment, before the file
		return c.VerificationPassword, nil
	case c.VerificationPasswordFile != "":
		password, err := config.ReadSecret(c.VerificationPasswordFile)
		if err != nil {
			return "", fmt.Errorf("verification_password_file: %w", err)
		}
		return password, nil
	}
	path := filepath.Join(c.Data, passwordFile)
	password, err := config.ReadSecret(path)
	// An empty file is what a host leaves that finds no space for a password,
	// if it does not write it as we do.
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, config.ErrNoSecret) {
		password = rand.Text()
		if err = disk.WriteFile(path, []byte(password+"\n"), 0o600); err == nil {
			log.Info("verification password made", "file", path)
		}
	}
	if err != nil {
		return "", fmt.Errorf("the verification password: %w", err)
	}
	return password, nil
}

// encryption returns how connections are encrypted; nil: they are not.
func encryption(c *config.Config, log *slog.Logger) (*tls.Config, error) {
	switch {
	case c.TLS.Certificate != "":
		return certificate.FromFiles(c.TLS.Certificate, c.TLS.Key, log)
	case len(c.TLS.ACME.Domains) > 0:
		return certificate.FromAuthority(c.TLS.ACME.Domains, c.TLS.ACME.Email, c.TLS.ACME.Directory, filepath.Join(c.Data, "acme")), nil
	default:
		return nil, nil
	}
}

// clientLimits are the limits of connections.
func clientLimits(c *config.Config) (web.Limits, error) {
	exempt, err := config.Networks("limits.exempt", c.Limits.Exempt)
	return web.Limits{
		Files:       doctor.Files() - doctor.Reserve,
		Connections: c.Clients.Connections, Handshake: c.Clients.HandshakeTimeout, Ping: c.Clients.Ping,
		Backlog: c.Clients.BacklogKB << 10, Line: c.Clients.LineBytes, Backlogs: int64(c.Limits.BacklogsMB) << 20, Origins: c.Origins,
		Address: limit.PerAddress{
			Exempt: exempt, Connections: c.Limits.Connections, Handshakes: c.Limits.HandshakesPerSecond,
			Matches: c.Limits.MatchesPerMinute, Bytes: c.Limits.KBPerSecond << 10,
			Reads: c.Limits.ReadsPerSecond,
		},
		Reads: c.Limits.HostReadsPerSecond,
	}, err
}
