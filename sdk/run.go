package sdk

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
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

// run plays one match to its end; see driver.Game.Run. The stack of a referee that waits for
// players has to fit into 4 KiB, for a process can have thousands. So run and ask leave what
// needs memory for a moment to functions that return before the referee waits.
func (g *Game) run(s *driver.Setup, d driver.Driver) {
	m := g.newMatch(s, d)
	defer m.stop()
	m.frame.End = m.play(g.Play)
	m.driver.Send(m.frame)
}

// newMatch returns a match for the goroutine of its referee, and starts its bots.
func (g *Game) newMatch(s *driver.Setup, d driver.Driver) *Match {
	n := len(s.Names)
	m := &Match{
		Settings: &Settings{s.Settings}, names: s.Names, bots: make([]*Bot, n), rand: driver.NewRand(s.Seed, driver.StreamReferee),
		driver: d, log: s.Log, hints: s.Hints, frame: &driver.Frame{}, timeout: s.Settings.Timeout, forfeits: make([]error, n), turns: make([]seatTurn, n), banks: make([]bank, n), missed: make([]int, n),
		scores: make([]float64, n), teams: make([]int, n), tested: s.Thoughts > 0, begins: len(s.Begin),
	}
	if m.log == nil {
		m.log = func(string) {}
	}
	for seat, b := range s.Banks {
		m.banks[seat] = bank{b.Start > 0, duration(b.Start), duration(b.Increment)}
	}
	m.judging = newJudging(s)
	m.again = newAgain(g, s)
	m.start = time.Now()
	for seat := range s.Bots {
		if s.Bots[seat] {
			b := newBot(m, s, seat, g.thoughtFor(m.Settings))
			m.bots[seat] = b
			// Not a coroutine of the referee, as iter.Pull has: one that computes without end could
			// not be late, because its referee would never run again.
			go b.run(g.Bot) // ends at its first Read or Write after the match
		}
	}
	if s.Stall > 0 {
		m.watch = newWatch(m, d, s.Stall)
		m.driver = m.watch
	}
	return m
}

// stop ends what newMatch has started.
func (m *Match) stop() {
	if m.watch != nil {
		m.watch.stop()
	}
	for _, b := range m.bots {
		if b != nil {
			b.stop()
		}
	}
}

// play runs the referee and returns the result.
func (m *Match) play(referee func(*Match) error) (result *driver.Result) {
	defer func() {
		if p := recover(); p != nil {
			why := driver.Failure(p)
			m.log(fmt.Sprintf("referee: %s\n%s", why, debug.Stack()))
			result = driver.Aborted(len(m.names), "the referee failed: "+why)
		}
	}()
	if err := m.again.explain(referee(m), m.again.play); err != nil {
		m.log("referee: " + err.Error())
		return driver.Aborted(len(m.names), "the referee failed: "+err.Error())
	}
	return m.result()
}

func (m *Match) result() *driver.Result {
	r := &driver.Result{Seats: make([]driver.SeatResult, len(m.names)), Reason: m.reason}
	var retired []string
	for seat := range r.Seats {
		r.Seats[seat] = driver.SeatResult{Score: m.scores[seat], Ended: driver.EndedFinished, Team: m.teams[seat]}
		if why := m.forfeits[seat]; why != nil {
			r.Seats[seat].Ended = endedBy(why)
			retired = append(retired, m.names[seat]+" forfeits: "+why.Error())
		}
	}
	if r.Reason == "" {
		r.Reason = strings.Join(retired, "; ")
	}
	sides := m.sides()
	for seat, own := range sides {
		r.Seats[seat].Rank = 1
		for _, other := range sides {
			if other.before(own) {
				r.Seats[seat].Rank++
			}
		}
	}
	return r
}

// side is what ranks a seat: its own points, or those of its team.
type side struct {
	points  float64
	playing bool // a seat of it has not forfeited
}

func (s side) before(other side) bool {
	if s.playing != other.playing {
		return s.playing
	}
	return s.points > other.points
}

// sides returns the side of each seat.
func (m *Match) sides() []side {
	list := make([]side, len(m.names))
	for seat := range list {
		for mate := range list {
			if mate == seat || m.teams[seat] != 0 && m.teams[mate] == m.teams[seat] {
				list[seat].points += m.scores[mate]
				list[seat].playing = list[seat].playing || m.forfeits[mate] == nil
			}
		}
	}
	return list
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
	m.dispatch()
	m.wake()
}

// dispatch is flush, without waking the bots.
func (m *Match) dispatch() {
	t := m.frame
	if len(t.Texts) > 0 {
		for _, b := range m.bots {
			if b != nil {
				b.receive(t.Texts)
			}
		}
	}
	m.frame, m.weight = &driver.Frame{}, 0
	if n := len(t.Texts); n > 0 { // most frames of a match are alike
		m.frame.Texts = make([]driver.Text, 0, min(n, 8))
	}
	if !m.driver.Send(t) {
		runtime.Goexit()
	}
}

// wake lets the bots go on with what they have been sent and asked.
func (m *Match) wake() {
	for _, b := range m.bots {
		if b != nil {
			b.wake()
		}
	}
}

// askOne puts a question to the one seat that it names.
func (m *Match) askOne(q *driver.Question) (string, error) {
	seat := q.Seats[0]
	m.checkSeat(seat)
	if m.forfeits[seat] != nil {
		m.examples = nil
		return "", m.forfeits[seat]
	}
	return m.accept(q, 0, &m.ask(q)[0])
}

