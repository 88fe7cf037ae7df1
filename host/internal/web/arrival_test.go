package web

import (
	"testing"
	"time"
)

// TestAnswerHasTheTimeAtWhichItCame: the session finds no time for its client
// for a while, and the record shows nothing of that.
func TestAnswerHasTheTimeAtWhichItCame(t *testing.T) {
	h := open(t, nil)
	c := h.enter()
	id := c.echoes()
	s := h.only()
	s.mu.Lock() // which the session needs to pass a line on
	c.plays("late\n")
	for !s.Unread(time.Now()) {
	}
	came := time.Now()
	for !time.Now().After(came.Add(100 * time.Millisecond)) {
		if !s.Unread(came) {
			t.Fatal("a line that came and was not handled is not seen")
		}
	}
	s.mu.Unlock()
	c.sees("<late>\n")
	c.plays("end\n")
	c.until("MatchEnded")
	rec, err := h.log.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	// The record has whole milliseconds.
	if got, limit := rec.Answers[0].At, came.Sub(rec.Started); got > limit {
		t.Errorf("the answer is recorded at %v, and had come by %v", got, limit)
	}
}
