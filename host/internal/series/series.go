// Package series plays matches between local programs, without a server: each
// match is run as on a server, and the programs take turns on the seats.
package series

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"colosseum/host/internal/match"
	"colosseum/host/internal/program"
	"colosseum/host/internal/store"
	"colosseum/sdk/driver"
)

// Config is a series about to begin.
type Config struct {
	Record   store.Record // what is the same for all matches: the game and its settings
	Game     match.Game
	Entrants []Entrant     // one for each seat
	Seed     uint64        // of the first match; see plan
	Matches  int           // see Rounded
	Parallel int           // matches at the same time
	Stall    time.Duration // a referee that is silent for so long is aborted
	Limits   program.Limits
	Folder   string // for a transcript of each match; empty: none are kept
	Log      *slog.Logger
	// Each, when not nil, is called after each match with the number of those
	// that have been played.
	Each func(played int)
}

// Played is a match that has been played.
type Played struct {
	Fixture
	State  store.State
	Reason string
	Seats  []Seat
	File   string // its transcript; empty: none
}

// Seat is how a match went for the entrant on one seat.
type Seat struct {
	store.Seat
	Entrant int
	Illegal string          // the line that made it forfeit; else empty
	Exit    program.Exit    // how the program ended; of no meaning for a bot
	Used    []time.Duration // for each of its answers; nil for a bot
}

// Run plays a series. It returns what has been played, in order, also when it
// returns an error: ctx has ended, a program can't be started, or a transcript
// can't be written. No process of an entrant is left then.
func Run(ctx context.Context, c Config) ([]Played, error) {
	if c.Folder != "" {
		if err := os.MkdirAll(c.Folder, 0o755); err != nil {
			return nil, fmt.Errorf("make a folder for the transcripts: %w", err)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fixtures := plan(c.Seed, len(c.Entrants), c.Matches)
	results := make([]*Played, len(fixtures))
	next := make(chan int) // nothing waits in it: workers take the next match
	var workers sync.WaitGroup
	var mu sync.Mutex // guards done
	done := 0
	for range min(c.Parallel, len(fixtures)) {
		workers.Go(func() {
			for i := range next {
				p, err := c.play(ctx, fixtures[i])
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
	for i := range fixtures {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
	var played []Played
	for _, p := range results {
		if p != nil {
			played = append(played, *p)
		}
	}
	return played, context.Cause(ctx)
}

// notebook is a match.Recorder in memory.
type notebook struct{ record *store.Record }

func (*notebook) Begin(*store.Record) {}

func (n *notebook) Finish(_ context.Context, r *store.Record) error {
	n.record = r
	return nil
}

// play plays one match. It returns nil when ctx ended meanwhile.
func (c *Config) play(ctx context.Context, f Fixture) (*Played, error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	programs := make([]*program.Program, len(f.Seating)) // by seat; nil: a bot
	seats := make([]match.Seat, len(f.Seating))
	played := &Played{Fixture: f, Seats: make([]Seat, len(f.Seating))}
	end := func() { // all at once: each may take its time
		patience := program.Farewell
		if ctx.Err() != nil {
			patience = 0
		}
		var wait sync.WaitGroup
		for seat, p := range programs {
			if p != nil {
				wait.Go(func() { played.Seats[seat].Exit = p.End(patience) })
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
		p, err := program.Start(e.Command, c.Limits)
		if err != nil {
			end()
			return nil, err
		}
		programs[seat], seats[seat].Player = p, p
	}
	var notes notebook
	record := c.Record
	record.ID, record.Name, record.Seed = fmt.Sprintf("%s-%d-%d", record.Game, f.Seed, f.rotation()), fmt.Sprintf("match %d", f.Number), f.Seed
	m, _ := match.New(match.Config{
		Record: record, Seats: seats, Seated: true, Game: c.Game, Recorder: &notes, Stream: match.NewStream(),
		Stall: c.Stall, Log: c.Log, Over: func() {},
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
	if ctx.Err() != nil && notes.record.State == store.Aborted {
		return nil, nil
	}
	played.note(notes.record)
	if c.Folder == "" {
		return played, nil
	}
	played.File = filepath.Join(c.Folder, notes.record.ID+".json")
	return played, write(played.File, notes.record)
}

// rotation is by how many seats the entrants have moved on.
func (f *Fixture) rotation() int {
	for seat, entrant := range f.Seating {
		if entrant == 0 {
			return seat
		}
	}
	return 0
}

// note takes from the record what the results need.
func (p *Played) note(r *store.Record) {
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

func write(file string, r *store.Record) error {
	b, err := store.EncodeTranscript(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, b, 0o644); err != nil {
		return fmt.Errorf("write the transcript: %w", err)
	}
	return nil
}
