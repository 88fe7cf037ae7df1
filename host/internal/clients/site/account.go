package site

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"colosseum/host/internal/contests/players"
)

// cookieAge is how long a browser stays logged in.
const cookieAge = 365 * 24 * time.Hour

// tokenCookie is that of a player that is logged in.
var tokenCookie = http.Cookie{Name: players.Cookie, Path: "/", SameSite: http.SameSiteStrictMode}

// maxForm is the longest request that changes something, in bytes.
const maxForm = 4 << 10

// registeringPoints is the cost of a login or a registration, since each asks the
// store.
const registeringPoints = 5

// loginForm is the request to log in.
type loginForm struct {
	Token string `json:"token"`
}

// registrationForm is the request for a new player.
type registrationForm struct {
	Name   string `json:"name"`
	Invite string `json:"invite"`
}

// accountAnswer is the player that is logged in.
type accountAnswer struct {
	Player       string `json:"player"`                // empty: nobody
	Registration string `json:"registration"`          // open, invite, oidc or closed
	Login        string `json:"login,omitempty"`       // the text of the button for the login provider
	Token        string `json:"token,omitempty"`       // only after a registration: it cannot be shown again
	Submissions  bool   `json:"submissions,omitempty"` // programs can be handed in
}

// account sends the player that is logged in. It removes a cookie whose token is no
// longer valid. That also holds after too many wrong tokens of the address: the right
// one is never refused.
func (s *shared) account(w http.ResponseWriter, r *http.Request) {
	token := ""
	if c, err := r.Cookie(players.Cookie); err == nil {
		token = c.Value
	}
	if token == "" {
		s.sendAccount(w, accountAnswer{})
		return
	}
	player, err := s.authenticate(r, token, players.Read)
	switch {
	case errors.Is(err, players.ErrToken), errors.Is(err, players.ErrTooMany):
		s.setCookie(w, r, "")
	case err != nil:
		s.refusePlayer(w, err)
		return
	}
	s.sendAccount(w, accountAnswer{Player: player})
}

func (s *shared) logIn(w http.ResponseWriter, r *http.Request) {
	var form loginForm
	if !read(w, r, &form) {
		return
	}
	player, err := s.authenticate(r, form.Token, players.Read)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	s.setCookie(w, r, form.Token)
	s.sendAccount(w, accountAnswer{Player: player})
}

func (s *shared) logOut(w http.ResponseWriter, r *http.Request) {
	if !read(w, r, &struct{}{}) {
		return
	}
	if s.Logins != nil {
		s.Logins.LogOut(r.Context(), cookieOf(r, players.Cookie))
	}
	s.setCookie(w, r, "")
	s.sendAccount(w, accountAnswer{})
}

// register registers a player and logs it in. The answer is the only one with a
// token.
func (s *shared) register(w http.ResponseWriter, r *http.Request) {
	var form registrationForm
	if !read(w, r, &form) {
		return
	}
	if s.Players == nil {
		s.refusePlayer(w, players.ErrClosed)
		return
	}
	address, _ := s.Readers.Client(r)
	token, err := s.Players.Register(r.Context(), address, form.Name, form.Invite)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	s.setCookie(w, r, token)
	s.sendAccount(w, accountAnswer{Player: form.Name, Token: token})
}

func (s *shared) authenticate(r *http.Request, token string, scope players.Scope) (player string, err error) {
	if s.Players == nil {
		return "", players.ErrToken
	}
	address, _ := s.Readers.Client(r)
	return s.Players.Authenticate(r.Context(), address, token, scope)
}

// setCookie stores a token in the browser, or removes it if it is empty. Scripts cannot
// read the cookie, and the browser sends it only with requests of the site's own pages.
func (s *shared) setCookie(w http.ResponseWriter, r *http.Request, token string) {
	s.keep(w, r, tokenCookie, token, cookieAge)
}

func (s *shared) sendAccount(w http.ResponseWriter, a accountAnswer) {
	a.Registration, a.Submissions = players.Closed, s.Submissions != nil
	if s.Players != nil {
		a.Registration = s.Players.Registration()
	}
	if s.Provider != nil {
		a.Login = s.Button
	}
	sendPrivate(w, a)
}

// refusePlayer answers with an error of the registry.
func (s *shared) refusePlayer(w http.ResponseWriter, err error) {
	for refusal, status := range map[error]int{
		players.ErrToken: http.StatusUnauthorized, players.ErrScope: http.StatusForbidden, players.ErrInvite: http.StatusForbidden, players.ErrClosed: http.StatusForbidden, players.ErrOIDC: http.StatusForbidden,
		players.ErrName: http.StatusBadRequest, players.ErrTaken: http.StatusConflict,
		players.ErrLabel: http.StatusBadRequest, players.ErrScopes: http.StatusBadRequest, players.ErrLife: http.StatusBadRequest,
		players.ErrFull: http.StatusConflict, players.ErrRecent: http.StatusConflict, players.ErrNoToken: http.StatusNotFound, players.ErrNoPlayer: http.StatusConflict,
		players.ErrTooMany: http.StatusTooManyRequests, players.ErrTooOften: http.StatusTooManyRequests,
	} {
		if errors.Is(err, refusal) {
			refuse(w, status, refusal.Error())
			return
		}
	}
	refuse(w, http.StatusServiceUnavailable, players.ErrUnavailable.Error())
}

// foreign refuses requests that a page of another host has made with this browser's
// cookies.
var foreign = http.NewCrossOriginProtection()

// own reports whether a request that changes something is not of a page of another host, and
// has this type. Otherwise it answers.
func own(w http.ResponseWriter, r *http.Request, kind string) bool {
	if err := foreign.Check(r); err != nil {
		refuse(w, http.StatusForbidden, "only pages of this host can do this")
		return false
	}
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != kind {
		refuse(w, http.StatusUnsupportedMediaType, "the request must have the Content-Type "+kind)
		return false
	}
	return true
}

// read reads the JSON object of a request that changes something. If it refuses the
// request, it answers and returns false. Refusals repeat nothing of the request, which
// can contain a token.
func read(w http.ResponseWriter, r *http.Request, form any) bool {
	if !own(w, r, "application/json") {
		return false
	}
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxForm))
	in.DisallowUnknownFields()
	err := in.Decode(form)
	if err == nil {
		if _, end := in.Token(); end != io.EOF { // also reads the rest, up to maxForm
			err = errors.New("more than one value")
			if tooLong, ok := errors.AsType[*http.MaxBytesError](end); ok {
				err = tooLong
			}
		}
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		refuse(w, http.StatusRequestEntityTooLarge, "the request is too long")
		return false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "the request must be one JSON object with the fields that /api/openapi.json describes")
		return false
	}
	return true
}
