package wire

import (
	"strings"
	"time"

	"colosseum/sdk"
)

// FromParam returns a parameter as a message.
func FromParam(p sdk.Param) *Param {
	return &Param{
		Name: p.Name, Description: p.Description, DefaultValue: p.Default,
		Kind: Param_Kind(p.Kind), Min: p.Min, Max: p.Max, Choices: p.Choices,
	}
}

// ToParam returns a parameter from a message.
func ToParam(p *Param) sdk.Param {
	return sdk.Param{
		Name: p.Name, Description: p.Description, Default: p.DefaultValue,
		Kind: sdk.Kind(p.Kind), Min: p.Min, Max: p.Max, Choices: p.Choices,
	}
}

// FromTurn returns a turn as a frame, which shares its bytes.
func FromTurn(match uint64, t *sdk.Turn) *GameFrame {
	f := &GameFrame{Match: match, PauseMs: uint64(t.Pause.Milliseconds())}
	if len(t.BotAnswers) > 0 {
		f.BotAnswers = FromAnswers(t.BotAnswers)
	}
	if n := len(t.Texts); n > 0 {
		texts := make([]Text, n)
		f.Texts = make([]*Text, n)
		for i, text := range t.Texts {
			texts[i].To, texts[i].Seat, texts[i].Lines = Text_To(text.To), uint32(text.Seat), text.Lines
			f.Texts[i] = &texts[i]
		}
	}
	if t.Ask != nil {
		f.Ask = &Ask{Seconds: t.Ask.Seconds, Seats: make([]uint32, len(t.Ask.Seats))}
		for i, seat := range t.Ask.Seats {
			f.Ask.Seats[i] = uint32(seat)
		}
		for _, seat := range t.Ask.Resumed {
			f.Ask.Resumed = append(f.Ask.Resumed, uint32(seat))
		}
	}
	if t.End != nil {
		// A referee may quote a player; a text that is not UTF-8 would break the
		// stream, and so all matches.
		f.End = &End{Reason: strings.ToValidUTF8(t.End.Reason, "\uFFFD"), Aborted: t.End.Aborted}
		for _, s := range t.End.Seats {
			f.End.Seats = append(f.End.Seats, &SeatResult{Score: s.Score, Rank: uint32(s.Rank), Ended: s.Ended})
		}
	}
	return f
}

// ToResult returns the result of a match from a message.
func ToResult(e *End) *sdk.Result {
	r := &sdk.Result{Reason: e.Reason, Aborted: e.Aborted}
	for _, s := range e.Seats {
		r.Seats = append(r.Seats, sdk.SeatResult{Score: s.GetScore(), Rank: int(s.GetRank()), Ended: s.GetEnded()})
	}
	return r
}

// FromAnswers returns answers as messages.
func FromAnswers(answers []sdk.Answer) []*Answer {
	messages := make([]Answer, len(answers))
	pointers := make([]*Answer, len(answers))
	for i, a := range answers {
		m := &messages[i]
		m.Seat, m.Line, m.AtMs = uint32(a.Seat), []byte(a.Line), uint64(a.At.Milliseconds())
		switch a.Outcome {
		case sdk.ErrTimeout:
			m.Outcome = Answer_TIMEOUT
		case sdk.ErrDisconnected:
			m.Outcome = Answer_DISCONNECTED
		}
		pointers[i] = m
	}
	return pointers
}

// ToAnswers returns answers from messages.
func ToAnswers(messages []*Answer) []sdk.Answer {
	answers := make([]sdk.Answer, len(messages))
	for i, m := range messages {
		answers[i] = sdk.Answer{Seat: int(m.Seat), Line: string(m.Line), At: time.Duration(m.AtMs) * time.Millisecond}
		switch m.Outcome {
		case Answer_TIMEOUT:
			answers[i].Outcome = sdk.ErrTimeout
		case Answer_DISCONNECTED:
			answers[i].Outcome = sdk.ErrDisconnected
		}
	}
	return answers
}
