package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/clients/markdown"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// The pages for browsers without JavaScript.

func (s *Site) plainLobby(w http.ResponseWriter, r *http.Request) {
	v := plainView{Title: "Colosseum", Live: "/"}
	for _, o := range s.Games.List() {
		v.Games = append(v.Games, plainGame{o.Name, s.gameTitle(o.Name), markdown.Summary(o.Rules)})
	}
	waiting := s.Lobby.List()
	for _, m := range waiting[:min(len(waiting), maxPlainRows)] {
		state := "waiting"
		if m.Running {
			state = "running"
		}
		v.Waiting = append(v.Waiting, plainMatch{m.ID, m.Name, m.Game, s.gameTitle(m.Game), strings.Join(m.Connected, ", "), state})
	}
	s.plainRecords(w, r, v, store.Query{Limit: 20})
}

func (s *Site) plainMatches(w http.ResponseWriter, r *http.Request) {
	q, err := query(r.URL.Query(), usualPage, maxPage)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.plainRecords(w, r, plainView{Title: cmp.Or(s.gameTitle(q.Game), q.Player, "Colosseum"), Live: "/"}, q)
}

// plainRecords sends a plain page with the records of a query.
func (s *Site) plainRecords(w http.ResponseWriter, r *http.Request, v plainView, q store.Query) {
	s.work(w, r, func(ctx context.Context) func() {
		q.Others = s.otherNames(ctx, q.Player)
		list, next, err := s.Records.Select(ctx, q)
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		s.Readers.Charge(r, len(list)*recordBytes)
		for _, m := range list {
			result := strings.TrimSuffix(s.previewRecord(m).Title, " at "+s.gameTitle(m.Game))
			v.Records = append(v.Records, plainRecord{m.ID, m.Name, m.Game, s.gameTitle(m.Game), result, m.Ended.UTC().Format(time.RFC3339), minute(m.Ended)})
		}
		if next != "" {
			more := url.Values{"after": {next}}
			for key, value := range map[string]string{"game": q.Game, "player": q.Player} {
				if value != "" {
					more.Set(key, value)
				}
			}
			v.Links = append(v.Links, plainLink{"/plain/matches?" + more.Encode(), "Show more"})
		}
		return s.preparePlain(w, r, v)
	})
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func (s *Site) plainMatch(w http.ResponseWriter, r *http.Request) {
	if info, ok := s.Lobby.Info(r.PathValue("id")); ok {
		v := plainView{Title: info.Name, About: s.previewListed(info).Title, Settings: settingsOf(info.Args)}
		for _, name := range info.Connected {
			v.Seats = append(v.Seats, plainSeat{Name: name, Player: info.Identities[name]})
		}
		v.Links = append(v.Links, plainLink{"/plain/games/" + url.PathEscape(info.Game), "Rules"})
		s.sendPlain(w, r, v)
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		m, err := s.Records.Get(ctx, r.PathValue("id"))
		if errors.Is(err, store.ErrNotFound) || err == nil && m.State == record.Running {
			return func() { s.missing(w, r) }
		}
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		p := s.previewRecord(m)
		v := plainView{Title: m.Name, About: p.Title + ". " + m.Ended.UTC().Format("2 January 2006") + ".", Settings: settingsOf(m.Params), Stream: m.ID}
		for _, seat := range m.Seats {
			v.Seats = append(v.Seats, plainSeat{seat.Name, seat.Player, fmt.Sprint(seat.Rank), number(seat.Score), string(seat.Ended)})
		}
		for i, a := range m.Answers[:min(len(m.Answers), maxPlainMoves)] {
			name := ""
			if a.Seat < len(m.Seats) {
				name = m.Seats[a.Seat].Name
			}
			v.Moves = append(v.Moves, plainMove{i + 1, name, strings.ToValidUTF8(a.Line, "\uFFFD"), string(a.Outcome), a.At.Round(100 * time.Millisecond).String()})
		}
		v.Links = append(v.Links, plainLink{"/plain/games/" + url.PathEscape(m.Game), "Rules"})
		return s.preparePlain(w, r, v)
	})
}

// settingsOf returns the values of parameters for people.
func settingsOf(params map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		list = append(list, name+" = "+params[name])
	}
	return list
}

func number(n float64) string {
	if math.IsInf(n, 0) || math.IsNaN(n) {
		return "–"
	}
	return strconv.FormatFloat(math.Round(n*1000)/1000, 'f', -1, 64)
}

