package sdk

// This file is for those who run games: the plugin's server, tests, local
// matches. An author of a game does not need it.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"time"
)

// Setup is one match before it begins.
type Setup struct {
	*Settings
	Seed  uint64
	Names []string // by seat
	Bots  []bool   // by seat; nil: nobody is a bot
	// Log takes what the author of the game should read: panics with their
	// stacks, bots that misbehave. The goroutines of the referee and of the
	// bots call it, even when Run has returned. Nil drops it.
	Log func(text string)
	// Thoughts, when above 0, is how often Bot.Thinking says yes for each
	// line read, instead of a time, bots answer in no time, and pauses are as long
	// as they would be if the referee took none: for tests that must not depend on
	// speed.
	Thoughts int
}

// Table is where a match is played: it carries what the referee says to the
// host and brings the answers. Its methods are called by the referee's
// goroutine. All three return false when the match has been stopped.
type Table interface {
	// Send hands over a turn, which then belongs to the table.
	Send(t *Turn) bool
	// Wait blocks until every seat of the last Ask that is no bot has
	// answered, or could not, and returns one Answer for each.
	Wait() ([]Answer, bool)
	// Pause waits.
	Pause(d time.Duration) bool
}

// Turn is all that a referee did since it sent the last one.
type Turn struct {
	Texts      []Text        // in order
	BotAnswers []Answer      // given by bots, for the record
	Ask        *Ask          // the referee now waits for answers
	Pause      time.Duration // the referee now rests; nothing is wrong
	End        *Result       // the match has ended
}

// Audience says who receives a text.
type Audience int

// The audiences.
const (
	ToSeat       Audience = iota // the player on one seat
	ToSpectators                 // the spectators
	ToAll                        // all players and the spectators
	ToOthers                     // the spectators and all players but one
)

// Text is one or more lines, each ended by a line feed.
type Text struct {
	To    Audience
	Seat  int // for ToSeat and ToOthers
	Lines []byte
}

// Ask is a question to one or more seats at once.
type Ask struct {
	Seats   []int
	Seconds float64 // for each answer
	// Resumed are those of Seats whose turn goes on: each has what its last
	// answer left of its time, at most Seconds. For the others a turn begins.
	Resumed []int
	Legal   [][]string // the legal answers of each of Seats; nil: the referee judges
	// Examples gives legal answers of the one seat where Legal is nil; may be nil.
	Examples func() []string
}

// Answers returns legal answers of the i-th seat of the question: all of them
// when Legal is set, else what the referee's examples give, else none.
func (a *Ask) Answers(i int) []string {
	switch {
	case a.Legal != nil:
		return a.Legal[i]
	case a.Examples != nil:
		return a.Examples()
	default:
		return nil
	}
}

// Answer is what came back from one seat.
type Answer struct {
	Seat    int
	Line    string        // trimmed, without line feed
	Outcome error         // nil: answered; else ErrTimeout or ErrDisconnected
	At      time.Duration // since the match began
}

// Result is how a match ended.
type Result struct {
	Seats   []SeatResult
	Reason  string
	Aborted bool // a fault of the game or of the host, not of a player
}

// SeatResult is how a match ended for one seat.
type SeatResult struct {
	Score float64
	Rank  int    // from 1; equal seats share the better rank; 0 when aborted
	Ended string // EndedFinished, EndedAborted, or "forfeit: " and an error above
}

// Values of SeatResult.Ended besides the forfeits.
const (
	EndedFinished = "finished"
	EndedAborted  = "aborted"
)

// A referee that talks without asking is flushed when its texts weigh this
// much: their bytes, and for each text what it costs besides.
const (
	flushAt    = 32 << 10
	textWeight = 64
)

