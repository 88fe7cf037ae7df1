package command

import (
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/store"
)

func TestClassListIsImportedChangedAndShownToTheOperator(t *testing.T) {
	c := newTestFolder(t)
	c.write("class.csv", "name,real_name,class\nana,Ana Žák,4b\nbob,Bob Hill,4b\n")
	if tokens := c.tokens("import", "class.csv"); len(tokens) != 2 {
		t.Fatalf("got %d tokens, want 2", len(tokens))
	}
	c.write("more.csv", "name,class\nANA,4c\neve,4b\n")
	c.fails("more.csv:2: ANA: the player ana exists", "import", "more.csv")
	if tokens := c.tokens("import", "--update", "more.csv"); len(tokens) != 1 || tokens["eve"] == "" {
		t.Errorf("got tokens of %v, want one of eve", tokens)
	}
	if stdout, stderr, err := c.run("import", "--update", "more.csv"); err != nil || stdout != "" || !strings.Contains(stderr, "2 players updated") || strings.Contains(stderr, "registered") {
		t.Errorf("an update alone: got %v, %q, %q, want no token", err, stdout, stderr)
	}
	for _, args := range [][]string{{"class", "bob", "eve", "--class", "5a"}, {"class", "eve", "--real-name", "Eve Li"}} {
		if _, stderr, err := c.run(args...); err != nil || !strings.Contains(stderr, "updated") {
			t.Errorf("%q: got %v, %q", args, err, stderr)
		}
	}
	c.fails("host players class NAME... --class 4b", "class", "bob")
	c.fails("is that of one player", "class", "bob", "eve", "--real-name", "X")
	c.fails("not registered: zoe", "class", "zoe", "--class", "5a")
	stdout, _, err := c.run("list")
	for _, want := range []string{`│ ana .*│ active │ Ana Žák +│ 4c +│`, `│ bob .*│ Bob Hill +│ 5a +│`, `│ eve .*│ Eve Li +│ 5a +│`} {
		if err != nil || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("got %v,\n%s\nwant %s", err, stdout, want)
		}
	}
	if list := c.list(); list[0]["real_name"] != "Ana Žák" || list[0]["class"] != "4c" {
		t.Errorf("got %v, want the real name and the class of ana", list)
	}
}

func TestMarksAreExportedWithRealNames(t *testing.T) {
	c := newTestFolder(t)
	c.write("class.csv", "name;real_name;class\nana;Ana Žák;4b\nbob;=Bob;4c\n")
	c.tokens("import", "class.csv")
	file, err := store.OpenContests(t.Context(), filepath.Join(c.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	o := contest.Organizer{Store: file}
	_, err = o.Create(t.Context(), []byte("name: mark\ntitle: Mark\ngame: duel\nformat: pass\npass: {against: easy, wins: 8, of: 10}\nentries: [{player: ana}, {player: bob}]\n"))
	if err == nil {
		err = o.Start(t.Context(), "mark")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := c.host("contest", "try", "mark", "ana", "BOB"); err != nil || !strings.Contains(stderr, "a try of ana begins") || !strings.Contains(stderr, "a try of BOB begins") {
		t.Errorf("got %v, %q, want two tries", err, stderr)
	}
	if _, stderr, err := c.host("contest", "try", "mark", "ana"); err == nil || !strings.Contains(stderr, "is being tried by ana now: 0 of 10") {
		t.Errorf("got %v, %q, want a refusal", err, stderr)
	}
	want := "rank,name,real_name,class,passed_at,best,of,tries,played,wins,draws,losses,forfeits,withdrawn\n1,ana,Ana Žák,4b,,0,10,1,0,0,0,0,0,false\n1,bob,'=Bob,4c,,0,10,1,0,0,0,0,0,false\n"
	if stdout, _, err := c.host("contest", "standings", "mark", "--csv", "--private"); err != nil || stdout != want {
		t.Errorf("got %v,\n%s\nwant\n%s", err, stdout, want)
	}
	if _, stderr, err := c.host("contest", "standings", "mark", "--private"); err == nil || !strings.Contains(stderr, "give both") {
		t.Errorf("got %v, %q, want a refusal", err, stderr)
	}
	for _, args := range [][]string{{"contest", "standings", "mark", "--csv"}, {"contest", "standings", "mark", "--json"}, {"contest", "show", "mark"}, {"contest", "show", "mark", "--json"}} {
		stdout, _, err := c.host(args...)
		if err != nil || strings.Contains(stdout, "Žák") || strings.Contains(stdout, "4b") {
			t.Errorf("%q: got %v,\n%s\nwant no real name and no class", args, err, stdout)
		}
	}
	stdout, _, err := c.host("contest", "show", "mark")
	for _, text := range []string{"to pass: 8 wins of 10 against bot:easy; 5 tries in 24 hours, seeds: fresh; passed: 0 of 2", "0 of 10"} {
		if err != nil || !strings.Contains(stdout, text) {
			t.Errorf("got %v,\n%s\nwant %q", err, stdout, text)
		}
	}
}
