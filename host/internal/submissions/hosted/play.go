package hosted

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/store"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// seat is a program in a match.
type seat struct {
	lobby.HostedSeat
	submission store.Submission
	program    *program.Program // nil: it could not be started
	fault      string           // why
	release    func()           // its files
	began      chan int         // its number in the match; holds one: the match begins once
	result     chan protocol.MatchResult
	number     int
	exit       program.Exit
}

// Play implements lobby.Programs.
func (p *Programs) Play(ctx context.Context, m lobby.HostedMatch) {
	slots := p.alone
	if m.Others > 0 {
		slots = p.mixed
	}
	p.count(func(s *Stats) { s.Waiting++ })
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		p.count(func(s *Stats) { s.Waiting-- })
		return
	}
	p.count(func(s *Stats) { s.Waiting--; s.Playing++ })
	core := p.cores.Take()
	over := sync.OnceFunc(func() {
		core.Free()
		<-slots
		p.count(func(s *Stats) { s.Playing-- })
	})
	defer over()
	var seats []*seat
	defer func() {
		for _, s := range seats {
			s.release()
		}
	}()
	for _, hosted := range m.Seats {
		s, err := p.start(ctx, m, hosted, core)
		if err != nil {
			end(seats, 0)
			p.fail(ctx, m, hosted, err)
			return
		}
		seats = append(seats, s)
	}
	for _, s := range seats {
		if err := p.config.Lobby.JoinProgram(s.player(), m.ID, s.Player); err != nil {
			end(seats, 0)
			p.fail(ctx, m, s.HostedSeat, err)
			return
		}
	}
	<-ctx.Done()
	if !begun(seats) {
		end(seats, 0)
		return
	}
	for _, s := range seats {
		if s.program != nil {
			s.program.Yield()
		}
	}
	p.ending <- struct{}{}
	over() // for the next match, while programs end
	end(seats, program.EndGrace)
	<-p.ending
	p.count(func(s *Stats) { s.Matches++ })
	for _, s := range seats {
		p.keep(m.ID, s, <-s.result)
	}
}

// start starts a program. An error is the host's fault.
func (p *Programs) start(ctx context.Context, m lobby.HostedMatch, hosted lobby.HostedSeat, core *program.Core) (*seat, error) {
	submission, err := p.find(ctx, m.Game, hosted)
	if err != nil {
		return nil, err
	}
	command, release, err := p.install(ctx, submission)
	if err != nil {
		return nil, err
	}
	s := &seat{HostedSeat: hosted, submission: submission, release: release, began: make(chan int, 1), result: make(chan protocol.MatchResult, 1)}
	s.program, err = program.Start(command.With(environment()...).On(core), p.config.Limits.For(m.MaxLine))
	if err != nil && program.OutOfResources(err) {
		release()
		return nil, err
	}
	if err != nil { // it forfeits
		s.fault = err.Error()
	}
	return s, nil
}

// environment returns variables by which a program can vary its play. The seed of the match
// must not be known to it.
func environment() []string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return []string{fmt.Sprintf("COLOSSEUM_SEED=%d", binary.LittleEndian.Uint32(b[:])>>1)}
}

// fail removes a match that this host can't play.
func (p *Programs) fail(ctx context.Context, m lobby.HostedMatch, s lobby.HostedSeat, err error) {
	if ctx.Err() != nil { // the match is gone
		return
	}
	p.count(func(s *Stats) { s.Faults++ })
	p.config.Log.Error("could not run a program that was handed in", "match", m.ID, "game", m.Game, "player", s.Player, "version", s.Version, "error", err)
	p.config.Lobby.Remove(m.ID, fmt.Sprintf("the host could not run version %d of %s", s.Version, s.Player))
}

// begun reports whether the match of some seats has begun, once it has left the lobby.
func begun(seats []*seat) bool {
	for _, s := range seats {
		select {
		case s.number = <-s.began:
		default:
			return false
		}
	}
	return true
}

// end ends all programs.
func end(seats []*seat, grace time.Duration) {
	var wait sync.WaitGroup
	for _, s := range seats {
		if s.program != nil {
			wait.Go(func() { s.exit = s.program.End(grace) })
		}
	}
	wait.Wait()
}

