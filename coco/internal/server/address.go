package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"colosseum/internal/locale"
)

// Address is where a server listens.
type Address struct {
	URL    string // for the WebSocket handshake
	Socket string // path of a Unix socket; empty for TCP
	TLS    bool
	text   string // as given
}

func (a Address) String() string { return a.text }

// Origin returns the server in a canonical form: scheme, host and port, and the path if the
// server has only a part of a site; or the absolute path of the socket. Addresses of one server
// can have several origins.
func (a Address) Origin() (string, error) {
	if a.Socket != "" {
		path, err := filepath.Abs(a.Socket)
		return "unix:" + path, err
	}
	u, err := url.Parse(a.URL)
	if err != nil {
		return "", err
	}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[a.TLS]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port) + strings.TrimSuffix(u.ResolveReference(&url.URL{Path: "."}).EscapedPath(), "/"), nil
}

// Exposed reports whether others on the network can read what is sent to the address.
func (a Address) Exposed() bool {
	if a.TLS || a.Socket != "" {
		return false
	}
	u, err := url.Parse(a.URL)
	if err != nil {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return !ip.IsLoopback() && !strings.EqualFold(u.Hostname(), "localhost")
}

// proxy returns the proxy for HTTP requests to the address: that of the environment,
// or none for a Unix socket.
func (a Address) proxy(r *http.Request) (*url.URL, error) {
	if a.Socket != "" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// dial connects to the address, or to a proxy. net.Dialer sets TCP_NODELAY, and
// keep-alive probes, which detect a dead server on a silent connection.
func (a Address) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if a.Socket != "" {
		network, addr = "unix", a.Socket
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// ParseAddress reads an address: ws://host:port/, wss://host/path/, unix:/path or
// ws+unix:///path. The address of the pages, https://host/path/, is that of the server, too.
func ParseAddress(text string) (Address, error) {
	for _, scheme := range []string{"ws+unix:", "unix:"} {
		if path, ok := strings.CutPrefix(text, scheme); ok {
			path = strings.TrimPrefix(path, "//")
			if path == "" {
				return Address{}, locale.Errorf("the server address %q names no socket", text)
			}
			return Address{URL: "ws://localhost/", Socket: path, text: text}, nil
		}
	}
	u, err := url.Parse(text)
	if err != nil {
		var bad *url.Error
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return Address{}, locale.Errorf("the server address %q is not a URL: %w", text, err)
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
		u = u.JoinPath("/") // with a slash at the end, because the API is below it
	}
	if u.Scheme != "ws" && u.Scheme != "wss" {
		return Address{}, locale.Errorf("the server address %q does not begin with ws://, wss:// or unix:", text)
	}
	if u.Hostname() == "" {
		return Address{}, locale.Errorf("the server address %q names no host", text)
	}
	u.Fragment = "" // is not sent to a server
	return Address{URL: u.String(), TLS: u.Scheme == "wss", text: text}, nil
}
