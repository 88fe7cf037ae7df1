package site

import (
	"net/http"

	"colosseum/host/internal/clients/rendered"
)

// lobbyPages answers requests for the lists of the lobby and of the players that serve.
type lobbyPages struct {
	*shared
	matches rendered.Cache[uint64, *document]
	players rendered.Cache[uint64, *document]
}

func (s *lobbyPages) listLobby(w http.ResponseWriter, r *http.Request) {
	d, _ := s.matches.Get(s.Lobby.Generation, func() (*document, error) { // cannot fail
		return newDocument("application/json", encode(lobbyAnswer{s.Lobby.List()})), nil
	})
	s.send(w, r, d)
}

func (s *lobbyPages) listServing(w http.ResponseWriter, r *http.Request) {
	d, _ := s.players.Get(s.Serving.Generation, func() (*document, error) { // cannot fail
		a := servingAnswer{Players: []servingPlayer{}}
		for _, p := range s.Serving.List() {
			a.Players = append(a.Players, servingPlayer(p))
		}
		return newDocument("application/json", encode(a)), nil
	})
	s.send(w, r, d)
}
