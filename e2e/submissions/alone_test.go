package submissions

import (
	"fmt"
	"path/filepath"
	"testing"

	"colosseum/e2e/internal/programs"
)

// samegameScript is a player of samegame, for sh: it removes the first group of the board.
const samegameScript = `
read -r me; read -r width; read -r height
while :; do
	y=0; above=; move=
	while [ $y -lt $height ]; do
		read -r row || exit 0
		x=0; left=.; up=$above; rest=$row
		while [ -n "$rest" ]; do
			c=${rest%"${rest#?}"}; u=${up%"${up#?}"}
			if [ -z "$move" ] && [ "$c" != . ]; then
				if [ "$c" = "$left" ] || [ "$c" = "$u" ]; then move="$x $y"; fi
			fi
			left=$c; rest=${rest#?}; up=${up#?}; x=$((x + 1))
		done
		above=$row; y=$((y + 1))
	done
	[ -n "$move" ] || exit 0
	echo "$move"
	read -r points || exit 0
done
`

// TestProgramForOneIsTriedAndPlaysForItsScore: a game with one seat and no bots can be
// tried, and its programs play a contest without anybody connected.
func TestProgramForOneIsTriedAndPlaysForItsScore(t *testing.T) {
	t.Parallel()
	games := t.TempDir()
	if err := programs.Build("colosseum/examples/games/samegame", filepath.Join(games, "samegame", "samegame"), false); err != nil {
		t.Fatal(err)
	}
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s], isolation: require}\ndrain: 1s\nlimits: {host_reads_per_second: 1000000}\nsubmissions:\n  games: [samegame]\n  folder: %s\n",
		games, programs.Languages(t)))
	c := &class{programs.Enroll(t, h, 2), t}
	for _, student := range []string{"s01", "s02"} {
		if out, err := c.Coco(student, "submit", "samegame", c.file("bot.sh", samegameScript)).CombinedOutput(); err != nil {
			t.Fatalf("%s: got %v, want the program accepted:\n%s", student, err, out)
		}
	}
	c.Create("name: puzzles\ngame: samegame\nargs: {width: 5, height: 4, colours: 3}\nformat: score\nrounds: 2\nentries: [{player: s01}, {player: s02}]\n")
	c.Run("contest", "start", "puzzles")
	d := c.Ended("puzzles")
	a, b := d.Standings[0], d.Standings[1]
	if a.Played != 2 || b.Played != 2 || a.Points != b.Points || a.Rank != 1 || b.Rank != 1 {
		t.Errorf("got %+v and %+v, want the same program twice on the first place", a, b)
	}
	for _, m := range c.ContestMatches("puzzles") {
		if m.State != "finished" || m.Outcomes[0] != "finished" || len(m.Versions) != 1 || m.Versions[0] != 1 {
			t.Errorf("got %+v, want a match that version 1 has finished", m)
		}
	}
	c.Run("contest", "verify", "puzzles")
}
