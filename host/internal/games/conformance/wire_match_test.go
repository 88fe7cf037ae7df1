package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// wireMatch plays a match in a game's process, as gametest.Play does in memory.
type wireMatch struct {
	gametest.Match // Game and Thoughts are not used
	candidate      candidate
	stopAt         int      // the host stops the match instead of answering this question, counted from 1; 0: never
	breaches       []string // of the wire's rules
}

// newInbox returns an inbox that no game of these tests fills.
func newInbox() *engine.Inbox { return engine.NewInbox(256, 64<<20) }

func (m *wireMatch) breach(format string, args ...any) {
	m.breaches = append(m.breaches, fmt.Sprintf(format, args...))
}

// play plays the match to its end. A match that was stopped has no result.
func (m *wireMatch) play(g *engine.Game) (*gametest.Transcript, error) {
	setup, err := m.prepare(g)
	if err != nil {
		return nil, err
	}
	inbox := newInbox()
	remote, err := g.Open(setup, inbox)
	if err != nil {
		return nil, err
	}
	defer remote.Stop()
	tr := &gametest.Transcript{Seats: make([]string, len(setup.Names))}
	asked := make([]int, len(setup.Names))
	var open []int // bots whose answers are due
	for question := 1; ; {
		f, err := inbox.Next(context.Background())
		if err != nil {
			return nil, err
		}
		if open = m.follow(tr, f, open); f.End != nil {
			break
		}
		if f.Question == nil {
			continue
		}
		if question == m.stopAt {
			return tr, m.breached()
		}
		now := time.Duration(question) * time.Millisecond
		var answers []driver.Answer
		for _, seat := range f.Question.Seats {
			if setup.Bots[seat] {
				open = append(open, seat)
				continue
			}
			line, err := m.Players[seat](gametest.Question{
				Seat: seat, Number: asked[seat], Legal: m.candidate.legal(tr.Seats[seat]), Stream: tr.Seats[seat], Seconds: f.Question.Seconds,
			})
			asked[seat]++
			a := driver.Answer{Seat: seat, Line: strings.TrimSpace(line), At: now}
			if err != nil {
				a.Outcome = driver.Outcome(err.Error())
			}
			record(tr, a)
			answers = append(answers, a)
		}
		if early, _ := inbox.Take(); len(early) > 0 {
			return nil, fmt.Errorf("question %d: got %v before the answers, want nothing", question, early)
		}
		question++
		if len(answers) > 0 {
			remote.Answer(answers)
		}
	}
	return tr, m.breached()
}

func (m *wireMatch) breached() error {
	if len(m.breaches) > 0 {
		return errors.New(strings.Join(m.breaches, "; "))
	}
	return nil
}

func (m *wireMatch) prepare(g *engine.Game) (*driver.Setup, error) {
	players := len(m.Players)
	request := driver.Request{Players: &players, Args: m.Args}
	if request.Args == nil {
		request.Args = m.candidate.args
	}
	setup := &driver.Setup{Seed: m.Seed}
	for seat, p := range m.Players {
		name := fmt.Sprintf("Player%d", seat)
		if m.Names != nil {
			name = m.Names[seat]
		}
		if p == nil {
			request.Bots++
		}
		setup.Names, setup.Bots = append(setup.Names, name), append(setup.Bots, p == nil)
	}
	var err error
	setup.Settings, err = g.Prepare(context.Background(), request)
	return setup, err
}

// follow adds a frame to the transcript, checks it, and returns the bots whose
// answers are still due.
func (m *wireMatch) follow(tr *gametest.Transcript, f *driver.Frame, open []int) []int {
	n := len(tr.Seats)
	for _, a := range f.BotAnswers {
		i := slices.Index(open, a.Seat)
		if i < 0 {
			m.breach("it answers for seat %d, which is not a bot that was asked", a.Seat)
			continue
		}
		open = slices.Delete(slices.Clone(open), i, i+1)
		a.At = 0 // the only part that does not follow from the seed
		record(tr, a)
	}
	for _, t := range f.Texts {
		if t.Seat >= n || !strings.HasSuffix(string(t.Lines), "\n") {
			m.breach("text %v to seat %d: %q", t.To, t.Seat, t.Lines)
		}
		for seat := range n {
			if t.For(seat) {
				tr.Seats[seat] += string(t.Lines)
			}
		}
		if t.ForSpectators() {
			tr.Spectators += string(t.Lines)
		}
	}
	if (f.Question != nil || f.End != nil) && len(open) > 0 {
		m.breach("the bots on %v have not answered", open)
	}
	if q := f.Question; q != nil {
		seats := slices.Clone(q.Seats)
		slices.Sort(seats)
		if len(seats) == 0 || len(slices.Compact(seats)) != len(q.Seats) || seats[len(seats)-1] >= n {
			m.breach("it asks the seats %v of %d", q.Seats, n)
		}
		if !(q.Seconds > 0 && q.Seconds <= driver.MaxTimeout) {
			m.breach("it gives %v s", q.Seconds)
		}
	}
	if f.End != nil {
		if len(f.End.Seats) != n {
			m.breach("its result is for %d seats", len(f.End.Seats))
		}
		tr.Result = f.End
	}
	return open
}

func record(tr *gametest.Transcript, a driver.Answer) {
	tr.Answers = append(tr.Answers, a)
	if a.Outcome == driver.Answered {
		tr.Seats[a.Seat] += ">" + a.Line + "\n"
	}
}
