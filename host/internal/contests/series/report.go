package series

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/internal/terminal"
)

// Report is a series of which all or some matches have been played.
type Report struct {
	Record    record.Match // as in Config
	Entrants  []Entrant
	Played    []Played
	Standings []Standing // of each entrant
	SPRT      *SPRT      // nil: there was no test
	Wall      bool       // as in Setup
}

// NewReport returns the report of the matches that were played.
func NewReport(c Config, played []Played) *Report {
	return &Report{Record: c.Record, Entrants: c.Entrants, Played: played, Standings: standings(len(c.Entrants), played), Wall: c.Wall}
}

// Aborted returns the number of matches that a fault of the game ended.
func (r *Report) Aborted() int {
	n := 0
	for _, p := range r.Played {
		if p.State != record.Finished {
			n++
		}
	}
	return n
}

// Table returns the results of the entrants, for people.
func (r *Report) Table() string {
	var rows [][]string
	counted := slices.ContainsFunc(r.Standings, func(s Standing) bool { return len(s.CPUFirst)+len(s.CPU) > 0 })
	order := make([]int, len(r.Standings))
	for i := range order {
		order[i] = i
	}
	if r.groups() > 1 { // else in the order of the command line
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Standings[b].Rate(), r.Standings[a].Rate()) })
	}
	for _, i := range order {
		s := r.Standings[i]
		low, high := s.Interval()
		row := []string{
			r.Entrants[i].shown(), strconv.Itoa(s.Matches), strconv.Itoa(s.Wins), strconv.Itoa(s.Draws), strconv.Itoa(s.Losses),
			number(s.Points), percent(s.Rate()), percent(low) + " – " + percent(high), forfeits(s.Forfeits),
		}
		if counted {
			row = append(row, milliseconds(s.CPUFirst, 1), milliseconds(s.CPU, 0.5), milliseconds(s.CPU, 0.99), milliseconds(s.CPU, 1))
		}
		rows = append(rows, append(row, milliseconds(s.First, 1), milliseconds(s.Used, 0.5), milliseconds(s.Used, 0.99), milliseconds(s.Used, 1)))
	}
	header := []string{"", "matches", "won", "drawn", "lost", "points", "win rate", "95 % interval", "forfeits"}
	if counted {
		header = append(header, "CPU ms first", "p50", "p99", "max")
	}
	return terminal.Table(append(header, "ms first", "p50", "p99", "max"), rows)
}

// Matches returns a list of the matches with their seeds, for people.
func (r *Report) Matches() string {
	var rows [][]string
	for _, p := range r.Played {
		var seats []string
		var winners []string
		for _, s := range p.Seats {
			name := r.Entrants[s.Entrant].shown()
			seats = append(seats, fmt.Sprintf("%s %s", name, number(s.Score)))
			if s.Rank == 1 && !forfeited(s) {
				winners = append(winners, name)
			}
		}
		winner := strings.Join(winners, ", ")
		switch {
		case p.State != record.Finished:
			winner = "aborted"
		case len(winners) > 1 && p.drawn():
			winner = "drawn"
		}
		rows = append(rows, []string{strconv.Itoa(p.Number), strconv.FormatUint(p.Seed, 10), strings.Join(seats, ", "), winner, p.Reason})
	}
	return terminal.Table([]string{"match", "seed", "points, by seat", "winner", "reason"}, rows)
}

// Faults describes aborted matches, forfeits and programs that failed, for people;
// "" if there are none.
func (r *Report) Faults() string {
	var f faults
	for _, p := range r.Played {
		match := strconv.Itoa(p.Number)
		f.addMatch(match, fmt.Sprintf("seed %d", p.Seed), p.State, p.Reason)
		for number, s := range p.Seats {
			f.addSeat(match, fmt.Sprintf("seed %d, seat %d", p.Seed, number), s, r.Entrants[s.Entrant].Command != nil)
			if r.Record.Clock == nil {
				f.addTimes(s.Name, s.Used, time.Duration(r.Record.Timeout*float64(time.Second)), r.Wall)
			}
		}
	}
	return f.String()
}

