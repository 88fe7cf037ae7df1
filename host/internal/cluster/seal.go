package cluster

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// Derive returns a key of 32 bytes for one use of the cluster's secret.
func Derive(secret []byte, use string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, "colosseum cluster: "+use, chacha20poly1305.KeySize)
	if err != nil {
		panic("cluster: " + err.Error()) // only for a key that is too long
	}
	return key
}

type nonce = [chacha20poly1305.NonceSizeX]byte

// sealer encrypts everything that goes through NATS, so that only hosts with the same
// secret can read or create it.
type sealer struct{ aead cipher.AEAD }

func newSealer(secret []byte) (*sealer, error) {
	if len(secret) == 0 {
		return nil, errors.New("the cluster has no secret")
	}
	aead, err := chacha20poly1305.NewX(Derive(secret, "messages in NATS, version 1"))
	if err != nil {
		return nil, err
	}
	return &sealer{aead}, nil
}

// seal encrypts v as JSON. It can be opened only with the same place, which is a subject
// or the key of a bucket.
func (s *sealer) seal(place string, v any) (sealed []byte, n nonce, err error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, n, err
	}
	_, _ = rand.Read(n[:]) // never fails
	sealed = make([]byte, len(n), len(n)+len(plain)+s.aead.Overhead())
	copy(sealed, n[:])
	return s.aead.Seal(sealed, n[:], plain, []byte(place)), n, nil
}

var errSealed = errors.New("it was sealed with another secret, or for another subject or key")

// open decrypts into v what was sealed for a place. Fields that v does not have are
// ignored, because a newer host can send them.
func (s *sealer) open(place string, sealed []byte, v any) (n nonce, err error) {
	if len(sealed) < len(n) {
		return n, errSealed
	}
	copy(n[:], sealed)
	plain, err := s.aead.Open(nil, n[:], sealed[len(n):], []byte(place))
	if err != nil {
		return n, errSealed
	}
	return n, json.Unmarshal(plain, v)
}

// Bounds of requests and published messages.
const (
	maxAge    = 30 * time.Second // by the clocks of both hosts
	maxNonces = 200_000          // in one period; more than 3,000 requests per second
)

// repeats finds messages that arrive again. It remembers a nonce for one to two
// periods, during which the message is not too old.
type repeats struct {
	mu          sync.Mutex // guards the fields below
	now, before map[nonce]struct{}
	since       time.Time // the period of now
}

var (
	errInvalid  = errors.New("it is not valid")
	errOld      = errors.New("it is too old, or the clocks of the hosts differ by more than 30 seconds: synchronize them")
	errRepeated = errors.New("it arrived before")
	errMany     = errors.New("too many messages arrive")
)

// check returns an error for a message that was sent too long ago, or arrived before.
func (r *repeats) check(n nonce, sent int64) error {
	now := time.Now()
	if age := now.Sub(time.UnixMilli(sent)); age > maxAge || age < -maxAge {
		return errOld
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.since) > 2*maxAge {
		r.before, r.now, r.since = r.now, map[nonce]struct{}{}, now
	}
	_, a := r.now[n]
	_, b := r.before[n]
	switch {
	case a || b:
		return errRepeated
	case len(r.now) >= maxNonces:
		return errMany
	}
	r.now[n] = struct{}{}
	return nil
}
