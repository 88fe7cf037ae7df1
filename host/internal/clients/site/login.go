package site

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"colosseum/host/internal/clients/provider"
	"colosseum/host/internal/contests/players"
)

// Logins are the logins without a token. The errors are those of the package players.
type Logins interface {
	// OfIdentity returns the player of a person, or "".
	OfIdentity(ctx context.Context, id players.Identity) (player string, err error)
	RegisterIdentity(ctx context.Context, address, name, invite string, id players.Identity) error
	LinkIdentity(ctx context.Context, player string, id players.Identity) error
	// LogIn returns a token for a browser, and LogOut ends its validity.
	LogIn(ctx context.Context, player string) (token string, err error)
	LogOut(ctx context.Context, token string)

	AskDevice(ctx context.Context, address, client string) (players.DeviceLogin, error)
	Asks(ctx context.Context, address, code string) (players.Asking, error)
	AnswerDevice(ctx context.Context, address, code, player string) error
	PollDevice(ctx context.Context, device string) (player, token string, err error)
}

// Provider is where people log in who have no token. The errors are those of the package
// provider.
type Provider interface {
	Begin(ctx context.Context, callback, then string) (address, cookie string, err error)
	Finish(ctx context.Context, cookie string, query url.Values) (provider.Person, error)
	Seal(person provider.Person) (cookie string)
	Open(cookie string) (person provider.Person, ok bool)
}

// callbackPath is where the provider sends browsers back.
const callbackPath = "/login/callback"

// The cookies of a login: that of one that has begun, and that of a person who has no player
// yet. The first also comes with the request to which the provider sends the browser.
var (
	attemptCookie = http.Cookie{Name: "colosseum_login", Path: callbackPath, SameSite: http.SameSiteLaxMode}
	personCookie  = http.Cookie{Name: "colosseum_person", Path: "/api/login", SameSite: http.SameSiteStrictMode}
)

// maxThen bounds the path of the page on which a login was begun, in bytes.
const maxThen = 200

type beginForm struct {
	Then string `json:"then"` // the page to show afterwards
}

type beginAnswer struct {
	Address string `json:"address"` // of the provider
}

// pendingAnswer describes a person who has no player yet.
type pendingAnswer struct {
	Pending      bool   `json:"pending"` // there is such a person
	Suggestion   string `json:"suggestion"`
	Registration string `json:"registration"`
	Then         string `json:"then"`
}

type playerForm struct {
	Name   string `json:"name"`
	Invite string `json:"invite"`
	Link   bool   `json:"link"` // the player that is logged in becomes that of the person
}

// errNoProvider is the refusal of a host without a provider.
var errNoProvider = errors.New("this host has no login provider: log in with a token")

// beginLogin answers with the address of the provider, for this browser only.
func (s *shared) beginLogin(w http.ResponseWriter, r *http.Request) {
	var form beginForm
	if !read(w, r, &form) {
		return
	}
	if s.Provider == nil {
		refuse(w, http.StatusNotFound, errNoProvider.Error())
		return
	}
	address, cookie, err := s.Provider.Begin(r.Context(), s.base(r)+callbackPath, s.ownPath(form.Then))
	if err != nil {
		s.refuseLogin(w, err)
		return
	}
	s.keep(w, r, attemptCookie, cookie, provider.Life)
	sendPrivate(w, beginAnswer{address})
}

