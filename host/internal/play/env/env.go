// Package env steps many matches of one game at once, for programs that train players.
// docs/training.md has the lines of JSON that the two exchange.
package env

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/sdk/driver"
)

// Version is the version of the protocol.
const Version = 1

// MaxMatches is how many matches a connection can have at a time.
const MaxMatches = 4096

// Bounds of a connection.
const (
	maxRequest = 16 << 20  // bytes of a line from the client
	maxText    = 512 << 10 // bytes for all seats between two questions, as in a match of the host
	maxPauses  = 4096      // frames in a row without a question, likewise
	maxAnswers = 16 << 20  // bytes of a match's answers, likewise
	maxHistory = 1 << 30   // bytes of the answers of all matches
	answerSize = 72        // bytes of an answer without its line
)

// botTime is how long the bots of a match can all be silent, on top of the stall: the
// longest time that a game gives a bot for an answer.
const botTime = driver.MaxTimeout * time.Second

// Game prepares and plays matches. Its methods are not called concurrently.
type Game interface {
	Prepare(ctx context.Context, r driver.Request) (driver.Settings, error)
	Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error)
}

// Config is what a connection offers.
type Config struct {
	Game     Game
	About    About
	MaxLine  int           // bytes of an answer
	Thoughts int           // of a bot for a move; see driver.Setup
	Seed     uint64        // of the first match that comes without one; the next has one more
	Stall    time.Duration // how long a referee can be silent
}

// About is the first line of a connection.
type About struct {
	Protocol   int     `json:"protocol"`
	Game       string  `json:"game"`
	Title      string  `json:"title"`
	Version    string  `json:"version"`
	Matches    int     `json:"matches"` // numbered from 0
	MinPlayers int     `json:"min_players"`
	MaxPlayers int     `json:"max_players"`
	MaxBots    int     `json:"max_bots"`
	Params     []Param `json:"params"`
}

// Param is a parameter of the game.
type Param struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Range       string   `json:"range"` // for people
	Default     string   `json:"default"`
	Choices     []string `json:"choices,omitempty"`
}

// Serve answers the requests of a client until it closes the connection, or ctx ends. Then
// all matches are stopped. A request with an error has an answer that says so, and changes
// no match, except that one which can't be started no longer exists. The error of a
// connection that is broken, or of a line that is too long, ends Serve.
func Serve(ctx context.Context, conn io.ReadWriter, c Config) error {
	s := &server{Config: c, slots: make([]*slot, c.About.Matches), ready: make(chan struct{}, 1)}
	defer s.stopAll()
	if err := s.hello(conn); err != nil {
		return err
	}
	in := bufio.NewReaderSize(conn, 64<<10)
	for {
		line, err := readLine(in)
		if err == io.EOF || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.handle(ctx, line); ctx.Err() != nil {
			return nil
		} else if err != nil {
			s.refuse(err)
		}
		if _, err := conn.Write(s.out); err != nil {
			return err
		}
	}
}

var errLong = fmt.Errorf("a request has more than %d bytes", maxRequest)

// readLine reads a line, which is valid until the next call if it fits the buffer.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		if err == io.EOF && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return line, err
	}
	long := append([]byte(nil), line...)
	for err == bufio.ErrBufferFull {
		if len(long) > maxRequest {
			return nil, errLong
		}
		line, err = in.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}

// server serves one connection, in one goroutine. Those of the game call the slots.
type server struct {
	Config
	slots   []*slot // by number; nil: there is no match
	history int     // bytes of the answers of all matches
	out     []byte  // the answer to the request

	pending atomic.Int64  // slots that are awaited
	frames  atomic.Int64  // that have come
	ready   chan struct{} // of size 1: pending became 0
}

// wait returns when all awaited slots have a question for a player, or have ended.
func (s *server) wait(ctx context.Context, slots []*slot) error {
	limit := s.Stall
	for _, m := range slots {
		if m.setup.Settings.Bots > 0 {
			limit = s.Stall + botTime
		}
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	seen := s.frames.Load()
	for s.pending.Load() > 0 {
		select {
		case <-s.ready:
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			if now := s.frames.Load(); now != seen {
				seen = now
			} else {
				for _, m := range slots {
					m.giveUp(fmt.Sprintf("the referee sends nothing for %v", limit))
				}
			}
			timer.Reset(limit)
		}
	}
	for _, m := range slots {
		if m.match != nil && m.aborted() { // its referee can still be running
			m.match.Stop()
		}
	}
	return nil
}

// await counts slots that will get frames.
func (s *server) await(slots []*slot) {
	select {
	case <-s.ready: // a signal that nobody needed
	default:
	}
	s.pending.Store(int64(len(slots)))
	for _, m := range slots {
		m.await()
	}
}

// answer sends answers[i] to slots[i], and waits for what follows.
func (s *server) answer(ctx context.Context, slots []*slot, answers [][]driver.Answer) error {
	s.await(slots)
	matches := make([]engine.Match, len(slots))
	for i, m := range slots {
		matches[i] = m.match
		m.answers = append(m.answers, answers[i])
	}
	engine.AnswerAll(matches, answers)
	return s.wait(ctx, slots)
}

// open starts the matches of slots, and waits for their first questions.
func (s *server) open(ctx context.Context, slots []*slot) error {
	s.await(slots)
	for _, m := range slots {
		s.stop(m.number)
		s.slots[m.number] = m
		match, err := s.Game.Open(m.setup, m)
		if err != nil {
			m.fail(err.Error())
			continue
		}
		m.match = match
	}
	return s.wait(ctx, slots)
}

// stop removes a match, if there is one.
func (s *server) stop(number int) {
	m := s.slots[number]
	if m == nil {
		return
	}
	s.history -= m.size
	s.slots[number] = nil
	if m.match != nil {
		m.match.Stop()
	}
}

func (s *server) stopAll() {
	for number := range s.slots {
		s.stop(number)
	}
}

// find returns the match with a number.
func (s *server) find(number int) (*slot, error) {
	if err := s.check(number); err != nil {
		return nil, err
	}
	if s.slots[number] == nil {
		return nil, fmt.Errorf("match %d has not begun: reset it", number)
	}
	return s.slots[number], nil
}

func (s *server) check(number int) error {
	if number < 0 || number >= len(s.slots) {
		return fmt.Errorf("there is no match %d: they are numbered from 0 to %d", number, len(s.slots)-1)
	}
	return nil
}

var errHistory = errors.New("the answers of all matches have more than 1 GiB: reset or close some")
