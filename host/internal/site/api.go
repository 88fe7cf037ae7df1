package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"sync"
	"time"

	"colosseum/host/internal/contest"
	"colosseum/host/internal/record"
	"colosseum/host/internal/store"
)

// Sizes of pages of matches.
const (
	usualPage  = 50
	maxPage    = 500
	exportPage = 100 // records that an export selects at once

	exportPart = 64 << 10 // bytes after which an export sends what it has encoded
)

// queryTimeout bounds one request for the record.
const queryTimeout = 10 * time.Second

// encode returns an answer as a line of JSON.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the answers hold nothing that JSON cannot express
	}
	return append(text, '\n')
}

// prepare returns a function that sends an answer. It compresses the answer at
// once, so that this is part of the work for it.
func prepare(w http.ResponseWriter, r *http.Request, text []byte) (send func()) {
	zipped := zips(r, text)
	if zipped {
		text = compress(text)
	}
	return func() {
		h := w.Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Type", "application/json")
		h.Set("Vary", "Accept-Encoding")
		if zipped {
			h.Set("Content-Encoding", "gzip")
		}
		_, _ = w.Write(text) // fails if the client has gone
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(errorAnswer{text}) // fails if the client has gone
}

// fail answers with an error of the store.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		refuse(w, http.StatusNotFound, "there is no such match")
	case errors.Is(err, contest.ErrUnknown):
		refuse(w, http.StatusNotFound, "there is no such contest, game or player")
	case errors.Is(err, store.ErrCursor):
		refuse(w, http.StatusBadRequest, "after: use the value of next in the previous page")
	case r.Context().Err() != nil: // the client has gone
	default:
		s.log.Error("could not read the record", "path", r.URL.Path, "error", err)
		refuse(w, http.StatusInternalServerError, "could not read the record")
	}
}

func (s *Site) listGames(w http.ResponseWriter, r *http.Request) {
	s.send(w, r, s.gameDocuments().list())
}

func (s *Site) oneGame(w http.ResponseWriter, r *http.Request) {
	game := s.gameDocuments().each[r.PathValue("name")]
	if game == nil {
		refuse(w, http.StatusNotFound, "there is no such game")
		return
	}
	s.send(w, r, game())
}

func (s *Site) listLobby(w http.ResponseWriter, r *http.Request) {
	d, _ := s.matches.Get(s.lobby.Generation, func() (*document, error) { // cannot fail
		return newDocument("application/json", encode(lobbyAnswer{s.lobby.List()})), nil
	})
	s.send(w, r, d)
}

func (s *Site) listServing(w http.ResponseWriter, r *http.Request) {
	d, _ := s.players.Get(s.serving.Generation, func() (*document, error) { // cannot fail
		a := servingAnswer{Players: []servingPlayer{}}
		for _, p := range s.serving.List() {
			a.Players = append(a.Players, servingPlayer(p))
		}
		return newDocument("application/json", encode(a)), nil
	})
	s.send(w, r, d)
}

// send sends a document and charges for its length.
func (s *Site) send(w http.ResponseWriter, r *http.Request, d *document) {
	s.readers.Charge(r, d.send(w, r))
}

// gamesKey identifies a state of the games and their viewers.
type gamesKey struct {
	generation uint64
	viewers    string // see viewers.state
}

// gameDocuments are rendered on the first request.
type gameDocuments struct {
	list func() *document
	each map[string]func() *document
}

func (s *Site) gameDocuments() *gameDocuments {
	key := func() gamesKey {
		k := gamesKey{generation: s.games.Generation()} // first, so that a later change is noticed next time
		k.viewers = s.viewers.state(s.games.List())
		return k
	}
	d, _ := s.rules.Get(key, func() (*gameDocuments, error) { // cannot fail
		offers := s.games.List()
		d := &gameDocuments{each: map[string]func() *document{}}
		d.list = sync.OnceValue(func() *document {
			a := gamesAnswer{Games: []gameAnswer{}}
			for _, o := range offers {
				a.Games = append(a.Games, s.describeGame(o))
			}
			return newDocument("application/json", encode(a))
		})
		for _, o := range offers {
			d.each[o.Name] = sync.OnceValue(func() *document {
				a := s.describeGame(o)
				a.Description, a.HTML = o.Rules, render(o.Rules)
				return newDocument("application/json", encode(a))
			})
		}
		return d, nil
	})
	return d
}

