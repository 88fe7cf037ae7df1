package site

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// The answers of the API. openapi.json describes them, and a test compares both.

type gamesAnswer struct {
	Games []gameAnswer `json:"games"`
}

type gameAnswer struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Plugin      string            `json:"plugin"`
	Version     string            `json:"version"`
	Unavailable string            `json:"unavailable,omitempty"`
	Preparing   bool              `json:"preparing,omitempty"` // it is compiled or started
	MinPlayers  int               `json:"min_players"`
	MaxPlayers  int               `json:"max_players"`
	MaxBots     int               `json:"max_bots"`
	Timeout     float64           `json:"timeout"`
	Delay       float64           `json:"delay,omitempty"`
	Params      []paramAnswer     `json:"params"`
	Fixed       map[string]string `json:"fixed"`
	Judged      bool              `json:"judged"`                // its matches can be analysed
	Submissions bool              `json:"submissions,omitempty"` // programs can be handed in
	Viewer      string            `json:"viewer,omitempty"`
	Watched     bool              `json:"watched,omitempty"`
	Summary     string            `json:"summary,omitempty"`
	Picture     string            `json:"picture,omitempty"`
	Players     []exampleAnswer   `json:"players,omitempty"`     // only of one game
	Description string            `json:"description,omitempty"` // Markdown
	HTML        string            `json:"html,omitempty"`
}

// exampleAnswer is an example player, at /games/NAME/players/FILE.
type exampleAnswer struct {
	Language string `json:"language"`
	File     string `json:"file"`
}

type paramAnswer struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Kind        string   `json:"kind"` // int, float, choice or text
	Default     string   `json:"default"`
	Min         *float64 `json:"min,omitempty"`
	Max         *float64 `json:"max,omitempty"`
	Choices     []string `json:"choices,omitempty"`
}

type downloadsAnswer struct {
	Downloads []downloadAnswer `json:"downloads"`
}

// downloadAnswer is a client of this host for one system, at /download/NAME.
type downloadAnswer struct {
	Name         string `json:"name"`
	System       string `json:"system"`
	Architecture string `json:"architecture"`
	Bytes        int64  `json:"bytes"`
	SHA256       string `json:"sha256"`
}

type lobbyAnswer struct {
	Matches []protocol.MatchInfo `json:"matches"`
}

type servingAnswer struct {
	Players []servingPlayer `json:"players"`
}

// servingPlayer is a serving.Player.
type servingPlayer struct {
	Name        string   `json:"name"`
	Games       []string `json:"games"`
	Concurrency int      `json:"concurrency"`
	Matches     int      `json:"matches"`
	Challenges  bool     `json:"challenges"`
}

type matchesAnswer struct {
	Matches []matchAnswer `json:"matches"`
	Next    string        `json:"next,omitempty"` // for the parameter after
}

// stateAnswer is one match: Lobby is set while it waits or runs, Match when it
// has ended.
type stateAnswer struct {
	State string              `json:"state"`
	Lobby *protocol.MatchInfo `json:"lobby,omitempty"`
	Match *matchAnswer        `json:"match,omitempty"`
}

// matchAnswer is an ended match. Only then is the seed public, because it
// determines all random numbers.
type matchAnswer struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Game     string            `json:"game"`
	Plugin   string            `json:"plugin"`
	Version  string            `json:"version"`
	State    string            `json:"state"`
	Reason   string            `json:"reason"`
	Args     map[string]string `json:"args"`
	Params   map[string]string `json:"params"`
	Timeout  float64           `json:"timeout"`
	Retries  int               `json:"retries,omitempty"`
	Clock    *record.Clock     `json:"clock,omitempty"`
	Seed     string            `json:"seed"` // JavaScript's numbers cannot hold 64 bits
	Salt     string            `json:"salt,omitempty"`
	Commit   string            `json:"commitment,omitempty"`
	Verified bool              `json:"verified"`
	Contest  string            `json:"contest,omitempty"`
	Branch   *record.Branch    `json:"branch,omitempty"`
	Seats    []seatAnswer      `json:"seats"`
	Started  time.Time         `json:"started"`
	Ended    time.Time         `json:"ended"`
	Answers  []answerAnswer    `json:"answers,omitempty"`
	Stream   *string           `json:"stream,omitempty"`
}

