package match

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// MaxStream is how many bytes the spectators of one match receive at most.
const MaxStream = 64 << 20

// Limits on a referee. A match that exceeds one is aborted, except for maxReason
// and maxNotes.
const (
	maxAnswers = 16 << 20  // bytes of the answers in its record: 200,000 short ones, or 255 of 64 KiB
	maxTurn    = 512 << 10 // bytes for players between two questions: less than their backlog
	maxEmpty   = 4096      // frames in a row that hold nothing but a pause
	maxPause   = time.Minute
	maxReason  = 1000    // bytes of the reason why the match ended; the rest is cut
	maxNotes   = 1 << 20 // bytes of the notes of bots in its record; further ones are dropped
)

// handleLocked handles a frame that came now.
func (m *Match) handleLocked(f *driver.Frame, now time.Time) {
	if err := m.checkLocked(f); err != nil {
		m.config.Log.Error("the game broke the rules of the wire", "error", err)
		m.abortLocked(abortWire, "the game failed: "+err.Error())
		return
	}
	if m.empty++; len(f.BotAnswers) > 0 || len(f.Texts) > 0 || f.Question != nil || f.End != nil {
		m.empty = 0
	}
	if m.empty > maxEmpty {
		m.abortLocked(abortFlood, fmt.Sprintf("%v: %d frames in a row with nothing in them", engine.ErrFlood, m.empty))
		return
	}
	for _, a := range f.BotAnswers {
		if !m.repeatedLocked(a) {
			m.abortLocked(abortWire, notAgain)
			return
		}
		m.noteLocked(a, 0, record.Spent{})
	}
	for _, t := range f.Texts {
		if t.To != driver.ToSpectators { // spectators read at their own speed
			m.sent += len(t.Lines)
		}
		m.spreadLocked(t)
	}
	if m.sent > maxTurn {
		m.abortLocked(abortFlood, fmt.Sprintf("%v: %d bytes for players between two questions, of at most %d", engine.ErrFlood, m.sent, maxTurn))
		return
	}
	if len(m.shown) > 0 { // before the players know that it was shown
		if m.config.Stream.append(m.shown) > MaxStream {
			m.abortLocked(abortFlood, "the game shows too much")
			return
		}
		m.config.Total.Add(m, len(m.shown))
		m.lines += bytes.Count(m.shown, []byte{'\n'})
		m.shown = emptied(m.shown)
	}
	for i := range m.seats {
		if s := &m.seats[i]; len(s.out) > 0 {
			s.player.Send(s.out)
			s.sentLastLocked()
			s.out = emptied(s.out)
		}
	}
	if m.inTurn {
		m.inTurn = false
		m.recent.turns.Add(now.Sub(m.since))
	}
	m.since = now
	m.pause = f.Pause
	if f.End != nil {
		r := f.End
		if r.Aborted {
			m.cause = abortReferee
			r.Seats = driver.Aborted(len(m.seats), "").Seats // it need not have filled in all
		}
		if r.Stuck {
			m.cause, m.stuck = abortSilence, true
		}
		if clean := driver.CleanLine(r.Reason, maxReason); clean != r.Reason {
			m.config.Log.Warn("the game's reason for the end is too long or has control characters", "reason", r.Reason[:min(len(r.Reason), 2*maxReason)])
			r.Reason = clean
		}
		m.endLocked(r)
		return
	}
	if f.Question != nil {
		m.sent = 0
		for _, n := range f.Question.Seats {
			m.seats[n].askedNowLocked()
		}
		m.askLocked(f.Question)
	}
}

// spreadLocked adds a text to the output for each of its receivers.
func (m *Match) spreadLocked(t driver.Text) {
	for i := range m.seats {
		if s := &m.seats[i]; !s.bot && t.For(i) {
			s.out = append(s.out, t.Lines...)
		}
	}
	if t.ForSpectators() {
		m.shown = append(m.shown, t.Lines...)
	}
}

// emptied returns a buffer for the next frame, without the memory of an unusually long one.
func emptied(b []byte) []byte {
	if cap(b) > partSize {
		return nil
	}
	return b[:0]
}

