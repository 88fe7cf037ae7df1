package gametest

import "strings"

// Recording is what a player went through in a match: the tests of the viewers
// compare it with the choices that a viewer offers.
type Recording struct {
	Params    map[string]string `json:"params"`
	Stream    string            `json:"stream"`    // what the seat received, and sent after a >
	Questions []Asked           `json:"questions"` // put to the player
}

// Asked is a question of a [Recording].
type Asked struct {
	Lines int    `json:"lines"` // of the stream so far
	Legal string `json:"legal"` // answers, separated by commas
}

// Player returns a player that answers as p does, and whose questions are noted.
// The stream is for the caller to add, when the match has ended.
func (r *Recording) Player(p Player) Player {
	return func(q Question) (string, error) {
		r.Questions = append(r.Questions, Asked{strings.Count(q.Stream, "\n"), strings.Join(q.Legal, ",")})
		return p(q)
	}
}
