package record

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// saltBytes is the length of a salt: nobody can try that many to find the seed of a
// running match in its commitment.
const saltBytes = 16

// NewSalt returns a salt for the commitment to a seed.
func NewSalt() []byte {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	return salt
}

// Commitment returns the commitment to a seed: the SHA-256 of the salt and the 8 bytes of
// the seed, big-endian, in hexadecimal. Players get it when the match begins, and the salt
// and the seed at its end, so that they can check that the seed was not chosen later.
func Commitment(salt []byte, seed uint64) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(salt[:len(salt):len(salt)], seed))
	return hex.EncodeToString(sum[:])
}

// Commitment returns the commitment to the seed of the match, or "" if there is none.
func (m *Match) Commitment() string {
	if m.Salt == nil {
		return ""
	}
	return Commitment(m.Salt, m.Seed)
}