// checkLocked returns an error for a frame that breaks the rules of the wire
// (game.proto).
func (m *Match) checkLocked(f *driver.Frame) error {
	n := len(m.seats)
	for _, a := range f.BotAnswers {
		if !seated(a.Seat, n) || !m.seats[a.Seat].bot {
			return fmt.Errorf("it answers for seat %d, which has no bot", a.Seat)
		}
	}
	for _, t := range f.Texts {
		if t.To < driver.ToSeat || t.To > driver.ToOthers {
			return fmt.Errorf("it sends to an unknown audience %d", t.To)
		}
		if !seated(t.Seat, n) {
			return fmt.Errorf("it sends to seat %d of %d", t.Seat, n)
		}
		if len(t.Lines) == 0 || t.Lines[len(t.Lines)-1] != '\n' {
			return errors.New("it sends a text without a line feed at its end")
		}
	}
	if m.ask != nil {
		return errors.New("it sends a frame while its question waits for answers")
	}
	if f.Pause > maxPause {
		return fmt.Errorf("it pauses for %d ms", f.Pause.Milliseconds())
	}
	if f.End != nil {
		if err := checkEnd(f.End, n); err != nil {
			return err
		}
	}
	if f.Question != nil {
		return checkQuestion(f.Question, n)
	}
	return nil
}

// seated reports whether a match with n seats has a seat.
func seated(seat, n int) bool { return seat >= 0 && seat < n }

// checkQuestion checks a question in a match with n seats.
func checkQuestion(q *driver.Question, n int) error {
	if !(q.Seconds > 0 && q.Seconds <= driver.MaxTimeout) {
		return fmt.Errorf("it gives %v seconds for an answer", q.Seconds)
	}
	if q.Tick && !(q.Seconds >= driver.MinTick && q.Seconds <= driver.MaxTick) {
		return fmt.Errorf("its tick takes %v seconds", q.Seconds)
	}
	if q.Tick && len(q.Resumed) > 0 {
		return errors.New("it resumes a turn in a tick")
	}
	if len(q.Seats) == 0 {
		return errors.New("it asks nobody")
	}
	for i, s := range q.Seats {
		if !seated(s, n) || slices.Contains(q.Seats[:i], s) {
			return fmt.Errorf("it asks seat %d of %d, or asks it twice", s, n)
		}
	}
	if len(q.Resumed) > len(q.Seats) {
		return fmt.Errorf("it resumes %d turns, and asks %d seats", len(q.Resumed), len(q.Seats))
	}
	for _, s := range q.Resumed {
		if !slices.Contains(q.Seats, s) {
			return fmt.Errorf("it resumes the turn of seat %d, which it does not ask", s)
		}
	}
	if len(q.Hints) > len(q.Seats) {
		return fmt.Errorf("it gives %d hints, and asks %d seats", len(q.Hints), len(q.Seats))
	}
	for _, h := range q.Hints {
		if !slices.Contains(q.Seats, h.Seat) {
			return fmt.Errorf("it gives a hint for seat %d, which it does not ask", h.Seat)
		}
		size := 0
		for _, line := range h.Answers {
			size += len(line)
		}
		if len(h.Answers) > driver.MaxHintAnswers || size > driver.MaxHintBytes {
			return fmt.Errorf("its hint for seat %d has %d answers of %d bytes", h.Seat, len(h.Answers), size)
		}
	}
	return nil
}

// checkEnd checks a result in a match with n seats.
func checkEnd(e *driver.Result, n int) error {
	if len(e.Seats) != n {
		return fmt.Errorf("its result is for %d seats of %d", len(e.Seats), n)
	}
	if e.Aborted {
		return nil
	}
	ranks := map[int]int{} // of teams
	for _, s := range e.Seats {
		if !(math.Abs(s.Score) <= driver.MaxScore) { // JSON has no infinite numbers
			return fmt.Errorf("its result has a score of %v", s.Score)
		}
		if s.Rank < 1 || s.Rank > n {
			return fmt.Errorf("its result has rank %d of %d", s.Rank, n)
		}
		if s.Team < 0 || s.Team > n {
			return fmt.Errorf("its result has team %d in a match of %d", s.Team, n)
		}
		if rank, known := ranks[s.Team]; known && s.Team > 0 && rank != s.Rank {
			return fmt.Errorf("its result has the ranks %d and %d for seats of team %d", rank, s.Rank, s.Team)
		}
		ranks[s.Team] = s.Rank
		if !slices.Contains(endings, s.Ended) {
			return fmt.Errorf("its result says that a seat ended %q", s.Ended)
		}
	}
	for _, s := range e.Seats {
		if rank := rankOf(s, e); s.Rank != rank {
			return fmt.Errorf("its result has rank %d instead of %d for a seat", s.Rank, rank)
		}
	}
	return nil
}

// rankOf returns the rank that a seat must have, given which seats have a better one.
func rankOf(s driver.SeatResult, e *driver.Result) int {
	rank := 1
	for _, other := range e.Seats {
		if other.Rank < s.Rank {
			rank++
		}
	}
	return rank
}

// endings are how a match that is not aborted can end for a seat: game.proto lists them.
var endings = []driver.Ended{
	driver.EndedFinished,
	driver.ForfeitIllegal, driver.ForfeitTimeout, driver.ForfeitDisconnected, driver.ForfeitResigned,
}
