package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/wire"
)

// onWire is a match in a game's process: what gametest.Play is to one in
// memory.
type onWire struct {
	gametest.Match // Game and Thoughts are not used
	candidate      candidate
	stopAt         int // the host stops the match instead of answering this question, from 1; 0: never

	frames chan *wire.GameFrame // 256: more, and the game floods
	lost   chan error           // 1: it comes once
	faults []string             // breaches of the wire's rules
}

func (m *onWire) Frame(f *wire.GameFrame) {
	select {
	case m.frames <- f:
	default:
		panic("the game floods")
	}
}

func (m *onWire) Lost(err error) { m.lost <- err }

func (m *onWire) breach(format string, args ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, args...))
}

// play plays the match to its end. A match that was stopped has no result.
func (m *onWire) play(g *engine.Game) (*gametest.Transcript, error) {
	m.frames, m.lost = make(chan *wire.GameFrame, 256), make(chan error, 1)
	start, err := m.prepare(g)
	if err != nil {
		return nil, err
	}
	table, err := g.Open(start, m)
	if err != nil {
		return nil, err
	}
	defer table.Stop()
	tr := &gametest.Transcript{Seats: make([]string, len(start.Seats))}
	asked := make([]int, len(start.Seats))
	var open []uint32 // bots whose answers are due
	for question := 1; ; {
		var f *wire.GameFrame
		select {
		case f = <-m.frames:
		case err := <-m.lost:
			return nil, err
		}
		if open = m.follow(tr, f, start, open); f.End != nil {
			break
		}
		if f.Ask == nil {
			continue
		}
		if question == m.stopAt {
			return tr, m.faultless()
		}
		now := time.Duration(question) * time.Millisecond
		var answers []*wire.Answer
		for _, n := range f.Ask.Seats {
			seat := int(n)
			if start.Seats[seat].Bot {
				open = append(open, n)
				continue
			}
			line, why := m.Players[seat](gametest.Question{
				Seat: seat, Number: asked[seat], Legal: m.candidate.legal(tr.Seats[seat]), Stream: tr.Seats[seat], Seconds: f.Ask.Seconds,
			})
			asked[seat]++
			a := driver.Answer{Seat: seat, Line: strings.TrimSpace(line), At: now}
			if why != nil {
				a.Outcome = driver.Outcome(why.Error())
			}
			record(tr, a)
			answers = append(answers, wire.EncodeAnswers([]driver.Answer{a})...)
		}
		if len(m.frames) > 0 {
			m.breach("question %d: it goes on without the answers", question)
		}
		question++
		if len(answers) > 0 {
			table.Answer(answers)
		}
	}
	return tr, m.faultless()
}

func (m *onWire) faultless() error {
	if len(m.faults) > 0 {
		return errors.New(strings.Join(m.faults, "; "))
	}
	return nil
}

func (m *onWire) prepare(g *engine.Game) (*wire.Start, error) {
	players := len(m.Players)
	request := driver.Request{Players: &players, Args: m.Args}
	if request.Args == nil {
		request.Args = m.candidate.args
	}
	start := &wire.Start{Seed: m.Seed}
	for seat, p := range m.Players {
		name := fmt.Sprintf("Player%d", seat)
		if m.Names != nil {
			name = m.Names[seat]
		}
		if p == nil {
			request.Bots++
		}
		start.Seats = append(start.Seats, &wire.Seat{Name: name, Bot: p == nil})
	}
	settings, err := g.Prepare(context.Background(), request)
	if err != nil {
		return nil, err
	}
	start.Timeout, start.Params = settings.Timeout, settings.Params
	return start, nil
}

