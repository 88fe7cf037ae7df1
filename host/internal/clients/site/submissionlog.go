package site

import (
	"context"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"colosseum/host/internal/submissions/registry"
)

const (
	followTime = 20 * time.Second       // of a request that waits for news
	followStep = 500 * time.Millisecond // between two looks at the store
)

// progressAnswer is a version with the output of its build from some byte on.
type progressAnswer struct {
	registry.Version
	Log   string `json:"log"`
	Total int    `json:"total"` // bytes of the whole output
}

// follow sends a version with the output of its build. With wait it waits for news.
func (s *submissionPages) follow(w http.ResponseWriter, r *http.Request) {
	player, version, ok := s.asked(w, r)
	if !ok {
		return
	}
	query := r.URL.Query()
	from := 0
	if text := query.Get("from"); text != "" {
		var err error
		if from, err = strconv.Atoi(text); err != nil || from < 0 {
			refuse(w, http.StatusBadRequest, "from: a number of bytes")
			return
		}
	}
	look := func() (a progressAnswer, err error) {
		ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
		defer cancel()
		done, ok := s.Readers.Work(ctx)
		if !ok {
			return a, &registry.Refusal{Status: http.StatusServiceUnavailable, Text: errBusy.Error()}
		}
		defer done()
		game := r.PathValue("name")
		if a.Version, err = s.Submissions.Get(ctx, player, game, version); err != nil {
			return a, err
		}
		text, total, err := s.Submissions.Log(ctx, player, game, version, from)
		a.Log = whole(text)
		a.Total = total - len(text) + len(a.Log)
		return a, err
	}
	a, err := look()
	known := a.Version
	if state := query.Get("state"); state != "" {
		known.State = state
	}
	if err == nil && query.Get("wait") == "1" && !a.hasNews(known) {
		free, refused := s.Readers.Follow(r)
		if refused != nil {
			w.Header().Set("Retry-After", "5")
			refuse(w, http.StatusServiceUnavailable, refused.Error())
			return
		}
		defer free()
		end := time.After(followTime)
		for waiting := true; waiting && err == nil && !a.hasNews(known); {
			select {
			case <-time.After(followStep):
				a, err = look()
			case <-end:
				waiting = false
			case <-r.Context().Done():
				return
			}
		}
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // fails if the connection has no deadlines
	s.reply(w, r, http.StatusOK, a, err)
}

// hasNews reports whether there is more output, or another state or place than the client
// knows, or there will be none.
func (a *progressAnswer) hasNews(known registry.Version) bool {
	return a.Log != "" || a.Done() || a.State != known.State || a.Position != known.Position
}

// whole returns a text without a character at its end of which bytes are missing. They
// come with the next part.
func whole(text string) string {
	for i := len(text) - 1; i >= 0 && len(text)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}
