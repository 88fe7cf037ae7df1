package export

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// Kinds of blocks in PEM.
const (
	privateBlock = "PRIVATE KEY" // PKCS #8
	publicBlock  = "PUBLIC KEY"  // X.509
)

// NewKey returns a new key to sign exports with, and its public key, as files in PEM.
func NewKey() (private, public []byte, err error) {
	open, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	shown, err := x509.MarshalPKIXPublicKey(open)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: secret}), pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: shown}), nil
}

// ReadKey returns the key in a file of NewKey. Errors never quote the content.
func ReadKey(path string) (ed25519.PrivateKey, error) {
	der, err := readPEM(path, privateBlock)
	if err != nil {
		return nil, err
	}
	if parsed, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		if key, ok := parsed.(ed25519.PrivateKey); ok {
			return key, nil
		}
	}
	return nil, fmt.Errorf("%s has no Ed25519 key in PKCS #8", path)
}

// Fingerprint returns a short text for a public key: the beginning of its SHA-256.
func Fingerprint(key ed25519.PublicKey) string {
	hash := sha256.Sum256(key)
	return hex.EncodeToString(hash[:8])
}

// ReadPublicKey returns the public key in a file of NewKey.
func ReadPublicKey(path string) (ed25519.PublicKey, error) {
	der, err := readPEM(path, publicBlock)
	if err != nil {
		return nil, err
	}
	if parsed, err := x509.ParsePKIXPublicKey(der); err == nil {
		if key, ok := parsed.(ed25519.PublicKey); ok {
			return key, nil
		}
	}
	return nil, fmt.Errorf("%s has no public Ed25519 key", path)
}

func readPEM(path, kind string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("%s is not a key in PEM", path)
	case block.Type == kind:
		return block.Bytes, nil
	case block.Type == privateBlock:
		return nil, errors.New(path + " has the private key: name the file with the public one")
	}
	return nil, fmt.Errorf("%s has no %s in PEM", path, kind)
}
