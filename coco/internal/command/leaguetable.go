package command

import (
	"strconv"
	"strings"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

// divisionRows is standingRows for a league.
func divisionRows(l *locale.Language, c *server.Contest) [][]string {
	rows := [][]string{append(headings(l, "Division", "Rank", "Name", "Rating"), append([]string{"95 %"}, headings(l, "Goes", "Played", "Won", "Drawn", "Lost")...)...)}
	for i, s := range c.Standings {
		division, name, rank, goes := s.Division, s.Name, "", ""
		if i > 0 && division == c.Standings[i-1].Division {
			division = ""
		}
		if s.Withdrawn {
			name = l.Sprintf("%s (withdrawn)", name)
		}
		if s.Rank > 0 {
			rank = strconv.Itoa(s.Rank)
		}
		switch {
		case s.Move > 0:
			goes = l.Sprintf("up")
		case s.Move < 0:
			goes = l.Sprintf("down")
		}
		rating, interval := ratingOf(l, &s)
		rows = append(rows, []string{division, rank, name, rating, interval, goes, strconv.Itoa(s.Played), strconv.Itoa(s.Wins), strconv.Itoa(s.Draws), strconv.Itoa(s.Losses)})
	}
	return rows
}

// movedText returns who has moved at the last date of a league.
func movedText(l *locale.Language, s *server.Season) string {
	last := s.Dates[len(s.Dates)-1]
	list := []string{}
	for _, m := range last.Moves {
		list = append(list, l.Sprintf("%s from %s to %s", m.Name, m.From, m.To))
	}
	if len(list) == 0 {
		list = append(list, l.Sprintf("nobody"))
	}
	return minute(last.At) + ": " + strings.Join(list, ", ")
}

// cupRows is standingRows for a cup.
func cupRows(l *locale.Language, c *server.Contest) [][]string {
	head := headings(l, "Rank", "Name", "Points")
	for _, p := range c.Cup {
		head = append(head, cutCell(p.Title))
	}
	rows := [][]string{head}
	for _, s := range c.Standings {
		row := []string{strconv.Itoa(s.Rank), s.Name, points(s.Points)}
		for i := range c.Cup {
			part := "–"
			if i < len(s.Parts) && s.Parts[i] != nil {
				part = points(*s.Parts[i])
			}
			row = append(row, part)
		}
		rows = append(rows, row)
	}
	return rows
}
