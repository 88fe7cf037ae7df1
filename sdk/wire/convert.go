package wire

import (
	"strings"
	"time"

	"colosseum/sdk/driver"
)

// EncodeParam returns a parameter as a message.
func EncodeParam(p driver.Param) *Param {
	return &Param{
		Name: p.Name, Description: p.Description, DefaultValue: p.Default,
		Kind: Param_Kind(p.Kind), Min: p.Min, Max: p.Max, Choices: p.Choices,
	}
}

// DecodeParam returns a parameter from a message.
func DecodeParam(p *Param) driver.Param {
	return driver.Param{
		Name: p.Name, Description: p.Description, Default: p.DefaultValue,
		Kind: driver.Kind(p.Kind), Min: p.Min, Max: p.Max, Choices: p.Choices,
	}
}

// EncodeFrame returns a frame as a message, which shares its bytes.
func EncodeFrame(match uint64, t *driver.Frame) *GameFrame {
	f := &GameFrame{Match: match, PauseMs: uint64(t.Pause.Milliseconds())}
	if len(t.BotAnswers) > 0 {
		f.BotAnswers = EncodeAnswers(t.BotAnswers)
	}
	if n := len(t.Texts); n > 0 {
		texts := make([]Text, n)
		f.Texts = make([]*Text, n)
		for i, text := range t.Texts {
			texts[i].To, texts[i].Seat, texts[i].Lines = Text_To(text.To), uint32(text.Seat), text.Lines
			f.Texts[i] = &texts[i]
		}
	}
	if j := t.Judgement; j != nil {
		f.Judgement = &Judgement{Value: j.Value, Best: strings.ToValidUTF8(j.Best, "\uFFFD")}
	}
	if q := t.Question; q != nil {
		f.Ask = &Ask{Seconds: q.Seconds, Seats: make([]uint32, len(q.Seats))}
		for i, seat := range q.Seats {
			f.Ask.Seats[i] = uint32(seat)
		}
		for _, seat := range q.Resumed {
			f.Ask.Resumed = append(f.Ask.Resumed, uint32(seat))
		}
	}
	if t.End != nil {
		// A referee can quote a player; a text that is not UTF-8 would break the
		// stream, and so all matches.
		f.End = &End{Reason: strings.ToValidUTF8(t.End.Reason, "\uFFFD"), Aborted: t.End.Aborted, Stuck: t.End.Stuck}
		for _, s := range t.End.Seats {
			f.End.Seats = append(f.End.Seats, &SeatResult{Score: s.Score, Rank: uint32(s.Rank), Ended: string(s.Ended), Team: uint32(s.Team)})
		}
	}
	return f
}

// DecodeResult returns the result of a match from a message.
func DecodeResult(e *End) *driver.Result {
	r := &driver.Result{Reason: e.Reason, Aborted: e.Aborted, Stuck: e.Stuck}
	for _, s := range e.Seats {
		r.Seats = append(r.Seats, driver.SeatResult{Score: s.GetScore(), Rank: int(s.GetRank()), Ended: driver.Ended(s.GetEnded()), Team: int(s.GetTeam())})
	}
	return r
}

// EncodeAnswers returns answers as messages.
func EncodeAnswers(answers []driver.Answer) []*Answer {
	messages := make([]Answer, len(answers))
	pointers := make([]*Answer, len(answers))
	for i, a := range answers {
		m := &messages[i]
		m.Seat, m.Line, m.Outcome, m.AtMs = uint32(a.Seat), []byte(a.Line), encodedOutcome[a.Outcome], uint64(a.At.Milliseconds())
		m.Note = strings.ToValidUTF8(a.Note, "\uFFFD")
		m.LeftMs = uint64(max(0, a.Left.Milliseconds()))
		pointers[i] = m
	}
	return pointers
}

// DecodeAnswer returns an answer from a message.
func DecodeAnswer(m *Answer) driver.Answer {
	return driver.Answer{
		Seat: int(m.Seat), Line: string(m.Line), Outcome: decodedOutcome[m.Outcome], At: time.Duration(m.AtMs) * time.Millisecond,
		Note: m.Note,
		Left: time.Duration(m.LeftMs) * time.Millisecond,
	}
}

// DecodeAnswers returns answers from messages.
func DecodeAnswers(messages []*Answer) []driver.Answer {
	answers := make([]driver.Answer, len(messages))
	for i, m := range messages {
		answers[i] = DecodeAnswer(m)
	}
	return answers
}

// Outcomes without an entry are answers, as 0 and "" are.
var (
	encodedOutcome = map[driver.Outcome]Answer_Outcome{driver.Timeout: Answer_TIMEOUT, driver.Disconnected: Answer_DISCONNECTED}
	decodedOutcome = map[Answer_Outcome]driver.Outcome{Answer_TIMEOUT: driver.Timeout, Answer_DISCONNECTED: driver.Disconnected}
)
