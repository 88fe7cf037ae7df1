package site

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/submissions/registry"
)

// submissionPages answers requests for the programs that players have handed in.
type submissionPages struct {
	*shared
	uploads *uploads
}

func newSubmissions(s *shared) *submissionPages {
	return &submissionPages{shared: s, uploads: newUploads()}
}

// submissionsAnswer is what a player has handed in, and what it can hand in.
type submissionsAnswer struct {
	Submissions []registry.Version  `json:"submissions"`
	Games       []string            `json:"games"`
	Languages   []registry.Language `json:"languages"`
	Most        int64               `json:"most"` // bytes of an upload
}

// gameSubmissionsAnswer is what a player has handed in for one game.
type gameSubmissionsAnswer struct {
	Submissions []registry.Version `json:"submissions"`
}

// pausedAnswer is the answer to a pause.
type pausedAnswer struct {
	Game   string `json:"game"`
	Paused bool   `json:"paused"`
}

type journalsAnswer struct {
	Journals []registry.JournalEntry `json:"journals"`
}

// journalAnswer is what a program wrote on its standard error in a match.
type journalAnswer struct {
	Match string `json:"match"`
	Text  string `json:"text"`
}

var (
	errNoSubmissions = &registry.Refusal{Status: http.StatusForbidden, Text: "this host takes no programs: play with coco, or in the browser"}
	errNoVersion     = &registry.Refusal{Status: http.StatusNotFound, Text: "there is no such version: GET /api/submissions lists yours"}
)

// page sends the page with a player's own programs.
func (s *submissionPages) page(w http.ResponseWriter, r *http.Request) {
	if s.Submissions == nil {
		s.missing(w, r)
		return
	}
	s.documents()["programs.html"].send(w, r)
}

func (s *submissionPages) listAll(w http.ResponseWriter, r *http.Request) {
	s.read(w, r, func(ctx context.Context, player string) (any, error) {
		list, err := s.Submissions.List(ctx, player, "")
		return submissionsAnswer{orEmpty(list), orEmpty(s.Submissions.Games()), orEmpty(s.Submissions.Languages()), s.Submissions.Limits()}, err
	})
}

func (s *submissionPages) listGame(w http.ResponseWriter, r *http.Request) {
	s.read(w, r, func(ctx context.Context, player string) (any, error) {
		list, err := s.Submissions.List(ctx, player, r.PathValue("name"))
		return gameSubmissionsAnswer{orEmpty(list)}, err
	})
}

// numbers sends what the host does for all programs together, to anyone.
func (s *submissionPages) numbers(w http.ResponseWriter, r *http.Request) {
	if s.Submissions == nil {
		s.refuseSubmission(w, r, errNoSubmissions)
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		work, err := s.Submissions.Work(ctx)
		return func() { s.reply(w, r, http.StatusOK, work, err) }
	})
}

func (s *submissionPages) activate(w http.ResponseWriter, r *http.Request) {
	s.change(w, r, func(ctx context.Context, player string) (any, error) {
		version, err := versionOf(r)
		if err != nil {
			return nil, err
		}
		return s.Submissions.Activate(ctx, player, r.PathValue("name"), version)
	})
}

// pause lets no version of the player play the game.
func (s *submissionPages) pause(w http.ResponseWriter, r *http.Request) {
	s.change(w, r, func(ctx context.Context, player string) (any, error) {
		game := r.PathValue("name")
		return pausedAnswer{game, true}, s.Submissions.Pause(ctx, player, game)
	})
}

func (s *submissionPages) remove(w http.ResponseWriter, r *http.Request) {
	s.change(w, r, func(ctx context.Context, player string) (any, error) {
		version, err := versionOf(r)
		if err != nil {
			return nil, err
		}
		if err := s.Submissions.Remove(ctx, player, r.PathValue("name"), version); err != nil {
			return nil, err
		}
		return s.Submissions.Get(ctx, player, r.PathValue("name"), version)
	})
}

