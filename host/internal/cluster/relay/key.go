package relay

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// header is the header of a handshake: BODY.MAC, both in base64. BODY is a claim in
// JSON, and MAC its HMAC-SHA256.
const header = "Colosseum-Relay"

const (
	// maxAge is how far the clocks of two hosts can differ.
	maxAge = 30 * time.Second
	// maxHeader is the longest header, in bytes.
	maxHeader = 2 << 10
	// maxNonces bounds the nonces that are kept, and so the relays that a host accepts
	// in twice maxAge.
	maxNonces = 1 << 18
)

// claim is what the header of a handshake says.
type claim struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Time   int64  `json:"time"` // Unix milliseconds
	Nonce  string `json:"nonce"`
	Client Client `json:"client"`
}

// Key signs and verifies the handshakes of relays. Its methods can be called
// concurrently.
type Key struct {
	self   string
	mac    []byte
	dialer websocket.Dialer
	now    func() time.Time

	// Frozen returns for how long this host did not run until a moment ago, because a
	// handshake that has waited so long is old although the clocks agree. It is set before
	// the first call of Verify; nil: it always runs.
	Frozen func() time.Duration

	mu      sync.Mutex // guards the fields below
	dials   map[string]chan struct{}
	nonces  map[string]struct{} // of relays that were accepted since rotated
	earlier map[string]struct{} // of those in the time of the same length before
	rotated time.Time
}

// Errors of Verify.
var (
	errNoHeader = errors.New("it has no header of a relay")
	errForged   = errors.New("its header is not signed with the secret of this cluster")
	errReplayed = errors.New("its header was used before")
	errMany     = errors.New("too many relays are being opened")
)

// sign returns the header of a handshake with the given host.
func (k *Key) sign(to string, c Client) (string, error) {
	body, err := json.Marshal(claim{From: k.self, To: to, Time: k.now().UnixMilli(), Nonce: rand.Text(), Client: c})
	if err != nil {
		return "", fmt.Errorf("could not sign a relay: %w", err)
	}
	text := encoding.EncodeToString(body)
	return text + "." + encoding.EncodeToString(k.sum(text)), nil
}

var encoding = base64.RawURLEncoding

func (k *Key) sum(text string) []byte {
	h := hmac.New(sha256.New, k.mac)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// Verify returns the client of a handshake. It accepts each handshake once. The error is
// for the log of this host, not for the other side.
func (k *Key) Verify(r *http.Request) (Client, error) {
	values := r.Header.Values(header)
	if len(values) != 1 || len(values[0]) > maxHeader {
		return Client{}, errNoHeader
	}
	text, signature, _ := strings.Cut(values[0], ".")
	mac, err := encoding.DecodeString(signature)
	if err != nil || !hmac.Equal(mac, k.sum(text)) {
		return Client{}, errForged
	}
	body, err := encoding.DecodeString(text)
	if err != nil {
		return Client{}, errForged
	}
	var c claim
	if err := json.Unmarshal(body, &c); err != nil {
		return Client{}, fmt.Errorf("its header is invalid: %w", err)
	}
	now := k.now()
	age := now.Sub(time.UnixMilli(c.Time))
	switch {
	case c.To != k.self:
		return Client{}, fmt.Errorf("it is for host %q, and this is host %q: check cluster.advertise of both", c.To, k.self)
	case age > maxAge && k.Frozen != nil && age <= maxAge+k.Frozen():
		return Client{}, fmt.Errorf("it waited for %v while this host did not run", age.Round(time.Second))
	case age > maxAge || age < -maxAge:
		return Client{}, fmt.Errorf("the clocks of host %q and of this host differ by %v: set them by NTP", c.From, age.Round(time.Second).Abs())
	}
	return c.Client, k.use(c.Nonce, now)
}

// use returns an error if a nonce was used within the time in which its header is valid.
func (k *Key) use(nonce string, now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	// A header is valid for at most twice maxAge: from a clock that is ahead until maxAge
	// after its time.
	if since := now.Sub(k.rotated); since >= 2*maxAge || k.nonces == nil {
		k.earlier, k.nonces, k.rotated = k.nonces, map[string]struct{}{}, now
		if since >= 4*maxAge {
			k.earlier = nil
		}
	}
	_, used := k.nonces[nonce]
	_, before := k.earlier[nonce]
	switch {
	case used || before:
		return errReplayed
	case len(k.nonces) >= maxNonces:
		return errMany
	}
	k.nonces[nonce] = struct{}{}
	return nil
}
