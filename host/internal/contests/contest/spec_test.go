package contest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/pairing"
)

const head = "name: cup\ngame: duel\nformat: swiss\n"

func TestSpecIsReadAndCompleted(t *testing.T) {
	s, err := ReadSpec([]byte(`name: spring-cup
game: kamisado
args: {pace: 0}
timeout: 5
clock: 60+1
format: swiss
rounds: 7
entries:
  - {player: ana}
  - {bot: strong}
  - open: true
start: 2027-03-01T18:00:00+01:00
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Title != "spring-cup" || s.Players != 2 || s.Matches != 2 || s.Replays != 3 || s.Grace != time.Minute || s.Seeding != SeedByEntry {
		t.Errorf("got %+v, want it completed", s)
	}
	if s.Args["pace"] != "0" || !s.Entries.Open || len(s.Entries.List) != 2 || s.Entries.List[1].Name != "bot:strong" || s.Local() {
		t.Errorf("got the entries %+v and args %v, want two of an open contest and pace 0", s.Entries, s.Args)
	}
	if c := s.MatchClock(); c == nil || c.Bank != 60 || s.Start.Hour() != 18 {
		t.Errorf("got the clock %v and start %v, want 60+1 at 18:00", c, s.Start)
	}
}

// TestLadderWaitsForAPlayerForAShortTime: the players of a ladder are connected when they
// are chosen, and one that does not come must not keep its opponents for a minute.
func TestLadderWaitsForAPlayerForAShortTime(t *testing.T) {
	for _, tt := range []struct {
		text string
		want time.Duration
	}{{"", 15 * time.Second}, {"grace: 40s\n", 40 * time.Second}} {
		s, err := ReadSpec([]byte("name: stairs\ngame: duel\nformat: ladder\nentries: open\n" + tt.text))
		if err != nil || s.Grace != tt.want {
			t.Errorf("%q: got %+v, %v, want a grace of %v", tt.text, s, err, tt.want)
		}
	}
}

const passHead = "name: mark\ngame: duel\nformat: pass\n"

func TestSpecIsRefused(t *testing.T) {
	open := "entries: open\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "it is empty"},
		{"unknown key", head + open + "round: 3\n", `unknown key "round" (did you mean "rounds"?)`},
		{"unknown key of an entry", head + "entries: [{player: ana, bott: x}]\n", `unknown key "bott" (did you mean "bot"?)`},
		{"two documents", head + open + "---\n" + head + open, "more than one YAML document"},
		{"name", "name: Cup\ngame: duel\nformat: swiss\n" + open, `name: "Cup" is not`},
		{"game", "name: cup\nformat: swiss\n" + open, "game: it is missing"},
		{"timeout that is no number", head + open + "timeout: .nan\n", "timeout: NaN is not from"},
		{"endless timeout", head + open + "timeout: .inf\n", "timeout: +Inf is not from"},
		{"negative timeout", head + open + "timeout: -1\n", "timeout: -1 is not from"},
		{"many args", head + open + "args: {" + manyArgs() + "}\n", "args: more than 100"},
		{"format", "name: cup\ngame: duel\nformat: blitz\n" + open, `format: "blitz" is not one of round-robin, swiss,`},
		{"knockout for three", "name: cup\ngame: duel\nformat: knockout\nplayers: 3\n" + open, "a knockout has 2 players to a match"},
		{"rounds", "name: cup\ngame: duel\nformat: knockout\nrounds: 3\n" + open, "a knockout has as many as its entries need"},
		{"score for two", "name: cup\ngame: duel\nformat: score\nplayers: 2\n" + open, "everybody plays alone"},
		{"bot by score", "name: cup\ngame: duel\nformat: score\nentries: [{bot: strong}]\n", "cannot enter a contest by score"},
		{"tie-break by score", "name: cup\ngame: duel\nformat: score\ntie_breaks: [wins]\n" + open, "the best score decides"},
		{"one player", head + open + "players: 1\n", "players: 1 is not from 2"},
		{"no entries", head, `write "entries: open"`},
		{"entries as a word", head + "entries: all\n", `"all" is neither a list nor open`},
		{"entry without a kind", head + "entries: [{name: ana}]\n", "exactly one of command, player, bot, team and class"},
		{"entry with two kinds", head + "entries: [{player: ana, bot: x}]\n", "exactly one of command, player, bot, team and class"},
		{"program without a name", head + "entries: [{command: [a]}]\n", "it has a command, but no name"},
		{"player with another name", head + "entries: [{player: ana, name: bob}]\n", `cannot have the name "bob"`},
		{"hostile name", head + "entries: [{name: '=1+1', command: [a]}]\n", "is not 1 to 16 letters"},
		{"the same entry twice", head + "entries: [{player: ana}, {player: ANA}]\n", `"ANA" is listed twice`},
		{"the same bot twice", head + "entries: [{bot: strong}, {bot: strong}]\n", `"bot:strong" is listed twice`},
		{"programs and players", head + "entries: [{player: ana}, {name: x, command: [a]}]\n", "cannot meet"},
		{"ladder of programs", "name: cup\ngame: duel\nformat: ladder\nentries: [{name: x, command: [a]}]\n", "a ladder is for registered players"},
		{"pass mark of another format", head + open + "pass: {against: x, wins: 1, of: 1}\n", "a swiss has no pass mark"},
		{"missing pass mark", passHead + open, "pass: it is missing"},
		{"level of a pass mark", passHead + open + "pass: {wins: 1, of: 1}\n", `pass.against: "" is not a level`},
		{"matches of a try", passHead + open + "pass: {against: x, wins: 1, of: 101}\n", "pass.of: 101 is not from 1 to 100"},
		{"wins of a try", passHead + open + "pass: {against: x, wins: 3, of: 2}\n", "pass.wins: 3 is not from 1 to 2"},
		{"seeds of a pass mark", passHead + open + "pass: {against: x, wins: 1, of: 1, seeds: good}\n", `pass.seeds: "good" is not one of fresh, same, published`},
		{"tries without end", passHead + open + "pass: {against: x, wins: 1, of: 1, tries: 1001}\n", "pass.tries: 1001 is not"},
		{"group without a name", passHead + open + "pass: {against: x, wins: 1, of: 1, groups: ['']}\n", "pass.groups: "},
		{"pass mark for three", passHead + open + "players: 3\npass: {against: x, wins: 1, of: 1}\n", "players: a pass has 2 players"},
		{"matches beside a pass mark", passHead + open + "matches: 2\npass: {against: x, wins: 1, of: 1}\n", "pass.of says how many"},
		{"bot beside that of a pass mark", passHead + "entries: [{bot: y}]\npass: {against: x, wins: 1, of: 1}\n", "enters by itself"},
		{"programs with a pass mark", passHead + "entries: [{name: x, command: [a]}]\npass: {against: x, wins: 1, of: 1}\n", "for registered players"},
		{"class with a name", head + "entries: [{class: 4b, name: x}]\n", "class: it stands alone"},
		{"class of two lines", head + "entries: [{class: \"a\\nb\"}]\n", "class: it stands alone"},
		{"the same class twice", head + "entries: [{class: 4b}, {class: 4B}]\n", `"4B" is listed twice`},
		{"a class of programs", head + "entries: [{class: 4b}, {name: x, command: [a]}]\n", "cannot meet"},
		{"clock", head + open + "clock: fast\n", "clock: "},
		{"seeding", head + open + "seeding: best\n", `seeding: "best" is not one of`},
		{"tie-break", head + open + "tie_breaks: [luck]\n", "luck"},
		{"negative grace", head + open + "grace: -1s\n", "grace: "},
		{"title of two lines", head + open + "title: \"a\\nb\"\n", "title: "},
		{"too long", head + open + "# " + strings.Repeat("x", MaxSpec), "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ReadSpec([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func FuzzSpecNeverPanics(f *testing.F) {
	f.Add([]byte(head + "entries: open\n"))
	f.Add([]byte(head + "entries: [{player: ana}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := ReadSpec(text); err == nil && (s.Players < 2 && s.Format != pairing.Score || s.Matches < 1 || s.Format == pairing.Format("")) {
			t.Errorf("got %+v without an error, want it complete", s)
		}
	})
}

func manyArgs() string {
	var b strings.Builder
	for i := range 101 {
		fmt.Fprintf(&b, "a%d: b,", i)
	}
	return b.String()
}
