package provider

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"
)

// newSealer returns the cipher of cookies.
func newSealer(s Settings) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(s.Secret), nil, "colosseum login "+s.Issuer+" "+s.ClientID, 32)
	if err != nil {
		panic(err) // the length is possible
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has a possible length
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has blocks of the right size
	}
	return sealer
}

// sealed is the content of a cookie.
type sealed struct {
	Expires int64 `json:"e"` // Unix time in seconds
	Value   any   `json:"v"`
}

// seal returns the text of a cookie: nobody else can read or change it. What is sealed for
// one purpose cannot be used for another.
func (p *Provider) seal(purpose string, value any, life time.Duration) string {
	text, err := json.Marshal(sealed{p.now().Add(life).Unix(), value})
	if err != nil {
		panic(err) // the values hold nothing that JSON cannot express
	}
	nonce := make([]byte, p.sealer.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(p.sealer.Seal(nonce, nonce, text, []byte(purpose)))
}

// open reads a text of seal into value, and reports whether it is one that has not expired.
func (p *Provider) open(purpose, cookie string, value any) bool {
	b, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil || len(b) < p.sealer.NonceSize() {
		return false
	}
	n := p.sealer.NonceSize()
	text, err := p.sealer.Open(nil, b[:n], b[n:], []byte(purpose))
	if err != nil {
		return false
	}
	s := sealed{Value: value}
	return json.Unmarshal(text, &s) == nil && p.now().Unix() < s.Expires
}
