package site

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// matchPages answers requests for matches.
type matchPages struct {
	*shared
	previews previews // of ended matches
}

// Sizes of pages of matches.
const (
	usualPage = 50
	maxPage   = 500
)

func (s *matchPages) oneMatch(w http.ResponseWriter, r *http.Request) {
	// Look in the lobby first: a match leaves it only when its record is durable.
	if info, ok := s.Lobby.Info(r.PathValue("id")); ok {
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
		s.Readers.Charge(r, len(d.plain))
		return prepareDocument(w, r, d)
	})
}

// ticketHeader has the ticket of a player that asks for the clocks of its match.
const ticketHeader = "Colosseum-Ticket"

// clocks sends the times of the players. The spectators' stream cannot
// hold it, because that has the same bytes for everybody at any time.
func (s *matchPages) clocks(w http.ResponseWriter, r *http.Request) {
	id, ticket := r.PathValue("id"), sha256.Sum256([]byte(r.Header.Get(ticketHeader)))
	clocks, running := s.Lobby.ClocksFor(id, s.Seats.Holds(id, ticket))
	if !running && s.Clocks != nil {
		var err error
		if clocks, running, err = s.Clocks.Clocks(r.Context(), id, ticket); err != nil {
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

// stream sends the bytes that the spectators of an ended match received.
func (s *matchPages) stream(w http.ResponseWriter, r *http.Request) {
	s.workOnRecord(w, r, func(rec *record.Match) func() {
		s.Readers.Charge(r, len(rec.Stream))
		d := newDocument("text/plain; charset=utf-8", rec.Stream)
		d.cache = forever
		send := prepareDocument(w, r, d)
		return func() {
			w.Header().Set("Content-Disposition", `attachment; filename="`+rec.ID+`.txt"`)
			send()
		}
	})
}

func (s *matchPages) listMatches(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	m, err := takeMeeting(v)
	q, err2 := query(v, usualPage, maxPage)
	if err = cmp.Or(err, err2); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		q.Others = s.otherNames(ctx, q.Player)
		read := 0
		if m != (meeting{}) {
			of, against := append([]string{q.Player}, q.Others...), append([]string{m.opponent}, s.otherNames(ctx, m.opponent)...)
			q.Keep = func(rec *record.Match) bool {
				read++
				return m.is(rec, of, against)
			}
		}
		page, next, err := s.Records.Select(ctx, q)
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		s.Readers.Charge(r, max(read, len(page))*recordBytes)
		a := matchesAnswer{Matches: []matchAnswer{}, Next: next}
		for _, rec := range page {
			a.Matches = append(a.Matches, describeMatch(rec))
		}
		return prepare(w, r, encode(a))
	})
}

// otherNames returns the other names of the registered player that has or had a name. If they
// cannot be read, there are none: records can still be read then.
func (s *shared) otherNames(ctx context.Context, name string) []string {
	if name == "" || s.Players == nil {
		return nil
	}
	all, _ := s.Players.Names(ctx, name) // it logs errors
	return slices.DeleteFunc(all, func(n string) bool { return n == name })
}

// recordBytes is the charge for each record in a list. It does not depend on the
// length, since most of the time is for the lookup.
const recordBytes = 2 << 10

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

// maxPreviews bounds the previews of ended matches that are kept.
const maxPreviews = 2000

// previews keeps the previews of ended matches until the games change, whose titles they
// have.
type previews struct {
	mu         sync.Mutex // guards the fields below
	byID       map[string]preview
	generation uint64 // of the games
}

func (p *previews) get(id string, generation uint64) (preview, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.byID[id]
	return v, ok && p.generation == generation
}

func (p *previews) keep(id string, generation uint64, v preview) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.byID) >= maxPreviews || p.generation != generation || p.byID == nil {
		p.byID, p.generation = map[string]preview{}, generation
	}
	p.byID[id] = v
}

// matchPage returns a handler that sends a page of one match.
func (s *matchPages) matchPage(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := s.previewMatch(r.Context(), r.PathValue("id"))
		if errors.Is(err, store.ErrNotFound) {
			s.sendMissing(w, r, name)
			return
		}
		p.Plain = name == "match.html"
		p.Reads = append([]string{"/api/matches/" + r.PathValue("id")}, s.readsOf(p.Game)...)
		s.sendPreviewed(w, r, name, p) // after another error, too: the page works without a preview
	}
}

// readsOf returns what pages with a board of a game read first.
func (s *shared) readsOf(game string) []string {
	o := s.find(game)
	if o == nil {
		return nil
	}
	reads := []string{"/api/games/" + game}
	if viewer := s.viewerAddress(o); viewer != "" && !s.Watched {
		reads = append(reads, viewer)
	}
	return reads
}

// previewMatch returns the preview of a match, or store.ErrNotFound. Without a slot for
// long work, that of an ended match is empty.
func (s *matchPages) previewMatch(ctx context.Context, id string) (preview, error) {
	// Look in the lobby first: a match leaves it only when its record is durable.
	if info, ok := s.Lobby.Info(id); ok {
		return s.previewListed(info), nil
	}
	generation := s.Games.Generation() // before the titles are read
	if p, ok := s.previews.get(id, generation); ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	done, ok := s.Readers.Work(ctx)
	if !ok {
		return preview{}, errBusy
	}
	defer done()
	rec, err := s.Records.Get(ctx, id)
	if err != nil {
		return preview{}, err
	}
	if rec.State == record.Running {
		return preview{}, store.ErrNotFound
	}
	p := s.previewRecord(rec)
	s.previews.keep(id, generation, p)
	return p, nil
}
