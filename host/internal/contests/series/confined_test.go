package series

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/long"
)

// language is one in which a player can write the program of testdata/confined. It
// answers "win" if it is refused what its arguments say, and with "play".
type language struct {
	folder  string
	build   []string                     // in its folder; nil: nothing
	run     string                       // an interpreter; empty: the program needs none
	command func(folder string) []string // without the arguments
}

var languages = []language{
	{"python", nil, "python3", func(dir string) []string { return []string{"python3", dir + "/bot.py"} }},
	{"node", nil, "node", func(dir string) []string { return []string{"node", dir + "/bot.js"} }},
	{"c", []string{"gcc", "-o", "bot", "bot.c"}, "", func(dir string) []string { return []string{dir + "/bot"} }},
	{"go", []string{"go", "build", "-o", "bot", "bot.go"}, "", func(dir string) []string { return []string{dir + "/bot"} }},
	{"java", []string{"javac", "Bot.java"}, "java", func(dir string) []string { return []string{"java", "-cp", dir, "Bot"} }},
}

// installed copies the program of a language into the folder of a player, and builds
// it. It skips the test if that language is not installed, or is one of those that the
// short run leaves out.
func (l language) installed(t *testing.T, dir string) []string {
	t.Helper()
	if l.folder != "go" {
		long.Only(t, "the actions of the program in Go in another language")
	}
	if l.build != nil {
		if _, err := exec.LookPath(l.build[0]); err != nil {
			t.Skipf("there is no %s: install it to try programs in this language", l.build[0])
		}
	}
	if l.run != "" {
		if _, err := sandbox.Look(l.run); err != nil {
			t.Skipf("%v: install it to try programs in this language", err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(testdata, l.folder))); err != nil {
		t.Fatal(err)
	}
	if l.build != nil {
		cmd := exec.Command(l.build[0], l.build[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build it: got %v, want no error\n%s", err, out)
		}
	}
	return l.command(dir)
}

var testdata, _ = filepath.Abs("testdata/confined")

// canConfine skips the test on systems that can't confine programs.
func canConfine(t *testing.T) {
	t.Helper()
	if missing := sandbox.Supported().Missing(); len(missing) > 0 {
		t.Skip(missing[0].Text)
	}
}

// playConfined plays one match under isolation.
func playConfined(t *testing.T, isolation program.Isolation, commands ...[]string) *Report {
	t.Helper()
	c := configOf(t, &askGame{}, commands...)
	c.Isolation = isolation
	c.Isolation.Level = sandbox.Require
	played, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return NewReport(c, played)
}

const mib = 1 << 20

func TestConfinedProgramsPlayButHarmNobody(t *testing.T) {
	canConfine(t)
	for _, l := range languages {
		t.Run(l.folder, func(t *testing.T) {
			t.Chdir(t.TempDir())
			bot := l.installed(t, "bots/alice")
			if err := os.CopyFS("bots/bob", os.DirFS("bots/alice")); err != nil {
				t.Fatal(err)
			}
			bob := l.command("bots/bob")
			if err := os.WriteFile("solution", []byte("of the organiser"), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Setenv("SECRET", "of the organiser")
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			_, port, _ := net.SplitHostPort(listener.Addr().String())
			working, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			files, err := os.ReadDir("bots/bob")
			if err != nil {
				t.Fatal(err)
			}
			// An argument that names a file would permit it.
			tests := [][]string{
				{"play"},
				{"read", "@" + filepath.Join(working, "bots/bob", files[0].Name())},
				{"read", "@" + working + "/../" + filepath.Base(working) + "/solution"},
				{"read", "@/etc/passwd"},
				{"write", "@" + filepath.Join(working, "bots/alice/notes")},
				{"write", "@" + filepath.Join(t.TempDir(), "notes")},
				{"environment", strconv.Itoa(os.Getpid())},
				{"connect", port},
				{"start", "@/bin/true"},
				{"kill"},
			}
			for _, args := range tests {
				t.Run(args[0], func(t *testing.T) {
					report := playConfined(t, program.Isolation{Memory: 512 * mib, CPU: time.Minute}, append(bot, args...), append(bob, "play"))
					for _, s := range report.Played[0].Seats {
						if s.Score != 1 || !s.Exit.OK {
							t.Errorf("%s got %v points and ended as %+v, want 1 and success; it wrote %q", s.Name, s.Score, s.Exit, s.Illegal)
						}
						if args[0] != "play" && s.Entrant == 0 && !strings.Contains(s.Exit.Stderr, "refused: ") {
							t.Errorf("the program wrote %q to stderr, want that it was refused", s.Exit.Stderr)
						}
					}
				})
			}
		})
	}
}

func TestConfinedProgramThatUsesTooMuchIsEndedWithTheReason(t *testing.T) {
	canConfine(t)
	for _, l := range languages {
		t.Run(l.folder, func(t *testing.T) {
			t.Chdir(t.TempDir())
			bot := l.installed(t, "bots/alice")
			for _, tt := range []struct{ action, want string }{
				{"compute", "it used more than 1s of CPU time"},
				{"memory", "of 256 MiB of memory"},
			} {
				t.Run(tt.action, func(t *testing.T) {
					isolation := program.Isolation{Memory: 256 * mib, CPU: time.Second}
					if tt.action == "memory" {
						isolation.CPU = time.Minute
					}
					report := playConfined(t, isolation, append(bot, tt.action), append(bot, "play"))
					if got := report.Faults(); !strings.Contains(got, tt.want) || !strings.Contains(got, "forfeit: disconnected") {
						t.Errorf("got the faults %q, want a forfeit and %q", got, tt.want)
					}
					if s := report.Played[0].Seats[1]; s.Score != 1 {
						t.Errorf("the other program got %v points and ended as %+v, want 1", s.Score, s.Exit)
					}
				})
			}
		})
	}
}
