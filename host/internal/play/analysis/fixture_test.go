package analysis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

const stall = 30 * time.Second

var quiet = slog.New(slog.DiscardHandler)

// say is a game in which each answer is the value of the next position, for seat 0.
// "luck" changes it by chance to 0.9 before the next question. Six answers are a match.
var say = sdk.Game{
	Name: "say", Title: "Say", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10,
	Play: func(m *sdk.Match) error {
		value := 0.0
		for i := range 6 {
			m.TellAll("turn")
			m.Judge(func(func() bool) (float64, string) { return value, "b" + strconv.Itoa(i) })
			line, err := m.AskLine(i % 2)
			if err != nil {
				m.Score(1-i%2, 1)
				return nil
			}
			if line == "luck" {
				m.Judge(func(func() bool) (float64, string) { return value, "" })
				line = "0.9"
			}
			m.TellAll(line)
			if value, err = strconv.ParseFloat(line, 64); err != nil {
				return err
			}
		}
		if value > 0 {
			m.Score(0, 1)
		} else if value < 0 {
			m.Score(1, 1)
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error { b.Write("0"); return nil },
}

// mute is a game without judgements.
var mute = sdk.Game{
	Name: "mute", Title: "Mute", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
	Play: func(m *sdk.Match) error { m.Ask(0, []string{"x"}); m.Ask(1, []string{"x"}); return nil },
}

// recorded plays a match in memory and returns its record.
func recorded(t *testing.T, id string, game *sdk.Game, first, second gametest.Player) *record.Match {
	t.Helper()
	got := gametest.MustPlay(t, gametest.Match{Game: game, Players: []gametest.Player{first, second}, Seed: 1})
	r := &record.Match{ID: id, Plugin: game.Name, Version: "v1", Timeout: 10, Seed: 1, State: record.Finished, Reason: got.Result.Reason, Stream: []byte(got.Spectators)}
	for i, s := range got.Result.Seats {
		r.Seats = append(r.Seats, record.Seat{Name: fmt.Sprintf("Player%d", i), Score: s.Score, Rank: s.Rank, Ended: s.Ended})
	}
	for _, a := range got.Answers {
		r.Answers = append(r.Answers, record.NewAnswer(a))
	}
	return r
}

// said returns the record of a match of say with these answers.
func said(t *testing.T, id string, lines ...string) *record.Match {
	t.Helper()
	var by [2][]string
	for i, line := range lines {
		by[i%2] = append(by[i%2], line)
	}
	return recorded(t, id, &say, gametest.Script(by[0]...), gametest.Script(by[1]...))
}

// process plays a game in this process.
type process struct {
	game *sdk.Game
	hold chan struct{} // matches wait for it before their first frame; nil: they do not
	dies bool          // instead of answering

	mu     sync.Mutex // guards the field below
	closed bool
}

func (p *process) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

func (p *process) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

func (p *process) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	m := &played{inbox: in, answers: make(chan []driver.Answer, 1), stopped: make(chan struct{})}
	if p.dies {
		in.Close(errors.New("its process was ended by a signal"))
		return m, nil
	}
	rerun := *setup
	rerun.Bots, rerun.Stall = nil, 0
	go func() { // ends with the match, or with Stop
		if p.hold != nil {
			select {
			case <-p.hold:
			case <-m.stopped:
				return
			}
		}
		driver.Of(p.game).Run(&rerun, m)
	}()
	return m, nil
}

type played struct {
	inbox   engine.Receiver
	answers chan []driver.Answer
	stopped chan struct{}
}

func (m *played) Send(frame *driver.Frame) bool {
	m.inbox.Put(frame)
	return true
}

func (m *played) Wait() ([]driver.Answer, bool) {
	select {
	case a := <-m.answers:
		return a, true
	case <-m.stopped:
		return nil, false
	}
}

func (m *played) Pause(time.Duration) bool { return true }
func (m *played) Answer(a []driver.Answer) { m.answers <- a }
func (m *played) Stop()                    { close(m.stopped) }

// fakeGames starts processes of say.
type fakeGames struct {
	refusal error // of Judges
	fault   error // of Spare
	hold    chan struct{}
	dies    bool

	mu      sync.Mutex // guards the field below
	started []*process
}

func (g *fakeGames) Judges(_, _ string) error { return g.refusal }

func (g *fakeGames) Spare(context.Context, string, string) (Process, error) {
	if g.fault != nil {
		return nil, g.fault
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := &process{game: &say, hold: g.hold, dies: g.dies}
	g.started = append(g.started, p)
	return p, nil
}

// running returns the number of processes that were started and not closed.
func (g *fakeGames) running() (n, started int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.started {
		if !p.isClosed() {
			n++
		}
	}
	return n, len(g.started)
}
