package store

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func TestDamagedBytesAreNoticed(t *testing.T) {
	answers := encodeAnswers(sample("ID").Answers)
	for n := range answers {
		if _, err := decodeAnswers(answers[:n]); !errors.Is(err, errDamaged) {
			t.Errorf("the first %d of %d bytes: %v", n, len(answers), err)
		}
	}
	if _, err := decodeAnswers(append(answers, 0)); !errors.Is(err, errDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
	var p packer
	packed, err := p.pack(bytes.Repeat([]byte("stream "), 50))
	if err != nil {
		t.Fatal(err)
	}
	for n := range packed {
		if _, err := unpack(packed[:n]); !errors.Is(err, errDamaged) {
			t.Errorf("the first %d of %d packed bytes: %v", n, len(packed), err)
		}
	}
	for _, b := range []string{"\x02abc", "\x01\xff\xff\xff\xff\xff\x7f", "\x01\x00" + string(packed[3:])} {
		if _, err := unpack([]byte(b)); !errors.Is(err, errDamaged) {
			t.Errorf("%q: %v", b, err)
		}
	}
}

func FuzzDecodeAnswers(f *testing.F) {
	f.Add(encodeAnswers(sample("ID").Answers))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		answers, err := decodeAnswers(b)
		if err != nil {
			return
		}
		again, err := decodeAnswers(encodeAnswers(answers))
		if err != nil || !reflect.DeepEqual(again, answers) {
			t.Errorf("decoded %v, and after encoding %v, %v", answers, again, err)
		}
	})
}
