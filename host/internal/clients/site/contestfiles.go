package site

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"colosseum/host/internal/contests/contest"
)

// The files of contests, for spreadsheets (CSV, RFC 4180) and programs (NDJSON).

const csvType = "text/csv; charset=utf-8"

func (s *contestPages) standingsCSV(w http.ResponseWriter, r *http.Request) {
	s.sendTable(w, r, func(ctx context.Context) (name string, table []byte, err error) {
		view, err := s.Contests.View(ctx, r.PathValue("name"))
		if err != nil {
			return "", nil, err
		}
		return view.Name + "-standings.csv", view.CSV(), nil
	})
}

func (s *contestPages) ratingsCSV(w http.ResponseWriter, r *http.Request) {
	s.sendTable(w, r, func(ctx context.Context) (name string, table []byte, err error) {
		list, err := s.standings(ctx, r.PathValue("game"))
		if err != nil {
			return "", nil, err
		}
		rows := [][]string{{"rank", "name", "bot", "rating", "low", "high", "played", "wins", "draws", "losses"}}
		for _, e := range list {
			row := []string{strconv.Itoa(e.Rank), contest.CSVText(e.Name), strconv.FormatBool(e.Bot), contest.CSVNumber(e.Rating), contest.CSVNumber(e.Low), contest.CSVNumber(e.High)}
			rows = append(rows, append(row, contest.CSVIntegers(e.Played, e.Wins, e.Draws, e.Losses)...))
		}
		return "ratings.csv", contest.EncodeCSV(rows), nil
	})
}

// sendTable sends a table that is short enough to be sent at once.
func (s *contestPages) sendTable(w http.ResponseWriter, r *http.Request, table func(ctx context.Context) (name string, text []byte, err error)) {
	s.work(w, r, func(ctx context.Context) func() {
		name, text, err := table(ctx)
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		s.Readers.Charge(r, len(text))
		send := prepareDocument(w, r, newDocument(csvType, text))
		return func() {
			w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
			send()
		}
	})
}

func (s *contestPages) matchesCSV(w http.ResponseWriter, r *http.Request) {
	teams := false   // a match was one between teams: only then there are columns for them
	rulings := false // an organizer has decided about a match: only then there is a column for that
	s.exportContest(w, r, csvType, "-matches.csv", func(view *contest.View) []byte {
		head := []string{"round", "bracket", "slot", "replay", "pairing", "leg", "id", "state", "ended"}
		for i := range view.PerMatch {
			head = append(head, fmt.Sprint("name", i+1), fmt.Sprint("points", i+1), fmt.Sprint("rank", i+1), fmt.Sprint("outcome", i+1))
		}
		teams = slices.ContainsFunc(view.Matches, func(m contest.MatchView) bool { return m.Teams != nil })
		if teams {
			for i := range view.PerMatch {
				head = append(head, fmt.Sprint("team", i+1))
			}
		}
		if view.Teams != nil {
			head = append(head, "board", "player1", "player2")
		}
		rulings = slices.ContainsFunc(view.Matches, func(m contest.MatchView) bool { return m.Ruling != nil })
		if rulings {
			head = append(head, "ruling")
		}
		return contest.EncodeCSV([][]string{head})
	}, func(part *bytes.Buffer, view *contest.View, m *contest.MatchView) {
		row := slices.Concat(contest.CSVIntegers(m.Round), []string{contest.CSVText(string(m.Bracket))}, contest.CSVIntegers(m.Slot, m.Replay, m.Pairing, m.Leg), []string{contest.CSVText(m.ID), m.State, ""})
		if !m.Ended.IsZero() {
			row[len(row)-1] = m.Ended.UTC().Format(time.RFC3339Nano)
		}
		for i, name := range m.Seats {
			seat := []string{contest.CSVText(name), "", "", ""}
			if i < len(m.Points) {
				seat[1] = contest.CSVNumber(m.Points[i])
			}
			if i < len(m.Ranks) {
				seat[2] = strconv.Itoa(m.Ranks[i])
			}
			switch {
			case i < len(m.Outcome):
				seat[3] = contest.CSVText(m.Outcome[i])
			case slices.Contains(m.Absent, name):
				seat[3] = "absent"
			}
			row = append(row, seat...)
		}
		if missing := view.PerMatch - len(m.Seats); missing > 0 { // a bye
			row = append(row, make([]string, 4*missing)...)
		}
		if teams {
			row = append(row, contest.CSVIntegers(m.Teams...)...)
			row = append(row, make([]string, view.PerMatch-len(m.Teams))...)
		}
		if view.Teams != nil {
			players := []string{"", "", ""} // of a bye
			for i, p := range m.Players {
				players[0], players[i+1] = strconv.Itoa(m.Board), contest.CSVText(p)
			}
			row = append(row, players...)
		}
		switch {
		case m.Ruling != nil:
			row = append(row, string(m.Ruling.Action))
		case rulings:
			row = append(row, "")
		}
		part.Write(contest.EncodeCSV([][]string{row}))
	})
}

func (s *contestPages) matchesNDJSON(w http.ResponseWriter, r *http.Request) {
	s.exportContest(w, r, "application/x-ndjson", "-matches.ndjson", func(*contest.View) []byte { return nil }, func(part *bytes.Buffer, _ *contest.View, m *contest.MatchView) {
		_ = json.NewEncoder(part).Encode(m) // it holds nothing that JSON cannot express
	})
}

// exportContest sends all matches of a contest in a file, as they were when it began.
func (s *contestPages) exportContest(w http.ResponseWriter, r *http.Request, kind, suffix string, head func(view *contest.View) []byte, line func(part *bytes.Buffer, view *contest.View, m *contest.MatchView)) {
	view, err := s.Contests.View(r.Context(), r.PathValue("name"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	sent := -1 // the head is next
	s.exports.send(w, r, kind, view.Name+suffix, func(context.Context) ([]byte, bool, error) {
		var part bytes.Buffer
		if sent < 0 {
			sent = 0
			part.Write(head(view))
		}
		for ; sent < len(view.Matches) && part.Len() < exportPart; sent++ {
			line(&part, view, &view.Matches[sent])
			if sent%100 == 0 {
				runtime.Gosched() // running matches come first
			}
		}
		return part.Bytes(), sent == len(view.Matches), nil
	})
}