func (s *Site) oneMatch(w http.ResponseWriter, r *http.Request) {
	// Look in the lobby first: a match leaves it only when its record is durable.
	if info, ok := s.lobby.Info(r.PathValue("id")); ok {
		state := "waiting"
		if info.Running {
			state = "running"
		}
		prepare(w, r, encode(stateAnswer{State: state, Lobby: &info}))()
		return
	}
	s.workOnRecord(w, r, func(rec *record.Match) func() {
		a := describeWhole(rec)
		text := encode(stateAnswer{State: a.State, Match: &a})
		s.readers.Charge(r, len(text))
		return prepare(w, r, text)
	})
}

// clocks sends the times of the players. The spectators' stream cannot
// hold it, because that has the same bytes for everybody at any time.
func (s *Site) clocks(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	clocks, running := s.lobby.Clocks(id)
	if !running && s.clocked != nil {
		var err error
		if clocks, running, err = s.clocked.Clocks(r.Context(), id); err != nil {
			w.Header().Set("Retry-After", "2")
			refuse(w, http.StatusServiceUnavailable, "the host of the match does not answer: try again later")
			return
		}
	}
	if !running {
		refuse(w, http.StatusNotFound, "no such match is running")
		return
	}
	a := clocksAnswer{Clocks: []clockAnswer{}, Players: []playerAnswer{}}
	for _, c := range clocks {
		if c.Asked {
			a.Clocks = append(a.Clocks, clockAnswer{c.Name, c.Left.Seconds()})
		}
		p := playerAnswer{Name: c.Name, Lag: c.Lag.Milliseconds()}
		if c.Timed {
			p.Bank = new(c.Bank.Seconds())
		}
		if !c.Away.IsZero() {
			p.Away = new(max(0, time.Until(c.Away).Seconds()))
		}
		a.Players = append(a.Players, p)
	}
	prepare(w, r, encode(a))()
}

// workOnRecord is work with the record of the ended match in the path.
func (s *Site) workOnRecord(w http.ResponseWriter, r *http.Request, f func(rec *record.Match) (send func())) {
	s.work(w, r, func(ctx context.Context) func() {
		rec, err := s.records.Get(ctx, r.PathValue("id"))
		if err == nil && rec.State == record.Running {
			err = store.ErrNotFound
		}
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		return f(rec)
	})
}

// stream sends the bytes that the spectators of an ended match received.
func (s *Site) stream(w http.ResponseWriter, r *http.Request) {
	s.workOnRecord(w, r, func(rec *record.Match) func() {
		s.readers.Charge(r, len(rec.Stream))
		return func() {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Content-Disposition", `attachment; filename="`+rec.ID+`.txt"`)
			_, _ = w.Write(rec.Stream) // fails if the client has gone
		}
	})
}

func (s *Site) listMatches(w http.ResponseWriter, r *http.Request) {
	q, err := query(r.URL.Query(), usualPage, maxPage)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		page, next, err := s.records.Select(ctx, q)
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		s.readers.Charge(r, len(page)*recordBytes)
		a := matchesAnswer{Matches: []matchAnswer{}, Next: next}
		for _, rec := range page {
			a.Matches = append(a.Matches, describeMatch(rec))
		}
		return prepare(w, r, encode(a))
	})
}

// recordBytes is the charge for each record in a list. It does not depend on the
// length, since most of the time is for the lookup.
const recordBytes = 2 << 10