type seatAnswer struct {
	Name   string   `json:"name"`
	Player string   `json:"player,omitempty"` // registered
	Bot    bool     `json:"bot"`
	Level  string   `json:"level,omitempty"` // of a bot that has one of its own
	Score  *float64 `json:"score"`           // null: not a finite number
	Rank   int      `json:"rank"`
	Ended  string   `json:"ended"`
	Team   int      `json:"team,omitempty"`
	// Version is that of the program that the player had handed in.
	Version int `json:"version,omitempty"`
	Missed  int `json:"missed,omitempty"`  // ticks
	Dropped int `json:"dropped,omitempty"` // lines that were not the answer to a tick
	Refused int `json:"refused,omitempty"` // answers
	Hints   int `json:"hints,omitempty"`   // moves of the host's bot that the player was shown

	Fault *faultAnswer `json:"fault,omitempty"` // only of a whole match
}

// faultAnswer explains a forfeit.
type faultAnswer struct {
	Line  string `json:"line,omitempty"`
	Asked string `json:"asked,omitempty"`
	Late  int64  `json:"late_ms,omitempty"`
}

type answerAnswer struct {
	Seat    int      `json:"seat"`
	Line    string   `json:"line"`
	Outcome string   `json:"outcome,omitempty"` // timeout, disconnected or refused
	At      float64  `json:"at"`                // seconds since the start
	Left    *float64 `json:"left,omitempty"`    // seconds in the bank; nil: the seat has none
	Wall    float64  `json:"wall,omitempty"`    // seconds, of a program of the host; 0: it ran none
	CPU     *float64 `json:"cpu,omitempty"`     // the same; nil: it was not counted
	Note    string   `json:"note,omitempty"`    // of a bot or a player
	Lines   *int     `json:"lines,omitempty"`   // of the stream before the answer; nil: it has no note
}

type clocksAnswer struct {
	Clocks  []clockAnswer  `json:"clocks"`
	Players []playerAnswer `json:"players"`
}

// clockAnswer is the clock of a player that has been asked.
type clockAnswer struct {
	Name string  `json:"name"`
	Left float64 `json:"left"` // seconds
}

// playerAnswer is a player of a running match.
type playerAnswer struct {
	Name string   `json:"name"`
	Bank *float64 `json:"bank,omitempty"` // seconds; nil: the match has no clock
	Lag  int64    `json:"lag_ms,omitempty"`
	Away *float64 `json:"away,omitempty"` // seconds until the seat is lost; nil: the player is connected
}

func describeMatch(r *record.Match) matchAnswer {
	a := matchAnswer{
		ID: r.ID, Name: r.Name, Game: r.Game, Plugin: r.Plugin, Version: r.Version, State: string(r.State), Reason: r.Reason,
		Args: r.Args, Params: r.Params, Timeout: r.Timeout, Retries: r.Retries, Clock: r.Clock, Branch: r.Branch, Seed: strconv.FormatUint(r.Seed, 10), Verified: r.Verified,
		Salt: hex.EncodeToString(r.Salt), Commit: r.Commitment(),
		Seats: []seatAnswer{}, Started: r.Started, Ended: r.Ended,
	}
	if r.Fixture != nil {
		a.Contest = r.Fixture.Contest
	}
	if a.Args == nil {
		a.Args = map[string]string{}
	}
	if a.Params == nil {
		a.Params = map[string]string{}
	}
	for _, s := range r.Seats {
		seat := seatAnswer{Name: s.Name, Player: s.Player, Bot: s.Bot, Level: s.Level, Rank: s.Rank, Ended: string(s.Ended), Team: s.Team, Version: s.Version, Missed: s.Missed, Dropped: s.Dropped, Refused: s.Refused, Hints: s.Hints}
		if !math.IsNaN(s.Score) && !math.IsInf(s.Score, 0) {
			seat.Score = &s.Score
		}
		a.Seats = append(a.Seats, seat)
	}
	return a
}

// describeWhole is describeMatch with the answers, the stream and the faults.
func describeWhole(r *record.Match) matchAnswer {
	a := describeMatch(r)
	for i, s := range r.Seats {
		if s.Fault != (record.Fault{}) {
			a.Seats[i].Fault = &faultAnswer{s.Fault.Line, s.Fault.Asked, s.Fault.Late.Milliseconds()}
		}
	}
	for _, x := range r.Answers {
		answer := answerAnswer{Seat: x.Seat, Line: strings.ToValidUTF8(x.Line, "\ufffd"), Outcome: string(x.Outcome), At: float64(x.At.Milliseconds()) / 1000, Note: x.Note}
		if x.Note != "" {
			answer.Lines = &x.Lines
		}
		if answer.Wall = x.Spent.Wall.Seconds(); x.Spent.Counted {
			answer.CPU = new(x.Spent.CPU.Seconds())
		}
		if r.Timed(x.Seat) {
			answer.Left = new(x.Left.Seconds())
		}
		a.Answers = append(a.Answers, answer)
	}
	text := strings.ToValidUTF8(string(r.Stream), "\ufffd")
	a.Stream = &text
	return a
}
