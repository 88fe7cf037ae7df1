package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"colosseum/internal/locale"
)

// Contest is a contest as the HTTP API describes it. In a list it has no entries and no
// standings.
type Contest struct {
	Name      string            `json:"name"`
	Title     string            `json:"title"`
	Game      string            `json:"game"`
	Args      map[string]string `json:"args"`
	Timeout   float64           `json:"timeout"` // seconds; 0: the game's
	Clock     string            `json:"clock"`
	Format    string            `json:"format"`
	State     string            `json:"state"`
	Reason    string            `json:"reason"` // of the state
	Open      bool              `json:"open"`   // players can enter
	Local     bool              `json:"local"`  // its entries are programs, and not players
	Start     time.Time         `json:"start"`  // when it starts by itself; zero: by command
	Started   time.Time         `json:"started"`
	Ended     time.Time         `json:"ended"`
	Entrants  int               `json:"entrants"`
	Round     int               `json:"round"`  // the last one that was paired; 0: none
	Rounds    int               `json:"rounds"` // 0: not known yet
	Done      int               `json:"done"`   // matches that are decided
	All       int               `json:"all"`
	Leaders   []string          `json:"leaders"`
	Players   int               `json:"players"` // of one match
	Legs      int               `json:"legs"`    // matches of one pairing
	Teams     *Teams            `json:"teams"`   // its entries are teams; nil: they are not
	Entries   []ContestEntry    `json:"entries"`
	TieBreaks []string          `json:"tie_breaks"`
	Standings []Standing        `json:"standings"`

	Ends   time.Time `json:"ends"`   // of a league: when it ends by itself
	Season *Season   `json:"season"` // of a league; nil: of another format
	Cup    []CupPart `json:"cup"`    // of a cup: its contests, in the order of Standing.Parts
	Window *Window   `json:"window"` // of the round that is played now, or comes next; nil: it has no dates
	Pass   *PassMark `json:"pass"`   // nil: of another format

	Rulings []Decision `json:"rulings"` // of its organizers, the first one first
}

// Decision is a decision of an organizer of a contest. Each kind has some of the fields.
type Decision struct {
	At       time.Time `json:"at"`
	By       string    `json:"by"` // empty: the operator of the host
	Kind     string    `json:"kind"`
	Round    int       `json:"round"`   // from 1
	Pairing  int       `json:"pairing"` // from 1
	Leg      int       `json:"leg"`     // from 1
	Entries  []string  `json:"entries"`
	Points   []float64 `json:"points"` // of the entries
	From     string    `json:"from"`   // the earlier name
	Name     string    `json:"name"`   // the new one
	Opens    time.Time `json:"opens"`
	Closes   time.Time `json:"closes"`
	Undoes   int64     `json:"undoes"`    // the number of a decision
	UndoneBy int64     `json:"undone_by"` // 0: it holds
	Players  []string  `json:"players"`   // the organizers from then on
	Contest  string    `json:"contest"`   // of a cup: the one of its contests; empty: the contest itself
	Reason   string    `json:"reason"`
}

// PassMark is what is to be reached in a contest of format pass.
type PassMark struct {
	Against string   `json:"against"` // the entry of the bot
	Wins    int      `json:"wins"`
	Of      int      `json:"of"` // matches of one try
	Draws   bool     `json:"draws"`
	Values  []string `json:"values"` // the seed of each match of a try, if they are published
	Tries   int      `json:"tries"`  // in 24 hours
}

// Passed is how far an entry has come to a pass mark.
type Passed struct {
	At    time.Time `json:"passed_at"` // zero: it has not passed
	Best  float64   `json:"best"`      // wins of its best try
	Tries int       `json:"tries"`
	Left  int       `json:"left_today"`
}

// Season is the part of a league that other formats do not have.
type Season struct {
	Next  time.Time `json:"next"` // the next date of promotion and relegation; zero: not known
	Dates []struct {
		At    time.Time `json:"at"`
		Moves []struct {
			Name string `json:"name"`
			From string `json:"from"`
			To   string `json:"to"`
		} `json:"moves"`
	} `json:"dates"` // those that are done, the oldest first
}

// CupPart is a contest that a cup counts.
type CupPart struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	State string `json:"state"` // empty: it does not exist, and counts nothing
}

// Window is the time in which a round is played.
type Window struct {
	Round  int       `json:"round"` // from 1
	Opens  time.Time `json:"opens"`
	Closes time.Time `json:"closes"`
}

// ContestEntry is an entry of a contest.
type ContestEntry struct {
	Name      string `json:"name"`
	Withdrawn bool   `json:"withdrawn"`
	Team      *Team  `json:"team"` // nil: it is none
}

// Standing is an entry in the standings of a contest.
type Standing struct {
	Rank      int       `json:"rank"`
	Name      string    `json:"name"`
	Points    float64   `json:"points"`
	Played    int       `json:"played"`
	Wins      int       `json:"wins"`
	Draws     int       `json:"draws"`
	Losses    int       `json:"losses"`
	TieBreaks []float64 `json:"tie_breaks"`
	Rating    float64   `json:"rating"`
	Low       float64   `json:"low"`
	High      float64   `json:"high"`
	Withdrawn bool      `json:"withdrawn"`

	Scores *Scores `json:"scores"` // of a contest by score; nil: of another one
	Boards []Board `json:"boards"` // of a team; nil: it is none
	Pass   *Passed `json:"pass"`   // of a pass mark; nil: of another contest

	Division string     `json:"division"` // of a league; Rank is the place in it
	Move     int        `json:"move"`     // of a league: 1, it would go up now, or went up at the end; -1: down
	Parts    []*float64 `json:"parts"`    // of a cup: the points by contest; nil: it was not in it
}

