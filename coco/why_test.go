//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"colosseum/protocol"
)

// forfeit ends the match with a forfeit of alice.
func (c *client) forfeit(ended string, fault *protocol.Fault) {
	c.send(protocol.NameMatchEnded, protocol.EndedReply{Result: &protocol.MatchResult{
		Players: []protocol.PlayerResult{{Name: "bob", Rank: 1, Ended: protocol.EndedFinished}, {Name: "alice", Rank: 2, Ended: ended, Fault: fault}},
	}})
	c.awaitClose()
}

// readLog returns the only log in a folder.
func readLog(t *testing.T, folder string) (path, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got the logs %q, %v, want one", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return files[0], string(b)
}

func TestForfeitEndsWithItsReason(t *testing.T) {
	t.Parallel()
	const head = "> Game ended\n> 1. bob: 0 points, finished\n"
	tests := []struct {
		name, program string
		server        func(*client)
		code          int
		stdout        string // after begun and head; LOG is the path of the log
		log           []string
	}{
		{
			"illegal", "echo",
			func(c *client) {
				c.stream("your move\n")
				c.expect("got your move\n")
				c.forfeit(protocol.ForfeitIllegal, &protocol.Fault{Line: "got your move", Asked: "your move"})
			},
			0, "> 2. alice: 0 points, forfeit: illegal\n" +
				"> A line of the program was not a legal move: does it print anything except moves on its standard output?\n" +
				"> The refused line: \"got your move\"\n> Received before it: \"your move\"\n> The program ended with exit status 0\n> The log of the match: LOG\n",
			[]string{" <  your move\n", " >  got your move\n", "#  ended: forfeit: illegal\n", "#  exit: exit status 0\n"},
		},
		{
			"crash", "crash",
			func(c *client) {
				c.stream("go\n")
				c.expect("LAST\n")
				c.forfeit(protocol.Forfeit+"disconnected", nil)
			},
			5, "> 2. alice: 0 points, forfeit: disconnected\n" +
				"> The program had last received: \"go\"\n> The program's last line: \"LAST\"\n> The program ended with exit status 3\n> The log of the match: LOG\n",
			[]string{"#  exit: exit status 3\n", "#  coco: the program failed: exit status 3\n"},
		},
		{
			"stderr", "hostile-stderr",
			func(c *client) {
				c.stream("go\n")
				c.expect("LAST\n")
				c.forfeit(protocol.ForfeitIllegal, &protocol.Fault{Line: "LAST", Asked: "go"})
			},
			0, "> 2. alice: 0 points, forfeit: illegal\n" +
				"> A line of the program was not a legal move: does it print anything except moves on its standard output?\n" +
				"> The refused line: \"LAST\"\n> Received before it: \"go\"\n> The program ended with exit status 0\n" +
				"> The end of the program's stderr:\n" + strings.Repeat(">   line\n", 17) + `>   \x1b[2J\xff` + "\n>   > Game ended\n>   last\n> The log of the match: LOG\n",
			[]string{` !  "\x1b[2J\xff"` + "\n", " !  last\n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "logs")
			f := serve(t, func(c *client) {
				c.begin()
				tt.server(c)
			})
			stdout, _ := connect(t, tt.code, f.url, append([]string{"--log", folder}, player(tt.program)...)...)
			path, text := readLog(t, folder)
			wantText(t, "stdout", stdout, begun+head+strings.ReplaceAll(tt.stdout, "LOG", path))
			for _, part := range tt.log {
				wantPart(t, "log", text, part)
			}
			f.wait()
		})
	}
}

func TestProgramThatFailsBeforeTheMatchLeavesALog(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := serve(t, func(c *client) {
		c.join()
		c.awaitClose()
	})
	stdout, _ := connect(t, 5, f.url, "--log", folder, "--", "sh", "-c", "echo no module >&2; exit 3")
	path, text := readLog(t, folder)
	wantPart(t, "stdout", stdout, "> The end of the program's stderr:\n>   no module\n> The log of the match: "+path+"\n")
	wantPart(t, "log", text, "!  no module\n")
	wantPart(t, "log", text, "#  exit: exit status 3\n")
	f.wait()
}

func TestLogHasTheCommitmentToTheSeed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := serve(t, func(c *client) {
		c.join()
		begun := info("alice", "bob")
		begun.Running, begun.Commitment = true, "5d9a71f6"
		c.send(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: begun})
		c.send(protocol.NameMatchStarted, nil)
		c.finish()
	})
	connect(t, 0, f.url, append([]string{"--log", folder}, player("echo")...)...)
	_, text := readLog(t, folder)
	wantPart(t, "log", text, `"commitment":"5d9a71f6"`)
	f.wait()
}

func TestLogOfALostConnectionSaysSo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := serve(t, func(c *client) {
		c.begin()
		c.stream("one\n")
		c.expect("got one\n")
		c.ws.NetConn().Close()
	})
	connect(t, 3, f.url, append([]string{"--log", folder}, player("echo")...)...)
	_, text := readLog(t, folder)
	wantPart(t, "log", text, ">  got one\n")
	wantPart(t, "log", text, "#  coco: the connection was lost")
	f.wait()
}

func TestLogHasNoSecretOfTheAddress(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := serve(t, func(c *client) {
		c.begin()
		c.finish()
	})
	connect(t, 0, f.url+"?key=secret", append([]string{"--log", folder, "-p", "secret"}, player("echo")...)...)
	_, text := readLog(t, folder)
	if strings.Contains(text, "secret") {
		t.Errorf("got %q, want no password in it", text)
	}
	wantPart(t, "log", text, `"server":"`+strings.TrimSuffix(f.url, "/")+`"`)
}

func TestLogIsForPlayers(t *testing.T) {
	t.Parallel()
	_, stderr := connect(t, 2, "ws://127.0.0.1:1/", "-s", "--log", t.TempDir())
	wantPart(t, "stderr", stderr, "--log is for players")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr = connect(t, 1, "ws://127.0.0.1:1/", "--log", file)
	wantPart(t, "stderr", stderr, "cannot create the folder for logs")
}

// TestGrandchildThatHoldsStderrIsNotWaitedFor: the grandchild has left the program's
// group. go test ends the test if coco waits for it.
func TestGrandchildThatHoldsStderrIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	f := serve(t, func(c *client) {
		c.begin()
		c.expect("here\n")
		c.finish()
	})
	coco(t, 0, append([]string{"GATE=" + gate, "-s", f.url, "connect", "-n", "alice", matchID}, player("leave-grandchild")...)...)
	opened, err := os.OpenFile(gate, os.O_WRONLY, 0) // the grandchild is still there, and ends now
	if err != nil {
		t.Fatal(err)
	}
	opened.Close()
	f.wait()
}

func TestRefeedNeedsALog(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code   int
		args   []string
		stderr string
	}{
		{2, []string{"refeed"}, "needs more arguments"},
		{2, []string{"refeed", "--timeout", "0", "x"}, "--timeout must be"},
		{1, []string{"refeed", filepath.Join(t.TempDir(), "none.log")}, "no such file"},
	} {
		_, stderr := coco(t, tt.code, append(tt.args, player("echo")...)...)
		wantPart(t, "stderr", stderr, tt.stderr)
	}
}
