// Package agent plays matches question by question, for players that are no programs with
// a stream: each question comes with the text before it and its legal answers.
package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

const (
	// maxText limits the text that is kept, in bytes; the oldest is dropped.
	maxText = 256 << 10
	// maxAnswer is the most bytes of an answer.
	maxAnswer = 64 << 10
	// maxNote limits a note, in bytes, before the host cuts it.
	maxNote = 4 << 10
	// maxQueued is the number of answers that wait for the connection; when it is reached,
	// Answer waits.
	maxQueued = 64
)

// Errors of Answer.
var (
	ErrNotAsked = errors.New("there is no open question")
	ErrOver     = errors.New("the match is over")
	ErrNotLine  = errors.New("an answer is one line of text, of at most 64 KiB and without control characters")
)

// ErrNoHints is the refusal of a server that can't send questions.
var ErrNoHints = &server.Refused{Text: locale.Errorf("the server does not send its questions with legal answers, as this command needs them: a newer server of Colosseum does")}

// Seat is the player's seat in one match. Its methods can be called concurrently.
type Seat struct {
	match   *match.Match
	letGo   context.CancelCauseFunc // ends the match for the player
	stopped chan struct{}           // closed when the match is over for the player
	answers chan []byte             // lines to send; see maxQueued

	mu       sync.Mutex    // guards the fields below
	changed  chan struct{} // closed and replaced when something below has changed
	info     protocol.MatchInfo
	joined   bool
	started  bool
	asked    time.Time // when the question came
	text     []byte    // the end of the stream, at most maxText
	taken    int       // bytes of text that were in a turn
	dropped  bool      // text that was in no turn was dropped
	question *protocol.MatchQuestion
	answered bool // the question
	over     bool
	result   *protocol.MatchResult
	err      error // of the match
}

// Turn is what a match has brought since the turn before.
type Turn struct {
	Info     protocol.MatchInfo // as last received
	Text     []byte             // of the stream
	Dropped  bool               // the beginning of the text is lost
	Started  bool
	Question *protocol.MatchQuestion // the one that waits for an answer; nil: none
	Asked    time.Time               // when it came
	Over     bool
	Result   *protocol.MatchResult // of a match that is over; nil: none was received
	Err      error                 // why it is over, if it did not end by itself
}

// Join takes a seat, and returns when the player has it. The match needs its ID and Dial; it
// cannot have a Player. It goes on in the background until it ends, Leave or Release.
func Join(ctx context.Context, m *match.Match) (*Seat, error) {
	if m.Conn == nil {
		conn, err := m.Dial(ctx)
		if err != nil {
			return nil, err
		}
		m.Conn = conn
	}
	if !m.Conn.Has(protocol.FeatureHints) {
		m.Conn.Close()
		return nil, ErrNoHints
	}
	running, letGo := context.WithCancelCause(context.WithoutCancel(ctx))
	s := &Seat{match: m, letGo: letGo, stopped: make(chan struct{}), answers: make(chan []byte, maxQueued), changed: make(chan struct{})}
	m.Player, m.Joined, m.Question = player.Within(s.receive, &output{seat: s}), s.know, s.ask
	go s.run(running)
	defer context.AfterFunc(ctx, func() {
		if !s.hasJoined() {
			letGo(context.Cause(ctx))
		}
	})()
	for {
		s.mu.Lock()
		joined, changed := s.joined, s.changed
		s.mu.Unlock()
		if joined {
			return s, nil
		}
		select {
		case <-changed:
		case <-s.stopped:
			return nil, s.err
		}
	}
}

func (s *Seat) hasJoined() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.joined
}

// run plays the match until it is over for the player.
func (s *Seat) run(ctx context.Context) {
	err := s.match.Run(ctx)
	summary := s.match.Summary()
	s.mu.Lock()
	s.over, s.result, s.err = true, summary.Result, err
	s.changeLocked()
	s.mu.Unlock()
	close(s.stopped)
	s.letGo(nil)
}

func (s *Seat) changeLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// know notes the match that the player has joined.
func (s *Seat) know(info protocol.MatchInfo, started bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info, s.joined, s.started = info, true, started
	s.changeLocked()
}

