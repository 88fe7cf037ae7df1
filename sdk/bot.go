package sdk

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"colosseum/sdk/driver"
)

// Limits of a bot.
const (
	ownThought   = 250 * time.Millisecond // for one move of a game without the parameter think
	thoughtShare = 4                      // a bot thinks for at most 1/thoughtShare of the timeout
	searchShare  = 2                      // a search of a fixed size ends after 1/searchShare of it
	maxAhead     = 1024                   // lines that a bot can write before being asked
	maxUnread    = 1 << 20                // bytes that a bot can have to read at the end of a tick

	// minTestTimeout is the least time for an answer in a test, which must not
	// fail because the machine is slow.
	minTestTimeout = 5 * time.Minute
)

// ThinkParam is the name of the parameter, made with [Float], for the seconds that the
// server's bots think about a move: sdk.Float(sdk.ThinkParam, …). Without this
// parameter they think for a quarter of a second. The host's configuration limits it.
const ThinkParam = driver.ThinkParam

// BotParam is the name of the parameter, made with [Choice], for the level of the server's
// bots, the strongest first: sdk.Choice(sdk.BotParam, …). The creator of a match can give
// each bot a level of its own, which the bot then reads as the value of this parameter.
const BotParam = driver.BotParam

// Bot is a seat held by the server, as the bot's code sees it: it reads the lines
// that a player on that seat gets, and writes lines. Only the goroutine that runs
// Game.Bot is allowed to call its methods. When the match has ended, Read and Write end
// that goroutine (its deferred functions run).
type Bot struct {
	*Settings
	rand     *driver.Rand
	log      func(string)
	thought  time.Duration // for one move; see Thinking
	thoughts int           // how many times Thinking returns true after a Read; 0: it uses the clock
	measure  func()        // see Setup.Thought; can be nil

	// For the bot's goroutine alone.
	since  time.Time // when the last Read returned
	calls  int       // of Thinking since then
	note   string    // see Note, for the next line
	cut    bool      // the clock has ended the search for it
	cuts   bool      // that has been logged
	begin  []string  // lines of an earlier match that replace its next ones; see Setup.Begin
	slot   slot
	seat   int
	again  *again // nil: failures are not explained
	heard  heard  // if again is not nil
	replay *heard // of the second run; nil: this is the first

	mu       sync.Mutex    // guards the fields below
	cond     *sync.Cond    // signals any change of them
	in       []string      // lines to read; bounded by the referee, which waits for answers, and by maxUnread
	unread   int           // bytes of in
	out      []written     // lines not yet asked for; Write blocks at maxAhead
	stale    int           // lines of out from before the last ones of in
	asked    bool          // the referee waits for a line
	askedAt  time.Time     // when the last question was put
	allowed  time.Duration // for the last question, or before it for the first
	left     time.Duration // of allowed, when the answer came
	deadline time.Time     // of the question
	timer    *time.Timer   // calls tick; nil: it was never needed
	armed    time.Time     // when the timer fires, perhaps earlier than needed; zero: it has fired
	reads    bool          // it waits in Read
	writes   bool          // it waits in Write
	failed   bool          // its function has failed, and returns soon: it is not late
	returned bool          // its function has returned
	over     bool          // the match has ended
}

// written is a line of a bot, and when it was written.
type written struct {
	line, note string
	at         time.Time
}

// Read returns the next line that the seat receives.
func (b *Bot) Read() string {
	if b.replay != nil {
		b.calls = 0
		return b.replay.next()
	}
	b.slot.release()
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.in) == 0 && !b.over {
		b.reads = true
		b.cond.Broadcast()
		b.cond.Wait()
	}
	b.reads = false
	if b.over {
		runtime.Goexit()
	}
	line := b.in[0]
	b.in = withoutFirst(b.in)
	b.unread -= len(line) + lineSize
	if b.again != nil {
		b.heard.add(line)
	}
	b.since, b.calls, b.cut = time.Now(), 0, false
	return line
}

