// Package webhook sends what happens in contests, and to programs that were handed in, to
// other sites. Messages and signatures are those of the Standard Webhooks specification,
// https://www.standardwebhooks.com.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"colosseum/host/internal/base/config"
)

const (
	timeout     = 15 * time.Second // of one try, from the connection to the end of the answer
	maxAnswer   = 64 << 10         // bytes that are read of an answer, and of its header
	maxWait     = 24 * time.Hour   // that a receiver can ask for
	idleTimeout = 30 * time.Second // of a connection
)

// Hook is a receiver of messages. Its methods can be called concurrently.
type Hook struct {
	config.Webhook
	signer *standardwebhooks.Webhook
	client *http.Client
}

// Open reads the secrets of webhooks. Its error names the one that cannot be read.
func Open(list []config.Webhook) (hooks []*Hook, err error) {
	for _, c := range list {
		h, err := open(c)
		if err != nil {
			return nil, fmt.Errorf("webhooks: %s: secret_file: %w", c.Name, err)
		}
		hooks = append(hooks, h)
	}
	return hooks, nil
}

func open(c config.Webhook) (*Hook, error) {
	key, err := c.ReadSecret()
	if err != nil {
		return nil, err
	}
	signer, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error { return allow(c.Private, address) }}
	return &Hook{Webhook: c, signer: signer, client: &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout, IdleConnTimeout: idleTimeout, MaxResponseHeaderBytes: maxAnswer,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// shared are the addresses between a provider and its customers (RFC 6598), which some
// private networks use.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// allow returns an error if a webhook cannot use an address. It runs after the name was
// resolved, so a name of somebody else cannot lead into the network of the host.
func allow(private bool, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	a := at.Addr().Unmap()
	switch inside := a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || shared.Contains(a); {
	case a.IsUnspecified() || a.IsMulticast():
		return fmt.Errorf("%s is not the address of a receiver", a)
	case private && !inside:
		return fmt.Errorf(`%s is not a private address: remove "private: true"`, a)
	case !private && inside:
		return fmt.Errorf(`%s is a private address: allow it with "private: true"`, a)
	}
	return nil
}

// Send sends a message once. Status is that of the HTTP answer, or 0, and wait how long the
// receiver asks to wait for the next try. It returns nil if the receiver has the message. The
// error shows neither the secret nor the URL.
func (h *Hook) Send(ctx context.Context, id string, body []byte) (status int, wait time.Duration, err error) {
	now := time.Now()
	signature, err := h.signer.Sign(id, now, body)
	if err != nil {
		return 0, 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return 0, 0, errors.New("the URL is invalid")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "colosseum")
	r.Header.Set(standardwebhooks.HeaderWebhookID, id)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	answer, err := h.client.Do(r)
	if err != nil {
		return 0, 0, plain(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection can be used again
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return code, 0, nil
	case code >= 300 && code < 400:
		return code, 0, fmt.Errorf("status %d: the receiver redirects, which is not followed: name the new address in url", code)
	default:
		return code, asked(answer.Header.Get("Retry-After"), now), fmt.Errorf("status %d %s", code, http.StatusText(code))
	}
}

// plain returns the cause of an error, without the URL.
func plain(err error) error {
	var outer *url.Error
	switch {
	case !errors.As(err, &outer):
		return err
	case outer.Timeout():
		return fmt.Errorf("no answer within %v", timeout)
	}
	return outer.Err
}

// asked returns what the header Retry-After asks for, from 0 to maxWait.
func asked(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(seconds, 0), int(maxWait/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxWait)
	}
	return 0
}
