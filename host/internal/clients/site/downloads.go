package site

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"sync"
	"time"

	"colosseum/host/internal/clients/downloads"
	"colosseum/internal/gamedir"
)

// Limits on downloads.
const (
	maxDownloads = 16               // at the same time
	maxShare     = 12               // of them, for one address, so that slow ones do not take all places
	downloadWait = 20 * time.Second // for a place among them
	downloadTime = 15 * time.Minute // of one download
)

// downloadPages answers requests for downloads.
type downloadPages struct {
	*shared
	*places
}

func newDownloads(s *shared) *downloadPages { return &downloadPages{s, newPlaces(s)} }

// places bounds downloads that run at the same time.
type places struct {
	all     *shared
	running chan struct{} // holds one value for each running download; full: more wait
	loading shares        // of addresses in running
}

func newPlaces(s *shared) *places {
	return &places{all: s, running: make(chan struct{}, maxDownloads)}
}

// take waits for a place. Calling free ends what take has begun, also if it is not ok because
// none became free in time.
func (p *places) take(r *http.Request) (free func(), ok bool) {
	ctx, cancel := context.WithTimeout(r.Context(), downloadWait)
	defer cancel()
	address, _ := p.all.Readers.Client(r)
	leave, ok := p.loading.take(ctx, address)
	if !ok {
		return leave, false
	}
	select {
	case p.running <- struct{}{}:
		return func() { <-p.running; leave() }, true
	case <-ctx.Done():
		return leave, false
	}
}

// download is an open file, or all files for "".
type download struct {
	all  []downloads.File
	this downloads.File
	file *os.File
	err  error
}

// openDownload opens a file, or only lists all for "". New checksums are computed in a
// slot for long work.
func (s *downloadPages) openDownload(r *http.Request, name string) (d download) {
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	if !s.Downloads.Current() {
		done, ok := s.Readers.Work(ctx)
		if !ok {
			return download{err: errBusy}
		}
		defer done()
	}
	if name == "" {
		d.all, d.err = s.Downloads.List()
	} else {
		d.this, d.file, d.err = s.Downloads.Get(name)
	}
	return d
}

func (s *downloadPages) listDownloads(w http.ResponseWriter, r *http.Request) {
	d := s.openDownload(r, "")
	if d.err != nil {
		s.refuseDownload(w, d.err)
		return
	}
	a := downloadsAnswer{Downloads: []downloadAnswer{}}
	for _, f := range d.all {
		a.Downloads = append(a.Downloads, downloadAnswer{Name: f.Name, System: f.System, Architecture: f.Architecture, Bytes: f.Bytes, SHA256: f.SHA256})
	}
	s.send(w, r, newDocument("application/json", encode(a)))
}

// sendDownload sends a file, or a range of it.
func (s *downloadPages) sendDownload(w http.ResponseWriter, r *http.Request) {
	free, ok := s.take(r)
	defer free()
	if !ok {
		s.refuseDownload(w, errBusy)
		return
	}
	d := s.openDownload(r, r.PathValue("name"))
	if d.err != nil {
		s.refuseDownload(w, d.err)
		return
	}
	defer d.file.Close()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="`+d.this.Name+`"`) // the name has only letters, digits, dots and hyphens
	h.Set("ETag", `"`+d.this.SHA256[:32]+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("sha256") == d.this.SHA256 {
		h.Set("Cache-Control", forever)
	}
	http.ServeContent(&pacedWriter{ResponseWriter: w, shared: s.shared, request: r, until: time.Now().Add(downloadTime)}, r, "", time.Time{}, d.file)
}

// shares bounds the downloads of each address to maxShare.
type shares struct {
	mu   sync.Mutex        // guards the field below
	used map[string]*share // by address
}

type share struct {
	running chan struct{} // holds one value for each running download
	users   int           // with those that wait; guarded by shares.mu
}

// take waits for a place among the downloads of an address, "" being without limit. Calling
// free ends what take has begun, also if it is not ok because ctx has ended.
func (s *shares) take(ctx context.Context, address string) (free func(), ok bool) {
	if address == "" {
		return func() {}, true
	}
	s.mu.Lock()
	u := s.used[address]
	if u == nil {
		if s.used == nil {
			s.used = map[string]*share{}
		}
		u = &share{running: make(chan struct{}, maxShare)}
		s.used[address] = u
	}
	u.users++
	s.mu.Unlock()
	select {
	case u.running <- struct{}{}:
		ok = true
	case <-ctx.Done():
	}
	return func() {
		if ok {
			<-u.running
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if u.users--; u.users == 0 {
			delete(s.used, address)
		}
	}, ok
}

// refuseDownload answers with an error of openDownload.
func (s *downloadPages) refuseDownload(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		refuse(w, http.StatusNotFound, "there is no such download: /api/downloads lists them")
		return
	case errors.Is(err, errBusy), errors.Is(err, gamedir.ErrSilent):
	default:
		s.log.Error("could not read a download", "error", err)
	}
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, "the downloads can't be read now: try again later")
}

// pacedWriter charges for what it writes, and keeps it within the limits of its client's
// address.
type pacedWriter struct {
	http.ResponseWriter
	shared  *shared
	request *http.Request
	until   time.Time
}

// errTooSlow ends a download that takes longer than downloadTime.
var errTooSlow = errors.New("the download takes too long")

func (p *pacedWriter) Write(b []byte) (int, error) {
	if time.Now().After(p.until) {
		return 0, errTooSlow
	}
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTimeout)) // fails if the connection has no deadlines
	pause := time.NewTimer(p.shared.Readers.Charge(p.request, len(b)))
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-p.request.Context().Done():
		return 0, p.request.Context().Err()
	}
	return p.ResponseWriter.Write(b)
}
