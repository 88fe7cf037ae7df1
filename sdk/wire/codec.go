package wire

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire/pb"
)

// The functions below encode and decode frames as the generated code does, but without its
// messages and reflection: they know the parts that each turn has, and leave those that a
// match has once to the generated code.

// errInvalid is the error of a frame that is not a message of game.proto.
var errInvalid = errors.New("a frame is invalid")

func appendHostFrame(b []byte, f HostFrame) []byte {
	b = appendUint(b, 1, f.Match)
	if f.Start != nil {
		b = appendRare(b, 2, encodeSetup(f.Start))
	}
	for i := range f.Answers {
		b = appendAnswer(b, 3, &f.Answers[i])
	}
	return appendUint(b, 4, protowire.EncodeBool(f.Stop))
}

func appendGameFrame(b []byte, f GameFrame) []byte {
	b = appendUint(b, 1, f.Match)
	for i := range f.BotAnswers {
		b = appendAnswer(b, 2, &f.BotAnswers[i])
	}
	for i := range f.Texts {
		b = appendText(b, 3, &f.Texts[i])
	}
	if f.Question != nil {
		b = appendQuestion(b, 4, f.Question)
	}
	b = appendUint(b, 5, uint64(f.Pause.Milliseconds()))
	if f.End != nil {
		b = appendRare(b, 6, encodeResult(f.End))
	}
	if f.Judgement != nil {
		b = appendRare(b, 7, encodeJudgement(f.Judgement))
	}
	return b
}

func appendAnswer(b []byte, field protowire.Number, a *driver.Answer) []byte {
	b, start := begin(b, field)
	b = appendUint(b, 1, uint64(uint32(a.Seat)))
	b = appendBytes(b, 2, a.Line)
	switch a.Outcome {
	case driver.Timeout:
		b = appendUint(b, 3, uint64(pb.Answer_TIMEOUT))
	case driver.Disconnected:
		b = appendUint(b, 3, uint64(pb.Answer_DISCONNECTED))
	}
	b = appendUint(b, 4, uint64(a.At.Milliseconds()))
	b = appendBytes(b, 5, validUTF8(a.Note))
	b = appendUint(b, 6, uint64(max(0, a.Left.Milliseconds())))
	return end(b, start)
}

func appendText(b []byte, field protowire.Number, t *driver.Text) []byte {
	b, start := begin(b, field)
	b = appendUint(b, 1, uint64(t.To))
	b = appendUint(b, 2, uint64(uint32(t.Seat)))
	b = appendBytes(b, 3, t.Lines)
	return end(b, start)
}

func appendQuestion(b []byte, field protowire.Number, q *driver.Question) []byte {
	b, start := begin(b, field)
	b = appendSeats(b, 1, q.Seats)
	if bits := math.Float64bits(q.Seconds); bits != 0 {
		b = protowire.AppendFixed64(protowire.AppendTag(b, 2, protowire.Fixed64Type), bits)
	}
	b = appendSeats(b, 3, q.Resumed)
	if q.Tick {
		b = appendUint(b, 4, 1)
	}
	for i := range q.Hints {
		b = appendHint(b, 5, &q.Hints[i])
	}
	return end(b, start)
}

func appendHint(b []byte, field protowire.Number, h *driver.Hint) []byte {
	b, start := begin(b, field)
	b = appendUint(b, 1, uint64(uint32(h.Seat)))
	for _, line := range h.Answers { // also an empty one
		b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), line)
	}
	b = appendUint(b, 3, protowire.EncodeBool(h.More))
	b = appendUint(b, 4, protowire.EncodeBool(h.Examples))
	return end(b, start)
}

