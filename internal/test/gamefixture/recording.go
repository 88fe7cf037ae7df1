package gamefixture

import (
	"encoding/json"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// Recording holds the stream and the questions of one player of a match. The test
// of the viewers in a browser compares it with the choices that a viewer offers.
type Recording struct {
	Params    map[string]string `json:"params"`
	Stream    string            `json:"stream"` // what the seat received; the lines it sent begin with >
	Questions []Asked           `json:"questions"`
}

// Asked is a question of a [Recording].
type Asked struct {
	Lines int    `json:"lines"` // of the stream so far
	Legal string `json:"legal"` // answers, separated by commas
}

// Player returns a player that answers like p and adds its questions to r. The
// caller sets r.Stream at the end of the match.
func (r *Recording) Player(p gametest.Player) gametest.Player {
	return func(q gametest.Question) (string, error) {
		r.Questions = append(r.Questions, Asked{strings.Count(q.Stream, "\n"), strings.Join(q.Legal, ",")})
		return p(q)
	}
}

// RecordRandom plays a match of two random players and records seat 0 or 1, in turn
// with the seed.
func RecordRandom(t testing.TB, game *sdk.Game, seed uint64) Recording {
	t.Helper()
	seat := int(seed % 2)
	r := Recording{Params: map[string]string{}}
	players := []gametest.Player{gametest.Random(seed), gametest.Random(seed + 100)}
	players[seat] = r.Player(players[seat])
	r.Stream = gametest.MustPlay(t, gametest.Match{Game: game, Players: players}).Seats[seat]
	return r
}

// CheckRecordings makes the test fail unless testdata/viewer.golden holds these
// recordings.
func CheckRecordings(t testing.TB, recordings []Recording) {
	t.Helper()
	text, err := json.MarshalIndent(recordings, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	gametest.Golden(t, "viewer", string(text))
}
