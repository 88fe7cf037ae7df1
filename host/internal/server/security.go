package server

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/web"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/server/doctor"
)

// passwordFile is the file in the data folder with the verification password
// that the host generated.
const passwordFile = "verification_password"

// verificationPassword returns the configuration's password, or that in the
// configuration's file, or a random one, which it generates once and keeps in the
// data folder. The hosts of a cluster, which has a secret, generate the same one. It logs
// the name of that file, never the password.
func verificationPassword(c *config.Config, secret []byte, log *slog.Logger) (string, error) {
	switch {
	case c.VerificationPassword != "": // flag and environment override the file
		return c.VerificationPassword, nil
	case c.VerificationPasswordFile != "":
		password, err := config.ReadSecret(c.VerificationPasswordFile)
		if err != nil {
			return "", fmt.Errorf("verification_password_file: %w", err)
		}
		return password, nil
	}
	path := filepath.Join(c.Data, passwordFile)
	if secret != nil {
		password := sharedPassword(secret)
		if err := disk.WriteFile(path, []byte(password+"\n"), 0o600); err != nil {
			return "", fmt.Errorf("the verification password: %w", err)
		}
		return password, nil
	}
	password, err := config.ReadSecret(path)
	// Older hosts left an empty file when the disk was full.
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, config.ErrNoSecret) {
		password = rand.Text()
		if err = disk.WriteFile(path, []byte(password+"\n"), 0o600); err == nil {
			log.Info("verification password generated", "file", path)
		}
	}
	if err != nil {
		return "", fmt.Errorf("the verification password: %w", err)
	}
	return password, nil
}

// encryption returns how connections are encrypted, or nil if they are not.
func encryption(c *config.Config, log *slog.Logger) (*tls.Config, error) {
	switch {
	case c.TLS.Certificate != "":
		return certificateFiles(c.TLS.Certificate, c.TLS.Key, log)
	case len(c.TLS.ACME.Domains) > 0:
		return certificateAuthority(c.TLS.ACME.Domains, c.TLS.ACME.Email, c.TLS.ACME.Directory, filepath.Join(c.Data, "acme")), nil
	default:
		return nil, nil
	}
}

// isolate logs what the system lacks to confine games, and fails if the configuration
// requires it.
func isolate(c *config.Config, log *slog.Logger) error {
	level, support := sandbox.Level(c.Plugins.Isolation), sandbox.Supported()
	if level == sandbox.Off {
		log.Warn("games have all rights of this user, because plugins.isolation is off")
		return nil
	}
	missing := support.Missing()
	if level == sandbox.Require && len(missing) > 0 {
		return fmt.Errorf("plugins.isolation is require, but %s: %s, or set it to best-effort", missing[0].Text, missing[0].Remedy)
	}
	for _, m := range missing {
		log.Warn("games are not fully confined", "problem", m.Text, "remedy", m.Remedy)
	}
	for _, m := range support.Weaker() {
		log.Info("games could be confined better", "problem", m.Text, "remedy", m.Remedy)
	}
	return nil
}

// isolation returns which protections confine games.
func (s *Server) isolation() map[string]bool {
	all, level := map[string]bool{}, s.games.Isolation()
	for _, feature := range sandbox.Features {
		all[feature] = level != sandbox.Off && !sandbox.Supported().Lacks(feature)
	}
	return all
}

// clientLimits returns the limits of connections.
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
		Reads: c.Limits.HostReadsPerSecond, Resume: c.Clients.Resume, Guesses: c.Limits.GuessesPerMinute,
	}, err
}
