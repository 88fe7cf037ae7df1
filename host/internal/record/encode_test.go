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
