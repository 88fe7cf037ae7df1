package command

import (
	"strings"
	"testing"

	"colosseum/host/internal/records/record"
)

func TestCommitmentMustBeTheOneThatPlayersGot(t *testing.T) {
	salt := []byte("a salt, 16 bytes")
	r := &record.Match{Seed: 7, Salt: salt}
	for _, tt := range []struct {
		name  string
		match *record.Match
		got   string
		want  string // of the error; empty: none
	}{
		{"the same", r, r.Commitment(), ""},
		{"in capitals", r, strings.ToUpper(r.Commitment()) + "\n", ""},
		{"another", &record.Match{Seed: 8, Salt: salt}, r.Commitment(), "the commitment to the seed 8 with the salt "},
		{"empty", r, "", "not \"\""},
		{"no salt", &record.Match{Seed: 7}, r.Commitment(), "no salt"},
		{"neither", &record.Match{Seed: 7}, "", "no salt"},
	} {
		err := checkCommitment(tt.match, tt.got)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want the error %q", tt.name, err, tt.want)
		}
	}
}
