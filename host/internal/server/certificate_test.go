package server

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// issue writes a certificate for a name and its key, as files of the given age.
func issue(t *testing.T, dir, name string, age time.Duration) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), age)
	write(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), age)
	return certificate, key
}

func write(t *testing.T, path string, content []byte, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	changed := time.Now().Add(-age)
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}

// shake shakes hands with a server as a client that takes any certificate and the given
// versions of TLS; 0: the usual ones.
func shake(t *testing.T, server *tls.Config, oldest, newest uint16) (tls.ConnectionState, error) {
	t.Helper()
	near, far := net.Pipe()
	defer near.Close()
	go func() { // ends with the connection
		defer far.Close()
		_ = tls.Server(far, server).HandshakeContext(t.Context())
	}()
	conn := tls.Client(near, &tls.Config{InsecureSkipVerify: true, MinVersion: oldest, MaxVersion: newest}) // the test's own certificate
	err := conn.HandshakeContext(t.Context())
	return conn.ConnectionState(), err
}

// nameOf connects and returns the name in the server's certificate.
func nameOf(t *testing.T, config *tls.Config) string {
	t.Helper()
	state, err := shake(t, config, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return state.PeerCertificates[0].Subject.CommonName
}

func TestOlderVersionsOfTLSAreRefused(t *testing.T) {
	certificate, key := issue(t, t.TempDir(), "one.example", 0)
	files, err := certificateFiles(certificate, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]*tls.Config{
		"files": files, "authority": certificateAuthority([]string{"one.example"}, "", "", t.TempDir()),
	} {
		if _, err := shake(t, config, tls.VersionTLS10, tls.VersionTLS11); err == nil || !strings.Contains(err.Error(), "protocol version") {
			t.Errorf("%s: got %v, want that TLS 1.1 is refused", name, err)
		}
	}
	if _, err := shake(t, files, tls.VersionTLS12, tls.VersionTLS12); err != nil {
		t.Errorf("got %v, want TLS 1.2", err)
	}
}

func TestChangedCertificateIsUsedForNewConnections(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	certificate, key := issue(t, dir, "one.example", time.Hour)
	f := &certificates{certificate: certificate, key: key, log: slog.New(slog.NewTextHandler(&log, nil))}
	config, err := certificateFiles(certificate, key, f.log)
	if err != nil {
		t.Fatal(err)
	}
	if got := nameOf(t, config); got != "one.example" {
		t.Errorf("at first: got %s, want one.example", got)
	}
	pair := func() string {
		f.mu.Lock()
		f.checked = time.Time{} // the next check is due
		f.mu.Unlock()
		return f.current().Leaf.Subject.CommonName
	}
	issue(t, dir, "two.example", time.Minute)
	if got := pair(); got != "two.example" {
		t.Errorf("after the change: got %s, want two.example", got)
	}
	write(t, key, []byte("no key, and secret"), 30*time.Second)
	if got := pair(); got != "two.example" {
		t.Errorf("after an invalid change: got %s, want two.example", got)
	}
	if n := strings.Count(log.String(), "could not load"); n != 1 || strings.Contains(log.String(), "secret") {
		t.Errorf("logged the error %d times, want once and nothing of the key:\n%s", n, &log)
	}
	if pair(); strings.Count(log.String(), "could not load") != 1 {
		t.Errorf("logged the same error again, want it once:\n%s", &log)
	}
	issue(t, dir, "three.example", 0)
	if got := pair(); got != "three.example" {
		t.Errorf("after the next change: got %s, want three.example", got)
	}
}

func TestFirstCertificateMustBeValid(t *testing.T) {
	dir := t.TempDir()
	certificate, key := issue(t, dir, "one.example", 0)
	write(t, key, []byte("nonsense"), 0)
	for _, path := range []string{certificate, filepath.Join(dir, "none.pem")} {
		if _, err := certificateFiles(path, key, slog.New(slog.DiscardHandler)); err == nil || strings.Contains(err.Error(), "nonsense") {
			t.Errorf("%s: got %v, want an error without the key", path, err)
		}
	}
}

func TestAuthorityIsAskedOnlyForConfiguredDomains(t *testing.T) {
	asked := make(chan string, 16) // more than one attempt asks
	authority := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.Error(w, "not today", http.StatusTeapot)
	}))
	defer authority.Close()
	http.DefaultClient.Transport = authority.Client().Transport // acme's client has no other
	defer func() { http.DefaultClient.Transport = nil }()
	config := certificateAuthority([]string{"club.example"}, "", authority.URL+"/directory", t.TempDir())
	if !slices.Contains(config.NextProtos, "acme-tls/1") {
		t.Errorf("got the protocols %v, want acme-tls/1 for the authority's check", config.NextProtos)
	}
	hello := func(name string) error {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		go func() { // ends with the connection
			_ = tls.Client(far, &tls.Config{ServerName: name}).HandshakeContext(t.Context())
		}()
		return tls.Server(near, config).HandshakeContext(t.Context())
	}
	if err := hello("evil.example"); err == nil || len(asked) > 0 {
		t.Errorf("another name: got %v and %d requests to the authority, want an error and none", err, len(asked))
	}
	if err := hello("club.example"); err == nil {
		t.Error("got a certificate of an authority that refuses, want an error")
	}
	if got := <-asked; got != "/directory" {
		t.Errorf("the authority was asked for %s, want /directory", got)
	}
}
