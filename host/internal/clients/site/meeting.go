package site

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/record"
)

// meeting is what a list of the matches of a player is filtered by in addition.
type meeting struct {
	opponent string // "" for all; a bot of the game has a name like bot:strong
	result   string // won, drawn or lost; "" for all
}

// takeMeeting removes these filters from those of a request.
func takeMeeting(v url.Values) (meeting, error) {
	m := meeting{v.Get("opponent"), v.Get("result")}
	v.Del("opponent")
	v.Del("result")
	if m != (meeting{}) && v.Get("player") == "" {
		return m, errors.New("opponent and result are filters of the matches of a player: add player")
	}
	if !slices.Contains([]string{"", "won", "drawn", "lost"}, m.result) {
		return m, errors.New("result: won, drawn or lost")
	}
	return m, nil
}

// is reports whether a match is one of a player against an opponent, with the result. Both have
// several names, if they have changed theirs.
func (m meeting) is(rec *record.Match, names, against []string) bool {
	own := slices.IndexFunc(rec.Seats, func(s record.Seat) bool { return !s.Bot && slices.Contains(names, s.Name) })
	if own < 0 {
		return false
	}
	met := m.opponent == ""
	best, shared := true, false
	for i, s := range rec.Seats {
		if i == own || s.Team > 0 && s.Team == rec.Seats[own].Team {
			continue
		}
		met = met || m.meets(rec, s, against)
		best = best && s.Rank >= rec.Seats[own].Rank
		shared = shared || s.Rank == rec.Seats[own].Rank
	}
	if !met || m.result == "" {
		return met
	}
	result := "lost"
	switch {
	case rec.State != record.Finished || len(rec.Seats) < 2:
		return false
	case best && shared:
		result = "drawn"
	case best:
		result = "won"
	}
	return m.result == result
}

func (m meeting) meets(rec *record.Match, s record.Seat, names []string) bool {
	if level, ok := strings.CutPrefix(m.opponent, contest.BotPrefix); ok {
		return s.Bot && (s.Level == level || s.Level == "" && rec.Params["bot"] == level)
	}
	return !s.Bot && slices.Contains(names, s.Name)
}
