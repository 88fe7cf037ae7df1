package site

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"colosseum/host/internal/clients/gamefiles"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// shared is what the handlers of all pages and answers share.
type shared struct {
	Parts
	log   *slog.Logger
	files *gamefiles.Files
	*library
}

// writeTimeout bounds writing an answer, or one part of an export.
const writeTimeout = 30 * time.Second

// queryTimeout bounds one request for the record.
const queryTimeout = 10 * time.Second

var errBusy = errors.New("too many requests are waiting: try again later")

// find returns the offer with a name, even if it is unavailable, or nil.
func (s *shared) find(name string) *catalog.Offer {
	for _, o := range s.Games.List() {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// send sends a document and charges for its length.
func (s *shared) send(w http.ResponseWriter, r *http.Request, d *document) {
	s.Readers.Charge(r, d.send(w, r))
}

// work calls f in a slot for long work, and then the function that f returned,
// which sends the answer: a client that reads slowly does not occupy the slot. It
// refuses the request when too many others are waiting.
func (s *shared) work(w http.ResponseWriter, r *http.Request, f func(ctx context.Context) (send func())) {
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	done, ok := s.Readers.Work(ctx)
	if !ok {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, errBusy.Error())
		return
	}
	send := func() func() {
		defer done()
		return f(ctx)
	}()
	send()
}

// workOnRecord is work with the record of the ended match in the path.
func (s *shared) workOnRecord(w http.ResponseWriter, r *http.Request, f func(rec *record.Match) (send func())) {
	s.work(w, r, func(ctx context.Context) func() {
		rec, err := s.Records.Get(ctx, r.PathValue("id"))
		if err == nil && rec.State == record.Running {
			err = store.ErrNotFound
		}
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		return f(rec)
	})
}

// fail answers with an error of the store.
func (s *shared) fail(w http.ResponseWriter, r *http.Request, err error) {
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
