package server

import (
	"context"
	"encoding/json"
	"net/http"

	"colosseum/internal/locale"
)

// Teams describes the teams of a contest.
type Teams struct {
	Size     int    `json:"size"` // boards
	Reserves int    `json:"reserves"`
	Points   string `json:"points"` // boards or match: what ranks the teams
}

// Team is an entry that consists of players.
type Team struct {
	Captain string   `json:"captain"` // empty: the organizer leads it
	Players []string `json:"players"` // in the order of the boards, and then the reserves
	Invited []string `json:"invited"` // those of Players that have not accepted yet
}

// Board is a player of a team in the standings.
type Board struct {
	Player string  `json:"player"`
	Board  int     `json:"board"` // from 1; 0: a reserve
	Points float64 `json:"points"`
	Played int     `json:"played"`
	Wins   int     `json:"wins"`
	Draws  int     `json:"draws"`
	Losses int     `json:"losses"`
	Rating float64 `json:"rating"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// EnterTeam enters a team, of which the player of the token is the captain and the others are
// invited, or accepts the invitation of a team. It is no error if that has been done.
func (a *API) EnterTeam(ctx context.Context, name, team string, others []string) error {
	return a.team(ctx, name, "/entry", team, others, locale.Errorf("cannot enter the contest %s", name))
}

// LineUp changes the players of a team, or the order of its boards.
func (a *API) LineUp(ctx context.Context, name, team string, players []string) error {
	return a.team(ctx, name, "/lineup", team, players, locale.Errorf("cannot change the team %s", team))
}

func (a *API) team(ctx context.Context, name, part, team string, players []string, what error) error {
	body, err := json.Marshal(struct {
		Team    string   `json:"team"`
		Players []string `json:"players,omitempty"`
	}{team, players})
	if err != nil {
		return err
	}
	_, err = a.send(ctx, http.MethodPost, name, part, "", body, what)
	return err
}