// follow adds a frame to the transcript, checks it, and returns the bots whose
// answers are still due.
func (m *onWire) follow(tr *gametest.Transcript, f *wire.GameFrame, start *wire.Start, open []uint32) []uint32 {
	n := len(start.Seats)
	for _, a := range wire.DecodeAnswers(f.BotAnswers) {
		i := slices.Index(open, uint32(a.Seat))
		if i < 0 {
			m.breach("seat %d is no bot that was asked", a.Seat)
			continue
		}
		open = slices.Delete(slices.Clone(open), i, i+1)
		a.At = 0 // the one thing that is no function of the seed
		record(tr, a)
	}
	for _, t := range f.Texts {
		text := driver.Text{To: driver.Audience(t.To), Seat: int(t.Seat), Lines: t.Lines}
		if int(t.Seat) >= n || !strings.HasSuffix(string(t.Lines), "\n") {
			m.breach("text %v to seat %d: %q", t.To, t.Seat, t.Lines)
		}
		for seat := range n {
			if text.For(seat) {
				tr.Seats[seat] += string(t.Lines)
			}
		}
		if text.ForSpectators() {
			tr.Spectators += string(t.Lines)
		}
	}
	if (f.Ask != nil || f.End != nil) && len(open) > 0 {
		m.breach("the bots on %v have not answered", open)
	}
	if q := f.Ask; q != nil {
		seats := slices.Clone(q.Seats)
		slices.Sort(seats)
		if len(seats) == 0 || len(slices.Compact(seats)) != len(q.Seats) || int(seats[len(seats)-1]) >= n {
			m.breach("it asks the seats %v of %d", q.Seats, n)
		}
		if !(q.Seconds > 0 && q.Seconds <= sdk.MaxTimeout) {
			m.breach("it gives %v s", q.Seconds)
		}
	}
	if f.End != nil {
		if len(f.End.Seats) != n {
			m.breach("its result is for %d seats", len(f.End.Seats))
		}
		tr.Result = wire.DecodeResult(f.End)
	}
	return open
}

func record(tr *gametest.Transcript, a driver.Answer) {
	tr.Answers = append(tr.Answers, a)
	if a.Outcome == driver.Answered {
		tr.Seats[a.Seat] += ">" + a.Line + "\n"
	}
}

// BenchmarkOnWire plays matches with a game in its process, many at once, and
// reports rounds per second of all together, and the CPU time of the game: a
// round is one question to two seats and their answers. There are no
// connections of players.
func BenchmarkOnWire(b *testing.B) {
	for _, c := range candidates {
		for _, matches := range []int{1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/matches=%d", c.name, matches), func(b *testing.B) {
				c.args = map[string]map[string]string{
					"roshambo": {"rounds": "100", "pace": "0"}, "goofspiel": {"cards": "100"},
				}[c.name]
				g := c.found(b).start(b)
				before := cpuSeconds(b, g.Pid())
				b.ResetTimer()
				var wait sync.WaitGroup
				for range matches {
					wait.Go(func() {
						for range max(b.N/matches/100, 1) {
							if err := race(c, g); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wait.Wait()
				b.StopTimer()
				rounds := max(b.N/matches/100, 1) * 100 * matches
				b.ReportMetric(float64(rounds)/b.Elapsed().Seconds(), "rounds/s")
				b.ReportMetric((cpuSeconds(b, g.Pid())-before)/float64(rounds)*1e6, "game-µs/round")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// race plays a match of 100 rounds and does nothing else.
func race(c candidate, g *engine.Game) error {
	m := &onWire{Match: gametest.Match{Players: make([]gametest.Player, 2)}, candidate: c}
	m.frames, m.lost = make(chan *wire.GameFrame, 256), make(chan error, 1)
	m.Players[0], m.Players[1] = gametest.Gone, gametest.Gone // people
	start, err := m.prepare(g)
	if err != nil {
		return err
	}
	table, err := g.Open(start, m)
	if err != nil {
		return err
	}
	for round := 1; ; {
		select {
		case err := <-m.lost:
			return err
		case f := <-m.frames:
			if f.End != nil {
				if f.End.Aborted || f.End.Seats[0].Ended != string(driver.EndedFinished) || round != 101 {
					return fmt.Errorf("round %d: %v", round, f.End)
				}
				return nil
			}
			if f.Ask == nil {
				continue
			}
			lines := [2]string{"ROCK", "PAPER"}
			if c.name == "goofspiel" {
				lines = [2]string{strconv.Itoa(round), strconv.Itoa(101 - round)}
			}
			table.Answer([]*wire.Answer{{Seat: 0, Line: []byte(lines[0])}, {Seat: 1, Line: []byte(lines[1])}})
			round++
		}
	}
}

// cpuSeconds returns the CPU time that a process has used.
func cpuSeconds(b *testing.B, pid int) float64 {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("no process times here: ", err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may have spaces
	fields := strings.Fields(rest)
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		b.Fatal(err1, err2)
	}
	const ticks = 100 // per second, on every Linux
	return float64(user+system) / ticks
}
