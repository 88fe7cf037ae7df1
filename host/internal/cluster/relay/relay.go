// Package relay connects hosts of a cluster to each other on behalf of clients. A relay
// is a WebSocket with a signed header that names the client; it carries the messages of
// docs/protocol.md, as if the client were connected to the other host.
package relay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/trace"
)

// Path is where a host accepts relays.
const Path = "/cluster/relay"

// NameSpectators is the name of the message with which a host reports how many
// spectators share a relay. Clients cannot send it.
const NameSpectators = "RelaySpectators"

// Spectators is the body of that message.
type Spectators struct {
	Count int `json:"count"`
}

// Client is a client on whose behalf a host opens a relay.
type Client struct {
	Address    string `json:"address,omitempty"` // as the host knows it; empty: no limits of addresses apply
	Player     string `json:"player,omitempty"`  // registered; empty: none
	Version    int    `json:"version"`           // of the protocol
	Spectators bool   `json:"spectators,omitempty"`

	// Trace is the span that the relay belongs to, see trace.Parent. Dial sets it.
	Trace string `json:"trace,omitempty"`
}

const (
	dialTimeout = 5 * time.Second
	bufferSize  = 1 << 10 // bytes for reading and for writing

	// maxDials bounds the relays that are being opened to one host, because a host
	// limits the connections of one address that have not sent a request.
	maxDials = 8

	// A host that ends without closing its connections, or that the network no longer
	// reaches, is noticed after this time.
	peerTimeout = 15 * time.Second
)

// NewKey returns the key of the host with the name self. All hosts need the same bytes,
// which are for relays only. Certificates of hosts at wss:// addresses are checked with
// roots; nil: those of the system.
func NewKey(bytes []byte, self string, roots *x509.CertPool) *Key {
	k := &Key{self: self, mac: bytes, dials: map[string]chan struct{}{}, now: time.Now}
	network := &net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: peerTimeout / 3, Interval: peerTimeout / 3, Count: 2},
		Control:         setPeerTimeout,
	}
	k.dialer = websocket.Dialer{
		NetDialContext: network.DialContext, HandshakeTimeout: dialTimeout,
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ReadBufferSize:  bufferSize, WriteBufferSize: bufferSize, WriteBufferPool: &sync.Pool{},
	}
	return k
}

// Dial opens a relay to the host of the given name at the address that it advertises,
// like ws://10.0.0.1:8088.
func (k *Key) Dial(ctx context.Context, host, advertise string, c Client) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	slots := k.slots(host)
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("could not reach host %s: too many connections to it are being opened", host)
	}
	c.Trace = trace.Parent(ctx)
	head, err := k.sign(host, c)
	if err != nil {
		return nil, err
	}
	url := strings.TrimSuffix(advertise, "/") + Path
	conn, response, err := k.dialer.DialContext(ctx, url, http.Header{header: {head}})
	switch {
	case err == nil:
		return conn, nil
	case response == nil:
		return nil, fmt.Errorf("could not reach host %s: %w", host, err)
	case response.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("host %s refuses this host: its log says why", host)
	default:
		return nil, fmt.Errorf("could not reach host %s: it answered %s", host, response.Status)
	}
}

// slots returns the channel that bounds the relays that are being opened to a host.
func (k *Key) slots(host string) chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dials[host] == nil {
		k.dials[host] = make(chan struct{}, maxDials) // full: Dial waits
	}
	return k.dials[host]
}
