package series

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// Setup has the rules of a server for matches of programs.
type Setup struct {
	Stall time.Duration // a match is aborted after its referee has been silent for this time
	// StartGrace is added to the time for the first answer of each program, because it
	// starts then.
	StartGrace time.Duration
	// Cores are for the programs. Each match takes one, on which each of them runs while it
	// is asked; nil: they always run, on any core.
	Cores  *program.Cores
	Ponder bool // each program has a core, and always runs
	Wall   bool // the time of programs counts as on a server, and not as CPU time
	Limits program.Limits
	Log    *slog.Logger
}

// SeatResult is the result of a match for the entrant on one seat.
type SeatResult struct {
	record.Seat
	Entrant int
	Illegal string         // the line that was a forfeit; empty: there is none
	Exit    program.Exit   // zero for a bot
	Used    []record.Spent // time for each answer; nil for a bot
}

// lineup is a match to be played.
type lineup struct {
	record record.Match // all that is known before the start
	game   match.Game
	stuck  func()        // see match.Config; can be nil
	line   int           // bytes of a line, if Setup's limit is lower
	seats  []participant // in the order of their numbers
	// number and group are the match and the pairing for the environment of programs.
	number, group int
	// lenient makes the match be played even if programs can't be started: they
	// forfeit as if their connection had broken.
	lenient bool
}

// participant is a program or a bot on a seat.
type participant struct {
	name    string
	command *program.Command // nil: a bot
	level   string           // of a bot; empty: the value of driver.BotParam
}

// play plays a match. It calls over when all programs have finished playing, before
// they have ended. It returns nil, nil, nil if ctx ends before the match does. All its
// processes have ended when it returns.
func (s *Setup) play(ctx context.Context, l lineup, over func()) (*record.Match, []SeatResult, error) {
	cores := s.cores(len(l.seats))
	free := sync.OnceFunc(cores.free)
	defer free()
	programs := make([]*program.Program, len(l.seats)) // by seat; nil: a bot, or it could not be started
	places := make([]match.Participant, len(l.seats))
	results := make([]SeatResult, len(l.seats))
	end := func() { // concurrently: each can take the whole grace
		grace := program.EndGrace
		if ctx.Err() != nil {
			grace = 0
		}
		var wait sync.WaitGroup
		for seat, p := range programs {
			if p != nil {
				wait.Go(func() { results[seat].Exit = p.End(grace) })
			}
		}
		wait.Wait()
	}
	for seat, one := range l.seats {
		places[seat].Name, places[seat].Level = one.name, one.level
		if one.command == nil {
			continue
		}
		p, err := program.Start(cores.command(one.command.With(environment(&l, seat)...), seat), s.Limits.For(l.line))
		switch {
		case err == nil:
			programs[seat], places[seat].Player = p, p
		case l.lenient && !program.OutOfResources(err):
			places[seat].Player, results[seat].Exit = match.Absentee{}, program.Exit{Status: err.Error(), Fault: err.Error()}
		default:
			over()
			end()
			return nil, nil, err
		}
	}
	var recorded recorder
	m, _ := match.New(match.Config{
		Record: &l.record, Seats: places, Seated: true, Game: l.game, Recorder: &recorded, Stream: match.NewStream(),
		Stall: s.Stall, Log: s.Log, Over: func() {}, StartGrace: s.StartGrace, Stuck: l.stuck,
		Wall: s.Wall, Took: func(seat int, used record.Spent) { results[seat].Used = append(results[seat].Used, used) },
	})
	for seat, one := range l.seats {
		switch {
		case programs[seat] != nil:
			programs[seat].Play(m, seat)
		case one.command != nil:
			m.Leave(seat)
		}
	}
	m.Run(ctx)
	for _, p := range programs {
		if p != nil {
			p.Yield()
		}
	}
	free() // for the next match, while programs end
	over()
	end()
	r := recorded.record
	if ctx.Err() != nil && r.State == record.Aborted {
		return nil, nil, nil
	}
	for seat := range results {
		results[seat].Seat = r.Seats[seat]
		results[seat].Illegal = illegal(r, seat)
	}
	return r, results, nil
}

// matchCores are the cores of a match: one for all, or one for each seat.
type matchCores []*program.Core

func (s *Setup) cores(seats int) (list matchCores) {
	if !s.Ponder {
		seats = 1
	}
	for range seats {
		if s.Cores != nil {
			list = append(list, s.Cores.Take())
		}
	}
	return list
}

func (m matchCores) free() {
	for _, core := range m {
		core.Free()
	}
}

// command returns the command of the program on a seat, with its core.
func (m matchCores) command(c program.Command, seat int) program.Command {
	switch len(m) {
	case 0:
		return c
	case 1:
		return c.On(m[0])
	}
	return c.On(m[seat]).Pondering()
}

// illegal returns the line with which a seat forfeited, or "".
func illegal(r *record.Match, seat int) (line string) {
	if r.Seats[seat].Ended != driver.ForfeitIllegal {
		return ""
	}
	for _, a := range r.Answers {
		if a.Seat == seat && a.Outcome == driver.Answered {
			line = a.Line
		}
	}
	return line
}

// environment returns variables by which a program can vary its play. Numbers below
// 2³¹ fit into the integers of any language, and one hash says nothing about the seed
// of the match.
func environment(l *lineup, seat int) []string {
	h := sha256.Sum256(fmt.Appendf(nil, "%d %d %d", l.record.Seed, l.group, seat))
	return []string{
		fmt.Sprintf("COLOSSEUM_SEED=%d", binary.LittleEndian.Uint32(h[:])>>1),
		fmt.Sprintf("COLOSSEUM_MATCH=%d", l.number),
	}
}

// hashOf returns a hash of all answers of a match, without their times.
func hashOf(answers []record.Answer) (sum [32]byte) {
	if len(answers) == 0 {
		return sum
	}
	h := sha256.New()
	for _, a := range answers {
		fmt.Fprintf(h, "%d %v %q\n", a.Seat, a.Outcome, a.Line)
	}
	h.Sum(sum[:0])
	return sum
}

// recorder is a match.Recorder in memory, for one match.
type recorder struct{ record *record.Match }

func (*recorder) Begin(*record.Match) {}

func (m *recorder) Finish(_ context.Context, r *record.Match) error {
	m.record = r
	return nil
}