func (s *submissionPages) source(w http.ResponseWriter, r *http.Request) {
	player, version, ok := s.asked(w, r)
	if !ok {
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		zip, err := s.Submissions.Source(ctx, player, r.PathValue("name"), version)
		if err != nil {
			return func() { s.refuseSubmission(w, r, err) }
		}
		return func() {
			s.Readers.Charge(r, len(zip))
			h := w.Header()
			h.Set("Cache-Control", "no-store")
			h.Set("Content-Type", "application/zip")
			h.Set("Content-Disposition", "attachment; filename=v"+strconv.Itoa(version)+".zip")
			_, _ = w.Write(zip) // fails if the client has gone
		}
	})
}

func (s *submissionPages) journals(w http.ResponseWriter, r *http.Request) {
	s.read(w, r, func(ctx context.Context, player string) (any, error) {
		version, err := versionOf(r)
		if err != nil {
			return nil, err
		}
		list, err := s.Submissions.Journals(ctx, player, r.PathValue("name"), version)
		return journalsAnswer{orEmpty(list)}, err
	})
}

func (s *submissionPages) journal(w http.ResponseWriter, r *http.Request) {
	s.read(w, r, func(ctx context.Context, player string) (any, error) {
		version, err := versionOf(r)
		if err != nil {
			return nil, err
		}
		match := r.PathValue("match")
		text, err := s.Submissions.Journal(ctx, player, r.PathValue("name"), version, match)
		return journalAnswer{match, text}, err
	})
}

// owner returns the player of a request. If there is none, it answers.
func (s *submissionPages) owner(w http.ResponseWriter, r *http.Request) (player string, ok bool) {
	if s.Submissions == nil {
		s.refuseSubmission(w, r, errNoSubmissions)
		return "", false
	}
	player, err := s.authenticate(r, token(r), players.Submit)
	if err != nil {
		s.refusePlayer(w, err)
		return "", false
	}
	return player, true
}

// asked returns the player and the version of a request. If there is none, it answers.
func (s *submissionPages) asked(w http.ResponseWriter, r *http.Request) (player string, version int, ok bool) {
	if player, ok = s.owner(w, r); !ok {
		return "", 0, false
	}
	version, err := versionOf(r)
	if err != nil {
		s.refuseSubmission(w, r, err)
		return "", 0, false
	}
	return player, version, true
}

// versionOf returns the version in the path of a request.
func versionOf(r *http.Request) (int, error) {
	version, err := strconv.Atoi(r.PathValue("version"))
	if err != nil || version < 1 {
		return 0, errNoVersion
	}
	return version, nil
}

// read answers with what f returns for the player of the request.
func (s *submissionPages) read(w http.ResponseWriter, r *http.Request, f func(ctx context.Context, player string) (any, error)) {
	player, ok := s.owner(w, r)
	if !ok {
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		answer, err := f(ctx, player)
		return func() { s.reply(w, r, http.StatusOK, answer, err) }
	})
}

// change is read for a request that changes something. It needs no slot: a player changes
// little, and must be able to when many read.
func (s *submissionPages) change(w http.ResponseWriter, r *http.Request, f func(ctx context.Context, player string) (any, error)) {
	if !read(w, r, &struct{}{}) {
		return
	}
	player, ok := s.owner(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	answer, err := f(ctx, player)
	s.reply(w, r, http.StatusOK, answer, err)
}

// reply answers with a value or an error, which no cache keeps: it depends on the token.
func (s *submissionPages) reply(w http.ResponseWriter, r *http.Request, status int, answer any, err error) {
	if err != nil {
		s.refuseSubmission(w, r, err)
		return
	}
	text := encode(answer)
	s.Readers.Charge(r, len(text))
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails if the client has gone
}

// refuseSubmission answers with an error of Submissions.
func (s *submissionPages) refuseSubmission(w http.ResponseWriter, r *http.Request, err error) {
	if refusal, ok := errors.AsType[*registry.Refusal](err); ok {
		if refusal.Status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "10")
		}
		refuse(w, refusal.Status, refusal.Text)
		return
	}
	if r.Context().Err() != nil { // the client has gone
		return
	}
	s.log.Error("could not answer a request for programs", "path", r.URL.Path, "error", err)
	w.Header().Set("Retry-After", "10")
	refuse(w, http.StatusServiceUnavailable, "the programs can't be read now: try again later")
}
