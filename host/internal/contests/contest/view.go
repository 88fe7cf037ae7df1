package contest

import (
	"errors"
	"time"

	"colosseum/host/internal/contests/pairing"
)

// ErrUnknown is the error for a contest, a game or a player that does not exist.
var ErrUnknown = errors.New("it does not exist")

// View is a contest for readers, as the API and host contest --json send it.
type View struct {
	Summary
	Args       map[string]string `json:"args"`
	Timeout    float64           `json:"timeout,omitempty"` // seconds; 0: the game's
	Clock      string            `json:"clock,omitempty"`
	PerMatch   int               `json:"players"`              // of one match
	PerPair    int               `json:"legs"`                 // matches of one pairing, of teams those of all boards
	Teams      *Teams            `json:"teams,omitempty"`      // its entries are teams; nil: they are not
	Seed       uint64            `json:"seed,string,omitzero"` // once it has ended: nobody can know the seeds of matches before
	Entries    []EntryView       `json:"entries"`
	Organizers []string          `json:"organizers"` // registered players that can run it
	Rulings    []Decision        `json:"rulings"`    // of the organizers, the first one first
	TieBreaks  []string          `json:"tie_breaks"` // their names, in the order of Row.TieBreaks
	Standings  []Row             `json:"standings"`
	Matches    []MatchView       `json:"matches"` // of a ladder or a league: the last MaxLadderMatches that have ended, in this order, and then those that are being played

	Season *SeasonView `json:"season,omitempty"` // of a league; nil: of another format
	Cup    []CupPart   `json:"cup,omitempty"`    // of a cup: its contests, in the order of Row.Parts
	Places []float64   `json:"places,omitempty"` // of a cup: points for the places in its contests; none: their points are added
	Pass   *PassView   `json:"pass,omitempty"`   // nil: of another format

	Windows      []RoundWindow `json:"windows,omitempty"`  // of the rounds, if they have dates, as far as they are known
	Here         []Attending   `json:"here,omitempty"`     // the players that wait for a match of a round that is open
	Calendar     bool          `json:"calendar,omitempty"` // there are Appointments
	Appointments []Appointment `json:"-"`

	people map[string][]string // the registered players of the rows, by name in lower case

	Until time.Time `json:"-"` // the view changes then without an event; zero: it does not
}

// Summary is a contest in a list.
type Summary struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"`
	Game    string         `json:"game"` // empty: of a cup
	Format  pairing.Format `json:"format"`
	Phase   Phase          `json:"state"`
	Reason  string         `json:"reason,omitempty"`
	Open    bool           `json:"open"`  // any registered player can enter now
	Local   bool           `json:"local"` // its entries are programs, and not players
	Created time.Time      `json:"created"`
	Start   time.Time      `json:"start,omitzero"` // when it starts by itself
	Started time.Time      `json:"started,omitzero"`
	Ends    time.Time      `json:"ends,omitzero"` // of a league: when it ends by itself
	Ended   time.Time      `json:"ended,omitzero"`
	Count   int            `json:"entrants"`
	Round   int            `json:"round"`            // the last one that was paired, from 1; 0: none
	Rounds  int            `json:"rounds"`           // how many there will be; 0: not known yet
	Done    int            `json:"done"`             // matches that are decided
	All     int            `json:"all"`              // matches that were paired
	Leaders []string       `json:"leaders"`          // those on the first place, if a match is decided
	Window  *RoundWindow   `json:"window,omitempty"` // of the round that is played now, or comes next, if it has dates
}

// EntryView is an entry.
type EntryView struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // program, player, bot or team
	Seed      int    `json:"seed"` // from 1
	Withdrawn bool   `json:"withdrawn,omitempty"`
	Barred    bool   `json:"barred,omitempty"` // an organizer has withdrawn it
	Player    string `json:"player,omitempty"` // the registered player, if an organizer has given the entry another name
	Reason    string `json:"reason,omitempty"` // why it was withdrawn
	Team      *Team  `json:"team,omitempty"`   // of kind team; nil: of another one

	Warnings []Warning `json:"warnings,omitempty"` // of a program
}

// Row is an entry in the standings.
type Row struct {
	Rank      int       `json:"rank"` // from 1; shared by entries that are equal in everything
	Name      string    `json:"name"`
	Version   int       `json:"version,omitempty"` // of a ladder: that of the program that was handed in and has played last for the player; 0: the player has
	Points    float64   `json:"points"`            // of a pass mark: 1 if it has passed
	Played    int       `json:"played"`            // matches, without walkovers and byes
	Wins      int       `json:"wins"`
	Draws     int       `json:"draws"`
	Losses    int       `json:"losses"`
	Forfeits  int       `json:"forfeits"` // of the losses: illegal, late, disconnected or resigned
	TieBreaks []float64 `json:"tie_breaks"`
	Rating    float64   `json:"rating"` // of this contest alone; of a ladder: of the game; see Rated
	Low       float64   `json:"low"`    // of the interval that holds the true rating with 95 %
	High      float64   `json:"high"`
	Withdrawn bool      `json:"withdrawn,omitempty"`
	Scores    *Scores   `json:"scores,omitempty"` // of a contest by score; nil: of another one
	Pass      *Passed   `json:"pass,omitempty"`   // of a pass mark; nil: of another contest

	Boards []BoardRow `json:"boards,omitempty"` // of a team: its players

	Division string     `json:"division,omitempty"` // of a league: its name; Rank is the place in it
	Move     int        `json:"move,omitempty"`     // of a league: 1, it would go up by the results of now, or went up at the end; -1, down
	Parts    []*float64 `json:"parts,omitempty"`    // of a cup: the points by contest; null: it was not in it, or that has not begun
}