// Run plays one match to its end and sends the result as the last turn. When
// the table says that the match was stopped, it ends the calling goroutine
// (deferred functions run): give it one of its own. While only bots are asked,
// a stop shows when they have answered or are late. Bots run beside the referee
// and end with it, but for one that never calls its Bot again.
func (g *Game) Run(s Setup, t Table) {
	n := len(s.Names)
	m := &Match{
		Settings: s.Settings, names: s.Names, bots: make([]*Bot, n), rand: NewRand(s.Seed, StreamReferee),
		table: t, log: s.Log, turn: &Turn{}, timeout: s.timeout, faults: make([]error, n), turns: make([]seatTurn, n), scores: make([]float64, n), tested: s.Thoughts > 0,
	}
	if m.log == nil {
		m.log = func(string) {}
	}
	m.start = time.Now()
	for seat := range s.Bots {
		if s.Bots[seat] {
			b := newBot(m, s, seat)
			m.bots[seat] = b
			go b.run(g.Bot) // ends when the match does: every call of the Bot ends it then
			defer b.stop()
		}
	}
	m.turn.End = m.play(g.Play)
	t.Send(m.turn)
}

// play runs the referee and returns the result.
func (m *Match) play(referee func(*Match) error) (result *Result) {
	defer func() {
		if p := recover(); p != nil {
			m.log(fmt.Sprintf("referee: panic: %v\n%s", p, debug.Stack()))
			result = m.aborted(fmt.Sprintf("the referee failed: %v", p))
		}
	}()
	if err := referee(m); err != nil {
		m.log("referee: " + err.Error())
		return m.aborted("the referee failed: " + err.Error())
	}
	return m.result()
}

func newBot(m *Match, s Setup, seat int) *Bot {
	b := &Bot{
		Settings: s.Settings, rand: NewRand(s.Seed, StreamBots+uint64(seat)), thoughts: s.Thoughts,
		log: m.log, since: m.start, allowed: duration(m.timeout),
	}
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (m *Match) say(to Audience, seat int, line string) {
	last := len(m.turn.Texts) - 1
	if last < 0 || m.turn.Texts[last].To != to || m.turn.Texts[last].Seat != seat {
		m.turn.Texts = append(m.turn.Texts, Text{To: to, Seat: seat, Lines: make([]byte, 0, len(line)+1)})
		m.said += textWeight
		last++
	}
	t := &m.turn.Texts[last]
	t.Lines = append(append(t.Lines, line...), '\n')
	m.said += len(line) + 1
	if m.said >= flushAt {
		m.flush()
	}
}

// flush sends the turn so far, and gives the bots what is theirs.
func (m *Match) flush() {
	for seat, b := range m.bots {
		if b == nil {
			continue
		}
		for _, t := range m.turn.Texts {
			if t.For(seat) {
				b.tell(t.Lines)
			}
		}
	}
	t := m.turn
	m.turn, m.said = &Turn{}, 0
	if !m.table.Send(t) {
		runtime.Goexit()
	}
}

// For tells whether a text is for the player on a seat.
func (t Text) For(seat int) bool {
	switch t.To {
	case ToSeat:
		return t.Seat == seat
	case ToOthers:
		return t.Seat != seat
	default:
		return t.To == ToAll
	}
}

// ForSpectators tells whether a text is for the spectators.
func (t Text) ForSpectators() bool { return t.To != ToSeat }

func (m *Match) result() *Result {
	r := &Result{Seats: make([]SeatResult, len(m.names)), Reason: m.reason}
	order := make([]int, len(m.names))
	var retired []string
	for seat := range order {
		order[seat] = seat
		r.Seats[seat] = SeatResult{Score: m.scores[seat], Ended: EndedFinished}
		if why := m.faults[seat]; why != nil {
			r.Seats[seat].Ended = "forfeit: " + why.Error()
			retired = append(retired, m.names[seat]+" forfeits: "+why.Error())
		}
	}
	if r.Reason == "" {
		r.Reason = strings.Join(retired, "; ")
	}
	before := func(a, b int) bool {
		if (m.faults[a] == nil) != (m.faults[b] == nil) {
			return m.faults[a] == nil
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

func (m *Match) aborted(reason string) *Result { return Aborted(len(m.names), reason) }

// Aborted is the result of a match of n seats that ended by no player's doing.
func Aborted(n int, reason string) *Result {
	r := &Result{Seats: make([]SeatResult, n), Reason: reason, Aborted: true}
	for i := range r.Seats {
		r.Seats[i].Ended = EndedAborted
	}
	return r
}
