package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// Limits of exports.
const (
	maxExports = 2        // at the same time: each keeps a reader of the record busy
	exportPage = 100      // records that an export selects at once
	exportPart = 64 << 10 // bytes after which an export sends what it has encoded
)

// exports sends files that can be long.
type exports struct {
	*shared
	running chan struct{} // holds one value for each running export; full: more are refused
}

func newExports(s *shared) *exports { return &exports{s, make(chan struct{}, maxExports)} }

// matches sends complete matches, one per line, the newest first.
func (s *exports) matches(w http.ResponseWriter, r *http.Request) {
	q, err := query(r.URL.Query(), 0, 0)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	q.Others = s.otherNames(r.Context(), q.Player)
	e := export{records: s.Records, left: q.Limit, query: q}
	s.send(w, r, "application/x-ndjson", "matches.ndjson", e.next)
}

// send sends a file in parts, so that other requests get their turn. It calls next
// for each part in a slot for long work, until it reports that the file is over.
func (s *exports) send(w http.ResponseWriter, r *http.Request, kind, name string, next func(ctx context.Context) (part []byte, over bool, err error)) {
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	default:
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, "other exports are running: try again later")
		return
	}
	control := http.NewResponseController(w)
	var out io.Writer = w
	var zipper *gzip.Writer // nil: the client gets plain text
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
			h := w.Header()
			h.Set("Cache-Control", "no-cache")
			h.Set("Content-Type", kind)
			h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
			h.Set("Vary", "Accept-Encoding")
			if r.Method == http.MethodHead {
				s.Readers.Charge(r, len(part))
				return
			}
			if !over && acceptsGzip(r) || zips(r, part) {
				h.Set("Content-Encoding", "gzip")
				zipper = zippers.Get().(*gzip.Writer)
				defer zippers.Put(zipper)
				zipper.Reset(w)
				out = zipper
			}
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // fails if the connection has no deadlines
		wait := s.Readers.Charge(r, len(part))
		_, err = out.Write(part)
		if zipper != nil && err == nil {
			if over {
				err = zipper.Close()
			} else {
				err = zipper.Flush() // the client gets each part at once
			}
		}
		if err != nil || over {
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

// part calls next in a slot for long work.
func (s *exports) part(ctx context.Context, next func(ctx context.Context) ([]byte, bool, error)) (part []byte, over bool, err error) {
	done, ok := s.Readers.Work(ctx)
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