// Write answers with a line; a line feed inside makes it several lines. A bot can
// write up to 1024 lines before being asked; then Write blocks. In a tick the last line
// that the bot has written counts, and the others are dropped.
//
// Write returns the line that its seat has sent. That is another one only in a match that
// begins with the moves of an earlier match, until these are used up: then it is what the
// seat answered there. So a bot that keeps the board itself plays the line that Write returns.
func (b *Bot) Write(line string) (sent string) {
	parts := []string{strings.TrimSuffix(line, "\n")}
	if strings.Contains(parts[0], "\n") {
		parts = strings.Split(parts[0], "\n")
	}
	for i := range parts {
		if len(b.begin) > 0 {
			parts[i], b.begin, b.note = b.begin[0], b.begin[1:], ""
		}
	}
	sent = strings.Join(parts, "\n")
	if b.replay != nil {
		return sent
	}
	b.slot.release()
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.out) >= maxAhead && !b.over {
		b.writes = true
		b.cond.Broadcast()
		b.cond.Wait()
	}
	b.writes = false
	if b.over {
		runtime.Goexit()
	}
	now := time.Now()
	if b.cut {
		b.note = driver.CleanNote(strings.TrimPrefix(b.note+"; the time ended the search", "; "))
		b.cut = false
	}
	for _, part := range parts {
		b.out = append(b.out, written{part, b.note, now})
		b.note = ""
	}
	b.cond.Broadcast()
	return sent
}

// beginOf returns the lines of a seat with which a match begins.
func beginOf(s *driver.Setup, seat int) (lines []string) {
	for _, a := range s.Begin {
		if a.Seat == seat {
			lines = append(lines, a.Line)
		}
	}
	return lines
}

// Note adds a text about the next line that the bot writes, such as what its search has
// found. A later Note replaces one that no line has taken. The record of the match keeps
// it with the answer, and shows it only after the end of the match. A note has at most
// 1 KiB, and those of a match have at most 1 MiB in sum; what exceeds that is cut or
// dropped. Control characters, except tabs and line feeds, become U+FFFD.
func (b *Bot) Note(text string) { b.note = driver.CleanNote(text) }

// Rand returns a number from 0 to n-1, each with the same chance, drawn from
// the match's seed and the bot's seat. It panics if n is below 1.
func (b *Bot) Rand(n int) int { return b.rand.Intn(n) }

// Thinking reports whether the bot has time left to search for its move. It returns
// false when a quarter of a second, or a quarter of the time for an answer, has
// passed since the last Read, and when the match has ended. In a game with the
// parameter [ThinkParam], its value in seconds replaces the quarter of a second. A
// search calls Thinking every few thousand positions and has a move ready at any time.
func (b *Bot) Thinking() bool {
	more, _ := b.goesOn(thoughtShare, b.thought, b.thoughts)
	return more
}

// Searching is Thinking for a level that searches a fixed number of positions or plies, and
// so is as strong on every machine, compiled and as a script. Time is only its last stop:
// it returns false when half of the time for an answer has passed since the last Read. Then
// the log of the host says once that the bot is weaker than its level, and so does the
// note of the answer. In a test it returns true.
func (b *Bot) Searching() bool {
	more, late := b.goesOn(searchShare, math.MaxInt64, 0)
	if late && !b.cut {
		b.cut = true
		if !b.cuts {
			b.log("bot: " + cutSearch)
		}
		b.cuts = true
	}
	return more
}

const cutSearch = "the time for an answer ended a search of a fixed size, so the bot is weaker than its level: the machine is too slow or too busy"

