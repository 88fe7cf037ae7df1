package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// EndedMatch is a match that has ended, as Colosseum's HTTP API describes it.
type EndedMatch struct {
	ID    string    `json:"id"`
	Game  string    `json:"game"`
	State string    `json:"state"` // protocol.EndedFinished or protocol.EndedAborted
	Seats []Seat    `json:"seats"`
	Ended time.Time `json:"ended"`
}

// Seat is how a match ended for one of its players.
type Seat struct {
	Name  string   `json:"name"`
	Score *float64 `json:"score"` // nil if it is not a number
	Rank  int      `json:"rank"`  // from 1; equal seats share one
	Ended string   `json:"ended"` // like protocol.PlayerResult
}

const (
	// maxPage limits a page of matches, each of up to a hundred players.
	maxPage = 4 << 20
	// pageTimeout is the limit for the server's answer.
	pageTimeout = 10 * time.Second
)

// ListEndedMatches returns the matches that ended last, at most limit, and whether
// there are more. It reads the HTTP API at the address of the WebSocket. The
// original server has no such API: the caller should then ask for the IDs over a
// Conn.
func ListEndedMatches(ctx context.Context, addr Address, opts Options, limit int) (list []EndedMatch, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
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
	transport := &http.Transport{
		Proxy: addr.proxy, DialContext: addr.dial, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: opts.Insecure},
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
		Matches []EndedMatch `json:"matches"`
		Next    string       `json:"next"`
	}
	if err := json.NewDecoder(io.LimitReader(reply.Body, maxPage)).Decode(&page); err != nil {
		return nil, false, err
	}
	if page.Matches == nil || len(page.Matches) > limit {
		return nil, false, errors.New("the server's answer is not a page of matches")
	}
	return page.Matches, page.Next != "", nil
}
