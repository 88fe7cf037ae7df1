package site

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"colosseum/internal/locale"
)

// plainPage is what browsers without JavaScript show of all pages. Its texts contain names and
// lines that clients have chosen.
var plainPage = page{name: "plain.html", title: "{{.Title}} – Colosseum", styles: []string{"contest.css"}, bare: true}

// plainView is the content of a plain page; what is empty is not shown.
type plainView struct {
	Title, About, Live string
	Games              []plainGame
	Waiting            []plainMatch
	Rules              template.HTML
	Seats              []plainSeat
	Settings           []string
	Moves              []plainMove
	Stream             string // the ID of the match
	Contests           []plainContest
	Standings          []plainRow
	Ratings            []plainRating
	Records            []plainRecord
	Links              []plainLink
}

type (
	plainGame    struct{ Name, Title, Summary string }
	plainMatch   struct{ ID, Name, Game, GameTitle, Players, State string }
	plainSeat    struct{ Name, Player, Rank, Score, Ended string }
	plainContest struct{ Name, Title, Game, State, Count, First string }
	plainRating  struct{ Rank, Name, Game, GameTitle, Rating, Interval, Played string }
	plainRecord  struct{ ID, Name, Game, GameTitle, Result, Machine, Time string }
	plainLink    struct{ Address, Text string }
	plainMove    struct {
		Number                    int
		Player, Line, Outcome, At string
	}
	plainRow struct {
		Rank                        int
		Name, Division, Points      string
		Played, Wins, Draws, Losses int
	}
)

// Most of what a plain page shows; the rest is in the files that it links.
const (
	maxPlainMoves = 2000
	maxPlainRows  = 500
)

// plainWords are the texts of the pages for words of the API.
var plainWords = map[string]string{
	"forfeit: illegal": "illegal move", "forfeit: timeout": "out of time", "forfeit: disconnected": "left", "forfeit: resigned": "resigned",
	"open": "○ open", "running": "● running", "paused": "‖ paused", "ended": "■ ended", "waiting": "waiting for players", "timeout": "out of time", "disconnected": "left",
}

// plainTemplates returns the template of the plain page by language; "en" is English.
func plainTemplates(prefix, embed string) func(code string) *template.Template {
	parse := func(l *locale.Language) func() *template.Template {
		return sync.OnceValue(func() *template.Template {
			word := func(text string) string { return l.Page(cmp.Or(plainWords[text], text)) }
			return template.Must(template.New("").Funcs(template.FuncMap{"word": word}).Parse(string(plainPage.in(l, prefix, embed, plainPage.title, "").plain)))
		})
	}
	list := map[string]func() *template.Template{"en": parse(nil)}
	for _, l := range languages() {
		list[l.Code] = parse(l)
	}
	return func(code string) *template.Template { return list[code]() }
}

// sendPlain sends a plain page.
func (s *shared) sendPlain(w http.ResponseWriter, r *http.Request, v plainView) {
	s.preparePlain(w, r, v)()
}

func (s *shared) preparePlain(w http.ResponseWriter, r *http.Request, v plainView) (send func()) {
	for i := range v.Links {
		v.Links[i].Address = s.at(v.Links[i].Address)
	}
	v.Live = s.at(cmp.Or(v.Live, strings.TrimPrefix(r.URL.EscapedPath(), "/plain")))
	var text bytes.Buffer
	_ = s.plain(languageOf(r)).Execute(&text, v) // writing to a bytes.Buffer cannot fail
	d := newDocument("text/html; charset=utf-8", text.Bytes())
	d.languages = map[string]func() *document{} // it is in the client's language already
	s.Readers.Charge(r, text.Len())
	return prepareDocument(w, r, d)
}
