package sdk

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"time"

	"colosseum/sdk/driver"
)

// A frame is sent once its texts weigh flushAt, even if the referee asks nothing.
// A text weighs its bytes plus textWeight.
const (
	flushAt    = 32 << 10
	textWeight = 64
)

// Run plays one match to its end and sends the result with the last frame. It is
// for drivers: an author does not call it.
//
// Run must be called in a goroutine of its own: when the driver reports that the
// match has been stopped, Run ends the calling goroutine (its deferred functions
// run). While only bots are asked, that happens once they have answered or are
// late. Each bot runs in its own goroutine, which ends at the bot's first Read or
// Write after the end of the match.
func (g *Game) Run(s driver.Setup, d driver.Driver) {
	n := len(s.Names)
	m := &Match{
		Settings: &Settings{s.Settings}, names: s.Names, bots: make([]*Bot, n), rand: driver.NewRand(s.Seed, driver.StreamReferee),
		driver: d, log: s.Log, frame: &driver.Frame{}, timeout: s.Settings.Timeout, forfeits: make([]error, n), turns: make([]seatTurn, n),
		scores: make([]float64, n), tested: s.Thoughts > 0,
	}
	if m.log == nil {
		m.log = func(string) {}
	}
	m.start = time.Now()
	for seat := range s.Bots {
		if s.Bots[seat] {
			b := newBot(m, s, seat)
			m.bots[seat] = b
			go b.run(g.Bot) // ends at its first Read or Write after the match
			defer b.stop()
		}
	}
	m.frame.End = m.play(g.Play)
	d.Send(m.frame)
}

// play runs the referee and returns the result.
func (m *Match) play(referee func(*Match) error) (result *driver.Result) {
	defer func() {
		if p := recover(); p != nil {
			m.log(fmt.Sprintf("referee: panic: %v\n%s", p, debug.Stack()))
			result = driver.Aborted(len(m.names), fmt.Sprintf("the referee failed: %v", p))
		}
	}()
	if err := referee(m); err != nil {
		m.log("referee: " + err.Error())
		return driver.Aborted(len(m.names), "the referee failed: "+err.Error())
	}
	return m.result()
}

func (m *Match) result() *driver.Result {
	r := &driver.Result{Seats: make([]driver.SeatResult, len(m.names)), Reason: m.reason}
	order := make([]int, len(m.names))
	var retired []string
	for seat := range order {
		order[seat] = seat
		r.Seats[seat] = driver.SeatResult{Score: m.scores[seat], Ended: driver.EndedFinished}
		if why := m.forfeits[seat]; why != nil {
			r.Seats[seat].Ended = endedBy(why)
			retired = append(retired, m.names[seat]+" forfeits: "+why.Error())
		}
	}
	if r.Reason == "" {
		r.Reason = strings.Join(retired, "; ")
	}
	before := func(a, b int) bool {
		if (m.forfeits[a] == nil) != (m.forfeits[b] == nil) {
			return m.forfeits[a] == nil
		}
		return m.scores[a] > m.scores[b]
	}
	sort.SliceStable(order, func(i, j int) bool { return before(order[i], order[j]) })
	for i, seat := range order {
		r.Seats[seat].Rank = i + 1
		if i > 0 && !before(order[i-1], seat) {
			r.Seats[seat].Rank = r.Seats[order[i-1]].Rank
		}
	}
	return r
}

// endedBy returns how a match ends for a seat that forfeits, or "" when why is
// not one of the errors of a forfeit.
func endedBy(why error) driver.Ended {
	switch why {
	case ErrIllegal:
		return driver.ForfeitIllegal
	case ErrTimeout:
		return driver.ForfeitTimeout
	case ErrDisconnected:
		return driver.ForfeitDisconnected
	case ErrResigned:
		return driver.ForfeitResigned
	default:
		return ""
	}
}

// send adds a line to the texts of the frame.
func (m *Match) send(to driver.Audience, seat int, line string) {
	last := len(m.frame.Texts) - 1
	if last < 0 || m.frame.Texts[last].To != to || m.frame.Texts[last].Seat != seat {
		m.frame.Texts = append(m.frame.Texts, driver.Text{To: to, Seat: seat, Lines: make([]byte, 0, len(line)+1)})
		m.weight += textWeight
		last++
	}
	t := &m.frame.Texts[last]
	t.Lines = append(append(t.Lines, line...), '\n')
	m.weight += len(line) + 1
	if m.weight >= flushAt {
		m.flush()
	}
}

