package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/submissions/registry"
)

const (
	// submittingPoints is the cost of handing a program in.
	submittingPoints = 20
	// maxUploads is the number of uploads at the same time, each with up to
	// Submissions.Limits bytes in memory.
	maxUploads = 4
	// uploadTime is how long one can take. A line with 1 Mbit/s sends 7 MB in it.
	uploadTime = time.Minute
	// maxFileName is the length of a file's name, in bytes.
	maxFileName = 255
)

// uploads bounds the programs that are being handed in: a client that sends slowly must not
// take all places.
type uploads struct {
	places chan struct{} // holds one value for each upload; full: more are refused

	mu sync.Mutex      // guards the field below
	by map[string]bool // players that upload now, each once
}

func newUploads() *uploads {
	return &uploads{places: make(chan struct{}, maxUploads), by: map[string]bool{}}
}

// begin takes a place for a player, until done is called. The error is for the client.
func (u *uploads) begin(player string) (done func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.by[player] {
		return nil, &registry.Refusal{Status: http.StatusConflict, Text: "you are handing in another program: wait for its end"}
	}
	select {
	case u.places <- struct{}{}:
	default:
		return nil, &registry.Refusal{Status: http.StatusServiceUnavailable, Text: "too many programs are handed in at once: try again later"}
	}
	u.by[player] = true
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.by, player)
		<-u.places
	}, nil
}

// submit takes a program.
func (s *submissionPages) submit(w http.ResponseWriter, r *http.Request) {
	if !own(w, r, "application/octet-stream") {
		return
	}
	player, ok := s.owner(w, r)
	if !ok {
		return
	}
	file := r.URL.Query().Get("file")
	if file == "" || len(file) > maxFileName || strings.ContainsAny(file, "/\\\x00") {
		refuse(w, http.StatusBadRequest, "file: the name of the archive or source file, without folders")
		return
	}
	done, err := s.uploads.begin(player)
	if err != nil {
		s.refuseSubmission(w, r, err)
		return
	}
	defer done()
	body, err := s.body(w, r)
	if err != nil {
		s.refuseSubmission(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	address, _ := s.Readers.Client(r)
	version, err := s.Submissions.Submit(ctx, player, address, r.PathValue("name"), file, body)
	s.reply(w, r, http.StatusCreated, version, err)
}

// body reads the body of an upload. The server's own deadline for requests is too short for
// it, and so is the one for the answer, which paid has set before it.
func (s *submissionPages) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(uploadTime)) // fails if the connection has no deadlines
	_ = control.SetWriteDeadline(time.Now().Add(uploadTime + writeTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.Submissions.Limits()))
	switch tooLong, ok := errors.AsType[*http.MaxBytesError](err); {
	case ok:
		return nil, &registry.Refusal{Status: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("the upload is longer than %.4g MiB", float64(tooLong.Limit)/(1<<20))}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &registry.Refusal{Status: http.StatusRequestTimeout, Text: "the upload took longer than " + uploadTime.String()}
	case err != nil:
		return nil, &registry.Refusal{Status: http.StatusBadRequest, Text: "the upload ended early"}
	case len(body) == 0:
		return nil, &registry.Refusal{Status: http.StatusUnprocessableEntity, Text: "the upload is empty"}
	}
	return body, nil
}
