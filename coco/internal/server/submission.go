package server

import (
	"cmp"
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

// Submissions is what a player has handed in, and what it can hand in.
type Submissions struct {
	List      []Submission `json:"submissions"`
	Games     []string     `json:"games"`     // for which programs can be handed in
	Languages []Language   `json:"languages"` // in which they can be written
	Most      int64        `json:"most"`      // bytes of one that is handed in
}

// Submission is a version of a player's program for a game.
type Submission struct {
	Game     string    `json:"game"`
	Version  int       `json:"version"` // from 1
	Language string    `json:"language"`
	State    string    `json:"state"`
	Fault    string    `json:"fault"`    // whose fault the reason is: FaultProgram, FaultHost or none
	Reason   string    `json:"reason"`   // why it was refused, why it rests, or why it is tried again
	Position int       `json:"position"` // in the queue, from 1; 0: it does not wait
	Created  time.Time `json:"created"`
	Bytes    int64     `json:"bytes"`  // of the source, packed
	Active   bool      `json:"active"` // it plays for its player, unless it rests
	Rests    bool      `json:"rests"`
	Failures int       `json:"failures"` // matches in a row that it did not finish
}

// The states of a submission. Others can follow.
const (
	Queued   = "queued"
	Building = "building"
	Trying   = "trying"
	Accepted = "accepted"
	Declined = "refused"
	Removed  = "removed"
)

// The values of Submission.Fault.
const (
	FaultProgram = "program"
	FaultHost    = "host"
)

// Language is a language in which programs can be written.
type Language struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// Progress is a submission with the new part of its build's output.
type Progress struct {
	Submission
	Log   string `json:"log"`
	Total int    `json:"total"` // bytes of the whole output
}

const (
	// maxProgress limits an answer with the output of a build: hosts keep 64 KiB of it,
	// which JSON can make six times as long.
	maxProgress = 4 << 20
	// progressTimeout is longer than a host waits for news, 20 s.
	progressTimeout = time.Minute
	// maxSource limits the source that a host returns.
	maxSource = 256 << 20
	// sourceTimeout is the limit for sending and for returning a source.
	sourceTimeout = 15 * time.Minute
)

var gameName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)

// ValidGame reports whether a game can have a name.
func ValidGame(name string) bool { return gameName.MatchString(name) }

var matchID = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

// ValidMatch reports whether a match can have an ID.
func ValidMatch(id string) bool { return matchID.MatchString(id) }

// Submissions returns the JSON of Submissions, for the player of the token.
func (a *API) Submissions(ctx context.Context) ([]byte, error) {
	text, err := a.call(ctx, request{method: http.MethodGet, path: &url.URL{Path: "api/submissions"}, player: true, most: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return nil, a.explained(err, locale.Errorf("cannot list what you have handed in"), locale.Errorf("the server %s takes no programs: none can be handed in there", a.Addr))
	}
	return text, valid(text)
}

// GameSubmissions returns the JSON of Submissions that has nothing but the list for a game.
// Names of games and IDs of matches must be valid, as for the other methods.
func (a *API) GameSubmissions(ctx context.Context, game string) ([]byte, error) {
	text, err := a.submission(ctx, request{method: http.MethodGet, most: maxAnswer}, game, "", nil, locale.Errorf("cannot list what you have handed in"))
	if err != nil {
		return nil, err
	}
	return text, valid(text)
}

// Submit hands in a program, in a file with this name, and returns the JSON of its
// Submission.
func (a *API) Submit(ctx context.Context, game, file string, program []byte) ([]byte, error) {
	what := locale.Errorf("cannot hand in the program")
	r := request{method: http.MethodPost, kind: "application/octet-stream", body: program, timeout: sourceTimeout}
	text, err := a.submission(ctx, r, game, "", url.Values{"file": {file}}, what)
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == http.StatusTooManyRequests {
		return nil, &Refused{Text: locale.Errorf("%w: %w", what, status), Err: status} // a quota
	}
	if err != nil {
		return nil, err
	}
	return text, valid(text)
}

// Progress returns the JSON of a Progress with the output of the build from a byte on.
// With known, a state, the server answers when there is more output, or another state or
// place in the queue, or after 20 s.
func (a *API) Progress(ctx context.Context, game string, version, from int, known string) ([]byte, error) {
	query := url.Values{"from": {strconv.Itoa(from)}}
	if known != "" {
		query.Set("wait", "1")
		query.Set("state", known)
	}
	text, err := a.submission(ctx, request{method: http.MethodGet}, game, ofVersion(version), query, locale.Errorf("cannot get %s v%d", game, version))
	if err != nil {
		return nil, err
	}
	return text, valid(text)
}

// Activate lets a version play, instead of the one that played until now.
func (a *API) Activate(ctx context.Context, game string, version int) error {
	_, err := a.submission(ctx, request{method: http.MethodPost}, game, ofVersion(version)+"/active", nil, locale.Errorf("cannot activate %s v%d", game, version))
	return err
}

// Pause lets no version play a game.
func (a *API) Pause(ctx context.Context, game string) error {
	_, err := a.submission(ctx, request{method: http.MethodDelete}, game, "/active", nil, locale.Errorf("cannot pause your program for %s", game))
	return err
}

// Remove deletes a version with its source. Its number is not used again.
func (a *API) Remove(ctx context.Context, game string, version int) error {
	_, err := a.submission(ctx, request{method: http.MethodDelete}, game, ofVersion(version), nil, locale.Errorf("cannot remove %s v%d", game, version))
	return err
}

// Journal returns what a version wrote to stderr in a match.
func (a *API) Journal(ctx context.Context, game string, version int, match string) (string, error) {
	what := locale.Errorf("cannot get what %s v%d wrote in the match %s", game, version, match)
	text, err := a.submission(ctx, request{method: http.MethodGet}, game, ofVersion(version)+"/journals/"+match, nil, what)
	if err != nil {
		return "", err
	}
	var journal struct{ Text string }
	if json.Unmarshal(text, &journal) != nil {
		return "", notJSON()
	}
	return journal.Text, nil
}

// Source returns the source of a version, a zip.
func (a *API) Source(ctx context.Context, game string, version int) ([]byte, error) {
	r := request{method: http.MethodGet, most: maxSource, timeout: sourceTimeout}
	return a.submission(ctx, r, game, ofVersion(version)+"/source.zip", nil, locale.Errorf("cannot get the source of %s v%d", game, version))
}

func ofVersion(version int) string { return "/" + strconv.Itoa(version) }

// submission sends a request about what the player has handed in for a game.
func (a *API) submission(ctx context.Context, r request, game, part string, query url.Values, what error) ([]byte, error) {
	r.path = &url.URL{Path: "api/games/" + game + "/submissions" + part, RawQuery: query.Encode()}
	r.player, r.most, r.timeout = true, cmp.Or(r.most, maxProgress), cmp.Or(r.timeout, progressTimeout)
	text, err := a.call(ctx, r)
	if status, ok := errors.AsType[*StatusError](err); ok && status.Status == http.StatusNotFound {
		// A host that takes no programs at all answers in the same way.
		if _, err := a.Submissions(ctx); err != nil {
			return nil, err
		}
		return nil, &Refused{Text: reason(what, cmp.Or(status.Text, "not found")), Err: status}
	}
	return text, a.explained(err, what, what)
}
