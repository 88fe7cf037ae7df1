package site

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"colosseum/host/internal/clients/markdown"
	"colosseum/host/internal/clients/rendered"
	"colosseum/host/internal/games/catalog"
	"colosseum/sdk/driver"
)

// gamePages answers requests for games.
type gamePages struct {
	*shared
	rules rendered.Cache[gamesKey, *gameDocuments]
}

// gamePage sends the page of a game.
func (s *gamePages) gamePage(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		s.sendMissing(w, r, "game.html")
		return
	}
	p := preview{Title: s.gameTitle(o.Name), Game: o.Name, Reads: []string{"/api/games/" + o.Name}, Plain: true}
	if about := s.gameDocuments().about[o.Name]; about != nil {
		p.About = about()
	}
	s.sendPreviewed(w, r, "game.html", p)
}

// botPage sends the page on which a person writes a bot for a game.
func (s *gamePages) botPage(w http.ResponseWriter, r *http.Request) {
	if s.find(r.PathValue("name")) == nil {
		s.missing(w, r)
		return
	}
	s.documents()["bot.html"].send(w, r)
}

func (s *gamePages) listGames(w http.ResponseWriter, r *http.Request) {
	s.send(w, r, s.gameDocuments().list())
}

func (s *gamePages) oneGame(w http.ResponseWriter, r *http.Request) {
	game := s.gameDocuments().each[r.PathValue("name")]
	if game == nil {
		refuse(w, http.StatusNotFound, "there is no such game")
		return
	}
	s.send(w, r, game())
}

// gamesKey identifies a state of the games and their files.
type gamesKey struct {
	generation uint64
	files      string // see gamefiles.Files.State
	programs   string // the games for which programs can be handed in
}

// gameDocuments are rendered on the first request.
type gameDocuments struct {
	list  func() *document
	each  map[string]func() *document
	about map[string]func() string // summaries
}

func (s *gamePages) gameDocuments() *gameDocuments {
	key := func() gamesKey {
		k := gamesKey{generation: s.Games.Generation()} // first, so that a later change is noticed next time
		k.files = s.files.State(s.Games.List())
		if s.Submissions != nil {
			k.programs = strings.Join(s.Submissions.Games(), " ")
		}
		return k
	}
	d, _ := s.rules.Get(key, func() (*gameDocuments, error) { // cannot fail
		offers := s.Games.List()
		d := &gameDocuments{each: map[string]func() *document{}, about: map[string]func() string{}}
		d.list = sync.OnceValue(func() *document {
			a := gamesAnswer{Games: []gameAnswer{}}
			for _, o := range offers {
				a.Games = append(a.Games, s.describeGame(o))
			}
			return newDocument("application/json", encode(a))
		})
		for _, o := range offers {
			d.about[o.Name] = sync.OnceValue(func() string { return markdown.Summary(o.Rules) })
			d.each[o.Name] = sync.OnceValue(func() *document {
				a := s.describeGame(o)
				a.Description, a.HTML = o.Rules, prefixed(s.Prefix, markdown.Render(o.Rules))
				for _, p := range s.files.Players(o) {
					a.Players = append(a.Players, exampleAnswer(p))
				}
				return newDocument("application/json", encode(a))
			})
		}
		return d, nil
	})
	return d
}

func (s *gamePages) describeGame(o *catalog.Offer) gameAnswer {
	a := gameAnswer{
		Viewer: s.atIf(s.viewerAddress(o)), Watched: s.Watched, Picture: s.atIf(s.pictureAddress(o)),
		Name: o.Name, Title: o.Title, Plugin: o.Plugin, Version: o.Version, Unavailable: o.Unavailable, Preparing: o.Preparing, MinPlayers: o.MinPlayers, MaxPlayers: o.MaxPlayers,
		MaxBots: o.MaxBots, Timeout: o.Timeout, Delay: o.Delay, Judged: o.Judged, Params: []paramAnswer{}, Fixed: o.Fixed(),
	}
	if a.Fixed == nil {
		a.Fixed = map[string]string{}
	}
	if o.Version != "" { // else its description says that it is being loaded
		a.Summary = markdown.Summary(o.Rules)
	}
	a.Submissions = s.Submissions != nil && slices.Contains(s.Submissions.Games(), o.Name)
	for _, p := range o.Params {
		param := paramAnswer{Name: p.Name, Description: p.Description, Default: p.Default}
		switch p.Kind {
		case driver.KindInt, driver.KindFloat:
			param.Kind, param.Min, param.Max = "int", &p.Min, &p.Max
			if p.Kind == driver.KindFloat {
				param.Kind = "float"
			}
		case driver.KindText:
			param.Kind, param.Max = "text", &p.Max
		default:
			param.Kind, param.Choices = "choice", p.Choices
		}
		a.Params = append(a.Params, param)
	}
	return a
}