// keepTime bounds the work for the store after a match.
const keepTime = 10 * time.Second

// keep counts the match of a version, and keeps what its owner can read about it.
func (p *Programs) keep(id string, s *seat, r protocol.MatchResult) {
	if r.Aborted || s.number >= len(r.Players) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepTime) // the match is over, and its result counts
	defer cancel()
	failed, reason := s.failure(id, r.Players[s.number])
	if failed {
		p.count(func(s *Stats) { s.Failures++ })
	}
	log := p.config.Log.With("match", id, "player", s.Player, "version", s.Version)
	if text := s.journal(reason); text != "" {
		if err := p.config.Store.AddJournal(ctx, s.submission.Number, id, text); err != nil {
			log.Warn("could not keep what a program wrote", "error", err)
		}
	}
	rests, err := p.config.Store.Played(ctx, s.submission.Number, failed, reason, p.config.Rest)
	if err != nil {
		log.Warn("could not count a match of a program", "error", err)
	}
	if rests && p.rest(s.submission.Number) {
		log.Info("a program rests", "reason", reason)
		if p.config.Rested != nil {
			p.config.Rested(s.submission, reason)
		}
	}
}

// rest says that a version rests, and reports whether it did not before.
func (p *Programs) rest(number int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.active, func(s store.Submission) bool { return s.Number == number })
	if at < 0 {
		return false
	}
	p.active = slices.Delete(slices.Clone(p.active), at, at+1)
	p.setLocked(versionsOf(p.active))
	return true
}

// failure reports whether a program did not finish its match by its own fault, and why. A
// program that resigns has finished it.
func (s *seat) failure(id string, r protocol.PlayerResult) (failed bool, reason string) {
	why, forfeit := driver.Ended(r.Ended).Forfeit()
	if !forfeit || driver.Ended(r.Ended) == driver.ForfeitResigned {
		return false, ""
	}
	reason = fmt.Sprintf("it forfeited match %s: %s", id, why)
	if r.Fault != nil && r.Fault.Line != "" {
		reason += fmt.Sprintf(" (%q)", r.Fault.Line)
	}
	switch {
	case s.program == nil:
		reason += "; it could not be started: " + s.fault
	case s.exit.Fault != "":
		reason += "; it was ended because " + s.exit.Fault
	case !s.exit.OK:
		reason += "; it ended with " + s.exit.Status
	}
	return true, reason
}

// journal returns what the owner of a program can read about a match.
func (s *seat) journal(reason string) string {
	return strings.TrimSpace(reason + "\n" + s.exit.Stderr)
}

// player returns the program as a player of the lobby.
func (s *seat) player() lobby.Player {
	if s.program == nil {
		return &absentee{s: s}
	}
	return &player{s.program, s}
}

// player is a program in the lobby and in its match, which treats it as a match.Local.
type player struct {
	*program.Program
	s *seat
}

// Joined implements lobby.Player.
func (*player) Joined(protocol.MatchInfo) {}

// Update implements lobby.Player.
func (*player) Update([]byte) {}

// Expired implements lobby.Player: the context of Play has ended as well.
func (*player) Expired(_, _ string) {}

// Started implements lobby.Player.
func (p *player) Started(m *match.Match, number int) {
	p.s.began <- number
	p.Play(m, number)
}

// Ended implements match.Player.
func (p *player) Ended(r protocol.MatchResult) { p.s.result <- r }

// absentee is a program that could not be started: it leaves its match at once.
type absentee struct {
	match.Absentee
	s *seat
}

// Joined implements lobby.Player.
func (*absentee) Joined(protocol.MatchInfo) {}

// Update implements lobby.Player.
func (*absentee) Update([]byte) {}

// Expired implements lobby.Player.
func (*absentee) Expired(_, _ string) {}

// Started implements lobby.Player.
func (a *absentee) Started(m *match.Match, number int) {
	a.s.began <- number
	go m.Leave(number) // ends at once; the lobby is locked now
}

// Ended implements match.Player.
func (a *absentee) Ended(r protocol.MatchResult) { a.s.result <- r }
