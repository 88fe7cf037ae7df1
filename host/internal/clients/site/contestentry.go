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
	Team    string `json:"team,omitempty"`
}

// enter enters the client's player, or a team of which it is the captain or a member.
func (s *contestPages) enter(w http.ResponseWriter, r *http.Request) {
	var form struct {
		Team    string   `json:"team"`
		Players []string `json:"players"`
	}
	if !read(w, r, &form) {
		return
	}
	f := s.Contests.Enter
	switch {
	case form.Team != "":
		f = func(ctx context.Context, name, player string) error {
			return s.Contests.EnterTeam(ctx, name, player, form.Team, form.Players)
		}
	case form.Players != nil:
		refuse(w, http.StatusBadRequest, "the players of a team need its name in the field team")
		return
	}
	s.changeEntry(w, r, entryAnswer{Entered: true, Team: form.Team}, f)
}

func (s *contestPages) withdraw(w http.ResponseWriter, r *http.Request) {
	if read(w, r, &struct{}{}) {
		s.changeEntry(w, r, entryAnswer{}, s.Contests.Withdraw)
	}
}

// lineUp changes the players of a team.
func (s *contestPages) lineUp(w http.ResponseWriter, r *http.Request) {
	var form struct {
		Team    string   `json:"team"`
		Players []string `json:"players"`
	}
	if !read(w, r, &form) {
		return
	}
	s.changeEntry(w, r, entryAnswer{Entered: true, Team: form.Team}, func(ctx context.Context, name, player string) error {
		if organizes, err := s.Contests.Organizes(ctx, name, player); err != nil {
			return err
		} else if organizes { // a token that is only for playing does not organize
			if _, err := s.authenticate(r, token(r), players.All); err != nil {
				return err
			}
		}
		return s.Contests.LineUp(ctx, name, player, form.Team, form.Players)
	})
}

// changeEntry does what the client's player asks for, and sends the answer.
func (s *contestPages) changeEntry(w http.ResponseWriter, r *http.Request, answer entryAnswer, f func(ctx context.Context, name, player string) error) {
	s.changeContest(w, r, f, func(name, player string) any {
		answer.Contest, answer.Player = name, player
		return answer
	})
}

// changeContest does something for the client's player in a contest.
func (s *contestPages) changeContest(w http.ResponseWriter, r *http.Request, f func(ctx context.Context, name, player string) error, answer func(name, player string) any) {
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
		sendPrivate(w, answer(name, player))
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
