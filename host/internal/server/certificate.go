package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// http1 is the only protocol over which WebSockets are opened.
const http1 = "http/1.1"

// certificateFiles returns a configuration that uses the certificate and key in two PEM
// files. It reads them again when they change. If the new ones are invalid, it
// logs that, and the old ones stay in use.
func certificateFiles(certificate, key string, log *slog.Logger) (*tls.Config, error) {
	f := &certificates{certificate: certificate, key: key, log: log}
	f.seen = f.stamp()
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("load the certificate: %w", err)
	}
	f.pair, f.checked = &pair, time.Now()
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{http1},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.current(), nil },
	}, nil
}

// certificateInterval is the shortest time between two checks for changed files, which
// new connections cause.
const certificateInterval = time.Second

type certificates struct {
	certificate, key string
	log              *slog.Logger

	mu      sync.Mutex // guards the fields below
	pair    *tls.Certificate
	seen    [2]stamp // of the files when they were last read, valid or not
	checked time.Time
}

// stamp differs between versions of a file.
type stamp struct {
	size     int64
	modified time.Time
}

func (f *certificates) stamp() (both [2]stamp) {
	for i, path := range []string{f.certificate, f.key} {
		if info, err := os.Stat(path); err == nil {
			both[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return both
}

// current returns the newest valid certificate.
func (f *certificates) current() *tls.Certificate {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if now.Sub(f.checked) < certificateInterval {
		return f.pair
	}
	f.checked = now
	stamp := f.stamp()
	if stamp == f.seen {
		return f.pair
	}
	f.seen = stamp
	pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
	if err != nil {
		// The other file might not be written yet. That will be the next change.
		f.log.Error("could not load the changed certificate; the old one stays in use", "error", err)
		return f.pair
	}
	f.log.Info("certificate loaded", "file", f.certificate)
	f.pair = &pair
	return f.pair
}

// certificateAuthority returns a configuration that obtains a certificate for a domain
// when its first client connects, renews it, and keeps it in the given folder. The
// authority connects to port 443 of the domain to verify that it is this host's.
// The address of the authority is directory; empty: Let's Encrypt.
func certificateAuthority(domains []string, email, directory, folder string) *tls.Config {
	m := &autocert.Manager{
		Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(domains...), Email: email, Cache: autocert.DirCache(folder),
	}
	if directory != "" {
		m.Client = &acme.Client{DirectoryURL: directory}
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{http1, acme.ALPNProto}, GetCertificate: m.GetCertificate,
	}
}
