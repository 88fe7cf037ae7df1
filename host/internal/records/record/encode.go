package record

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"colosseum/sdk/driver"
)

// EncodeAnswers returns the number of answers, followed by each answer's seat,
// its microseconds since the previous answer, the length of its outcome and the
// outcome, and the length of its line and the line. Numbers are varints of
// encoding/binary; seat and time are signed.
func EncodeAnswers(answers []Answer) []byte {
	if answers == nil {
		return nil
	}
	b := make([]byte, 0, 10+16*len(answers)) // an answer with a short line takes about 10 bytes
	b = binary.AppendUvarint(b, uint64(len(answers)))
	var last int64
	for _, a := range answers {
		at := a.At.Microseconds()
		b = binary.AppendVarint(b, int64(a.Seat))
		b = binary.AppendVarint(b, at-last)
		b = appendText(b, string(a.Outcome))
		b = appendText(b, a.Line)
		last = at
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errDamaged = errors.New("the recorded bytes are damaged")

// DecodeAnswers is the reverse of EncodeAnswers. It fails for bytes that are not
// complete.
func DecodeAnswers(b []byte) ([]Answer, error) {
	if b == nil {
		return nil, nil
	}
	d := decoder{b: b}
	n := d.uvarint()
	if n > uint64(len(b))/4 { // an answer takes at least 4 bytes
		return nil, errDamaged
	}
	answers := make([]Answer, n)
	var at int64
	for i := range answers {
		a := &answers[i]
		a.Seat = int(d.varint())
		at += d.varint()
		a.At = time.Duration(at) * time.Microsecond
		a.Outcome = driver.Outcome(d.text())
		a.Line = d.text()
	}
	if d.failed || len(d.b) > 0 {
		return nil, errDamaged
	}
	return answers, nil
}

// EncodeLefts encodes the time left in the bank after each answer of a match: the
// difference in microseconds to the seat's previous answer, as a varint. The result is
// nil for a match without a clock or without answers.
func EncodeLefts(r *Match) []byte {
	if r.Clock == nil || r.Answers == nil {
		return nil
	}
	b := make([]byte, 0, 4*len(r.Answers))
	last := make(map[int]int64, len(r.Seats))
	for _, a := range r.Answers {
		left := a.Left.Microseconds()
		b = binary.AppendVarint(b, left-last[a.Seat])
		last[a.Seat] = left
	}
	return b
}

// DecodeLefts is the reverse of EncodeLefts: it sets Left in the answers. It fails
// for bytes that do not fit them, except nil.
func DecodeLefts(b []byte, answers []Answer) error {
	if b == nil {
		return nil
	}
	d := decoder{b: b}
	last := map[int]int64{}
	for i := range answers {
		a := &answers[i]
		last[a.Seat] += d.varint()
		a.Left = time.Duration(last[a.Seat]) * time.Microsecond
	}
	if d.failed || len(d.b) > 0 {
		return errDamaged
	}
	return nil
}

// EncodeNotes encodes the notes of answers: for each answer with a note, the number of
// answers without one before it, the lines since the previous note, the length of the
// note, and the note. Numbers are varints; that of lines is signed. The result is nil if
// no answer has a note.
func EncodeNotes(answers []Answer) []byte {
	var b []byte
	without, lines := uint64(0), 0
	for _, a := range answers {
		if a.Note == "" {
			without++
			continue
		}
		b = binary.AppendVarint(binary.AppendUvarint(b, without), int64(a.Lines-lines))
		b = appendText(b, a.Note)
		without, lines = 0, a.Lines
	}
	return b
}

// DecodeNotes is the reverse of EncodeNotes: it sets the notes of the answers. It fails
// for bytes that do not fit them, except nil.
func DecodeNotes(b []byte, answers []Answer) error {
	d := decoder{b: b}
	lines := 0
	for len(d.b) > 0 {
		without := d.uvarint()
		if without >= uint64(len(answers)) {
			return errDamaged
		}
		a := &answers[without]
		lines += int(d.varint())
		a.Lines, a.Note = lines, d.text()
		answers = answers[without+1:]
	}
	if d.failed {
		return errDamaged
	}
	return nil
}

// EncodeSpent encodes the time that programs of the host took: for each answer 0 if there
// is none, 1 and the microseconds by the clock on the wall, or 2 and these and those of CPU
// time. Numbers are unsigned varints. The result is nil if there is none in the match.
func EncodeSpent(answers []Answer) []byte {
	if !slices.ContainsFunc(answers, func(a Answer) bool { return a.Spent != Spent{} }) {
		return nil
	}
	b := make([]byte, 0, 4*len(answers))
	for _, a := range answers {
		wall, cpu := uint64(max(0, a.Spent.Wall.Microseconds())), uint64(max(0, a.Spent.CPU.Microseconds()))
		switch {
		case a.Spent.Counted:
			b = binary.AppendUvarint(binary.AppendUvarint(append(b, 2), wall), cpu)
		case a.Spent.Wall > 0:
			b = binary.AppendUvarint(append(b, 1), wall)
		default:
			b = append(b, 0)
		}
	}
	return b
}

// DecodeSpent is the reverse of EncodeSpent: it sets Spent in the answers. It fails for
// bytes that do not fit them, except nil.
func DecodeSpent(b []byte, answers []Answer) error {
	if b == nil {
		return nil
	}
	d := decoder{b: b}
	for i := range answers {
		s := &answers[i].Spent
		kind := d.uvarint()
		if kind > 0 {
			s.Wall = time.Duration(d.uvarint()) * time.Microsecond
		}
		if kind == 2 {
			s.CPU, s.Counted = time.Duration(d.uvarint())*time.Microsecond, true
		}
		d.failed = d.failed || kind > 2
	}
	if d.failed || len(d.b) > 0 {
		return errDamaged
	}
	return nil
}

// decoder reads values from the front of a byte slice. After a failure every
// value is zero.
type decoder struct {
	b      []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if d.skip(n) {
		return v
	}
	return 0
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if d.skip(n) {
		return v
	}
	return 0
}

func (d *decoder) text() string {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.failed, d.b = true, nil
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// skip drops n bytes. It fails when n is not positive, which is how
// encoding/binary reports a bad varint.
func (d *decoder) skip(n int) bool {
	if n <= 0 {
		d.failed, d.b = true, nil
		return false
	}
	d.b = d.b[n:]
	return true
}

// MaxBlob is the most bytes of a packed value, before compression. It is well
// below the 10^9 bytes at which SQLite refuses a row, and with it the whole
// commit.
const MaxBlob = 256 << 20

// Packer packs bytes: a byte 0 and the raw bytes, or a byte 1, the number of raw
// bytes as a uvarint, and the bytes in DEFLATE at level 1 (docs/decisions/store.md
// says why). nil stays nil. The zero value is ready to use, concurrently too.
type Packer struct{ writers sync.Pool } // of *flate.Writer, 1 MB each

// Pack returns packed bytes. It fails for more than MaxBlob.
func (p *Packer) Pack(raw []byte) ([]byte, error) {
	if raw == nil {
		return nil, nil
	}
	if len(raw) > MaxBlob {
		return nil, errors.New("more than 256 MB")
	}
	var out bytes.Buffer
	out.WriteByte(1)
	out.Write(binary.AppendUvarint(nil, uint64(len(raw))))
	w, ok := p.writers.Get().(*flate.Writer)
	if ok {
		w.Reset(&out)
	} else {
		w, _ = flate.NewWriter(&out, flate.BestSpeed) // fails only for an unknown level
	}
	w.Write(raw) // writing to a bytes.Buffer cannot fail
	w.Close()
	p.writers.Put(w)
	if out.Len() > len(raw) {
		return append([]byte{0}, raw...), nil
	}
	return out.Bytes(), nil
}

// Unpack is the reverse of Packer.Pack. It fails for bytes that Pack does not return.
func Unpack(b []byte) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	if len(b) == 0 || b[0] > 1 {
		return nil, errDamaged
	}
	if b[0] == 0 {
		return b[1:], nil
	}
	d := decoder{b: b[1:]}
	size := d.uvarint()
	if d.failed || size > MaxBlob {
		return nil, errDamaged
	}
	raw := make([]byte, size)
	r := flate.NewReader(bytes.NewReader(d.b))
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, errDamaged
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, errDamaged
	}
	return raw, nil
}

// seatJSON is a seat in the store and in transcripts.
type seatJSON struct {
	Name   string       `json:"name"`
	Player string       `json:"player,omitempty"`
	Bot    bool         `json:"bot"`
	Level  string       `json:"level,omitempty"`
	Score  score        `json:"score"`
	Rank   int          `json:"rank"`
	Ended  driver.Ended `json:"ended"`
	Fault  faultJSON    `json:"fault,omitzero"`
	Team   int          `json:"team,omitempty"`
	// Version is not that of the game.
	Version int `json:"version,omitempty"`
	Missed  int `json:"missed,omitempty"`
	Dropped int `json:"dropped,omitempty"`
	Refused int `json:"refused,omitempty"`
	Hints   int `json:"hints,omitempty"`
}

type faultJSON struct {
	Line  string `json:"line,omitempty"`
	Asked string `json:"asked,omitempty"`
	Late  int64  `json:"late_ms,omitempty"`
}

// score is a number in JSON, or a string for NaN, +Inf and -Inf, so that every
// match can be recorded whatever its scores.
type score float64

func (s score) MarshalJSON() ([]byte, error) {
	f := float64(s)
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		text = strconv.Quote(text)
	}
	return []byte(text), nil
}

