package site

import (
	"errors"
	"net/http"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
)

// orderAnswer is the answer to an order of an organizer.
type orderAnswer struct {
	Contest string `json:"contest"`
	Action  string `json:"action"`
}

// organize does with a contest what one of its organizers wants.
func (s *contestPages) organize(w http.ResponseWriter, r *http.Request) {
	var order contest.Order
	if !read(w, r, &order) {
		return
	}
	player, err := s.authenticate(r, token(r), players.All)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	name := r.PathValue("name")
	switch err := s.Contests.Organize(r.Context(), name, player, order); {
	case errors.Is(err, contest.ErrUnknown):
		s.fail(w, r, err)
	case errors.Is(err, contest.ErrOrganizer):
		refuse(w, http.StatusForbidden, err.Error())
	case err != nil:
		refuse(w, http.StatusConflict, err.Error())
	default:
		sendPrivate(w, orderAnswer{name, order.Action})
	}
}
