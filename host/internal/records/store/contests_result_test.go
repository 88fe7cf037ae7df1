package store

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestAResultIsReadBackAsItWasWritten(t *testing.T) {
	tests := []struct {
		name  string
		seats []ResultSeat
		most  int // bytes
	}{
		{"none", []ResultSeat{}, 0},
		{"a win", []ResultSeat{{Entry: 0, Rank: 1, Score: 1, Ended: "finished"}, {Entry: 39, Rank: 2, Score: 0, Ended: "forfeit: timeout"}}, 10},
		{"large numbers", []ResultSeat{{Entry: 10_000, Rank: 16, Score: 1e9, Ended: "aborted"}}, 12},
		{"not a whole score", []ResultSeat{{Entry: 3, Rank: 2, Score: -0.1, Ended: "forfeit: illegal"}}, 13},
		{"infinite", []ResultSeat{{Entry: 1, Rank: 1, Score: math.Inf(1), Ended: "forfeit: resigned"}, {Entry: 2, Rank: 2, Score: math.Inf(-1), Ended: "forfeit: disconnected"}}, 12},
		{"a version", []ResultSeat{{Entry: 4, Rank: 1, Score: 1, Ended: "finished", Version: 1}, {Entry: 5, Rank: 2, Ended: "forfeit: timeout"}}, 11},
		{"a version and unknown words", []ResultSeat{{Entry: 4, Ended: "a new way", Version: 300}, {Entry: 5, Ended: "", Version: math.MaxInt}}, 40},
		{"teams", []ResultSeat{{Entry: 4, Rank: 1, Score: 1, Ended: "finished", Team: 1}, {Entry: 5, Rank: 3, Ended: "forfeit: timeout", Team: 2}}, 12},
		{"a team, a version and unknown words", []ResultSeat{{Entry: 4, Ended: "a new way", Version: 300, Team: 100}, {Entry: 5, Ended: "finished"}}, 40},
		{"unknown words", []ResultSeat{{Entry: 1, Rank: -1, Ended: "a new way; or two"}, {Entry: 2, Ended: ""}}, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := encodeResult(tt.seats)
			got, err := decodeResult(b)
			if err != nil || !reflect.DeepEqual(got, tt.seats) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.seats)
			}
			if b == nil || len(b) > tt.most {
				t.Errorf("got %d bytes (nil: %v), want at most %d, not nil", len(b), b == nil, tt.most)
			}
			for n := 1; n < len(b); n++ {
				if got, err := decodeResult(b[:n]); err == nil && len(got) == len(tt.seats) {
					t.Errorf("the first %d of %d bytes: got %+v, want an error or fewer seats", n, len(b), got)
				}
			}
		})
	}
	if got := encodeResult([]ResultSeat{{Entry: 3, Rank: 2, Ended: "forfeit: timeout"}, {Ended: "x"}}); string(got) != "\x03\x04\x00\x04\x00\x00\x00\x00\x01x" {
		t.Errorf("seats without a version and a team: got %x, want the bytes of older hosts", got)
	}
	if got, err := decodeResult(encodeResult([]ResultSeat{{Score: math.NaN()}})); err != nil || !math.IsNaN(got[0].Score) {
		t.Errorf("got %+v, %v, want a score that is not a number", got, err)
	}
}

func TestADamagedResultIsAnError(t *testing.T) {
	s, path, _ := openTemp(t)
	create(t, s.Contests(), "cup")
	finish(t, s, played("ID", "cup", 0, 0))
	execute(t, path, "UPDATE contest_results SET seats = x'80'")
	_, err := s.Contests().Results(t.Context(), "cup", 0)
	err2 := s.Contests().GameResults(t.Context(), "damath", 0, func(Result) error { return nil })
	for _, err := range []error{err, err2} {
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "match ID: the recorded bytes are damaged") {
			t.Errorf("got %v, want an error with the path and the match", err)
		}
	}
}

func FuzzDecodeResult(f *testing.F) {
	f.Add(encodeResult([]ResultSeat{{Entry: 1, Rank: 1, Score: 1.5, Ended: "finished"}, {Entry: 2, Rank: 2, Ended: "other"}}))
	f.Add([]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{1, 2, 0, 99})
	f.Add(encodeResult([]ResultSeat{{Entry: 1, Rank: 1, Ended: "finished", Version: 7}, {Entry: 2, Ended: "other", Version: 1 << 40}}))
	f.Add([]byte{1, 2, 0, 65, 0})
	f.Add(encodeResult([]ResultSeat{{Entry: 1, Rank: 1, Ended: "finished", Version: 7, Team: 2}, {Entry: 2, Ended: "other", Team: 1}}))
	f.Add([]byte{1, 2, 0, 33, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		seats, err := decodeResult(b)
		if err != nil {
			return
		}
		text := encodeResult(seats)
		again, err := decodeResult(text)
		if err != nil || !bytes.Equal(encodeResult(again), text) {
			t.Errorf("%x: got %+v after encoding and decoding %+v: %v", b, again, seats, err)
		}
	})
}
