package driver

// Bounds of a [Hint]: the number of its answers, and the bytes of all together.
const (
	MaxHintAnswers = 2048
	MaxHintBytes   = 64 << 10
)

// Hint is what the answer of a seat to a question can be.
type Hint struct {
	Seat     int
	Answers  []string // legal ones; empty: the game names none
	More     bool     // there are more than these
	Examples bool     // the referee judges the answer, and others can be legal too
}

// Complete reports whether an answer is legal only if it is one of Answers.
func (h *Hint) Complete() bool { return !h.More && !h.Examples && len(h.Answers) > 0 }

// Hint returns the hint for the i-th seat of the question.
func (q *Question) Hint(i int) Hint {
	h := Hint{Seat: q.Seats[i], Answers: q.Answers(i), Examples: q.Legal == nil}
	size := 0
	for n, line := range h.Answers {
		if size += len(line); n == MaxHintAnswers || size > MaxHintBytes {
			h.Answers, h.More = h.Answers[:n], true
			break
		}
	}
	return h
}