// appendUint appends a field unless it is 0.
func appendUint(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// appendBytes appends a field unless it is empty.
func appendBytes[T string | []byte](b []byte, field protowire.Number, v T) []byte {
	if len(v) == 0 {
		return b
	}
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return append(protowire.AppendVarint(b, uint64(len(v))), v...)
}

// appendSeats appends a field unless it is empty.
func appendSeats(b []byte, field protowire.Number, seats []int) []byte {
	if len(seats) == 0 {
		return b
	}
	b, start := begin(b, field)
	for _, seat := range seats {
		b = protowire.AppendVarint(b, uint64(uint32(seat)))
	}
	return end(b, start)
}

// begin appends the beginning of a field that is a message or a list. Most have less than
// 128 bytes, so that their length has one byte.
func begin(b []byte, field protowire.Number) (_ []byte, start int) {
	b = append(protowire.AppendTag(b, field, protowire.BytesType), 0)
	return b, len(b)
}

// end puts the length before what was appended since begin.
func end(b []byte, start int) []byte {
	size := len(b) - start
	if more := protowire.SizeVarint(uint64(size)) - 1; more > 0 {
		b = append(b, make([]byte, more)...)
		copy(b[start+more:], b[start:start+size])
	}
	protowire.AppendVarint(b[:start-1], uint64(size))
	return b
}

// appendRare appends a field that is a message, with the generated code.
func appendRare(b []byte, field protowire.Number, m proto.Message) []byte {
	message, err := proto.Marshal(m)
	if err != nil {
		return b // a text that is not UTF-8, which nobody could decode
	}
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

// Keys of fields: their number and one of these wire types.
const (
	varint    = uint64(protowire.VarintType)
	fixed64   = uint64(protowire.Fixed64Type)
	delimited = uint64(protowire.BytesType)
)

// fields are the fields of a message. Unknown ones are skipped.
type fields struct {
	rest   []byte // what has not been read
	key    uint64 // number<<3 | wire type
	number uint64 // value of a varint or a fixed64
	bytes  []byte // value of the other type
	err    error
}

// next reads the next field, if there is one and no error so far.
func (r *fields) next() bool {
	if len(r.rest) == 0 || r.err != nil {
		return false
	}
	number, kind, n := protowire.ConsumeTag(r.rest)
	if n < 0 || number > protowire.MaxValidNumber {
		r.err = errInvalid
		return false
	}
	r.key, r.rest = uint64(number)<<3|uint64(kind), r.rest[n:]
	switch kind {
	case protowire.VarintType:
		r.number, n = protowire.ConsumeVarint(r.rest)
	case protowire.Fixed64Type:
		r.number, n = protowire.ConsumeFixed64(r.rest)
	case protowire.BytesType:
		r.bytes, n = protowire.ConsumeBytes(r.rest)
	default:
		n = protowire.ConsumeFieldValue(number, kind, r.rest)
	}
	if n < 0 {
		r.err = errInvalid
		return false
	}
	r.rest = r.rest[n:]
	return true
}

func decodeHostFrame(b []byte) (*HostFrame, error) {
	f := &HostFrame{}
	var start *pb.Start
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			f.Match = r.number
		case 2<<3 | delimited:
			if start == nil {
				start = &pb.Start{}
			}
			r.err = decodeRare(start, r.bytes)
		case 3<<3 | delimited:
			f.Answers = append(f.Answers, driver.Answer{})
			r.err = decodeAnswer(&f.Answers[len(f.Answers)-1], r.bytes)
		case 4<<3 | varint:
			f.Stop = protowire.DecodeBool(r.number)
		}
	}
	if start != nil {
		f.Start = decodeSetup(start)
	}
	return f, r.err
}

// gameFrame is a frame with room for what most frames have, as one piece of memory.
type gameFrame struct {
	GameFrame
	frame    driver.Frame
	texts    [2]driver.Text
	question driver.Question
	seats    [2]int
}

