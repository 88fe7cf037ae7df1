package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"colosseum/host/internal/store"
)

// Sizes of pages of matches.
const (
	usualPage  = 50
	maxPage    = 500
	exportPage = 100 // records that an export looks up at once
)

// queryTimeout bounds a query that finds nothing in a long record.
const queryTimeout = 10 * time.Second

func answer(w http.ResponseWriter, r *http.Request, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the shapes have nothing that JSON has not
	}
	w.Header().Set("Cache-Control", "no-cache")
	send(w, r, "application/json", append(text, '\n'))
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(errorAnswer{text}) // the client may have gone
}

// fail refuses for an error of the record.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		refuse(w, http.StatusNotFound, "there is no such match")
	case errors.Is(err, store.ErrCursor):
		refuse(w, http.StatusBadRequest, "after: take it from next of the page before")
	case r.Context().Err() != nil: // the client has gone
	default:
		s.log.Error("the record can't be read", "path", r.URL.Path, "error", err)
		refuse(w, http.StatusInternalServerError, "the record can't be read")
	}
}

func (s *Site) listGames(w http.ResponseWriter, r *http.Request) {
	a := gamesAnswer{Games: []gameAnswer{}}
	for _, o := range s.games.List() {
		g := describeGame(o)
		g.Viewer = s.viewers.address(o)
		a.Games = append(a.Games, g)
	}
	answer(w, r, a)
}

func (s *Site) oneGame(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		refuse(w, http.StatusNotFound, "there is no such game")
		return
	}
	a := describeGame(o)
	a.Viewer = s.viewers.address(o)
	a.Description, a.HTML = o.Rules, render(o.Rules)
	answer(w, r, a)
}

func (s *Site) listLobby(w http.ResponseWriter, r *http.Request) {
	answer(w, r, lobbyAnswer{s.lobby.List()})
}

func (s *Site) oneMatch(w http.ResponseWriter, r *http.Request) {
	// First the lobby: a match leaves it only when its record is durable.
	if info, ok := s.lobby.Info(r.PathValue("id")); ok {
		state := "waiting"
		if info.Running {
			state = "running"
		}
		answer(w, r, stateAnswer{State: state, Lobby: &info})
		return
	}
	rec, err := s.ended(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	a := describeWhole(rec)
	answer(w, r, stateAnswer{State: a.State, Match: &a})
}

// clocks tells how long the players have left. It is no part of the stream for
// spectators, which is the same bytes for everybody, at any time.
func (s *Site) clocks(w http.ResponseWriter, r *http.Request) {
	left, running := s.lobby.Clocks(r.PathValue("id"))
	if !running {
		refuse(w, http.StatusNotFound, "there is no such match that is running")
		return
	}
	a := clocksAnswer{Clocks: []clockAnswer{}}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		a.Clocks = append(a.Clocks, clockAnswer{name, left[name].Seconds()})
	}
	answer(w, r, a)
}

// ended returns the record of a match that has ended.
func (s *Site) ended(ctx context.Context, id string) (*store.Record, error) {
	rec, err := s.records.Get(ctx, id)
	if err == nil && rec.State == store.Running {
		return nil, store.ErrNotFound
	}
	return rec, err
}

// stream sends what the spectators of a match that has ended received, byte
// by byte.
func (s *Site) stream(w http.ResponseWriter, r *http.Request) {
	rec, err := s.ended(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+rec.ID+`.txt"`)
	_, _ = w.Write(rec.Stream) // the client may have gone
}

func (s *Site) listMatches(w http.ResponseWriter, r *http.Request) {
	q, err := query(r.URL.Query(), usualPage, maxPage)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	page, next, err := s.records.Select(ctx, q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	a := matchesAnswer{Matches: []matchAnswer{}, Next: next}
	for _, rec := range page {
		a.Matches = append(a.Matches, describeMatch(rec))
	}
	answer(w, r, a)
}

// exportMatches sends whole matches, one a line, the newest first.
func (s *Site) exportMatches(w http.ResponseWriter, r *http.Request) {
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	default:
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, "other exports are running: try again later")
		return
	}
	q, err := query(r.URL.Query(), 0, 0)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	left := q.Limit // 0: all
	control := http.NewResponseController(w)
	lines := json.NewEncoder(w)
	begun := false
	for {
		q.Limit = exportPage
		if left > 0 {
			q.Limit = min(left, exportPage)
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // where there are deadlines
		page, next, err := s.records.Select(r.Context(), q)
		if err != nil {
			if !begun {
				s.fail(w, r, err)
				return
			}
			panic(http.ErrAbortHandler) // so that the client sees that the end is missing
		}
		if !begun {
			w.Header().Set("Content-Type", "application/x-ndjson")
			w.Header().Set("Content-Disposition", `attachment; filename="matches.ndjson"`)
			begun = true
		}
		for _, summary := range page {
			rec, err := s.records.Get(r.Context(), summary.ID)
			if err != nil {
				s.log.Error("an export was cut short", "match", summary.ID, "error", err)
				panic(http.ErrAbortHandler)
			}
			if lines.Encode(describeWhole(rec)) != nil {
				return // the client has gone
			}
		}
		left -= len(page)
		if next == "" || left == 0 {
			return
		}
		q.After = next
	}
}

// query reads the filters of a list of matches.
func query(v url.Values, usual, most int) (store.Query, error) {
	q := store.Query{Game: v.Get("game"), Player: v.Get("player"), State: store.State(v.Get("state")), After: v.Get("after"), Limit: usual}
	for name := range v {
		switch name {
		case "game", "player", "state", "since", "until", "after", "limit":
		default:
			return q, fmt.Errorf("%q is no filter: use game, player, state, since, until, after or limit", name)
		}
	}
	if q.State != "" && q.State != store.Finished && q.State != store.Aborted {
		return q, errors.New("state: finished or aborted")
	}
	for name, into := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		if text := v.Get(name); text != "" {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return q, errors.New(name + ": a time like 2006-01-02T15:04:05Z")
			}
			*into = t
		}
	}
	if text := v.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || most > 0 && n > most {
			if most == 0 {
				return q, errors.New("limit: a whole number above 0")
			}
			return q, fmt.Errorf("limit: a whole number from 1 to %d", most)
		}
		q.Limit = n
	}
	return q, nil
}

func openAPI(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	send(w, r, "application/json", description)
}
