package server

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Address is where a server listens.
type Address struct {
	URL    string // for the WebSocket handshake
	Socket string // path of a Unix socket; empty for TCP
	TLS    bool
	text   string // as given
}

func (a Address) String() string { return a.text }

// ParseAddress reads an address: ws://host:port/, wss://host/, unix:/path or
// ws+unix:///path.
func ParseAddress(text string) (Address, error) {
	for _, scheme := range []string{"ws+unix:", "unix:"} {
		if path, ok := strings.CutPrefix(text, scheme); ok {
			path = strings.TrimPrefix(path, "//")
			if path == "" {
				return Address{}, fmt.Errorf("the server address %q names no socket", text)
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
		return Address{}, fmt.Errorf("the server address %q is not a URL: %w", text, err)
	}
	if u.Scheme != "ws" && u.Scheme != "wss" {
		return Address{}, fmt.Errorf("the server address %q does not begin with ws://, wss:// or unix:", text)
	}
	if u.Hostname() == "" {
		return Address{}, fmt.Errorf("the server address %q names no host", text)
	}
	u.Fragment = "" // is not sent to a server
	return Address{URL: u.String(), TLS: u.Scheme == "wss", text: text}, nil
}
