package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"
	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a new terminal: the person's and the
// program's.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("cannot make a terminal: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("cannot open a terminal: %v", err)
	}
	return person, program
}

// onTerminal starts coco as the only job of a new terminal, and returns the person's
// end.
func onTerminal(t *testing.T, r *run) *os.File {
	t.Helper()
	person, program := openTerminal(t)
	defer program.Close()
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = program, program, program
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return person
}

// readAll returns all output on a terminal until its last program ends.
func readAll(lines *bufio.Reader) string {
	var all strings.Builder
	lines.WriteTo(&all) // ends with an error: Linux returns EIO instead of EOF
	return strings.ReplaceAll(all.String(), "\r\n", "\n")
}

func TestColourOnlyOnATerminalAndNeverWithNoColor(t *testing.T) {
	for _, tt := range []struct {
		env  string
		want bool
	}{{"NO_COLOR=", true}, {"NO_COLOR=1", false}, {"TERM=dumb", false}} {
		t.Run(tt.env, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(c *client) {
				c.receiveText()
				c.sendText(`{"LobbyList":{"info":[]}}`)
				c.awaitClose()
			})
			r := prepare(t, "TERM=xterm", tt.env, "-s", f.url, "lobby")
			got := readAll(bufio.NewReader(onTerminal(t, r)))
			r.wantExit(0)
			wantPart(t, "output", got, "Spectators")
			if strings.Contains(got, "\x1b") != tt.want {
				t.Errorf("got %q, want colour: %t", got, tt.want)
			}
		})
	}
}

func TestProgramWithPipesCanUseTheTerminal(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.expect("ROCK\n")
		c.finish()
	})
	r := prepare(t, append([]string{"TERM=dumb", "-s", f.url, "connect", matchID, "-c", "pipe"}, player("pipe-ask-terminal")...)...)
	person := onTerminal(t, r)
	lines := bufio.NewReader(person)
	for line := ""; !strings.HasPrefix(line, "your move?"); {
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprint(person, "ROCK\n")
	wantPart(t, "rest", readAll(lines), "> Game ended\n")
	r.wantExit(0)
	f.wait()
}

func TestControlCOnATerminalEndsBoth(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{player("echo"), append([]string{"-c", "pipe"}, player("pipe-echo")...)} {
		played := make(chan bool)
		f := serve(t, func(c *client) {
			c.begin()
			c.stream("one\n")
			c.expect("got one\n")
			close(played)
			c.awaitClose()
		})
		r := prepare(t, append([]string{"TERM=dumb", "-s", f.url, "connect", matchID}, args...)...)
		person := onTerminal(t, r)
		lines := bufio.NewReader(person)
		select {
		case <-played:
		case <-f.done:
		}
		fmt.Fprint(person, "\x03")
		readAll(lines)
		r.wantExit(130)
		f.wait()
	}
}

func TestStreamOnATerminalHasNoControlSequences(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.stream("a\x1b[2Jb \xe2\x80")
		c.stream("\xaec \u2066d\n") // U+202E in two pieces
		c.finish()
	})
	r := prepare(t, "TERM=dumb", "-s", f.url, "connect", matchID)
	got := readAll(bufio.NewReader(onTerminal(t, r)))
	wantPart(t, "output", got, `a\x1b[2Jb \u202ec \u2066d`+"\n")
	r.wantExit(0)
	f.wait()
}

func TestRefedStreamOnATerminalHasNoControlSequences(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "match.log")
	log := "coco match log 1\n{}\n    0.000000 <  \"a\\x1b[2Jb\"\n"
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	r := prepare(t, "TERM=dumb", "refeed", file)
	wantPart(t, "output", readAll(bufio.NewReader(onTerminal(t, r))), `a\x1b[2Jb`+"\n")
	r.wantExit(0)
	stdout := start(t, "", "refeed", file)
	stdout.wantExit(0)
	if got, want := stdout.stdout.String(), "a\x1b[2Jb\n"; got != want {
		t.Errorf("in a pipe: got %q, want %q", got, want)
	}
}

func TestHistoryOnATerminalIsATableIfTheServerHasMoreThanIDs(t *testing.T) {
	const page = `{"matches":[{"id":"8gj5mqqjtoklo","game":"dama","state":"finished","ended":"2026-11-22T09:05:00Z","seats":[{"name":"alice","rank":1},{"name":"bob\u001b[2J","rank":2}]}],"next":"x"}`
	ids := func(c *client) {
		wantText(t, "request", string(c.receiveText()), `"HistoryMatchList"`)
		c.sendText(`{"HistoryMatchList":["8gj5mqqjtoklo"]}`)
		c.awaitClose()
	}
	tests := []struct {
		name, args, answer string
		want               []string
		unwanted           string
	}{
		{"a table", "", page, []string{"|      ID       |", "| 8gj5mqqjtoklo ", "| alice won |", "These are the last 1; coco history --plain lists the IDs of all.\n"}, "- 8gj"},
		{"plain", "--plain", page, []string{"- 8gj5mqqjtoklo\n"}, "|"},
		{"JSON", "--json", page, []string{"[\n  \"8gj5mqqjtoklo\"\n]\n"}, "|"},
		{"an original server", "", "", []string{"- 8gj5mqqjtoklo\n"}, "|"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newTestServer(t, func(c *client) {
				c.shakeHands()
				ids(c)
			})
			socket := f.http.Config.Handler
			f.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case websocket.IsWebSocketUpgrade(r):
					socket.ServeHTTP(w, r)
				case tt.answer == "": // close the connection
					panic(http.ErrAbortHandler)
				default:
					io.WriteString(w, tt.answer)
				}
			})
			f.http.Start()
			args := []string{"TERM=dumb", "-s", "ws" + strings.TrimPrefix(f.http.URL, "http"), "history"}
			if tt.args != "" {
				args = append(args, tt.args)
			}
			r := prepare(t, args...)
			got := readAll(bufio.NewReader(onTerminal(t, r)))
			r.wantExit(0)
			for _, part := range tt.want {
				wantPart(t, "output", got, part)
			}
			if strings.Contains(got, tt.unwanted) || strings.Contains(got, "\x1b") {
				t.Errorf("got %q, want no %q and no escape sequence", got, tt.unwanted)
			}
		})
	}
}

func TestRemovalOfASubmissionIsConfirmedOnATerminal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, answer, want, requests string }{
		{"en", "yes", "Deleted kamisado v3\n", "DELETE /api/games/kamisado/submissions/3"},
		{"en", "no", "Nothing was deleted\n", ""},
		{"it", "sì", "Eliminata kamisado v3\n", "DELETE /api/games/kamisado/submissions/3"},
	} {
		c := newCollector(t, accepted)
		r := prepare(t, "TERM=dumb", "COCO_LANG="+tt.language, "COCO_TOKEN="+anaToken, "-s", c.url, "submissions", "remove", "kamisado", "3")
		person := onTerminal(t, r)
		lines := bufio.NewReader(person)
		if _, err := lines.ReadString('?'); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(person, tt.answer)
		wantPart(t, "output", readAll(lines), tt.want)
		r.wantExit(0)
		wantText(t, "requests", c.changes(), tt.requests)
	}
}
