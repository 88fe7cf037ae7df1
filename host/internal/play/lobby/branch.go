package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/verify"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// Limits of a branch. The stream reaches its player at once, and must fit its backlog.
const (
	branchWithin  = 2 * time.Minute // how long it waits for its player
	branchAnswers = 2000            // of the earlier match
	branchStream  = 256 << 10       // bytes of the earlier match's stream
	branchTime    = 5 * time.Second // for the second run of the earlier match
)

// Branch creates a match that begins with the moves of an earlier one, with its settings and
// seed, and returns it. The client gets a seat, which is kept for some minutes, and bots of the
// game get the others. It is a match like any other, but of no contest. rec is the record of
// the earlier match, or a snapshot of one that runs. The error is for the client.
func (l *Lobby) Branch(ctx context.Context, c Client, r protocol.GameNew, rec *record.Match) (protocol.MatchInfo, error) {
	b := r.Branch
	n := len(rec.Seats)
	switch {
	case len(r.Opponents) > 0 || r.Rematch != "":
		return protocol.MatchInfo{}, errors.New("a match that begins with the moves of another one is against bots: leave out opponents and rematch")
	case rec.State == record.Running:
		return protocol.MatchInfo{}, fmt.Errorf("match %s runs: another one can begin with its moves when it has ended", rec.ID)
	case r.Game != rec.Game:
		return protocol.MatchInfo{}, fmt.Errorf("match %s was one of %s: another one that begins with its moves is of the same game, not of %s", rec.ID, rec.Game, shorten(r.Game))
	case b.Seat < 0 || b.Seat >= n:
		return protocol.MatchInfo{}, fmt.Errorf("match %s has no seat %d: its seats are 0 to %d", rec.ID, b.Seat, n-1)
	case b.Line < 0:
		return protocol.MatchInfo{}, fmt.Errorf("match %s has no line %d", rec.ID, b.Line)
	}
	seats := &Seats{Order: make([]string, n), Names: make([]string, n), Seed: &rec.Seed, Within: branchWithin}
	seats.Order[b.Seat] = c.Player
	if c.Player == "" {
		if err := checkUsername(b.Name); err != nil {
			return protocol.MatchInfo{}, err
		}
		seats.Names[b.Seat] = b.Name
	}
	levels := r.Params.Levels
	for i, s := range rec.Seats {
		if i != b.Seat && len(r.Params.Levels) == 0 {
			levels = append(levels, s.Level)
		}
	}
	seats.begin = func(ctx context.Context, offer *catalog.Offer, settings driver.Settings) (err error) {
		again := *rec // with the settings that the new match has, and whatever the result
		again.Plugin, again.Version, again.Params, again.State = offer.Plugin, offer.Version, settings.Params, record.Aborted
		seats.Begin, seats.Branch, err = l.leave(ctx, offer, &again, b)
		return err
	}
	bots := n - 1
	again := protocol.GameNew{
		Name: r.Name, Game: rec.Game, Args: rec.Args,
		Params: protocol.GameParams{Players: &n, Bots: bots, Levels: levels, Timeout: &rec.Timeout, Clock: (*protocol.Clock)(rec.Clock), Retries: rec.Retries},
	}
	if r.Name == "" {
		again.Name = rec.Name
	}
	if r.Params.Timeout != nil { // a person needs more time than the programs whose match it was
		again.Params.Timeout, again.Params.Clock = r.Params.Timeout, r.Params.Clock
	}
	return l.CreateFor(ctx, c, again, seats)
}

// leave finds where a branch leaves a match: at the first question after a line, or before the
// last answer of the client's seat. It runs the referee again, which must do the same as in the
// record, whatever its version.
func (l *Lobby) leave(ctx context.Context, offer *catalog.Offer, rec *record.Match, b *protocol.NewBranch) (begin []record.Answer, branch *record.Branch, err error) {
	l.mu.Lock()
	stall := min(l.limits.Stall, branchTime)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, branchTime)
	defer cancel()
	var at *verify.Question
	ticks, long := false, false
	report, err := verify.Questions(ctx, offer.Engine, rec, stall, func(q verify.Question) bool {
		switch {
		case q.Tick:
			ticks = true
		case q.Answers > branchAnswers || q.Bytes > branchStream:
			long = true
		case !b.Back && q.Lines >= b.Line, b.Back && answers(rec, q, b.Seat):
			at = &q
		}
		return !ticks && !long && (b.Back || at == nil)
	})
	switch {
	case ticks && at == nil:
		return nil, nil, fmt.Errorf("%s is played in ticks: its matches cannot begin with the moves of others", rec.Game)
	case long:
		return nil, nil, fmt.Errorf("match %s is too long there: another one can begin with at most %d answers and %d KiB of its stream", rec.ID, branchAnswers, branchStream>>10)
	case err != nil:
		return nil, nil, fmt.Errorf("match %s could not be played again: %w", rec.ID, err)
	case at == nil && len(report.Differences) > 0:
		return nil, nil, fmt.Errorf("%s, as this host has it now, does not play match %s again in the same way, so no match can begin with its moves", rec.Game, rec.ID)
	case at == nil && b.Back:
		return nil, nil, fmt.Errorf("there is no move to take back in match %s", rec.ID)
	case at == nil:
		return nil, nil, fmt.Errorf("nobody is to move after line %d of match %s: choose an earlier line", b.Line, rec.ID)
	}
	for _, a := range rec.Answers[:at.Answers] {
		switch {
		case a.Outcome == record.Refused: // the referee has not got it
		case a.Outcome != driver.Answered && a.Seat != b.Seat:
			return nil, nil, fmt.Errorf("seat %d of match %s has missed a move before that line, which a bot does not: choose an earlier line", a.Seat, rec.ID)
		default:
			begin = append(begin, record.Answer{Seat: a.Seat, Line: a.Line, Outcome: a.Outcome})
		}
	}
	return begin, &record.Branch{Match: rec.ID, Line: at.Lines, Answers: len(begin)}, nil
}

// answers reports whether the record has an answer of a seat to a question.
func answers(rec *record.Match, q verify.Question, seat int) bool {
	given := 0
	for _, a := range rec.Answers[q.Answers:] {
		switch {
		case a.Outcome == record.Refused:
			continue
		case a.Seat == seat:
			return a.Outcome == driver.Answered && slices.Contains(q.Seats, seat)
		}
		if given++; given == len(q.Seats) {
			break
		}
	}
	return false
}