func decodeGameFrame(b []byte) (*GameFrame, error) {
	memory := &gameFrame{}
	f := &memory.GameFrame
	f.Frame = &memory.frame
	var end *pb.End
	var judgement *pb.Judgement
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			f.Match = r.number
		case 2<<3 | delimited:
			f.BotAnswers = append(f.BotAnswers, driver.Answer{})
			r.err = decodeAnswer(&f.BotAnswers[len(f.BotAnswers)-1], r.bytes)
		case 3<<3 | delimited:
			if f.Texts == nil {
				f.Texts = memory.texts[:0]
			}
			f.Texts = append(f.Texts, driver.Text{})
			r.err = decodeText(&f.Texts[len(f.Texts)-1], r.bytes)
		case 4<<3 | delimited:
			if f.Question == nil {
				f.Question = &memory.question
				f.Question.Seats = memory.seats[:0]
			}
			r.err = decodeQuestion(f.Question, r.bytes)
		case 5<<3 | varint:
			f.Pause = milliseconds(r.number)
		case 6<<3 | delimited:
			if end == nil {
				end = &pb.End{}
			}
			r.err = decodeRare(end, r.bytes)
		case 7<<3 | delimited:
			if judgement == nil {
				judgement = &pb.Judgement{}
			}
			r.err = decodeRare(judgement, r.bytes)
		}
	}
	if end != nil {
		f.End = decodeResult(end)
	}
	if judgement != nil {
		f.Judgement = &driver.Judgement{Value: judgement.Value, Best: judgement.Best}
	}
	return f, r.err
}

func decodeAnswer(a *driver.Answer, b []byte) error {
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			a.Seat = seatOf(r.number)
		case 2<<3 | delimited:
			a.Line = string(r.bytes)
		case 3<<3 | varint:
			switch pb.Answer_Outcome(r.number) {
			case pb.Answer_TIMEOUT:
				a.Outcome = driver.Timeout
			case pb.Answer_DISCONNECTED:
				a.Outcome = driver.Disconnected
			default: // so that the host need not know all outcomes
				a.Outcome = driver.Answered
			}
		case 4<<3 | varint:
			a.At = milliseconds(r.number)
		case 5<<3 | delimited:
			if !utf8.Valid(r.bytes) {
				return errInvalid
			}
			a.Note = string(r.bytes)
		case 6<<3 | varint:
			a.Left = milliseconds(r.number)
		}
	}
	return r.err
}

func decodeText(t *driver.Text, b []byte) error {
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			t.To = driver.Audience(int32(r.number))
		case 2<<3 | varint:
			t.Seat = seatOf(r.number)
		case 3<<3 | delimited:
			t.Lines = slices.Clone(r.bytes)
		}
	}
	return r.err
}

func decodeQuestion(q *driver.Question, b []byte) error {
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			q.Seats = append(q.Seats, seatOf(r.number))
		case 1<<3 | delimited:
			q.Seats, r.err = decodeSeats(q.Seats, r.bytes)
		case 2<<3 | fixed64:
			q.Seconds = math.Float64frombits(r.number)
		case 3<<3 | varint:
			q.Resumed = append(q.Resumed, seatOf(r.number))
		case 3<<3 | delimited:
			q.Resumed, r.err = decodeSeats(q.Resumed, r.bytes)
		case 4<<3 | varint:
			q.Tick = r.number != 0
		case 5<<3 | delimited:
			q.Hints = append(q.Hints, driver.Hint{})
			r.err = decodeHint(&q.Hints[len(q.Hints)-1], r.bytes)
		}
	}
	return r.err
}

func decodeHint(h *driver.Hint, b []byte) error {
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			h.Seat = seatOf(r.number)
		case 2<<3 | delimited:
			h.Answers = append(h.Answers, string(r.bytes))
		case 3<<3 | varint:
			h.More = r.number != 0
		case 4<<3 | varint:
			h.Examples = r.number != 0
		}
	}
	return r.err
}

// decodeSeats appends packed numbers of seats.
func decodeSeats(seats []int, b []byte) ([]int, error) {
	for len(b) > 0 {
		seat, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return seats, errInvalid
		}
		seats, b = append(seats, seatOf(seat)), b[n:]
	}
	return seats, nil
}

// seatOf returns a uint32 of a message. Where an int has 32 bits it can be below 0.
func seatOf(v uint64) int { return int(uint32(v)) }

// milliseconds returns a duration of a message, or the longest one, 9223372036854 ms.
func milliseconds(v uint64) time.Duration {
	return time.Duration(min(v, math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
}

// decodeRare adds the fields of an encoded message to m, with the generated code.
func decodeRare(m proto.Message, b []byte) error {
	return proto.UnmarshalOptions{Merge: true, DiscardUnknown: true}.Unmarshal(b, m)
}

// validUTF8 returns a text of a game, which can quote a player. A text that is not UTF-8
// would break the stream, and so all matches.
func validUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