// goesOn reports whether a search can go on: for a share of the time for an answer, and at
// most the given time; in a test, for the number of calls, 0 for any. Late reports whether
// time has ended it.
func (b *Bot) goesOn(share int, most time.Duration, thoughts int) (more, late bool) {
	b.calls++
	switch {
	case len(b.begin) > 0: // its answer is known
		return false, false
	case b.replay != nil:
		return b.calls <= b.replay.thoughts[0], false
	case b.thoughts > 0:
		more = thoughts == 0 || b.calls <= thoughts
	default:
		b.slot.take()
		b.mu.Lock()
		inTime := time.Since(b.since) < min(b.allowed/time.Duration(share), most)
		more, late = inTime && !b.over, !inTime && !b.over
		b.mu.Unlock()
	}
	if more && b.measure != nil {
		b.measure()
	}
	if more && b.again != nil && !b.heard.dropped {
		b.heard.thoughts[len(b.heard.thoughts)-1]++
	}
	return more, late
}

// thoughtFor returns how long the bots of a match think about a move at most.
func (g *Game) thoughtFor(s *Settings) time.Duration {
	for _, p := range g.Params {
		if p.Name == ThinkParam && p.Kind == driver.KindFloat {
			return duration(s.Float(ThinkParam))
		}
	}
	return ownThought
}

// TimeLeft returns the seconds that are left for the answer that the referee waits for.
// If it waits for none, it returns the time that the last question gave. In a test, in
// which bots need no time, nothing of it is used up.
func (b *Bot) TimeLeft() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.allowed
	if b.asked && b.thoughts == 0 {
		left -= time.Since(b.askedAt)
	}
	return max(0, left).Seconds()
}

func newBot(m *Match, s *driver.Setup, seat int, thought time.Duration) *Bot {
	settings := m.Settings
	if s.Levels != nil {
		settings = settings.withLevel(s.Levels[seat])
	}
	b := &Bot{
		Settings: settings, rand: driver.NewRand(s.Seed, driver.StreamBots+uint64(seat)), thought: thought, thoughts: s.Thoughts, measure: s.Thought,
		log: m.log, since: m.start, allowed: duration(m.timeout), seat: seat, again: m.again, heard: heard{thoughts: []int{0}}, begin: beginOf(s, seat),
	}
	b.cond = sync.NewCond(&b.mu)
	return b
}

// run calls the game's function and logs its error or panic.
func (b *Bot) run(play func(*Bot) error) {
	var err error
	panicked := true
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s\n%s", driver.Failure(p), debug.Stack())
		}
		b.slot.release()
		b.mu.Lock()
		over := b.over
		b.mu.Unlock()
		if err != nil && !(panicked && over) {
			b.mu.Lock()
			b.failed = true
			b.mu.Unlock()
			if !b.heard.dropped {
				err = b.again.explain(err, b.playAgain)
			}
			b.log("bot: " + err.Error()) // before the match can end because of it
		}
		b.mu.Lock()
		b.returned = true
		b.cond.Broadcast()
		b.mu.Unlock()
	}()
	err = play(b)
	panicked = false
}

// receive adds the lines of those texts that are for the bot, for Read. It does not wake
// the bot, so that the players' lines leave before the bot begins to think; see wake.
func (b *Bot) receive(texts []driver.Text) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over { // it read too little
		return
	}
	for i := range texts {
		if t := &texts[i]; t.For(b.seat) {
			for line := range strings.SplitSeq(strings.TrimSuffix(string(t.Lines), "\n"), "\n") {
				b.in = append(b.in, line)
				b.unread += len(line) + lineSize
			}
			b.stale = len(b.out)
		}
	}
}

// wake lets the bot go on if receive or ask has changed what it waits for.
func (b *Bot) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reads && len(b.in) > 0 || b.writes {
		b.cond.Broadcast()
	}
}

// ask starts the clock of a question, for answer; wake must follow. A resumed turn has at
// most the time that the last answer left. Lines from before the last ones that the bot
// received answer an earlier tick, not this one. In a test no bot is late, so that there are
// none.
func (b *Bot) ask(timeout time.Duration, resumed, tick bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tick && b.thoughts == 0 {
		b.out, b.stale = b.out[b.stale:], 0
	}
	if resumed {
		timeout = min(timeout, b.left)
	}
	b.asked, b.askedAt, b.allowed, b.left = true, time.Now(), timeout, 0
	if b.thoughts > 0 {
		timeout = max(timeout, minTestTimeout)
	}
	b.deadline = b.askedAt.Add(timeout)
}