// JSON returns the whole report for programs; docs/tools.md describes it.
func (r *Report) JSON() ([]byte, error) {
	type cpu struct {
		First float64 `json:"first_ms"`
		P50   float64 `json:"p50_ms"`
		P99   float64 `json:"p99_ms"`
		Max   float64 `json:"max_ms"`
	}
	type entrant struct {
		Name     string         `json:"name"`
		Command  []string       `json:"command"` // null: a bot
		Level    string         `json:"level,omitempty"`
		Matches  int            `json:"matches"`
		Wins     int            `json:"wins"`
		Draws    int            `json:"draws"`
		Losses   int            `json:"losses"`
		Points   float64        `json:"points"`
		Rate     float64        `json:"rate"`
		Low      float64        `json:"low"`
		High     float64        `json:"high"`
		Forfeits map[string]int `json:"forfeits"`
		Answers  int            `json:"answers"`
		First    float64        `json:"first_ms"`
		P50      float64        `json:"p50_ms"`
		P99      float64        `json:"p99_ms"`
		Max      float64        `json:"max_ms"`
		CPU      *cpu           `json:"cpu,omitempty"` // nil: the CPU time was not counted
	}
	type seat struct {
		Name    string  `json:"name"`
		Score   float64 `json:"score"`
		Rank    int     `json:"rank"`
		Ended   string  `json:"ended"`
		Team    int     `json:"team,omitempty"`
		Illegal string  `json:"illegal,omitempty"`
		Exit    string  `json:"exit,omitempty"`
		Fault   string  `json:"fault,omitempty"`
		Stderr  string  `json:"stderr,omitempty"`
	}
	type played struct {
		Match  int    `json:"match"`
		Seed   uint64 `json:"seed,string"`
		State  string `json:"state"`
		Reason string `json:"reason"`
		File   string `json:"file,omitempty"`
		Seats  []seat `json:"seats"`
	}
	out := struct {
		Game     string            `json:"game"`
		Plugin   string            `json:"plugin"`
		Version  string            `json:"version"`
		Params   map[string]string `json:"params"`
		Timeout  float64           `json:"timeout"`
		Clock    *record.Clock     `json:"clock,omitempty"`
		Aborted  int               `json:"aborted"`
		SPRT     *SPRT             `json:"sprt,omitempty"`
		Entrants []entrant         `json:"entrants"`
		Played   []played          `json:"played"`
	}{
		Game: r.Record.Game, Plugin: r.Record.Plugin, Version: r.Record.Version, Params: r.Record.Params, Timeout: r.Record.Timeout, Clock: r.Record.Clock,
		Aborted: r.Aborted(), SPRT: r.SPRT, Entrants: []entrant{}, Played: []played{},
	}
	for i, s := range r.Standings {
		low, high := s.Interval()
		var counted *cpu
		if len(s.CPUFirst)+len(s.CPU) > 0 {
			counted = &cpu{ms(quantile(s.CPUFirst, 1)), ms(quantile(s.CPU, 0.5)), ms(quantile(s.CPU, 0.99)), ms(quantile(s.CPU, 1))}
		}
		out.Entrants = append(out.Entrants, entrant{
			r.Entrants[i].Name, r.Entrants[i].Command, r.Entrants[i].Level, s.Matches, s.Wins, s.Draws, s.Losses, s.Points, s.Rate(), low, high,
			s.Forfeits, len(s.First) + len(s.Used), ms(quantile(s.First, 1)), ms(quantile(s.Used, 0.5)), ms(quantile(s.Used, 0.99)), ms(quantile(s.Used, 1)), counted,
		})
	}
	for _, p := range r.Played {
		one := played{Match: p.Number, Seed: p.Seed, State: string(p.State), Reason: p.Reason, File: p.File}
		for _, s := range p.Seats {
			shown := seat{Name: s.Name, Score: s.Score, Rank: s.Rank, Ended: string(s.Ended), Team: s.Team, Illegal: strings.ToValidUTF8(s.Illegal, "\uFFFD")}
			if len(s.faults(r.Entrants[s.Entrant].Command != nil)) > 0 {
				shown.Exit, shown.Fault, shown.Stderr = s.Exit.Status, s.Exit.Fault, s.Exit.Stderr
			}
			one.Seats = append(one.Seats, shown)
		}
		out.Played = append(out.Played, one)
	}
	return json.MarshalIndent(out, "", "  ")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// milliseconds formats a quantile; "" if there are no values.
func milliseconds(ascending []time.Duration, share float64) string {
	if len(ascending) == 0 {
		return ""
	}
	return strconv.FormatFloat(ms(quantile(ascending, share)), 'f', 1, 64)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// number formats points, rounded to a thousandth.
func number(f float64) string { return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64) }

// forfeits returns a text like "3 (1 illegal, 2 timeout)".
func forfeits(kinds map[string]int) string {
	sum := 0
	var list []string
	for kind, n := range kinds {
		sum += n
		list = append(list, fmt.Sprintf("%d %s", n, kind))
	}
	if sum == 0 {
		return "0"
	}
	sort.Strings(list)
	return fmt.Sprintf("%d (%s)", sum, strings.Join(list, ", "))
}
