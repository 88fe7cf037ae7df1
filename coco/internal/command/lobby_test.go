package command

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"colosseum/protocol"
)

var update = flag.Bool("update", false, "write the golden files")

func TestLobbyTableIsThatOfTheOriginal(t *testing.T) {
	now := time.Unix(1_795_251_010, 0)
	matches := []protocol.MatchInfo{
		{ID: "8gj5mqqjtoklo", Name: "x", Game: "roshambo", Players: 2, Timeout: 30, Time: now.Unix() + 599, Connected: []string{"alice"}, Spectators: 1, Password: true, Verified: true},
		{ID: "0000000000000", Name: "a rather long name", Game: "dama", Players: 10, Bots: 9, Timeout: 2.5, Time: now.Unix() - 12, Running: true, Connected: []string{"alice"}},
		{ID: "vvvvvvvvvvvvv", Name: "evil\x1b[2J\nname", Game: "dama", Players: 2, Timeout: 0.1, Time: now.Unix() - 3723, Running: true},
	}
	for name, matches := range map[string][]protocol.MatchInfo{"lobby": matches, "lobby-empty": nil} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			if err := writeLobby(&got, nil, matches, now, false); err != nil {
				t.Fatal(err)
			}
			wantGolden(t, name, got.String())
		})
	}
}

// wantGolden compares a text with a file of testdata.
func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name + ".golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestHeaderIsBoldInColour(t *testing.T) {
	var plain, bold strings.Builder
	if err := writeLobby(&plain, nil, nil, time.Now(), false); err != nil {
		t.Fatal(err)
	}
	if err := writeLobby(&bold, nil, nil, time.Now(), true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(bold.String(), "| \x1b[1mID\x1b[0m |") {
		t.Errorf("got %q, want a bold header", &bold)
	}
	if stripped := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(bold.String()); stripped != plain.String() {
		t.Errorf("in colour: got\n%swant\n%s", stripped, &plain)
	}
}

func TestDurations(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": -time.Hour, "1s": 1999 * time.Millisecond, "12s": 12 * time.Second, "9m59s": 599 * time.Second, "10m0s": 10 * time.Minute,
		"1h0m1s": 3601 * time.Second, "25h1m5s": 25*time.Hour + 65*time.Second,
	} {
		if got := duration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestProgramFollowsTheFirstDashes(t *testing.T) {
	tests := []struct{ name, args, own, program string }{
		{"no program", "coco list", "coco list", ""},
		{"program with options", "coco connect -s id -- prog -s -- x", "coco connect -s id", "prog -s -- x"},
		{"dashes without a program", "coco connect id --", "coco connect id", ""},
		{"completion after dashes", "coco connect -- " + completionMark, "coco connect -- " + completionMark, ""},
	}
	for _, tt := range tests {
		own, program := splitProgram(strings.Split(tt.args, " "))
		if strings.Join(own, " ") != tt.own || strings.Join(program, " ") != tt.program {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.name, own, program, tt.own, tt.program)
		}
	}
}
