package site

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
)

// entryAnswer is the answer to entering and withdrawing.
type entryAnswer struct {
	Contest string `json:"contest"`
	Player  string `json:"player"`
	Entered bool   `json:"entered"`
}

func (s *contestPages) enter(w http.ResponseWriter, r *http.Request) {
	s.changeEntry(w, r, true, s.Contests.Enter)
}

func (s *contestPages) withdraw(w http.ResponseWriter, r *http.Request) {
	s.changeEntry(w, r, false, s.Contests.Withdraw)
}

// changeEntry enters the client's player, or withdraws it.
func (s *contestPages) changeEntry(w http.ResponseWriter, r *http.Request, entered bool, f func(ctx context.Context, name, player string) error) {
	if !read(w, r, &struct{}{}) {
		return
	}
	player, err := s.authenticate(r, token(r), players.Play)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	name := r.PathValue("name")
	switch err := f(r.Context(), name, player); {
	case errors.Is(err, contest.ErrUnknown):
		s.fail(w, r, err)
	case err != nil:
		refuse(w, http.StatusConflict, err.Error())
	default:
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(encode(entryAnswer{name, player, entered})) // fails if the client has gone
	}
}

// token returns the token of a request: that of a program in the field Authorization,
// or else the cookie of a browser.
func token(r *http.Request) string {
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	if c, err := r.Cookie(players.Cookie); err == nil {
		return c.Value
	}
	return ""
}