// accept returns the line of an answer to the i-th seat of a question. If there is
// none, or it is illegal, the seat forfeits.
func (m *Match) accept(q *driver.Question, i int, a *driver.Answer) (string, error) {
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
	if q.Legal == nil {
		q.Examples = m.examples
	}
	m.examples = nil
	if len(q.Seats) == 0 {
		return nil
	}
	end := max(m.elapsed, m.replayed) + duration(q.Seconds) // of a tick
	m.beginTurns(q)
	m.frame.Question = q
	m.dispatch()
	players := m.askBots(q)
	m.wake()
	answers := make([]driver.Answer, len(q.Seats))
	if players > 0 {
		m.await(q, answers, players)
	} else if q.Tick && !m.driver.Pause(duration(q.Seconds)) { // nobody else keeps the pace
		runtime.Goexit()
	}
	m.collect(q, answers, end)
	m.again.keep(answers)
	if m.watch != nil {
		m.watch.enter(false)
	}
	return answers
}

// beginTurns begins or continues the turns of the seats of a question, and completes it.
func (m *Match) beginTurns(q *driver.Question) {
	if !q.Tick {
		q.Seconds = m.timeout
	}
	for _, seat := range q.Seats {
		if q.Tick {
			m.turns[seat].ticked, m.turns[seat].resumed = true, false
			continue
		}
		m.begin(seat)
		if m.turns[seat].resumed {
			q.Resumed = append(q.Resumed, seat)
			m.turns[seat].resumed = false
		}
	}
	m.answers += len(q.Seats)
	for i, seat := range q.Seats {
		if m.hints != nil && m.hints[seat] {
			q.Hints = append(q.Hints, m.hint(q, i))
		}
	}
}

// askBots asks the bots among the seats of a question, and returns how many players there are.
func (m *Match) askBots(q *driver.Question) (players int) {
	for _, seat := range q.Seats {
		if m.bots[seat] == nil {
			players++
		} else {
			m.bots[seat].ask(duration(q.Seconds), slices.Contains(q.Resumed, seat), q.Tick)
		}
	}
	return players
}

// await waits for the answers of the players.
func (m *Match) await(q *driver.Question, answers []driver.Answer, players int) {
	got, ok := m.driver.Wait()
	if !ok {
		runtime.Goexit()
	}
	for j := range got {
		a := &got[j]
		if i := slices.Index(q.Seats, a.Seat); i >= 0 && m.bots[a.Seat] == nil {
			answers[i] = *a
			players--
		}
	}
	if players != 0 {
		panic("sdk: the driver did not return one answer for each seat that was asked")
	}
}

// collect adds the answers of the bots, and notes when all answers came. end is that of a tick.
func (m *Match) collect(q *driver.Question, answers []driver.Answer, end time.Duration) {
	for i, seat := range q.Seats {
		if b := m.bots[seat]; b != nil {
			w, outcome := b.answer(q.Tick)
			at := m.now()
			if q.Tick && m.tested {
				at = end
			}
			// In whole milliseconds, like players' answers and the record, so that
			// Elapsed is the same when the match is run again.
			answers[i] = driver.Answer{Seat: seat, Line: w.line, Outcome: outcome, At: at.Truncate(time.Millisecond), Note: w.note}
			m.frame.BotAnswers = append(m.frame.BotAnswers, answers[i])
		}
		if !q.Tick {
			m.count(&answers[i])
		}
	}
	if q.Tick {
		m.elapsed = max(m.elapsed, end)
	}
	for i := range answers {
		m.elapsed = max(m.elapsed, answers[i].At)
	}
}

// hint returns the hint for the i-th seat of a question. What Examples does changes nothing
// else: otherwise the match would be another one without hints.
func (m *Match) hint(q *driver.Question, i int) (h driver.Hint) {
	saved := *m.rand
	defer func() {
		*m.rand = saved
		if p := recover(); p != nil {
			m.log(fmt.Sprintf("referee: Examples: %s", driver.Failure(p)))
			h = driver.Hint{Seat: q.Seats[i], Examples: true}
		}
	}()
	return q.Hint(i)
}

// begin begins or continues the turn of a seat that is asked.
func (m *Match) begin(seat int) {
	t := &m.turns[seat]
	allowed := duration(m.TimeLeft(seat))
	if !t.resumed {
		if t.begun {
			m.banks[seat].left += m.banks[seat].increment
		}
		*t = seatTurn{begun: true}
	}
	t.asked, t.allowed = max(m.elapsed, m.replayed), allowed
}

// count subtracts the time that an answer took from the time of its turn, and from the
// bank.
func (m *Match) count(a *driver.Answer) {
	t := &m.turns[a.Seat]
	used := a.At - t.asked
	if b := &m.banks[a.Seat]; b.timed { // the host has counted, without the lag that it forgives
		used, b.left = b.left-a.Left, a.Left
	}
	switch a.Outcome {
	case driver.Timeout:
		used = t.allowed
	case driver.Disconnected:
		used = 0
	}
	t.left = max(0, t.allowed-max(0, used))
}

// pause waits for d.
func (m *Match) pause(d time.Duration) {
	if m.answers < m.begins {
		return
	}
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
