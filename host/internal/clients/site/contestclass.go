package site

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/play/serving"
)

// tryAnswer is the answer to the beginning of a try.
type tryAnswer struct {
	Contest string `json:"contest"`
	Player  string `json:"player"`
}

// try begins a try of the client's player to reach a pass mark.
func (s *contestPages) try(w http.ResponseWriter, r *http.Request) {
	if !read(w, r, &struct{}{}) {
		return
	}
	s.changeContest(w, r, func(ctx context.Context, name, player string) error {
		return s.Contests.Try(ctx, name, player, func(game string) bool { return s.serves(player, game) })
	}, func(name, player string) any { return tryAnswer{name, player} })
}

// serves reports whether a player serves a game, on any host.
func (s *contestPages) serves(player, game string) bool {
	return slices.ContainsFunc(s.Serving.List(), func(p serving.Player) bool {
		return strings.EqualFold(p.Name, player) && p.Concurrency > 0 && slices.Contains(p.Games, game)
	})
}

// classAnswer is what only organizers see of the players of a contest.
type classAnswer struct {
	Contest string        `json:"contest"`
	Pupils  []pupilAnswer `json:"pupils"` // in the order of the standings; none for those of whom nothing is known
}

type pupilAnswer struct {
	Name     string `json:"name"`
	RealName string `json:"real_name"`
	Class    string `json:"class"`
}

func (s *contestPages) class(w http.ResponseWriter, r *http.Request) {
	s.private(w, r, func(view *contest.View, pupils map[string]contest.Pupil) {
		a := classAnswer{view.Name, []pupilAnswer{}}
		for _, p := range view.Pupils(pupils) {
			a.Pupils = append(a.Pupils, pupilAnswer{p.Name, p.RealName, p.Class})
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(encode(a)) // fails if the client has gone
	})
}

func (s *contestPages) classCSV(w http.ResponseWriter, r *http.Request) {
	s.private(w, r, func(view *contest.View, pupils map[string]contest.Pupil) {
		w.Header().Set("Content-Type", csvType)
		w.Header().Set("Content-Disposition", `attachment; filename="`+view.Name+`-class.csv"`)
		_, _ = w.Write(view.PrivateCSV(pupils)) // fails if the client has gone
	})
}

// private answers a client whose player runs the contest with what only organizers see. No
// cache keeps it.
func (s *contestPages) private(w http.ResponseWriter, r *http.Request, send func(view *contest.View, pupils map[string]contest.Pupil)) {
	player, err := s.authenticate(r, token(r), players.All)
	if err != nil {
		s.refusePlayer(w, err)
		return
	}
	view, pupils, err := s.pupils(r.Context(), r.PathValue("name"), player)
	switch {
	case errors.Is(err, errNoOrganizer):
		refuse(w, http.StatusForbidden, err.Error())
	case errors.Is(err, players.ErrUnavailable):
		s.refusePlayer(w, err)
	case err != nil:
		s.fail(w, r, err)
	default:
		w.Header().Set("Cache-Control", "no-store")
		send(view, pupils)
	}
}

var errNoOrganizer = errors.New("only those who run the contest see real names and classes: its operator names them with host contest organizer")

// pupils returns a contest and what only organizers see, if the player is one.
func (s *contestPages) pupils(ctx context.Context, name, player string) (*contest.View, map[string]contest.Pupil, error) {
	organizes, err := s.Contests.Organizes(ctx, name, player)
	if err != nil {
		return nil, nil, err
	}
	if !organizes {
		return nil, nil, errNoOrganizer
	}
	view, err := s.Contests.View(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	known, err := s.Players.Pupils(ctx)
	if err != nil {
		return nil, nil, err
	}
	pupils := make(map[string]contest.Pupil, len(known))
	for name, p := range known {
		pupils[name] = contest.Pupil(p)
	}
	return view, pupils, nil
}
