package wire

import (
	"math"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire/pb"
)

// The messages that are not sent in each turn.

func encodeParam(p driver.Param) *pb.Param {
	return &pb.Param{
		Name: p.Name, Description: p.Description, DefaultValue: p.Default,
		Kind: pb.Param_Kind(p.Kind), Min: p.Min, Max: p.Max, Choices: p.Choices,
	}
}

func decodeParam(p *pb.Param) driver.Param {
	return driver.Param{
		Name: p.Name, Description: p.Description, Default: p.DefaultValue,
		Kind: driver.Kind(p.Kind), Min: p.Min, Max: p.Max, Choices: p.Choices,
	}
}

func encodeDescription(d driver.Description) *pb.Description {
	m := &pb.Description{
		Name: d.Name, Title: d.Title, Rules: d.Rules, Timeout: d.Timeout, Delay: d.Delay, Ponder: d.Ponder,
		MinPlayers: uint32(d.MinPlayers), MaxPlayers: uint32(d.MaxPlayers), MaxBots: uint32(d.MaxBots), MaxLine: uint32(d.MaxLine),
	}
	for _, p := range d.Params {
		m.Params = append(m.Params, encodeParam(p))
	}
	return m
}

func decodeDescription(m *pb.Description) driver.Description {
	d := driver.Description{
		Name: m.Name, Title: m.Title, Rules: m.Rules, Timeout: m.Timeout, Delay: m.Delay, Ponder: m.Ponder,
		MinPlayers: int(m.MinPlayers), MaxPlayers: int(m.MaxPlayers), MaxBots: int(m.MaxBots), MaxLine: int(m.MaxLine),
	}
	for _, p := range m.Params {
		d.Params = append(d.Params, decodeParam(p))
	}
	return d
}

func encodeSetup(s *driver.Setup) *pb.Start {
	start := &pb.Start{
		Seed: s.Seed, Timeout: s.Settings.Timeout, Params: s.Settings.Params, Rerun: s.Rerun, Id: s.ID,
		JudgeMs: uint32(s.Judge.Milliseconds()), StallMs: uint64(s.Stall.Milliseconds()), Thoughts: uint32(s.Thoughts), JudgeAfter: uint32(s.JudgeAfter),
	}
	for _, a := range s.Begin {
		start.Begin = append(start.Begin, &pb.Answer{Seat: uint32(a.Seat), Line: []byte(a.Line)})
	}
	for i, name := range s.Names {
		seat := &pb.Seat{Name: name, Bot: s.Bots != nil && s.Bots[i]}
		if s.Banks != nil {
			seat.Bank, seat.Increment = s.Banks[i].Start, s.Banks[i].Increment
		}
		if s.Levels != nil {
			seat.Level = s.Levels[i]
		}
		seat.Hints = s.Hints != nil && s.Hints[i]
		start.Seats = append(start.Seats, seat)
	}
	return start
}

func decodeSetup(start *pb.Start) *driver.Setup {
	n := len(start.Seats)
	s := &driver.Setup{
		Settings: driver.Settings{Players: n, Timeout: start.Timeout, Params: start.Params},
		Seed:     start.Seed, Names: make([]string, n), Bots: make([]bool, n), Banks: make([]driver.Bank, n), Levels: make([]string, n),
		Judge: milliseconds(uint64(start.JudgeMs)), Stall: milliseconds(start.StallMs),
		Rerun: start.Rerun, ID: start.Id, Thoughts: int(min(start.Thoughts, math.MaxInt32)), JudgeAfter: int(min(start.JudgeAfter, math.MaxInt32)),
	}
	for _, a := range start.Begin {
		s.Begin = append(s.Begin, driver.Answer{Seat: int(min(a.Seat, math.MaxInt32)), Line: string(a.Line)})
	}
	for i, seat := range start.Seats {
		s.Names[i], s.Bots[i], s.Levels[i] = seat.Name, seat.Bot, seat.Level
		s.Banks[i] = driver.Bank{Start: seat.Bank, Increment: seat.Increment}
		if seat.Bot {
			s.Settings.Bots++
		}
		if seat.Hints && s.Hints == nil {
			s.Hints = make([]bool, n)
		}
		if seat.Hints {
			s.Hints[i] = true
		}
	}
	return s
}

func encodeResult(r *driver.Result) *pb.End {
	end := &pb.End{Reason: validUTF8(r.Reason), Aborted: r.Aborted, Stuck: r.Stuck}
	for _, s := range r.Seats {
		end.Seats = append(end.Seats, &pb.SeatResult{Score: s.Score, Rank: uint32(s.Rank), Ended: string(s.Ended), Team: uint32(s.Team)})
	}
	return end
}

func decodeResult(end *pb.End) *driver.Result {
	r := &driver.Result{Reason: end.Reason, Aborted: end.Aborted, Stuck: end.Stuck}
	for _, s := range end.Seats {
		r.Seats = append(r.Seats, driver.SeatResult{Score: s.Score, Rank: int(s.Rank), Ended: driver.Ended(s.Ended), Team: int(s.Team)})
	}
	return r
}

func encodeJudgement(j *driver.Judgement) *pb.Judgement {
	return &pb.Judgement{Value: j.Value, Best: validUTF8(j.Best)}
}