// waitLocked waits for a change of the fields, at most until the deadline, and reports
// whether that has passed and the bot is late. Answers take far less time than they are
// given, so the timer is only moved when it would fire too late; most matches set it once.
func (b *Bot) waitLocked() (late bool) {
	if b.failed { // it returns soon
		b.cond.Wait()
		return false
	}
	if b.armed.IsZero() || b.deadline.Before(b.armed) {
		left := time.Until(b.deadline)
		if left <= 0 {
			return true
		}
		b.armed = b.deadline
		if b.timer == nil {
			b.timer = time.AfterFunc(left, b.tick)
		} else {
			b.timer.Reset(left)
		}
	}
	b.cond.Wait()
	return !b.failed && b.armed.IsZero() && !time.Now().Before(b.deadline)
}

// tick handles that the timer has fired.
func (b *Bot) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed = time.Time{}
	b.cond.Broadcast()
}

// withoutFirst removes the first element of a list, and keeps the memory of a list of one.
func withoutFirst[T any](list []T) []T {
	if len(list) == 1 {
		clear(list)
		return list[:0]
	}
	return list[1:]
}

// answer returns the line that answers the question of ask, or an empty one. It waits for
// the line, but not in a tick, which has ended.
func (b *Bot) answer(tick bool) (written, driver.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.asked = false }()
	if tick {
		return b.lastLocked()
	}
	for late := false; ; late = b.waitLocked() {
		switch {
		case len(b.out) > 0:
			w := b.out[0]
			used := max(0, w.at.Sub(b.askedAt)) // 0 when written before the question
			if b.thoughts > 0 {
				used = 0
			}
			if used >= b.allowed {
				return written{}, driver.Timeout // the line answers the next question
			}
			b.left = b.allowed - used
			b.out, b.stale = withoutFirst(b.out), max(0, b.stale-1)
			if b.writes {
				b.cond.Broadcast()
			}
			w.line = strings.TrimSpace(w.line)
			return w, driver.Answered
		case b.returned:
			return written{}, driver.Disconnected
		case b.reads && len(b.in) == 0:
			b.log(errStuck.Error())
			return written{}, driver.Timeout
		case late:
			return written{}, driver.Timeout
		}
	}
}

// lastLocked returns the last line that answers a tick, and drops the others. In a test the
// bot has all the time it needs, so it has answered once it waits.
func (b *Bot) lastLocked() (written, driver.Outcome) {
	for late := false; b.thoughts > 0 && !late && !b.waitsLocked(); {
		late = b.waitLocked()
	}
	if b.unread > maxUnread && !b.over { // the referee does not wait for it
		b.log(errUnread.Error())
		b.over, b.returned, b.in = true, true, nil
	}
	out := b.out
	b.out, b.stale = nil, 0
	b.cond.Broadcast()
	if n := len(out); n > 0 {
		w := out[n-1]
		w.line = strings.TrimSpace(w.line)
		return w, driver.Answered
	}
	if b.returned {
		return written{}, driver.Disconnected
	}
	return written{}, driver.Timeout
}

// waitsLocked reports whether the bot does nothing until the referee does something.
func (b *Bot) waitsLocked() bool {
	return b.returned || b.reads && len(b.in) == 0 || b.writes && len(b.out) >= maxAhead
}

// stop ends the bot: its next Read or Write ends its goroutine.
func (b *Bot) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	if b.timer != nil {
		b.timer.Stop()
	}
	b.cond.Broadcast()
}

var (
	errStuck  = errors.New("bot: it waits for a line while the referee waits for its answer")
	errUnread = errors.New("bot: it has not read what its seat received in many ticks, so it ends")
)