func (s *Site) plainGame(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		s.missing(w, r)
		return
	}
	v := plainView{
		Title: s.gameTitle(o.Name),
		Rules: template.HTML(prefixed(s.Prefix, markdown.Render(o.Rules))), // which has no HTML of the game
		Links: []plainLink{{"/plain/matches?game=" + url.QueryEscape(o.Name), "Results"}},
	}
	if _, err := s.Contests.Ratings(r.Context(), o.Name); err == nil { // otherwise nobody is rated
		v.Links = append(v.Links, plainLink{"/plain/ladder/" + url.PathEscape(o.Name), "Ratings"})
	}
	s.sendPlain(w, r, v)
}

func (s *Site) plainContests(w http.ResponseWriter, r *http.Request) {
	list, err := s.Contests.List(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v := plainView{Title: "Colosseum"}
	for _, c := range list {
		v.Contests = append(v.Contests, plainContest{c.Name, cmp.Or(c.Title, c.Name), s.gameTitle(c.Game), string(c.Phase), fmt.Sprint(c.Count), strings.Join(c.Leaders, ", ")})
	}
	s.sendPlain(w, r, v)
}

func (s *Site) plainContest(w http.ResponseWriter, r *http.Request) {
	s.work(w, r, func(ctx context.Context) func() {
		c, err := s.Contests.View(ctx, r.PathValue("name"))
		if errors.Is(err, contest.ErrUnknown) {
			return func() { s.missing(w, r) }
		}
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		v := plainView{Title: cmp.Or(c.Title, c.Name), About: s.previewContest(c.Summary).About}
		for _, row := range c.Standings[:min(len(c.Standings), maxPlainRows)] {
			v.Standings = append(v.Standings, plainRow{row.Rank, row.Name, row.Division, number(row.Points), row.Played, row.Wins, row.Draws, row.Losses})
		}
		for _, m := range slices.Backward(c.Matches) {
			if m.ID != "" && m.State == "finished" && len(v.Records) < maxPlainRows {
				result := make([]string, 0, len(m.Points))
				for _, n := range m.Points {
					result = append(result, number(n))
				}
				v.Records = append(v.Records, plainRecord{m.ID, strings.Join(m.Seats, " – "), c.Game, s.gameTitle(c.Game), strings.Join(result, " – "), m.Ended.UTC().Format(time.RFC3339), minute(m.Ended)})
			}
		}
		v.Links = []plainLink{{"/api/contests/" + url.PathEscape(c.Name) + "/standings.csv", "Standings"}, {"/api/contests/" + url.PathEscape(c.Name) + "/matches.csv", "Matches"}}
		return s.preparePlain(w, r, v)
	})
}

func (s *Site) plainPlayer(w http.ResponseWriter, r *http.Request) {
	p, err := s.Contests.Player(r.Context(), r.PathValue("name"))
	if errors.Is(err, contest.ErrUnknown) {
		s.missing(w, r)
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v := plainView{Title: p.Name}
	for _, g := range p.Games {
		v.Ratings = append(v.Ratings, s.plainRating(g.Game, g.Standing))
	}
	for _, c := range p.Contests {
		v.Contests = append(v.Contests, plainContest{c.Contest, cmp.Or(c.Title, c.Contest), s.gameTitle(c.Game), string(c.Phase), fmt.Sprint(c.Count), fmt.Sprint(c.Rank)})
	}
	s.plainRecords(w, r, v, store.Query{Player: p.Name, Limit: usualPage})
}

func (s *Site) plainLadder(w http.ResponseWriter, r *http.Request) {
	game := r.PathValue("game")
	list, err := s.Contests.Ratings(r.Context(), game)
	if errors.Is(err, contest.ErrUnknown) {
		s.missing(w, r)
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v := plainView{Title: s.gameTitle(game)}
	for _, row := range list[:min(len(list), maxPlainRows)] {
		v.Ratings = append(v.Ratings, s.plainRating(game, row))
	}
	s.sendPlain(w, r, v)
}

func (s *shared) plainRating(game string, row contest.Standing) plainRating {
	rank := "–"
	if row.Rank > 0 {
		rank = fmt.Sprint(row.Rank)
	}
	return plainRating{rank, row.Name, game, s.gameTitle(game), fmt.Sprintf("%.0f", row.Rating), fmt.Sprintf("%.0f – %.0f", row.Low, row.High), fmt.Sprint(row.Played)}
}
