package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// gameTitle returns the title of a game, or its name if there is none.
func (s *shared) gameTitle(name string) string {
	if o := s.find(name); o != nil && o.Title != "" {
		return o.Title
	}
	return name
}

// previewListed previews a match that waits or runs.
func (s *shared) previewListed(m protocol.MatchInfo) preview {
	names := slices.Clone(m.Connected)
	for i := range m.Bots {
		level := m.Args[driver.BotParam]
		if i < len(m.Levels) {
			level = cmp.Or(m.Levels[i], level)
		}
		names = append(names, botName(level, i, m.Bots))
	}
	game := s.gameTitle(m.Game)
	if m.Running {
		return preview{Title: against(names) + " at " + game, About: "They are playing now: watch every move.", Game: m.Game}
	}
	free := m.Players - len(names)
	about := fmt.Sprintf("%d seats are free. Open the link to take one.", free)
	switch {
	case free == 1:
		about = "One seat is free. Open the link to take it."
	case free <= 0:
		about = "All seats are taken. Open the link to watch."
	}
	title := "A match of " + game + " waits for players"
	if len(names) > 0 {
		title = fmt.Sprintf("Play %s with %s", game, list(names))
	}
	return preview{Title: title, About: about, Game: m.Game}
}

// forfeits describe the ways in which a player can lose before a match is decided.
var forfeits = map[driver.Ended]string{
	driver.ForfeitIllegal: "broke the rules", driver.ForfeitTimeout: "answered too late", driver.ForfeitDisconnected: "left", driver.ForfeitResigned: "resigned",
}

// previewRecord previews a match that has ended.
func (s *shared) previewRecord(m *record.Match) preview {
	var best, others, all, faults []string
	bots, of := 0, 0
	for _, seat := range m.Seats {
		if seat.Bot {
			of++
		}
	}
	for _, seat := range m.Seats {
		name := seat.Name
		if seat.Bot {
			name = botName(cmp.Or(seat.Level, m.Params[driver.BotParam]), bots, of)
			bots++
		}
		all = append(all, name)
		if seat.Rank == 1 {
			best = append(best, name)
		} else {
			others = append(others, name)
		}
		if fault, ok := forfeits[seat.Ended]; ok {
			faults = append(faults, name+" "+fault+".")
		}
	}
	at := " at " + s.gameTitle(m.Game)
	p := preview{Game: m.Game}
	drawn := protocol.Drawn(m.Seats, func(s record.Seat) (rank, team int) { return s.Rank, s.Team })
	switch {
	case m.State == record.Aborted:
		p.Title = against(all) + at + " (aborted)"
		faults = append(faults[:0], "The match was aborted.")
	case drawn && len(others) > 0:
		p.Title = list(best) + " shared the first place" + at
	case drawn:
		p.Title = list(best) + " drew" + at
	case len(others) == 0:
		p.Title = list(best) + at
	case len(best) > 0:
		p.Title = list(best) + " beat " + list(others) + at
	default:
		p.Title = against(all) + at
	}
	if m.Reason != "" {
		faults = append(faults, m.Reason+".")
	}
	p.About = strings.TrimSpace(strings.Join(append(faults, m.Ended.UTC().Format("2 January 2006")+"."), " ") + " Watch every move.")
	return p
}

// previewContest previews a contest.
func (s *shared) previewContest(c contest.Summary) preview {
	title := c.Title
	if title == "" {
		title = c.Name
	}
	entrants := "One entrant"
	if c.Count != 1 {
		entrants = fmt.Sprint(c.Count, " entrants")
	}
	about := fmt.Sprintf("A contest at %s. %s.", s.gameTitle(c.Game), entrants)
	if c.Game == "" {
		about = fmt.Sprintf("One table of several contests. %s.", entrants)
	}
	switch {
	case len(c.Leaders) > 0 && c.Ended.IsZero():
		about += " " + list(c.Leaders) + " in the lead."
	case len(c.Leaders) > 0:
		about += " Won by " + list(c.Leaders) + ", " + c.Ended.UTC().Format("2 January 2006") + "."
	case c.Open:
		about += " Any registered player can enter."
	case !c.Start.IsZero() && c.Started.IsZero():
		about += " It starts on " + c.Start.UTC().Format("2 January 2006, 15:04 ") + "UTC."
	}
	return preview{Title: title, About: about, Game: c.Game}
}

// previewPlayer previews a player.
func (s *shared) previewPlayer(p *contest.Profile) preview {
	about := "A player of this host."
	if p.Bot {
		about = "A bot of this host."
	}
	v := preview{Title: p.Name}
	var rated []string
	for _, g := range p.Games {
		if v.Game == "" {
			v.Game = g.Game
		}
		rated = append(rated, fmt.Sprintf("%s %.0f", s.gameTitle(g.Game), g.Rating))
	}
	if len(rated) > 0 {
		about = "Ratings: " + strings.Join(rated[:min(len(rated), maxListed)], ", ") + "."
	}
	v.About = about
	return v
}

// botName returns the name for people of one of several bots of the server, with a level, as
// names.js does.
func botName(level string, i, of int) string {
	name := "Bot"
	switch level {
	case "newcomer", "beginner", "easy", "medium", "strong", "random":
		name = strings.ToUpper(level[:1]) + level[1:] + " bot"
	}
	if of > 1 {
		name = fmt.Sprint(name, " ", i+1)
	}
	return name
}

// against joins the names of the players of a match.
func against(names []string) string {
	if len(names) == 2 {
		return names[0] + " against " + names[1]
	}
	return list(names)
}

// maxListed is how many names a title has.
const maxListed = 4

// list joins names.
func list(names []string) string {
	if n := len(names) - maxListed; n > 1 {
		names = append(slices.Clone(names[:maxListed]), fmt.Sprint(n, " others"))
	}
	switch n := len(names); n {
	case 0:
		return "Nobody"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
