package wire

import (
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The functions below encode and decode the frames of a socket as the generated code
// does, but without reflection: they know the parts that each turn has, and leave those
// that a match has once to the generated code.

// errInvalid is the error of a frame that is not a message of game.proto.
var errInvalid = errors.New("a frame is invalid")

func (f *HostFrame) appendTo(b []byte) []byte {
	b = appendUint(b, 1, f.Match)
	if f.Start != nil {
		b = appendRare(b, 2, f.Start)
	}
	for _, a := range f.Answers {
		b = appendMessage(b, 3, a)
	}
	return appendUint(b, 4, protowire.EncodeBool(f.Stop))
}

func (f *GameFrame) appendTo(b []byte) []byte {
	b = appendUint(b, 1, f.Match)
	for _, a := range f.BotAnswers {
		b = appendMessage(b, 2, a)
	}
	for _, t := range f.Texts {
		b = appendMessage(b, 3, t)
	}
	if f.Ask != nil {
		b = appendMessage(b, 4, f.Ask)
	}
	b = appendUint(b, 5, f.PauseMs)
	if f.End != nil {
		b = appendRare(b, 6, f.End)
	}
	if f.Judgement != nil {
		b = appendRare(b, 7, f.Judgement)
	}
	return b
}

func (a *Answer) appendTo(b []byte) []byte {
	b = appendUint(b, 1, uint64(a.GetSeat()))
	b = appendBytes(b, 2, a.GetLine())
	b = appendUint(b, 3, uint64(a.GetOutcome()))
	b = appendUint(b, 4, a.GetAtMs())
	if note := a.GetNote(); note != "" {
		b = protowire.AppendString(protowire.AppendTag(b, 5, protowire.BytesType), note)
	}
	return appendUint(b, 6, a.GetLeftMs())
}

func (t *Text) appendTo(b []byte) []byte {
	b = appendUint(b, 1, uint64(t.GetTo()))
	b = appendUint(b, 2, uint64(t.GetSeat()))
	return appendBytes(b, 3, t.GetLines())
}

func (a *Ask) appendTo(b []byte) []byte {
	b = appendSeats(b, 1, a.Seats)
	if a.Seconds != 0 {
		b = protowire.AppendFixed64(protowire.AppendTag(b, 2, protowire.Fixed64Type), math.Float64bits(a.Seconds))
	}
	return appendSeats(b, 3, a.Resumed)
}

// appendUint appends a field unless it is 0.
func appendUint(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// appendBytes appends a field unless it is empty.
func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// appendSeats appends a field unless it is empty.
func appendSeats(b []byte, field protowire.Number, seats []uint32) []byte {
	if len(seats) == 0 {
		return b
	}
	b = protowire.AppendTag(b, field, protowire.BytesType)
	size := 0
	for _, seat := range seats {
		size += protowire.SizeVarint(uint64(seat))
	}
	b = protowire.AppendVarint(b, uint64(size))
	for _, seat := range seats {
		b = protowire.AppendVarint(b, uint64(seat))
	}
	return b
}

// appendMessage appends a field that is a message. Most have less than 128 bytes, so
// that their length has one byte.
func appendMessage(b []byte, field protowire.Number, m encoder) []byte {
	b = append(protowire.AppendTag(b, field, protowire.BytesType), 0)
	start := len(b)
	b = m.appendTo(b)
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
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			f.Match = r.number
		case 2<<3 | delimited:
			if f.Start == nil {
				f.Start = &Start{}
			}
			r.err = decodeRare(f.Start, r.bytes)
		case 3<<3 | delimited:
			a := &Answer{}
			f.Answers, r.err = append(f.Answers, a), a.decode(r.bytes)
		case 4<<3 | varint:
			f.Stop = protowire.DecodeBool(r.number)
		}
	}
	return f, r.err
}

// gameFrame is a frame with room for what most frames have, as one piece of memory.
type gameFrame struct {
	GameFrame
	texts    [2]Text
	pointers [2]*Text
	ask      Ask
	seats    [2]uint32
}

func decodeGameFrame(b []byte) (*GameFrame, error) {
	memory := &gameFrame{}
	f := &memory.GameFrame
	f.Texts = memory.pointers[:0]
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			f.Match = r.number
		case 2<<3 | delimited:
			a := &Answer{}
			f.BotAnswers, r.err = append(f.BotAnswers, a), a.decode(r.bytes)
		case 3<<3 | delimited:
			var t *Text
			if n := len(f.Texts); n < len(memory.texts) {
				t = &memory.texts[n]
			} else {
				t = &Text{}
			}
			f.Texts, r.err = append(f.Texts, t), t.decode(r.bytes)
		case 4<<3 | delimited:
			if f.Ask == nil {
				f.Ask = &memory.ask
				f.Ask.Seats = memory.seats[:0]
			}
			r.err = f.Ask.decode(r.bytes)
		case 5<<3 | varint:
			f.PauseMs = r.number
		case 6<<3 | delimited:
			if f.End == nil {
				f.End = &End{}
			}
			r.err = decodeRare(f.End, r.bytes)
		case 7<<3 | delimited:
			if f.Judgement == nil {
				f.Judgement = &Judgement{}
			}
			r.err = decodeRare(f.Judgement, r.bytes)
		}
	}
	return f, r.err
}

func (a *Answer) decode(b []byte) error {
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			a.Seat = uint32(r.number)
		case 2<<3 | delimited:
			a.Line = slices.Clone(r.bytes)
		case 3<<3 | varint:
			a.Outcome = Answer_Outcome(r.number)
		case 4<<3 | varint:
			a.AtMs = r.number
		case 5<<3 | delimited:
			if !utf8.Valid(r.bytes) {
				return errInvalid
			}
			a.Note = string(r.bytes)
		case 6<<3 | varint:
			a.LeftMs = r.number
		}
	}
	return r.err
}

func (t *Text) decode(b []byte) error {
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			t.To = Text_To(r.number)
		case 2<<3 | varint:
			t.Seat = uint32(r.number)
		case 3<<3 | delimited:
			t.Lines = slices.Clone(r.bytes)
		}
	}
	return r.err
}

func (a *Ask) decode(b []byte) error {
	r := fields{rest: b}
	for r.next() {
		switch r.key {
		case 1<<3 | varint:
			a.Seats = append(a.Seats, uint32(r.number))
		case 1<<3 | delimited:
			a.Seats, r.err = decodeSeats(a.Seats, r.bytes)
		case 2<<3 | fixed64:
			a.Seconds = math.Float64frombits(r.number)
		case 3<<3 | varint:
			a.Resumed = append(a.Resumed, uint32(r.number))
		case 3<<3 | delimited:
			a.Resumed, r.err = decodeSeats(a.Resumed, r.bytes)
		}
	}
	return r.err
}

// decodeSeats appends packed numbers of seats.
func decodeSeats(seats []uint32, b []byte) ([]uint32, error) {
	for len(b) > 0 {
		seat, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return seats, errInvalid
		}
		seats, b = append(seats, uint32(seat)), b[n:]
	}
	return seats, nil
}

// decodeRare adds the fields of an encoded message to m, with the generated code.
func decodeRare(m proto.Message, b []byte) error {
	return proto.UnmarshalOptions{Merge: true, DiscardUnknown: true}.Unmarshal(b, m)
}
