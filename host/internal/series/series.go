// Package series plays matches between local programs, with the rules of a server
// but without one. The programs take turns on the seats.
package series

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/match"
	"colosseum/host/internal/program"
	"colosseum/host/internal/record"
	"colosseum/sdk/driver"
)

// Config describes a series.
type Config struct {
	Record   record.Match // what all matches have in common: the game and its settings
	Game     match.Game
	Entrants []Entrant     // one for each seat
	Seed     uint64        // of the first match; see plan
	Matches  int           // see Rounded
	Parallel int           // matches at the same time
	Stall    time.Duration // a match whose referee is silent for this long is aborted
	// StartGrace is added to the time for the first answer of each program.
	StartGrace time.Duration
	Limits     program.Limits
	Isolation  program.Isolation // of all programs
	Folder     string            // for a transcript of each match; empty: none are kept
	Log        *slog.Logger
	// Each, if not nil, is called after each match with the number of matches
	// played; never concurrently.
	Each func(played int)
}

// Played is a match that has been played.
type Played struct {
	Fixture
	State  record.State
	Reason string
	Seats  []Seat
	File   string // its transcript; empty: none
}

// Seat is the result of a match for the entrant on one seat.
type Seat struct {
	record.Seat
	Entrant int
	Illegal string          // the line that was a forfeit; empty: there is none
	Exit    program.Exit    // zero for a bot
	Used    []time.Duration // time for each answer; nil for a bot
}

// Run plays a series, and returns the matches that were played, in order. It stops
// early with an error if ctx ends, a program can't be started or confined, or a
// transcript can't be written. All processes of entrants have ended when it returns.
func Run(ctx context.Context, c Config) ([]Played, error) {
	if c.Folder != "" {
		if err := os.MkdirAll(c.Folder, 0o755); err != nil {
			return nil, fmt.Errorf("make a folder for the transcripts: %w", err)
		}
	}
	args := make([][]string, len(c.Entrants))
	for i, e := range c.Entrants {
		args[i] = e.Command
	}
	commands, err := c.Isolation.Commands(args)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fixtures := plan(c.Seed, len(c.Entrants), c.Matches)
	results := make([]*Played, len(fixtures))
	var workers sync.WaitGroup
	var next atomic.Int64 // of fixtures
	var mu sync.Mutex     // guards done
	done := 0
	for range min(c.Parallel, len(fixtures)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(fixtures) {
					return
				}
				p, err := c.play(ctx, fixtures[i], commands)
				if err != nil {
					cancel(err)
				}
				if p == nil {
					continue
				}
				results[i] = p
				mu.Lock()
				done++
				if c.Each != nil {
					c.Each(done)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	var played []Played
	for _, p := range results {
		if p != nil {
			played = append(played, *p)
		}
	}
	return played, context.Cause(ctx)
}

// recorder is a match.Recorder in memory, for one match.
type recorder struct{ record *record.Match }

func (*recorder) Begin(*record.Match) {}

func (m *recorder) Finish(_ context.Context, r *record.Match) error {
	m.record = r
	return nil
}

// play plays one match with the commands of the entrants. It returns nil, nil if ctx
// ends before the match does.
func (c *Config) play(ctx context.Context, f Fixture, commands []program.Command) (*Played, error) {
	programs := make([]*program.Program, len(f.Seating)) // by seat; nil: a bot
	seats := make([]match.Seat, len(f.Seating))
	played := &Played{Fixture: f, Seats: make([]Seat, len(f.Seating))}
	end := func() { // concurrently: each can take the whole grace
		grace := program.EndGrace
		if ctx.Err() != nil {
			grace = 0
		}
		var wait sync.WaitGroup
		for seat, p := range programs {
			if p != nil {
				wait.Go(func() { played.Seats[seat].Exit = p.End(grace) })
			}
		}
		wait.Wait()
	}
	for seat, entrant := range f.Seating {
		e := c.Entrants[entrant]
		seats[seat].Name = e.Name
		if e.Command == nil {
			continue
		}
		p, err := program.Start(commands[entrant], c.Limits)
		if err != nil {
			end()
			return nil, err
		}
		programs[seat], seats[seat].Player = p, p
	}
	var recorded recorder
	rec := c.Record
	rec.ID, rec.Name, rec.Seed = fmt.Sprintf("%s-%d-%d", rec.Game, f.Seed, f.rotation()), fmt.Sprintf("match %d", f.Number), f.Seed
	m, _ := match.New(match.Config{
		Record: rec, Seats: seats, Seated: true, Game: c.Game, Recorder: &recorded, Stream: match.NewStream(),
		Stall: c.Stall, Log: c.Log, Over: func() {}, StartGrace: c.StartGrace,
		Took: func(seat int, used time.Duration) {
			played.Seats[seat].Used = append(played.Seats[seat].Used, used)
		},
	})
	for seat, p := range programs {
		if p != nil {
			p.Play(m, seat)
		}
	}
	m.Run(ctx)
	end()
	if ctx.Err() != nil && recorded.record.State == record.Aborted {
		return nil, nil
	}
	played.addResult(recorded.record)
	if c.Folder == "" {
		return played, nil
	}
	played.File = filepath.Join(c.Folder, recorded.record.ID+".json")
	b, err := record.EncodeTranscript(recorded.record)
	if err == nil {
		err = os.WriteFile(played.File, b, 0o644)
	}
	if err != nil {
		err = fmt.Errorf("write the transcript: %w", err)
	}
	return played, err
}

// rotation returns by how many seats the entrants have moved on.
func (f *Fixture) rotation() int {
	for seat, entrant := range f.Seating {
		if entrant == 0 {
			return seat
		}
	}
	return 0
}

// addResult copies the result from the record.
func (p *Played) addResult(r *record.Match) {
	p.State, p.Reason = r.State, r.Reason
	for seat := range p.Seats {
		s := &p.Seats[seat]
		s.Seat, s.Entrant = r.Seats[seat], p.Seating[seat]
		if s.Ended != driver.ForfeitIllegal {
			continue
		}
		for _, a := range r.Answers {
			if a.Seat == seat && a.Outcome == driver.Answered {
				s.Illegal = a.Line
			}
		}
	}
}
