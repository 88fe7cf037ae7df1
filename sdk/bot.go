package sdk

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"colosseum/sdk/driver"
)

// A bot may think for maxThought, or for this share of the timeout when that
// is less, so that a server full of bots stays fast.
const (
	maxThought   = 250 * time.Millisecond
	thoughtShare = 4
)

// Bot is a seat held by the server, as the program that plays it sees it: it
// reads the lines that a player on that seat gets, and writes lines.
type Bot struct {
	*Settings
	rand     *driver.Rand
	log      func(string)
	thoughts int // for tests: how often Thinking says yes after a Read; 0: by the clock

	// For the bot's goroutine alone.
	since time.Time // when the last Read returned
	spent int       // calls of Thinking since then

	mu       sync.Mutex    // guards the fields below
	cond     *sync.Cond    // signals any change of them
	in       []string      // lines to read; bounded by the referee, which waits for answers
	out      []written     // not yet asked for; Write blocks at maxAhead
	asked    bool          // the referee waits for a line
	began    time.Time     // when it was asked last
	allowed  time.Duration // for the answer to the last question, or to the first
	left     time.Duration // of that, when the answer came
	deadline *time.Timer   // of the question; nil when none is open
	late     bool
	stuck    bool // it reads although nothing will come before it answers
	gone     bool // its function has returned
	over     bool // the match has ended
}

// written is a line of a bot, and when it was written.
type written struct {
	line string
	at   time.Time
}

// testPatience is the time for an answer of a bot in a test, which must not fail
// because the machine is slow: only a bot that hangs is late.
const testPatience = 5 * time.Minute

const maxAhead = 1024 // lines a bot may write ahead of the questions

// Read returns the next line that the seat receives. When the match is over
// it ends the bot's goroutine.
func (b *Bot) Read() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.in) == 0 && !b.over {
		if b.asked && len(b.out) == 0 {
			b.stuck = true
			b.cond.Broadcast()
		}
		b.cond.Wait()
	}
	if b.over {
		runtime.Goexit()
	}
	line := b.in[0]
	b.in = b.in[1:]
	b.since, b.spent = time.Now(), 0
	return line
}

// Write answers with a line; a line feed inside makes it several. When the
// match is over it ends the bot's goroutine.
func (b *Bot) Write(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.out) >= maxAhead && !b.over {
		b.cond.Wait()
	}
	if b.over {
		runtime.Goexit()
	}
	now := time.Now()
	for _, part := range strings.Split(strings.TrimSuffix(line, "\n"), "\n") {
		b.out = append(b.out, written{part, now})
	}
	b.cond.Broadcast()
}

// Rand returns a number from 0 to n-1, each with the same chance, drawn from
// the match's seed and the bot's seat.
func (b *Bot) Rand(n int) int { return b.rand.Intn(n) }

// Thinking tells whether the bot may go on searching for its move: it says no
// when a quarter of a second, or a quarter of the time for an answer, has
// passed since the last Read, or when the match is over. A search asks it every
// few thousand positions, and always has a move at hand.
func (b *Bot) Thinking() bool {
	b.spent++
	if b.thoughts > 0 {
		return b.spent <= b.thoughts
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	limit := b.allowed / thoughtShare
	if limit > maxThought {
		limit = maxThought
	}
	return time.Since(b.since) < limit && !b.over
}

func newBot(m *Match, s driver.Setup, seat int) *Bot {
	b := &Bot{
		Settings: m.Settings, rand: driver.NewRand(s.Seed, driver.StreamBots+uint64(seat)), thoughts: s.Thoughts,
		log: m.log, since: m.start, allowed: duration(m.timeout),
	}
	b.cond = sync.NewCond(&b.mu)
	return b
}

// run calls the game's function and reports how it ended.
func (b *Bot) run(play func(*Bot) error) {
	var err error
	returned := false
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		b.mu.Lock()
		over := b.over
		b.gone = true
		b.cond.Broadcast()
		b.mu.Unlock()
		if err != nil && (returned || !over) {
			b.log("bot: " + err.Error())
		}
	}()
	err = play(b)
	returned = true
}

// receive hands the bot lines to read, each with its line feed.
func (b *Bot) receive(lines []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.in = append(b.in, strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n")...)
	b.cond.Broadcast()
}

// ask says that the referee waits for a line; answer returns it. A resumed turn
// has no more time than the last answer left.
func (b *Bot) ask(timeout time.Duration, resumed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if resumed && b.left < timeout {
		timeout = b.left
	}
	b.asked, b.began, b.allowed, b.left, b.late, b.stuck = true, time.Now(), timeout, 0, false, false
	b.cond.Broadcast() // a bot that waits to read finds that it is stuck
	if b.thoughts > 0 && timeout < testPatience {
		timeout = testPatience
	}
	var deadline *time.Timer
	deadline = time.AfterFunc(timeout, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.deadline == deadline { // else it ran out while the answer was taken
			b.late = true
			b.cond.Broadcast()
		}
	})
	b.deadline = deadline
}

func (b *Bot) answer() (string, driver.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		b.asked = false
		b.deadline.Stop()
		b.deadline = nil
	}()
	for {
		switch {
		case len(b.out) > 0:
			w := b.out[0]
			used := w.at.Sub(b.began)
			if used < 0 || b.thoughts > 0 {
				used = 0 // written ahead, or in a test
			}
			if used >= b.allowed {
				return "", driver.Timeout // for another question
			}
			b.left = b.allowed - used
			b.out = b.out[1:]
			b.cond.Broadcast()
			return strings.TrimSpace(w.line), driver.Answered
		case b.gone:
			return "", driver.Disconnected
		case b.stuck:
			b.log(errStuck.Error())
			return "", driver.Timeout
		case b.late:
			return "", driver.Timeout
		}
		b.cond.Wait()
	}
}

func (b *Bot) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	if b.deadline != nil { // the match was stopped while it was asked
		b.deadline.Stop()
	}
	b.cond.Broadcast()
}

var errStuck = errors.New("bot: it waits for a line while the referee waits for its answer")