// exportMatches sends complete matches, one per line, the newest first.
func (s *Site) exportMatches(w http.ResponseWriter, r *http.Request) {
	q, err := query(r.URL.Query(), 0, 0)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	e := export{records: s.records, left: q.Limit, query: q}
	s.export(w, r, "application/x-ndjson", "matches.ndjson", e.next)
}

// export sends a file in parts, so that other requests get their turn. It calls next
// for each part in a slot for long work, until it reports that the file is over.
func (s *Site) export(w http.ResponseWriter, r *http.Request, kind, name string, next func(ctx context.Context) (part []byte, over bool, err error)) {
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	default:
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, "other exports are running: try again later")
		return
	}
	control := http.NewResponseController(w)
	for begun := false; ; begun = true {
		part, over, err := s.part(r.Context(), next)
		switch {
		case err != nil && begun:
			s.log.Error("an export failed", "error", err)
			panic(http.ErrAbortHandler) // so that the client notices the missing end
		case errors.Is(err, errBusy):
			w.Header().Set("Retry-After", "5")
			refuse(w, http.StatusServiceUnavailable, errBusy.Error())
			return
		case err != nil:
			s.fail(w, r, err)
			return
		}
		if !begun {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // fails if the connection has no deadlines
		wait := s.readers.Charge(r, len(part))
		if _, err := w.Write(part); err != nil || over {
			return
		}
		pause := time.NewTimer(wait) // keeps the export within the limits of its address
		select {
		case <-pause.C:
		case <-r.Context().Done():
			pause.Stop()
			return
		}
	}
}

var errBusy = errors.New("too many requests are waiting: try again later")

// part calls next in a slot for long work.
func (s *Site) part(ctx context.Context, next func(ctx context.Context) ([]byte, bool, error)) (part []byte, over bool, err error) {
	done, ok := s.readers.Work(ctx)
	if !ok {
		return nil, false, errBusy
	}
	defer done()
	return next(ctx)
}

// export reads matches in parts.
type export struct {
	records Records
	left    int // matches still to send; 0: all
	query   store.Query
	page    []*record.Match // selected but not yet read
}

// next returns the next part, of at least exportPart bytes unless it is the last
// of a page.
func (e *export) next(ctx context.Context) (_ []byte, over bool, _ error) {
	if len(e.page) == 0 {
		e.query.Limit = exportPage
		if e.left > 0 {
			e.query.Limit = min(e.left, exportPage)
		}
		page, next, err := e.records.Select(ctx, e.query)
		if err != nil {
			return nil, false, err
		}
		e.left -= len(page)
		e.page, e.query.After = page, next
	}
	var part bytes.Buffer
	lines := json.NewEncoder(&part)
	for len(e.page) > 0 && part.Len() < exportPart {
		rec, err := e.records.Get(ctx, e.page[0].ID)
		if err != nil {
			return nil, false, fmt.Errorf("match %s: %w", e.page[0].ID, err)
		}
		if err := lines.Encode(describeWhole(rec)); err != nil {
			return nil, false, err
		}
		e.page = e.page[1:]
		runtime.Gosched() // running matches come first
	}
	return part.Bytes(), len(e.page) == 0 && (e.query.After == "" || e.left == 0), nil
}

// query parses the filters of a list of matches.
func query(v url.Values, usual, most int) (store.Query, error) {
	q := store.Query{Game: v.Get("game"), Player: v.Get("player"), State: record.State(v.Get("state")), After: v.Get("after"), Limit: usual}
	for name := range v {
		switch name {
		case "game", "player", "state", "since", "until", "after", "limit":
		default:
			return q, fmt.Errorf("%q is not a filter: use game, player, state, since, until, after or limit", name)
		}
	}
	if q.State != "" && q.State != record.Finished && q.State != record.Aborted {
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

var openAPIDocument = sync.OnceValue(func() *document { return newDocument("application/json", description) })

func openAPI(w http.ResponseWriter, r *http.Request) { openAPIDocument().send(w, r) }
