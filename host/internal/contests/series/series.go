// Package series plays matches between local programs, with the rules of a server
// but without one: a [Config] describes a series of matches between some programs, and
// a [Runner] plays the matches of a contest.
package series

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// Config describes a series.
type Config struct {
	Setup
	Game      match.Game
	MaxLine   int          // bytes of a line, if the limit of Setup is lower
	Record    record.Match // what all matches have in common: the game and its settings
	Entrants  []Entrant    // at least as many as seats; those without a command, which are last, play in each match
	Seats     int          // of one match
	Seed      uint64       // of the first match; see plan
	Matches   int          // of each group of entrants; see Rounded
	Parallel  int          // matches at the same time
	Isolation program.Isolation
	Folder    string // for a transcript of each match; empty: none are kept
	// Each, if not nil, is called after each match, and reports whether the series goes
	// on; never concurrently.
	Each func(p *Played) bool
}

// Played is a match that has been played.
type Played struct {
	PlannedMatch
	State   record.State
	Reason  string
	Seats   []SeatResult
	Answers [32]byte // a hash of all answers; without any, zero
	File    string   // its transcript; empty: none
}

// drawn reports whether several seats share the first rank without being one team.
func (p *Played) drawn() bool {
	return protocol.Drawn(p.Seats, func(s SeatResult) (rank, team int) { return s.Rank, s.Team })
}

// Run plays a series, and returns the matches that were played, in order. It stops
// early if Each returns false, or with an error if ctx ends, a program can't be started
// or confined, or a transcript can't be written. All processes of entrants have ended
// when it returns.
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
	planned := plan(&c)
	results := make([]*Played, len(planned))
	var workers sync.WaitGroup
	var next atomic.Int64 // of planned
	var mu sync.Mutex     // guards decided
	decided := false      // Each has returned false
	for range min(c.Parallel, len(planned)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(planned) {
					return
				}
				p, err := c.play(ctx, planned[i], commands)
				if err != nil {
					cancel(err)
				}
				if p == nil {
					continue
				}
				results[i] = p
				mu.Lock()
				if c.Each != nil && !decided && !c.Each(p) {
					decided = true
					cancel(errDecided)
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
	err = context.Cause(ctx)
	if err == errDecided {
		err = nil
	}
	return played, err
}

// errDecided ends the matches that still run when Each has returned false.
var errDecided = fmt.Errorf("the series is decided")

// play plays one match with the commands of the entrants. It returns nil, nil if ctx
// ends before the match does.
func (c *Config) play(ctx context.Context, f PlannedMatch, commands []program.Command) (*Played, error) {
	rec := c.Record
	rec.ID, rec.Name, rec.Seed = f.id(rec.Game), fmt.Sprintf("match %d", f.Number), f.Seed
	line := lineup{record: rec, game: c.Game, line: c.MaxLine, number: f.Number, group: f.Group}
	for _, entrant := range f.Seating {
		p := participant{name: c.Entrants[entrant].Name, level: c.Entrants[entrant].Level}
		if c.Entrants[entrant].Command != nil {
			p.command = &commands[entrant]
		}
		line.seats = append(line.seats, p)
	}
	r, seats, err := c.Setup.play(ctx, line, func() {})
	if r == nil || err != nil {
		return nil, err
	}
	for seat := range seats {
		seats[seat].Entrant = f.Seating[seat]
	}
	played := &Played{PlannedMatch: f, State: r.State, Reason: r.Reason, Seats: seats, Answers: hashOf(r.Answers)}
	if c.Folder == "" {
		return played, nil
	}
	played.File = filepath.Join(c.Folder, r.ID+".json")
	b, err := record.EncodeTranscript(r)
	if err == nil {
		err = os.WriteFile(played.File, b, 0o644)
	}
	if err != nil {
		err = fmt.Errorf("write the transcript: %w", err)
	}
	return played, err
}
