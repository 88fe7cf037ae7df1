package record

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

// The values were computed with Python:
//
//	hashlib.sha256(bytes.fromhex(salt) + seed.to_bytes(8, "big")).hexdigest()
func TestCommitmentIsTheHashOfTheSaltAndTheSeed(t *testing.T) {
	for _, tt := range []struct {
		salt string
		seed uint64
		want string
	}{
		{"000102030405060708090a0b0c0d0e0f", 1, "112ac280cda01f4cd59e4150e2be42305d20534e7fac07fa6ff6a6f5f871323a"},
		{"ffffffffffffffffffffffffffffffff", math.MaxUint64, "44a5f7891570e5631e8c91c85186e6633f4ab5364f644040b2a00126a07985b6"},
	} {
		salt, _ := hex.DecodeString(tt.salt)
		if got := (&Match{Salt: salt, Seed: tt.seed}).Commitment(); got != tt.want {
			t.Errorf("salt %s, seed %d: got %s, want %s", tt.salt, tt.seed, got, tt.want)
		}
	}
	if got := (&Match{Seed: 1}).Commitment(); got != "" {
		t.Errorf("without a salt: got %q, want none", got)
	}
}

func TestEachSaltIsAnother(t *testing.T) {
	if a, b := NewSalt(), NewSalt(); len(a) != saltBytes || bytes.Equal(a, b) {
		t.Errorf("got the salts %x and %x, want two of %d bytes", a, b, saltBytes)
	}
}

func TestTranscriptWithAnotherSeedDoesNotFitItsCommitment(t *testing.T) {
	r := sample()
	b, err := EncodeTranscript(&r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"commitment":"`+r.Commitment()+`"`) {
		t.Errorf("got %s, want it to have the commitment %s", b, r.Commitment())
	}
	for _, change := range [][2]string{
		{`"seed":"18446744073709551615"`, `"seed":"1"`}, {`"salt":"`, `"salt":"00`}, {`"salt":"0`, `"salt":"1`}, {`"salt":"0`, `"salt":"x`},
	} {
		changed := strings.Replace(string(b), change[0], change[1], 1)
		if changed == string(b) {
			t.Fatalf("%s does not have %s", b, change[0])
		}
		if _, err := DecodeTranscript([]byte(changed)); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("with %s: got the error %v, want one that says that it is damaged", change[1], err)
		}
	}
}