// finishLogin is where the provider sends the browser back. It always answers with a page.
func (s *shared) finishLogin(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	player, person, err := s.finished(w, r)
	if err == nil && player == "" {
		s.keep(w, r, personCookie, s.Provider.Seal(person), provider.Life)
		s.redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	if err == nil {
		err = s.logInAs(w, r, player)
	}
	if err != nil {
		s.redirect(w, r, "/login?problem="+problem(err), http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, s.ownPath(person.Then), http.StatusSeeOther)
}

// finished returns whom the provider has let in, and the player; empty: there is none yet.
func (s *shared) finished(w http.ResponseWriter, r *http.Request) (player string, person provider.Person, err error) {
	if s.Provider == nil || s.Logins == nil {
		return "", person, errNoProvider
	}
	cookie := cookieOf(r, attemptCookie.Name)
	s.keep(w, r, attemptCookie, "", 0) // it is used once
	if person, err = s.Provider.Finish(r.Context(), cookie, r.URL.Query()); err == nil {
		player, err = s.Logins.OfIdentity(r.Context(), person.Identity)
	}
	return player, person, err
}

// problems are the words for errors in the address of the login page, which has their texts.
var problems = map[error]string{
	errNoProvider:           "none",
	provider.ErrAttempt:     "attempt",
	provider.ErrDenied:      "denied",
	provider.ErrAnswer:      "answer",
	provider.ErrUnavailable: "provider",
	players.ErrRemoved:      "removed",
	players.ErrNoPlayer:     "removed",
	players.ErrFull:         "full",
}

func problem(err error) string {
	for e, word := range problems {
		if errors.Is(err, e) {
			return word
		}
	}
	return "host"
}

// pendingLogin describes the person of this browser who has no player yet.
func (s *shared) pendingLogin(w http.ResponseWriter, r *http.Request) {
	answer := pendingAnswer{Registration: players.Closed, Then: s.at("/")}
	if s.Players != nil {
		answer.Registration = s.Players.Registration()
	}
	if s.Provider != nil {
		if person, ok := s.Provider.Open(cookieOf(r, personCookie.Name)); ok {
			answer.Pending, answer.Suggestion, answer.Then = true, suggestion(person.Name), s.ownPath(person.Then)
		}
	}
	sendPrivate(w, answer)
}

// choosePlayer gives the person of this browser a new player, or the one that is logged in,
// and logs in.
func (s *shared) choosePlayer(w http.ResponseWriter, r *http.Request) {
	var form playerForm
	if !read(w, r, &form) {
		return
	}
	if s.Provider == nil || s.Logins == nil {
		refuse(w, http.StatusNotFound, errNoProvider.Error())
		return
	}
	person, ok := s.Provider.Open(cookieOf(r, personCookie.Name))
	if !ok {
		s.refuseLogin(w, provider.ErrAttempt)
		return
	}
	player, err := s.playerFor(r, person.Identity, form)
	if err == nil {
		err = s.logInAs(w, r, player)
	}
	if err != nil {
		s.refuseLogin(w, err)
		return
	}
	s.keep(w, r, personCookie, "", 0)
	s.sendAccount(w, accountAnswer{Player: player})
}

func (s *shared) playerFor(r *http.Request, id players.Identity, form playerForm) (player string, err error) {
	if form.Link {
		player, err = s.authenticate(r, cookieOf(r, players.Cookie), players.All)
		if err == nil {
			err = s.Logins.LinkIdentity(r.Context(), player, id)
		}
		return player, err
	}
	address, _ := s.Readers.Client(r)
	return form.Name, s.Logins.RegisterIdentity(r.Context(), address, form.Name, form.Invite, id)
}

// logInAs logs a player in on this browser.
func (s *shared) logInAs(w http.ResponseWriter, r *http.Request, player string) error {
	token, err := s.Logins.LogIn(r.Context(), player)
	if err == nil {
		s.keep(w, r, tokenCookie, token, players.BrowserLife)
	}
	return err
}

// refuseLogin answers with an error of a login.
func (s *shared) refuseLogin(w http.ResponseWriter, err error) {
	for refusal, status := range map[error]int{
		provider.ErrUnavailable: http.StatusServiceUnavailable, provider.ErrAttempt: http.StatusForbidden,
		players.ErrOIDC: http.StatusForbidden, players.ErrRemoved: http.StatusForbidden, players.ErrNoPlayer: http.StatusForbidden,
		players.ErrIdentity: http.StatusConflict, players.ErrFull: http.StatusConflict,
		players.ErrCode: http.StatusNotFound, players.ErrDevices: http.StatusTooManyRequests,
	} {
		if errors.Is(err, refusal) {
			refuse(w, status, refusal.Error())
			return
		}
	}
	s.refusePlayer(w, err)
}

// base returns the address of this host in the browser, with the prefix.
func (s *shared) base(r *http.Request) string {
	if s.Address != "" {
		return s.Address + s.Prefix
	}
	u := url.URL{Scheme: "http", Host: r.Host}
	if _, encrypted := s.Readers.Client(r); encrypted {
		u.Scheme = "https"
	}
	return u.String() + s.Prefix
}

// ownPath returns the path of a page of this host as browsers use it, or that of the first
// page. Browsers read "//x" and "/\x" as addresses of other hosts.
func (s *shared) ownPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || len(path) > maxThen || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, s.at("/")) || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return s.at("/")
	}
	return path
}

// suggestion returns the name of a player like that of a person at the provider, or "".
func suggestion(name string) string {
	name, _, _ = strings.Cut(name, "@")
	name = strings.Map(func(r rune) rune {
		switch {
		case players.ValidName("a" + string(r)):
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, name)
	name = strings.TrimLeft(name[:min(len(name), 16)], "._-")
	if !players.ValidName(name) {
		return ""
	}
	return name
}

// cookieOf returns the value of a cookie, or "".
func cookieOf(r *http.Request, name string) string {
	if c, err := r.Cookie(name); err == nil {
		return c.Value
	}
	return ""
}

// keep stores a cookie in the browser, or removes it if its value is empty. Scripts cannot
// read it.
func (s *shared) keep(w http.ResponseWriter, r *http.Request, c http.Cookie, value string, life time.Duration) {
	_, c.Secure = s.Readers.Client(r)
	c.Path, c.HttpOnly, c.Value, c.MaxAge = s.at(c.Path), true, value, int(life.Seconds())
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, &c)
}