// receive notes text of the stream.
func (s *Seat) receive(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, b...)
	if extra := len(s.text) - maxText; extra > 0 {
		s.text, s.dropped = append([]byte(nil), s.text[extra:]...), s.dropped || extra > s.taken
		s.taken = max(0, s.taken-extra)
	}
	s.changeLocked()
	return nil
}

// ask notes a question. A host repeats the open one on a new connection.
func (s *Seat) ask(q protocol.MatchQuestion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.question != nil && s.question.Number == q.Number && s.question.Retries == q.Retries {
		return
	}
	s.question, s.answered, s.asked = &q, false, time.Now()
	s.changeLocked()
}

// Name returns the player's name in the match, and ID that of the match.
func (s *Seat) Name() string { return s.match.Name }

// ID returns the ID of the match.
func (s *Seat) ID() string { return s.match.ID }

// Wait returns when there is a question to answer, the match is over, or ctx has ended. The
// turn has everything since the last one, and an open question again. After a ctx that was
// canceled nobody reads it, so the text comes again.
func (s *Seat) Wait(ctx context.Context) Turn {
	for {
		s.mu.Lock()
		ready, changed := s.over || s.openLocked(), s.changed
		if ready || ctx.Err() != nil {
			defer s.mu.Unlock()
			return s.takeLocked(!errors.Is(ctx.Err(), context.Canceled))
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// Text returns the end of the stream so far, at most 256 KiB.
func (s *Seat) Text() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.text)
}

func (s *Seat) openLocked() bool { return s.question != nil && !s.answered }

func (s *Seat) takeLocked(read bool) Turn {
	t := Turn{Info: s.info, Text: bytes.Clone(s.text[s.taken:]), Dropped: s.dropped, Started: s.started, Over: s.over}
	if read {
		s.taken, s.dropped = len(s.text), false
	}
	if s.over {
		t.Result, t.Err = s.result, s.err
	} else if s.openLocked() {
		t.Question, t.Asked = s.question, s.asked
	}
	return t
}

// Answer answers the open question, which must have the number unless that is 0, with one
// line. The record keeps the note with it, unless that is empty. Answer returns the
// question, also with ErrNotLine.
func (s *Seat) Answer(ctx context.Context, line string, number int, note string) (*protocol.MatchQuestion, error) {
	s.mu.Lock()
	q := s.question
	var err error
	switch {
	case s.over:
		err = ErrOver
	case !s.openLocked() || number != 0 && number != q.Number:
		err = ErrNotAsked
	case len(line) > maxAnswer || strings.ContainsFunc(line, unicode.IsControl):
		err = ErrNotLine
	default:
		s.answered = true
	}
	s.mu.Unlock()
	if err != nil {
		return q, err
	}
	if note != "" {
		note = note[:min(len(note), maxNote)]
		s.match.Note(note)
	}
	select {
	case s.answers <- append([]byte(line), '\n'):
		return q, nil
	case <-s.stopped:
		return q, ErrOver
	case <-ctx.Done():
		return q, context.Cause(ctx)
	}
}

// Skip leaves a question without an answer, if it is open: Wait waits for the next one.
func (s *Seat) Skip(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.openLocked() && s.question.Number == number {
		s.answered = true
	}
}

// Over reports whether the match is over for the player.
func (s *Seat) Over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// Leave gives up the seat, and returns when the player has left.
func (s *Seat) Leave() {
	s.letGo(errLeft)
	<-s.stopped
}

// errLeft is the error of a match that the player has left.
var errLeft = errors.New("you have left the match")

// Release ends the connection so that another process can take over the seat.
func (s *Seat) Release() {
	s.letGo(match.ErrLetGo)
	<-s.stopped
}

// output is the player's output: its answers.
type output struct {
	seat *Seat
	rest []byte
}

func (o *output) Read(b []byte) (int, error) {
	if len(o.rest) == 0 {
		select {
		case o.rest = <-o.seat.answers:
		case <-o.seat.stopped:
			return 0, io.EOF
		}
	}
	n := copy(b, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}