func (s *score) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	*s = score(f)
	return err
}

func seatsJSON(seats []Seat) []seatJSON {
	var list []seatJSON
	for _, s := range seats {
		list = append(list, seatJSON{s.Name, s.Player, s.Bot, s.Level, score(s.Score), s.Rank, s.Ended, faultJSON{s.Fault.Line, s.Fault.Asked, s.Fault.Late.Milliseconds()}, s.Team, s.Version, s.Missed, s.Dropped, s.Refused, s.Hints})
	}
	return list
}

func seatsOf(list []seatJSON) []Seat {
	var seats []Seat
	for _, s := range list {
		seats = append(seats, Seat{s.Name, s.Player, s.Bot, s.Level, float64(s.Score), s.Rank, s.Ended, Fault{s.Fault.Line, s.Fault.Asked, time.Duration(s.Fault.Late) * time.Millisecond}, s.Team, s.Version, s.Missed, s.Dropped, s.Refused, s.Hints})
	}
	return seats
}

// EncodeSeats returns seats as JSON.
func EncodeSeats(seats []Seat) (string, error) {
	b, err := json.Marshal(seatsJSON(seats))
	return string(b), err
}

// DecodeSeats is the reverse of EncodeSeats.
func DecodeSeats(text string) ([]Seat, error) {
	var list []seatJSON
	err := json.Unmarshal([]byte(text), &list)
	return seatsOf(list), err
}
