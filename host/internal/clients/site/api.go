package site

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"colosseum/host/internal/clients/markdown"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// Sizes of pages of matches.
const (
	usualPage = 50
	maxPage   = 500
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

// prepare returns a function that sends an answer, with an ETag. It compresses the answer
// at once, so that this is part of the work for it.
func prepare(w http.ResponseWriter, r *http.Request, text []byte) (send func()) {
	return prepareDocument(w, r, newDocument("application/json", text))
}

// prepareDocument is prepare for a document.
func prepareDocument(w http.ResponseWriter, r *http.Request, d *document) (send func()) {
	if zips(r, d.plain) && !known(r, d.etag) {
		d.zipped()
	}
	return func() { d.send(w, r) }
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store") // the address can have an answer later
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

// gamesKey identifies a state of the games and their files.
type gamesKey struct {
	generation uint64
	files      string // see gamefiles.Files.State
}

// gameDocuments are rendered on the first request.
type gameDocuments struct {
	list  func() *document
	each  map[string]func() *document
	about map[string]func() string // summaries
}

func (s *Site) gameDocuments() *gameDocuments {
	key := func() gamesKey {
		k := gamesKey{generation: s.games.Generation()} // first, so that a later change is noticed next time
		k.files = s.files.State(s.games.List())
		return k
	}
	d, _ := s.rules.Get(key, func() (*gameDocuments, error) { // cannot fail
		offers := s.games.List()
		d := &gameDocuments{each: map[string]func() *document{}, about: map[string]func() string{}}
		d.list = sync.OnceValue(func() *document {
			a := gamesAnswer{Games: []gameAnswer{}}
			for _, o := range offers {
				a.Games = append(a.Games, s.describeGame(o))
			}
			return newDocument("application/json", encode(a))
		})
		for _, o := range offers {
			d.about[o.Name] = sync.OnceValue(func() string { return markdown.Summary(o.Rules) })
			d.each[o.Name] = sync.OnceValue(func() *document {
				a := s.describeGame(o)
				a.Description, a.HTML = o.Rules, markdown.Render(o.Rules)
				for _, p := range s.files.Players(o) {
					a.Players = append(a.Players, exampleAnswer(p))
				}
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
		d := newDocument("application/json", encode(stateAnswer{State: a.State, Match: &a}))
		d.cache = forever
		s.readers.Charge(r, len(d.plain))
		return prepareDocument(w, r, d)
	})
}

// ticketHeader has the ticket of a player that asks for the clocks of its match.
const ticketHeader = "Colosseum-Ticket"

// clocks sends the times of the players. The spectators' stream cannot
// hold it, because that has the same bytes for everybody at any time.
func (s *Site) clocks(w http.ResponseWriter, r *http.Request) {
	id, ticket := r.PathValue("id"), sha256.Sum256([]byte(r.Header.Get(ticketHeader)))
	clocks, running := s.lobby.ClocksFor(id, s.seats.Holds(id, ticket))
	if !running && s.clocked != nil {
		var err error
		if clocks, running, err = s.clocked.Clocks(r.Context(), id, ticket); err != nil {
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
		d := newDocument("text/plain; charset=utf-8", rec.Stream)
		d.cache = forever
		send := prepareDocument(w, r, d)
		return func() {
			w.Header().Set("Content-Disposition", `attachment; filename="`+rec.ID+`.txt"`)
			send()
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

var errBusy = errors.New("too many requests are waiting: try again later")

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
