package record

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestDamagedBytesAreDetected(t *testing.T) {
	answers := EncodeAnswers(sample().Answers)
	for n := range answers {
		if _, err := DecodeAnswers(answers[:n]); !errors.Is(err, errDamaged) {
			t.Errorf("decoding the first %d of %d bytes: got %v, want errDamaged", n, len(answers), err)
		}
	}
	if _, err := DecodeAnswers(append(answers, 0)); !errors.Is(err, errDamaged) {
		t.Errorf("decoding with an extra byte: got %v, want errDamaged", err)
	}
	var p Packer
	packed, err := p.Pack(bytes.Repeat([]byte("stream "), 50))
	if err != nil {
		t.Fatal(err)
	}
	for n := range packed {
		if _, err := Unpack(packed[:n]); !errors.Is(err, errDamaged) {
			t.Errorf("unpacking the first %d of %d bytes: got %v, want errDamaged", n, len(packed), err)
		}
	}
	for _, b := range []string{"\x02abc", "\x01\xff\xff\xff\xff\xff\x7f", "\x01\x00" + string(packed[3:])} {
		if _, err := Unpack([]byte(b)); !errors.Is(err, errDamaged) {
			t.Errorf("unpacking %q: got %v, want errDamaged", b, err)
		}
	}
}

func TestTimesLeftAreKeptForEachSeat(t *testing.T) {
	r := sample()
	r.Answers = append(r.Answers, Answer{Seat: 0, Line: "x", Left: time.Hour}, Answer{Seat: 1, Line: "bot"}, Answer{Seat: 0, Left: time.Microsecond})
	b := EncodeLefts(&r)
	again := slices.Clone(r.Answers)
	for i := range again {
		again[i].Left = 0
	}
	if err := DecodeLefts(b, again); err != nil || !slices.Equal(again, r.Answers) {
		t.Errorf("got %v, %v, want %v", again, err, r.Answers)
	}
	for n := range b {
		if err := DecodeLefts(b[:n], again); !errors.Is(err, errDamaged) {
			t.Errorf("decoding the first %d of %d bytes: got %v, want errDamaged", n, len(b), err)
		}
	}
	if err := DecodeLefts(append(b, 0), again); !errors.Is(err, errDamaged) {
		t.Errorf("decoding with an extra byte: got %v, want errDamaged", err)
	}
	r.Clock = nil
	if b := EncodeLefts(&r); b != nil {
		t.Errorf("without a clock: got %d bytes, want nil", len(b))
	}
}

func TestNotesAreKeptForEachAnswer(t *testing.T) {
	answers := []Answer{{Line: "a"}, {Line: "b", Note: "first", Lines: 7}, {Note: "next", Lines: 7}, {}, {Note: "\xff", Lines: 1 << 40}, {Line: "c"}}
	b := EncodeNotes(answers)
	again := slices.Clone(answers)
	for i := range again {
		again[i].Note, again[i].Lines = "", 0
	}
	without := slices.Clone(again)
	if err := DecodeNotes(b, again); err != nil || !slices.Equal(again, answers) {
		t.Errorf("got %v, %v, want %v", again, err, answers)
	}
	if err := DecodeNotes(nil, without); err != nil || EncodeNotes(without) != nil {
		t.Errorf("without notes: got %v and %d bytes, want no error and nil", err, len(EncodeNotes(without)))
	}
	for _, damaged := range [][]byte{b[:len(b)-1], append(slices.Clone(b), 0), append(slices.Clone(b), 1, 0, 0), {255}} {
		if err := DecodeNotes(damaged, slices.Clone(answers)); !errors.Is(err, errDamaged) {
			t.Errorf("decoding %q: got %v, want errDamaged", damaged, err)
		}
	}
	if err := DecodeNotes(b, answers[:4]); !errors.Is(err, errDamaged) {
		t.Errorf("decoding for fewer answers: got %v, want errDamaged", err)
	}
}

func TestTimeSpentIsKeptForEachAnswer(t *testing.T) {
	answers := []Answer{
		{Line: "of a bot"}, {Spent: Spent{Wall: time.Hour, CPU: time.Microsecond, Counted: true}},
		{Spent: Spent{Wall: time.Millisecond}}, {Spent: Spent{Counted: true}}, {Line: "of a bot"},
	}
	b := EncodeSpent(answers)
	without := slices.Clone(answers)
	for i := range without {
		without[i].Spent = Spent{}
	}
	again := slices.Clone(without)
	if err := DecodeSpent(b, again); err != nil || !slices.Equal(again, answers) {
		t.Errorf("got %v, %v, want %v", again, err, answers)
	}
	if err := DecodeSpent(nil, without); err != nil || EncodeSpent(without) != nil {
		t.Errorf("without times: got %v and %d bytes, want no error and nil", err, len(EncodeSpent(without)))
	}
	for _, damaged := range [][]byte{b[:len(b)-1], append(slices.Clone(b), 0), {3}, {255}} {
		if err := DecodeSpent(damaged, slices.Clone(without)); !errors.Is(err, errDamaged) {
			t.Errorf("decoding %q: got %v, want errDamaged", damaged, err)
		}
	}
}

func FuzzDecodeNotes(f *testing.F) {
	f.Add(EncodeNotes([]Answer{{Note: "a"}, {}, {Note: "b", Lines: 3}}))
	f.Add([]byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		answers, again := make([]Answer, 9), make([]Answer, 9)
		if DecodeNotes(b, answers) != nil {
			return
		}
		for i := range answers {
			if answers[i].Note == "" {
				answers[i].Lines = 0 // it is not kept
			}
		}
		if err := DecodeNotes(EncodeNotes(answers), again); err != nil || !slices.Equal(again, answers) {
			t.Errorf("after encoding and decoding: got %v, %v, want %v", again, err, answers)
		}
	})
}

func FuzzDecodeAnswers(f *testing.F) {
	f.Add(EncodeAnswers(sample().Answers))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		answers, err := DecodeAnswers(b)
		if err != nil {
			return
		}
		again, err := DecodeAnswers(EncodeAnswers(answers))
		if err != nil || !reflect.DeepEqual(again, answers) {
			t.Errorf("after encoding and decoding: got %v, %v, want %v", again, err, answers)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	var p Packer
	for _, raw := range [][]byte{{}, []byte("short"), bytes.Repeat([]byte("long "), 1000)} {
		packed, err := p.Pack(raw)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed)
	}
	f.Add([]byte("\x01\xff\xff\xff\xff\x7f")) // announces a huge size
	f.Fuzz(func(t *testing.T, b []byte) {
		if d := (decoder{b: b[min(1, len(b)):]}); len(b) > 0 && b[0] == 1 && d.uvarint() > 1<<20 {
			return // Unpack would allocate that much, up to MaxBlob
		}
		raw, err := Unpack(b)
		if err != nil {
			return
		}
		packed, err := p.Pack(raw)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Unpack(packed); err != nil || !bytes.Equal(again, raw) {
			t.Errorf("after packing and unpacking: got %q, %v, want %q", again, err, raw)
		}
	})
}

func FuzzDecodeSeats(f *testing.F) {
	text, err := EncodeSeats(sample().Seats)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{text, "null", "[]", "[{}]", `[{"score":"NaN"}]`, `[{"score":1e999}]`, `[{"score":[]}]`, `{`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seats, err := DecodeSeats(text)
		if err != nil {
			return
		}
		text, err = EncodeSeats(seats)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeSeats(text)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(seats) { // NaN differs from itself, but not as text
			t.Errorf("after encoding and decoding: got %v, %v, want %v", again, err, seats)
		}
	})
}
