package record

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// NewID returns an ID for a match: 8 random bytes in lower-case base32hex.
func NewID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}
