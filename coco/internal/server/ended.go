package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Ended is a match that has ended, as Colosseum's HTTP API describes it.
type Ended struct {
	ID    string    `json:"id"`
	Game  string    `json:"game"`
	State string    `json:"state"` // finished or aborted
	Seats []Seat    `json:"seats"`
	Ended time.Time `json:"ended"`
}

// Seat is how a match ended for one of its players.
type Seat struct {
	Name  string   `json:"name"`
	Score *float64 `json:"score"` // nil: no number
	Rank  int      `json:"rank"`  // from 1; equal seats share one
	Ended string   `json:"ended"` // finished, or forfeit: ...
}

const (
	// maxPage bounds a page of matches, which may have a hundred players each.
	maxPage = 4 << 20
	// pageTime is how long a server may take for one.
	pageTime = 10 * time.Second
)

// ListEnded returns the matches that ended last, at most limit, and whether
// there are more. The API is at the address of the WebSocket. Servers of Code
// Colosseum have none: then, and when anything else is amiss, there is an error,
// and the IDs alone can be asked for over a connection.
func ListEnded(ctx context.Context, addr Address, opts Options, limit int) (list []Ended, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	at, err := url.Parse("http" + strings.TrimPrefix(addr.URL, "ws")) // and wss becomes https
	if err != nil {
		return nil, false, err
	}
	at = at.ResolveReference(&url.URL{Path: "api/matches", RawQuery: "limit=" + strconv.Itoa(limit)})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, false, err
	}
	var dialer net.Dialer
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: opts.Insecure},
	}
	if addr.Socket != "" {
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", addr.Socket)
		}
	}
	reply, err := transport.RoundTrip(request)
	if err != nil {
		return nil, false, err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return nil, false, fmt.Errorf("the server answered %s", reply.Status)
	}
	var page struct {
		Matches []Ended `json:"matches"`
		Next    string  `json:"next"`
	}
	if err := json.NewDecoder(io.LimitReader(reply.Body, maxPage)).Decode(&page); err != nil {
		return nil, false, err
	}
	if page.Matches == nil || len(page.Matches) > limit {
		return nil, false, errors.New("the server answered something else than a page of matches")
	}
	return page.Matches, page.Next != "", nil
}
