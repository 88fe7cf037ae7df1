package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// training returns a folder with games, and what runs Python there with the package
// colosseum.
func training(t *testing.T, games ...string) (dir string, python func(args ...string) *exec.Cmd) {
	t.Helper()
	program := interpreter(t, "python3")
	dir = t.TempDir()
	for _, game := range games {
		if err := os.Mkdir(filepath.Join(dir, game), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := programs.Build("colosseum/plugins/"+game, filepath.Join(dir, game, game), false); err != nil {
			t.Fatal(err)
		}
		rules, err := os.ReadFile(filepath.Join(programs.Root, "plugins", game, "rules.md"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, game, "rules.md"), rules, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	host, err := filepath.Abs(filepath.Join(programs.Bin, "host"))
	if err != nil {
		t.Fatal(err)
	}
	env := append(programs.Tool(t, dir).Env, "COLOSSEUM_HOST="+host, "COLOSSEUM_GAMES="+dir, "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+source(t, "python")+string(os.PathListSeparator)+source(t, "examples", "training"))
	return dir, func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	}
}

// source returns the absolute path of a file of the repository.
func source(t *testing.T, names ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{programs.Root}, names...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPythonStepsMatches runs the tests of the Python package. Its log says which of them are
// skipped.
func TestPythonStepsMatches(t *testing.T) {
	t.Parallel()
	_, python := training(t, "roshambo", "kamisado", "tron", "dama")
	out, err := python(source(t, "python", "tests", "test_env.py"), "-v").CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func TestTrainedPlayerPlaysLegalMovesInALadder(t *testing.T) {
	t.Parallel()
	dir, python := training(t, "taacoca")
	weights := filepath.Join(dir, "weights.json")
	train := "import sys, taacoca; taacoca.train(sys.argv[1], generations=2, population=4, tests=8, game=sys.argv[2])"
	if out, err := python("-c", train, weights, filepath.Join(dir, "taacoca")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := programs.Enroll(t, programs.StartHostWith(t, t.TempDir(), "plugins: {folders: ["+dir+"]}\n"), 1)
	c.Create("name: stairs\ngame: taacoca\nargs: {pace: 0}\nformat: ladder\nentries: [{bot: random}, {open: true}]\n")
	player := python(source(t, "examples", "training", "taacoca.py"), "play", weights)
	coco := c.Coco(programs.StudentName(0), append([]string{"serve", "taacoca", "--contest", "stairs", "--"}, player.Args...)...)
	coco.Env = append(player.Env, coco.Env[len(os.Environ()):]...)
	programs.StartDaemon(t, coco)
	var ended []programs.ContestMatch
	poll.Until(t, "two matches of the ladder have ended", func() bool {
		ended = slices.DeleteFunc(c.ContestMatches("stairs"), func(m programs.ContestMatch) bool { return m.Outcomes == nil })
		return len(ended) >= 2
	})
	for _, m := range ended {
		if !slices.Equal(m.Outcomes, []string{"finished", "finished"}) {
			t.Errorf("got %+v, want no player that forfeits", m)
		}
	}
}

func TestTrainedPlayerBeatsRandom(t *testing.T) {
	long.Only(t, "the whole training takes half a minute")
	t.Parallel()
	dir, python := training(t, "taacoca")
	out, err := python("-c", "import sys, taacoca; assert taacoca.train('weights.json', game=sys.argv[1]) >= .9", filepath.Join(dir, "taacoca")).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