// flush sends the frame so far, to the bots as well, and begins the next.
func (m *Match) flush() {
	for seat, b := range m.bots {
		if b == nil {
			continue
		}
		for _, t := range m.frame.Texts {
			if t.For(seat) {
				b.receive(t.Lines)
			}
		}
	}
	t := m.frame
	m.frame, m.weight = &driver.Frame{}, 0
	if !m.driver.Send(t) {
		runtime.Goexit()
	}
}

// askOne puts a question to the one seat that it names.
func (m *Match) askOne(q *driver.Question) (string, error) {
	seat := q.Seats[0]
	m.checkSeat(seat)
	if m.forfeits[seat] != nil {
		return "", m.forfeits[seat]
	}
	a := m.ask(q)[0]
	return m.judge(q, 0, a)
}

// judge returns the line of an answer to the i-th seat of a question. If there is
// none, or it is illegal, the seat forfeits.
func (m *Match) judge(q *driver.Question, i int, a driver.Answer) (string, error) {
	var why error
	switch {
	case a.Outcome == driver.Timeout:
		why = ErrTimeout
	case a.Outcome == driver.Disconnected:
		why = ErrDisconnected
	case q.Legal != nil && !slices.Contains(q.Legal[i], a.Line):
		why = ErrIllegal
	default:
		return a.Line, nil
	}
	m.forfeit(a.Seat, why)
	return "", why
}

// ask puts a question and returns an answer for each of its seats, in their
// order. Players answer through the driver, bots directly.
func (m *Match) ask(q *driver.Question) []driver.Answer {
	if len(q.Seats) == 0 {
		return nil
	}
	q.Seconds = m.timeout
	for _, seat := range q.Seats {
		if m.turns[seat].resumed {
			q.Resumed = append(q.Resumed, seat)
			m.turns[seat].resumed = false
		} else {
			m.turns[seat] = seatTurn{begun: true}
		}
	}
	m.frame.Question = q
	m.flush()
	players := 0
	for _, seat := range q.Seats {
		if m.bots[seat] == nil {
			players++
		} else {
			m.bots[seat].ask(duration(m.timeout), slices.Contains(q.Resumed, seat))
		}
	}
	answers := make([]driver.Answer, len(q.Seats))
	if players > 0 {
		got, ok := m.driver.Wait()
		if !ok {
			runtime.Goexit()
		}
		for _, a := range got {
			if i := slices.Index(q.Seats, a.Seat); i >= 0 && m.bots[a.Seat] == nil {
				answers[i] = a
				players--
			}
		}
		if players != 0 {
			panic("sdk: the driver did not return one answer for each seat that was asked")
		}
	}
	for i, seat := range q.Seats {
		if b := m.bots[seat]; b != nil {
			line, outcome := b.answer()
			// In whole milliseconds, like players' answers and the record, so that
			// Elapsed is the same when the match is run again.
			answers[i] = driver.Answer{Seat: seat, Line: line, Outcome: outcome, At: m.now().Truncate(time.Millisecond)}
			m.frame.BotAnswers = append(m.frame.BotAnswers, answers[i])
		}
		if answers[i].At > m.elapsed {
			m.elapsed = answers[i].At
		}
	}
	return answers
}

// pause waits for d.
func (m *Match) pause(d time.Duration) {
	m.frame.Pause = d
	m.flush()
	if !m.driver.Pause(d) {
		runtime.Goexit()
	}
}

// now returns the time since the match began.
func (m *Match) now() time.Duration {
	if !m.tested {
		return time.Since(m.start)
	}
	if m.elapsed > m.paced {
		return m.elapsed
	}
	return m.paced
}

// forfeit takes a seat out of the match; the first reason counts.
func (m *Match) forfeit(seat int, why error) {
	if m.forfeits[seat] == nil {
		m.forfeits[seat] = why
	}
}

func (m *Match) checkSeat(seat int) {
	if seat < 0 || seat >= len(m.names) {
		panic("sdk: there is no such seat")
	}
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
