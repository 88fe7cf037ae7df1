package site

import (
	"errors"
	"net/http"
	"net/url"

	"colosseum/host/internal/contests/players"
)

// deviceForm is the request of a program that wants to log in (RFC 8628, with JSON).
type deviceForm struct {
	Client string `json:"client"` // what the program says about itself
}

type deviceAnswer struct {
	Device   string `json:"device_code"`
	User     string `json:"user_code"`
	Page     string `json:"verification_uri"`
	Whole    string `json:"verification_uri_complete"`
	Expires  int    `json:"expires_in"` // seconds
	Interval int    `json:"interval"`   // seconds
}

type pollForm struct {
	Device string `json:"device_code"`
}

type deviceToken struct {
	Player string `json:"player"`
	Token  string `json:"token"`
}

type codeForm struct {
	User string `json:"user_code"`
}

type askingAnswer struct {
	Client  string `json:"client"`
	Address string `json:"address"`
	Player  string `json:"player"` // as which it would play
}

type decisionForm struct {
	User  string `json:"user_code"`
	Allow bool   `json:"allow"`
}

type decisionAnswer struct {
	Player string `json:"player"`
	Allow  bool   `json:"allow"`
}

// askDevice begins the login of a program: a person lets it in on a page.
func (s *shared) askDevice(w http.ResponseWriter, r *http.Request) {
	var form deviceForm
	if !read(w, r, &form) {
		return
	}
	if s.Logins == nil {
		s.refusePlayer(w, players.ErrClosed)
		return
	}
	address, _ := s.Readers.Client(r)
	login, err := s.Logins.AskDevice(r.Context(), address, form.Client)
	if err != nil {
		s.refuseLogin(w, err)
		return
	}
	page := s.base(r) + "/device"
	sendPrivate(w, deviceAnswer{
		Device: login.Device, User: login.User, Page: page, Whole: page + "?code=" + url.QueryEscape(login.User),
		Expires: int(players.DeviceLife.Seconds()), Interval: int(players.DeviceInterval.Seconds()),
	})
}

// pollDevice answers a program that waits, with the errors of RFC 8628, 3.5.
func (s *shared) pollDevice(w http.ResponseWriter, r *http.Request) {
	var form pollForm
	if !read(w, r, &form) {
		return
	}
	if s.Logins == nil {
		s.refusePlayer(w, players.ErrClosed)
		return
	}
	player, token, err := s.Logins.PollDevice(r.Context(), form.Device)
	for _, e := range []error{players.ErrPending, players.ErrSlowDown, players.ErrDenied, players.ErrExpired} {
		if errors.Is(err, e) {
			refuse(w, http.StatusBadRequest, e.Error())
			return
		}
	}
	if err != nil {
		s.refuseLogin(w, err)
		return
	}
	sendPrivate(w, deviceToken{player, token})
}

// showDevice describes the program with a user code to the person.
func (s *shared) showDevice(w http.ResponseWriter, r *http.Request) {
	var form codeForm
	if !read(w, r, &form) {
		return
	}
	player, address, err := s.owner(r)
	var asking players.Asking
	if err == nil {
		asking, err = s.Logins.Asks(r.Context(), address, form.User)
	}
	if err != nil {
		s.refuseLogin(w, err)
		return
	}
	sendPrivate(w, askingAnswer{asking.Client, asking.Address, player})
}

// answerDevice lets the program with a user code in as the player of the person, or not.
func (s *shared) answerDevice(w http.ResponseWriter, r *http.Request) {
	var form decisionForm
	if !read(w, r, &form) {
		return
	}
	player, address, err := s.owner(r)
	if err == nil {
		as := ""
		if form.Allow {
			as = player
		}
		err = s.Logins.AnswerDevice(r.Context(), address, form.User, as)
	}
	if err != nil {
		s.refuseLogin(w, err)
		return
	}
	sendPrivate(w, decisionAnswer{player, form.Allow})
}

// owner returns the player of a request that can do everything, and its address. A program with
// a token for less cannot get itself one for more.
func (s *shared) owner(r *http.Request) (player, address string, err error) {
	if s.Logins == nil {
		return "", "", players.ErrToken
	}
	address, _ = s.Readers.Client(r)
	player, err = s.authenticate(r, token(r), players.All)
	return player, address, err
}
