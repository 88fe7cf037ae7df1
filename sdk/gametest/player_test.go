package gametest

import (
	"strings"
	"testing"

	"colosseum/sdk"
)

// fakeProgram plays parity in a way that its name says.
type fakeProgram struct {
	t   testing.TB
	how string
}

func (p fakeProgram) Answer(stream string) (string, error) {
	switch {
	case p.how == "leaves":
		return "", sdk.ErrDisconnected
	case p.how == "sends nonsense":
		return "nonsense", nil
	}
	return "1", nil
}

func (p fakeProgram) Finish(stream string) {
	if p.how == "fails" || p.how == "fails when others leave" && strings.HasSuffix(stream, "RETIRE\n") {
		p.t.Errorf("failed")
	}
}

func TestPlayerPlaysAgainstEveryKindOfOpponent(t *testing.T) {
	tests := []struct{ how, want string }{
		{"plays", ""},
		{"fails", "failed"},
		{"fails when others leave", "failed"},
		{"leaves", `against random players, the program on seat 0 ended as "forfeit: disconnected"`},
		{"sends nonsense", `against random players, the program on seat 0 ended as "forfeit: illegal"`},
	}
	for _, tt := range tests {
		t.Run(tt.how, func(t *testing.T) {
			f := &fakeTest{TB: t}
			runPlayer(f, &parity, map[string]string{"rounds": "5"}, func() program { return fakeProgram{f, tt.how} })
			if text := strings.Join(f.errors, "\n"); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
				t.Errorf("the errors are\n%s\nwant\n%s", text, tt.want)
			}
		})
	}
}
