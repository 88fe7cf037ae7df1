package players

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"colosseum/host/internal/records/store"
)

// tokenPrefix begins each token, so that people and programs that search for leaked
// secrets recognize one.
const tokenPrefix = "coco_"

// tokenLen is the length of a token: the prefix, and 32 bytes in base64url.
const tokenLen = len(tokenPrefix) + 43

// newToken returns a random token of 256 bits.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// newInvite returns the random code of an invitation, of 130 bits. People type it, so
// it has one case and no characters that look alike.
func newInvite() string { return rand.Text() }

// hash returns the hash that the store keeps of a token.
func hash(token string) store.Secret { return sha256.Sum256([]byte(token)) }

// hashInvite returns the hash that the store keeps of the code of an invitation.
func hashInvite(code string) store.Secret { return hash(strings.ToUpper(code)) }
