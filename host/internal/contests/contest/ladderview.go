package contest

import (
	"strings"
	"time"

	"colosseum/host/internal/records/store"
)

// Rank fills in the standings of a ladder, and its matches, from the ratings of its game.
func (v *View) Rank(ratings *Ratings, now time.Time) {
	v.Standings, v.Done = ladderRows(v.Standings, ratings.Standings(now))
	v.addLatest(ratings.Latest(v.Name))
	v.lead()
	v.Done /= max(1, v.PerMatch)
	v.All = v.Done
}

// addLatest puts the last matches that have ended before those that are being played.
func (v *View) addLatest(list []store.Result) {
	running, ended := v.Matches, map[string]bool{}
	v.Matches = make([]MatchView, 0, len(list)+len(running))
	for _, x := range list {
		v.Matches = append(v.Matches, v.ladderMatch(x))
		ended[x.Match] = true
	}
	for _, m := range running { // one can have ended since they were listed
		if !ended[m.ID] {
			v.Matches = append(v.Matches, m)
		}
	}
}

// ladderMatch returns a match of a ladder.
func (v *View) ladderMatch(x store.Result) MatchView {
	m := MatchView{ID: x.Match, Round: 1, Slot: 1, Pairing: x.Pairing + 1, Leg: x.Leg + 1, State: string(Played), Seats: []string{}, Ended: x.Ended}
	var entries []int
	for _, seat := range x.Seats {
		name := ""
		if seat.Entry < len(v.Entries) {
			name = v.Entries[seat.Entry].Name
		}
		entries, m.Seats = append(entries, seat.Entry), append(m.Seats, name)
		m.Ranks, m.Outcome = append(m.Ranks, seat.Rank), append(m.Outcome, string(seat.Ended))
	}
	m.Versions, m.Teams = versionsOf(&x), teamsOf(&x)
	l := Leg{Outcome: Outcome{State: Played, Result: &x}}
	m.Points = l.Points(entries)
	return m
}

// ladderRows returns the standings of a ladder: the ratings of its entries, which keep
// their order if they have none. Played is the number of their matches, with those of
// earlier versions.
func ladderRows(entries []Row, ratings []Standing) (rows []Row, played int) {
	of := map[string]Row{}
	for _, r := range entries {
		of[strings.ToLower(r.Name)] = r
	}
	rows = []Row{}
	for _, s := range ratings {
		r, ok := of[strings.ToLower(s.Name)]
		if !ok {
			continue
		}
		delete(of, strings.ToLower(s.Name))
		played += s.all
		r.Rank, r.Version, r.Rating, r.Low, r.High = len(rows)+1, s.Version, s.Rating, s.Low, s.High
		r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits = s.Played, s.Wins, s.Draws, s.Losses, s.Forfeits
		r.Points = float64(s.Wins) + float64(s.Draws)/2
		rows = append(rows, r)
	}
	for _, r := range entries {
		if _, ok := of[strings.ToLower(r.Name)]; ok {
			rows = append(rows, r)
		}
	}
	return rows, played
}