// Scores are the scores of an entry in a contest by score.
type Scores struct {
	Mean   float64 `json:"mean"`
	Best   float64 `json:"best"`
	Sum    float64 `json:"sum"`
	Missed int     `json:"missed"` // matches to which it did not come
}

// ContestMatch is a match of a contest, or a bye.
type ContestMatch struct {
	ID      string    `json:"id"`    // empty: it was not played, or is not yet
	Round   int       `json:"round"` // from 1
	Bracket string    `json:"bracket"`
	Leg     int       `json:"leg"`     // from 1
	Seats   []string  `json:"seats"`   // names
	Players []string  `json:"players"` // of teams: by seat
	State   string    `json:"state"`
	Points  []float64 `json:"points"`
	Ended   time.Time `json:"ended"`
}

// matchesPage is how many matches a contest's answers have, if the server sends that many.
const matchesPage = 5000

var contestName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ValidContest reports whether a contest can have a name.
func ValidContest(name string) bool { return contestName.MatchString(name) }

// Contests returns the JSON of the list of contests.
func (a *API) Contests(ctx context.Context) ([]byte, error) {
	text, err := a.call(ctx, request{method: http.MethodGet, path: &url.URL{Path: "api/contests"}, most: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return nil, a.explained(err, locale.Errorf("cannot list the contests"), a.noContests())
	}
	return text, valid(text)
}

// Contest returns the JSON of a contest. The name must be valid, as for the other methods.
func (a *API) Contest(ctx context.Context, name string) ([]byte, error) {
	text, err := a.get(ctx, name, "", "")
	if err != nil {
		return nil, err
	}
	return text, valid(text)
}

// ContestCSV returns the standings of a contest as CSV.
func (a *API) ContestCSV(ctx context.Context, name string) ([]byte, error) {
	return a.get(ctx, name, "/standings.csv", "")
}

// ContestMatches returns the JSON of all matches of a contest.
func (a *API) ContestMatches(ctx context.Context, name string) ([]json.RawMessage, error) {
	matches, size := []json.RawMessage{}, 0
	for after := 0; ; {
		query := url.Values{"limit": {strconv.Itoa(matchesPage)}}
		if after > 0 {
			query.Set("after", strconv.Itoa(after))
		}
		text, err := a.get(ctx, name, "/matches", query.Encode())
		if err != nil {
			return nil, err
		}
		var page struct {
			Matches []json.RawMessage `json:"matches"`
			Next    int               `json:"next"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, notJSON()
		}
		if size += len(text); size > maxAnswer || page.Next != 0 && page.Next <= after {
			return nil, connectionError("the server's list of matches has no end")
		}
		matches = append(matches, page.Matches...)
		if after = page.Next; after == 0 {
			return matches, nil
		}
	}
}

func (a *API) get(ctx context.Context, name, part, query string) ([]byte, error) {
	return a.contest(ctx, http.MethodGet, name, part, query, locale.Errorf("cannot get the contest %s", name))
}

// Enter enters the player of the token in a contest. It is no error if it has entered.
func (a *API) Enter(ctx context.Context, name string) error {
	_, err := a.contest(ctx, http.MethodPost, name, "/entry", "", locale.Errorf("cannot enter the contest %s", name))
	return err
}

// Withdraw takes the player of the token out of a contest.
func (a *API) Withdraw(ctx context.Context, name string) error {
	_, err := a.contest(ctx, http.MethodDelete, name, "/entry", "", locale.Errorf("cannot withdraw from the contest %s", name))
	return err
}

// Try begins a try of the player of the token to reach the pass mark of a contest.
func (a *API) Try(ctx context.Context, name string) error {
	_, err := a.contest(ctx, http.MethodPost, name, "/try", "", locale.Errorf("cannot begin a try in the contest %s", name))
	return err
}

// Here says that the player of the token is there for its match in a contest, and returns until
// when that holds.
func (a *API) Here(ctx context.Context, name string) (until time.Time, err error) {
	text, err := a.contest(ctx, http.MethodPost, name, "/here", "", locale.Errorf("cannot wait for a match of the contest %s", name))
	if err != nil {
		return until, err
	}
	var reply struct {
		Until time.Time `json:"until"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return until, &ConnectionError{Err: locale.Errorf("the server's answer cannot be read: %w", err)}
	}
	return reply.Until, nil
}

func (a *API) contest(ctx context.Context, method, name, part, query string, what error) ([]byte, error) {
	return a.send(ctx, method, name, part, query, nil, what)
}

// send is contest with a body.
func (a *API) send(ctx context.Context, method, name, part, query string, body []byte, what error) ([]byte, error) {
	at := &url.URL{Path: "api/contests/" + name + part, RawQuery: query}
	text, err := a.call(ctx, request{method: method, path: at, player: method != http.MethodGet, body: body, most: maxAnswer, timeout: answerTimeout})
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == http.StatusNotFound {
		// A host that has no contests at all answers in the same way.
		if _, err := a.Contests(ctx); err != nil {
			return nil, err
		}
		return nil, &Refused{Text: locale.Errorf("there is no contest %q on %s: coco contest list shows all", name, a.Addr), Err: status}
	}
	return text, a.explained(err, what, a.noContests())
}

func (a *API) noContests() error { return locale.Errorf("the server %s has no contests", a.Addr) }
