package gamefixture

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk"
)

// RunExamples runs each example player in a folder with [RunPlayer], as a subtest. Those
// whose language is not installed are skipped.
func RunExamples(t *testing.T, game *sdk.Game, args map[string]string, folder string) {
	t.Helper()
	for _, player := range Examples(t, folder) {
		t.Run(filepath.Base(player), func(t *testing.T) {
			t.Parallel()
			RunPlayer(t, game, args, Command(t, player)...)
		})
	}
}

// Examples returns the paths of the example players in a folder, without its subfolders.
func Examples(t testing.TB, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var players []string
	for _, entry := range entries {
		if !entry.IsDir() {
			players = append(players, filepath.Join(folder, entry.Name()))
		}
	}
	if len(players) == 0 {
		t.Fatalf("%s has no example player", folder)
	}
	return players
}

// Command compiles an example player, if its language needs this, and returns the command
// that runs it: for each language those that the host's pages show. It skips the test if
// the language is not installed, and one of a player in Java in the short run.
func Command(t testing.TB, player string) []string {
	t.Helper()
	folder := t.TempDir()
	compiled := filepath.Join(folder, "player.exe")
	switch extension := filepath.Ext(player); extension {
	case ".py":
		return []string{tool(t, "python3"), player}
	case ".js":
		return []string{tool(t, "node"), player}
	case ".go":
		compile(t, tool(t, "go"), "build", "-o", compiled, player)
		return []string{compiled}
	case ".c":
		compile(t, tool(t, "cc"), "-Wall", "-Wextra", "-Werror", "-o", compiled, player)
		return []string{compiled}
	case ".java":
		long.Only(t, "the compiler of Java alone takes a second; the short run plays with the example of roshambo")
		return Java(t, player)
	}
	t.Fatalf("%s: unknown language", player)
	return nil
}

// Java compiles an example player in Java, and returns the command that runs it. It skips the
// test if Java is not installed.
func Java(t testing.TB, player string) []string {
	t.Helper()
	folder, java := t.TempDir(), tool(t, "java")
	compile(t, tool(t, "javac"), "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-Xlint:all", "-Werror", "--release", "17", "-d", folder, player)
	// The options do not change what the program does. They make a short match cheaper by a third.
	return []string{java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", folder, strings.TrimSuffix(filepath.Base(player), filepath.Ext(player))}
}

// tool returns the path of a program. It skips the test if there is none.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

func compile(t testing.TB, command ...string) {
	t.Helper()
	if text, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
}