// Scores are the scores of an entry in a contest by score.
type Scores struct {
	Mean   float64 `json:"mean"`   // of all legs that are decided, also in Row.Points
	Best   float64 `json:"best"`   // 0: also if it has played none
	Sum    float64 `json:"sum"`    // what the mean is computed from
	Missed int     `json:"missed"` // legs to which it did not come, or after which it had withdrawn
}

// Rated reports whether anything is known about the rating of the entry.
func (r *Row) Rated() bool { return r.Played > 0 && r.Scores == nil && r.Parts == nil && r.Pass == nil }

// MatchView is a leg, or a bye.
type MatchView struct {
	ID       string          `json:"id"`    // empty: it was not played, or is not yet
	Round    int             `json:"round"` // from 1; of a pass mark: the try of the entry
	Bracket  pairing.Bracket `json:"bracket,omitempty"`
	Slot     int             `json:"slot"` // from 1
	Replay   int             `json:"replay,omitempty"`
	Pairing  int             `json:"pairing"`           // from 1
	Leg      int             `json:"leg"`               // from 1; 0: a bye
	Board    int             `json:"board,omitempty"`   // of teams: from 1
	Players  []string        `json:"players,omitempty"` // of teams: by seat; empty: the team had none for the board
	Seats    []string        `json:"seats"`             // names by seat
	State    string          `json:"state"`             // planned, running, finished, walkover, void or bye
	Points   []float64       `json:"points,omitempty"`  // in a contest by score the score, if it was played
	Ranks    []int           `json:"ranks,omitempty"`
	Teams    []int           `json:"teams,omitempty"`    // by seat: from 1; 0: the seat played for itself; none: all did
	Outcome  []string        `json:"outcomes,omitempty"` // how it ended for each seat: finished, or a forfeit
	Absent   []string        `json:"absent,omitempty"`
	Versions []int           `json:"versions,omitempty"` // by seat: of the program that was handed in and played; 0: none did
	Ended    time.Time       `json:"ended,omitzero"`
	Division string          `json:"division,omitempty"` // of a match of a league that is being played
	Ruling   *LegRuling      `json:"ruling,omitempty"`   // the decision of an organizer that holds; nil: none
	Earlier  []EarlierMatch  `json:"earlier,omitempty"`  // of a leg that was to be played again: its matches before that one
}

// Standing is a competitor of a game in the ratings of all its rated matches.
type Standing struct {
	Rank    int     `json:"rank"` // by rating; 0: fixed, or too few matches
	Name    string  `json:"name"`
	Version int     `json:"version,omitempty"` // of the program that was handed in and has played last for the player; 0: the player has, or it is a bot
	Bot     bool    `json:"bot"`
	Rating  float64 `json:"rating"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Played  int     `json:"played"`
	Wins    int     `json:"wins"`
	Draws   int     `json:"draws"`
	Losses  int     `json:"losses"`

	Forfeits int `json:"-"` // of the losses; in the standings of ladders
	all      int // matches of all versions
}

// Profile is what is known about a competitor: a registered player, or a bot.
type Profile struct {
	Name     string          `json:"name"`
	Bot      bool            `json:"bot"`
	Former   []string        `json:"former,omitempty"` // names that it had before, in alphabetical order
	Games    []GameProfile   `json:"games"`            // that it has rated matches of, by name
	Contests []Participation `json:"contests"`         // that it entered, the newest first
}

// GameProfile is a competitor in one game.
type GameProfile struct {
	Game string `json:"game"`
	Standing
	Versions  []Standing   `json:"versions,omitempty"` // all that have played for the player, the oldest first, without ranks; none if the player has handed in no program
	Compared  *Comparison  `json:"compared,omitempty"` // the version in the table with the one before it; nil: there are no two
	History   []Point      `json:"history"`            // its rating over time, the oldest first: a bounded number of points, the last of which is that of the Standing
	Opponents []HeadToHead `json:"opponents"`          // those that it met most often first, up to a bounded number
}

// Comparison says how much better a version of a program is than an earlier one, by their
// ratings.
type Comparison struct {
	Version    int     `json:"version"`
	Than       int     `json:"than"`       // the earlier version; 0: the player itself, connected
	Difference float64 `json:"difference"` // of the ratings
	Low        float64 `json:"low"`        // the difference is in this interval with 95 %
	High       float64 `json:"high"`
	Better     float64 `json:"better"` // the probability that the version is the better one
}

// Point is a rating at a time.
type Point struct {
	At     time.Time `json:"at"`
	Rating float64   `json:"rating"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
}

// HeadToHead are the matches of a competitor against another one, with its wins. Among
// more than two, a better rank is a win. Matches in one team do not count.
type HeadToHead struct {
	Name   string `json:"name"`
	Bot    bool   `json:"bot"`
	Played int    `json:"played"`
	Wins   int    `json:"wins"`
	Draws  int    `json:"draws"`
	Losses int    `json:"losses"`
}

// Participation is a contest that a competitor entered.
type Participation struct {
	Contest string         `json:"contest"`
	Title   string         `json:"title"`
	Game    string         `json:"game"`
	Format  pairing.Format `json:"format"`
	Phase   Phase          `json:"state"`
	Created time.Time      `json:"created"`
	Ended   time.Time      `json:"ended,omitzero"`
	Count   int            `json:"entrants"`
	Rank    int            `json:"rank"`           // 0: none yet
	Points  float64        `json:"points"`         // in a contest by score the mean
	Team    string         `json:"team,omitempty"` // the rank and the points are those of this team; empty: it entered alone
	Pass    *Passed        `json:"pass,omitempty"` // of a pass mark; nil: of another contest

	Division string `json:"division,omitempty"` // of a league; Rank is the place in it
}
