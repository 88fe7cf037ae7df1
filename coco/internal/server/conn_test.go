package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/internal/test/cutproxy"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// dialSilent calls Dial for a server in memory that accepts connections and never sends
// anything. It runs in a bubble, so that connecting takes no time.
func dialSilent(t *testing.T, ctx context.Context, opts Options) error {
	t.Helper()
	listener := make(cutproxy.Pipes)
	defer close(listener)
	upgrader := websocket.Upgrader{}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		for err == nil {
			_, _, err = ws.ReadMessage()
		}
	})}
	go web.Serve(listener) // ends with listener
	opts.NetDial = func(context.Context, string, string) (net.Conn, error) {
		client, host := net.Pipe()
		listener <- host
		return client, nil
	}
	addr, err := ParseAddress("ws://host/")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Dial(ctx, addr, opts)
	return err
}

func TestSilentServerIsAConnectionError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		err := dialSilent(t, t.Context(), Options{Wait: 5 * time.Second})
		var lost *ConnectionError
		if took := time.Since(begun); !errors.As(err, &lost) || err.Error() != "the server does not answer" || took != 5*time.Second {
			t.Errorf("got %v after %v, want a ConnectionError after 5 s: the server does not answer", err, took)
		}
	})
}

func TestDialEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the cause")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		if err := dialSilent(t, ctx, Options{}); err != why {
			t.Errorf("got %v, want %v", err, why)
		}
	})
}

func TestWrongAddressesAreExplained(t *testing.T) {
	nothing := http.NotFoundHandler()
	plain, secure, closed := httptest.NewServer(nothing), httptest.NewTLSServer(nothing), httptest.NewServer(nothing)
	defer plain.Close()
	defer secure.Close()
	closed.Close()
	for _, tt := range []struct{ scheme, server, want string }{
		{"ws", plain.URL, "is not a Code Colosseum server: it answered 404 Not Found"},
		{"ws", secure.URL, "it answered 400 Bad Request (with TLS its address begins with wss:)"},
		{"wss", plain.URL, "does not look like a TLS handshake (without TLS its address begins with ws:)"},
		{"ws", closed.URL, "connection refused (no server runs there; -s names another)"},
	} {
		_, host, _ := strings.Cut(tt.server, "://")
		addr, err := ParseAddress(tt.scheme + "://" + host)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(t.Context(), addr, Options{}); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", addr, err, tt.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	tests := []struct{ text, url, socket string }{
		{"ws://127.0.0.1:8088/", "ws://127.0.0.1:8088/", ""},
		{"ws://host", "ws://host", ""},
		{"https://host/colosseum", "wss://host/colosseum/", ""},
		{"http://host", "ws://host/", ""},
		{"wss://host/path?x=1#fragment", "wss://host/path?x=1", ""},
		{"unix:/run/c.sock", "ws://localhost/", "/run/c.sock"},
		{"unix:c.sock", "ws://localhost/", "c.sock"},
		{"unix:///run/c.sock", "ws://localhost/", "/run/c.sock"},
		{"ws+unix:///run/c.sock", "ws://localhost/", "/run/c.sock"},
	}
	for _, tt := range tests {
		got, err := ParseAddress(tt.text)
		if err != nil || got.URL != tt.url || got.Socket != tt.socket || got.String() != tt.text || got.TLS != strings.HasPrefix(tt.url, "wss") {
			t.Errorf("%s: got %+v, %v, want URL %s and socket %q", tt.text, got, err, tt.url, tt.socket)
		}
	}
	for _, text := range []string{"", "host", "host:1", "ftp://host", "ws:", "ws:///", "unix:", "ws+unix://", "ws://a:b", "ws://a b/"} {
		if got, err := ParseAddress(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

func TestOriginsAreCanonical(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"ws://Host/path", "ws://host:80"},
		{"https://club.example/colosseum/", "wss://club.example:443/colosseum"},
		{"ws://host:80", "ws://host:80"},
		{"wss://host", "wss://host:443"},
		{"wss://host:8443/?x", "wss://host:8443"},
		{"ws://[::1]:8088", "ws://[::1]:8088"},
		{"unix:/run/../run/c.sock", "unix:/run/c.sock"},
		{"ws+unix:///run/c.sock", "unix:/run/c.sock"},
	} {
		addr, err := ParseAddress(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := addr.Origin(); got != tt.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}

func TestAddressesThatOthersCanRead(t *testing.T) {
	for text, want := range map[string]bool{
		"ws://host/": true, "ws://192.168.0.2:8088": true, "ws://localhost.example/": true, "ws://[2001:db8::1]/": true,
		"ws://127.0.0.1:8088/": false, "ws://127.1.2.3": false, "ws://[::1]:8088": false, "ws://LocalHost": false, "wss://host": false, "unix:/run/c.sock": false,
	} {
		addr, err := ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := addr.Exposed(); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// deadlines notes the deadlines for writing.
type deadlines struct {
	net.Conn
	wrote chan time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.wrote <- t
	return d.Conn.SetWriteDeadline(t)
}

func TestPingsCanBeAnsweredLate(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		ws.ReadMessage() // the handshake
		ws.WriteMessage(websocket.TextMessage, protocol.Encode(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}))
		ws.WriteControl(websocket.PingMessage, []byte("?"), time.Time{})
		ws.ReadMessage() // to the end
	}))
	defer host.Close()
	address, err := ParseAddress("ws" + strings.TrimPrefix(host.URL, "http"))
	if err != nil {
		t.Fatal(err)
	}
	wrote := make(chan time.Time, 10)
	c, err := Dial(t.Context(), address, Options{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &deadlines{conn, wrote}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	begun := time.Now()
	go c.Receive(t.Context()) // ends with the connection
	deadline := time.Time{}   // of the handshake
	for deadline.IsZero() {
		deadline = poll.Receive(t, "a pong", wrote)
	}
	if left := deadline.Sub(begun); left < pongTimeout {
		t.Errorf("got %v for the answer to a ping, want at least %v", left, pongTimeout)
	}
}
