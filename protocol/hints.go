package protocol

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// MaxRetries is the most of GameParams.Retries.
const MaxRetries = 10

// CheckRetries returns an error for the creator of a match if GameParams.Retries is out of
// its range.
func CheckRetries(n int) error {
	if n < 0 || n > MaxRetries {
		return errors.New("a player can answer again from 0 to 10 times in a turn")
	}
	return nil
}

// Name sets Answers, More and Examples to the answers that a game names. It leaves out those
// that are not UTF-8 or have a line feed, and those beyond MaxHints and MaxHintBytes.
func (q *MatchQuestion) Name(answers []string, more, examples bool) {
	q.Answers, q.More = make([]string, 0, min(len(answers), MaxHints)), more
	size := 0
	for _, line := range answers {
		if size += len(line); len(q.Answers) == MaxHints || size > MaxHintBytes {
			q.More = true
			break
		}
		if !utf8.ValidString(line) || strings.Contains(line, "\n") {
			q.More = true
			continue
		}
		q.Answers = append(q.Answers, line)
	}
	q.Examples = examples && len(q.Answers) > 0
}
