package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"colosseum/internal/locale"
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
	Level string   `json:"level,omitempty"` // of a bot that has one of its own
	Score *float64 `json:"score"`           // nil if it is not a number
	Rank  int      `json:"rank"`            // from 1; equal seats share one
	Ended string   `json:"ended"`           // like protocol.PlayerResult
	Team  int      `json:"team,omitempty"`
}

// Shown returns the name for people: "ServerBot$0 (strong)".
func (s *Seat) Shown() string {
	if s.Level == "" {
		return s.Name
	}
	return s.Name + " (" + s.Level + ")"
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
	at := &url.URL{Path: "api/matches", RawQuery: "limit=" + strconv.Itoa(limit)}
	api := &API{Addr: addr, Opts: opts}
	text, err := api.call(ctx, request{method: http.MethodGet, path: at, most: maxPage, timeout: pageTimeout})
	if err != nil {
		return nil, false, err
	}
	var page struct {
		Matches []EndedMatch `json:"matches"`
		Next    string       `json:"next"`
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, false, err
	}
	if page.Matches == nil || len(page.Matches) > limit {
		return nil, false, locale.Errorf("the server's answer is not a page of matches")
	}
	return page.Matches, page.Next != "", nil
}
