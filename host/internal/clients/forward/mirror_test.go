package forward

import (
	"testing"

	"colosseum/host/internal/play/match"
)

func TestMirrorRefusesWhatExceedsAStream(t *testing.T) {
	m := &Mirror{stream: match.NewStream()}
	for _, tt := range []struct {
		offset int
		b      string
		want   string
		err    error
	}{
		{0, "abc", "abc", nil}, {0, "ab", "abc", nil}, {1, "bcd", "abcd", nil}, {4, "", "abcd", nil}, {match.MaxStream, "x", "abcd", errLongStream},
	} {
		err := m.grow(tt.offset, []byte(tt.b))
		if part, _ := m.stream.Read(0, 100); string(part) != tt.want || err != tt.err {
			t.Errorf("%q at %d: got %q, %v, want %q, %v", tt.b, tt.offset, part, err, tt.want, tt.err)
		}
	}
}
