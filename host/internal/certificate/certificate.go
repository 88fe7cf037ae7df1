// Package certificate provides the host's certificate: from files, which are
// read again when they change, or from an authority that speaks ACME.
package certificate

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

// http1 is the one protocol that WebSockets are opened with.
const http1 = "http/1.1"

// FromFiles returns a configuration that uses the certificate and key in two
// PEM files. They must be good at first; when they change later, and the new
// ones are not, the old ones stay in use.
func FromFiles(certificate, key string, log *slog.Logger) (*tls.Config, error) {
	f := &files{certificate: certificate, key: key, log: log}
	f.seen = f.stamp()
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("load the certificate: %w", err)
	}
	f.pair, f.looked = &pair, time.Now()
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{http1},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.current(), nil },
	}, nil
}

// lookEvery is how often the files are looked at, at most: some connection
// comes soon after they have changed.
const lookEvery = time.Second

// files holds the certificate of two files.
type files struct {
	certificate, key string
	log              *slog.Logger

	mu     sync.Mutex // guards the fields below
	pair   *tls.Certificate
	seen   [2]stamp // of the files when they were read last, well or not
	looked time.Time
}

// stamp tells versions of a file apart.
type stamp struct {
	size     int64
	modified time.Time
}

func (f *files) stamp() (both [2]stamp) {
	for i, path := range []string{f.certificate, f.key} {
		if info, err := os.Stat(path); err == nil {
			both[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return both
}

// current returns the newest certificate that is good.
func (f *files) current() *tls.Certificate {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if now.Sub(f.looked) < lookEvery {
		return f.pair
	}
	f.looked = now
	stamp := f.stamp()
	if stamp == f.seen {
		return f.pair
	}
	f.seen = stamp
	pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
	if err != nil {
		// One of the two may have been written before the other: the next
		// change is looked at again.
		f.log.Error("the certificate has changed and can't be used; the old one stays in use", "error", err)
		return f.pair
	}
	f.log.Info("certificate loaded", "file", f.certificate)
	f.pair = &pair
	return f.pair
}

// FromAuthority returns a configuration that obtains certificates for some
// domains when the first client comes, renews them, and keeps them in a
// folder. The authority proves that the domains are ours by connecting to
// port 443 of each. Directory is its address; empty: Let's Encrypt.
func FromAuthority(domains []string, email, directory, folder string) *tls.Config {
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
