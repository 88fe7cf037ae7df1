//go:build unix

package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/internal/test/poll"
	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// connect runs coco connect as alice.
func connect(t *testing.T, want int, url string, args ...string) (stdout, stderr string) {
	t.Helper()
	// A program can be slow to end; tests of --linger give another one.
	linger := fmt.Sprint(poll.Limit.Seconds())
	return coco(t, want, append([]string{"-s", url, "connect", "-n", "alice", "--linger", linger, matchID}, args...)...)
}

func TestProgramPlaysAMatch(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		wantText(t, "request", string(c.receiveText()), `{"LobbyJoinMatch":{"id":"8gj5mqqjtoklo","name":"alice","password":"pw"}}`)
		c.send(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info("alice"))})
		c.send(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: info("bob", "alice")})
		c.sendText(`{"MessageOfALaterVersion":{}}`)
		c.send(protocol.NameMatchStarted, nil)
		c.send(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: info("bob")}) // as the original once did
		c.stream("one\n")
		c.expect("got one\n")
		c.stream("")
		c.stream("two\nthr")
		c.expect("got two\n")
		c.stream("ee\n")
		c.expect("got three\n")
		c.stream("no answer to this line")
		c.send(protocol.NameMatchEnded, protocol.EndedReply{Result: &protocol.MatchResult{
			Reason: "bob was late",
			Players: []protocol.PlayerResult{
				{Name: "bob", Score: 1, Rank: 2, Ended: protocol.ForfeitTimeout},
				{Name: "alice", Score: 2.5, Rank: 1, Ended: protocol.EndedFinished},
			},
		}})
		c.awaitClose()
	})
	stdout, stderr := connect(t, 0, f.url, append([]string{"-p", "pw"}, player("echo")...)...)
	wantText(t, "stdout", stdout, begun+"> Game ended\n> 1. alice: 2.5 points, finished\n> 2. bob: 1 point, forfeit: timeout\n> Reason: bob was late\n")
	wantText(t, "stderr", stderr, "")
	f.wait()
}

func TestAbortedMatchIsNoSuccess(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.send(protocol.NameMatchEnded, protocol.EndedReply{Result: &protocol.MatchResult{
			Aborted: true, Reason: "the game crashed", Players: []protocol.PlayerResult{{Name: "alice", Ended: protocol.EndedAborted}},
		}})
		c.awaitClose()
	})
	stdout, stderr := connect(t, 4, f.url, player("echo")...)
	wantText(t, "stdout", stdout, begun+"> Game ended\n> - alice: 0 points, aborted\n> Reason: the game crashed\n")
	wantPart(t, "stderr", stderr, "aborted the match")
}

func TestPlayerWithoutANameGetsAValidOne(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		var join protocol.LobbyJoinMatch
		if err := protocol.Decode("", c.receive(protocol.NameLobbyJoinMatch), &join); err != nil {
			t.Error(err)
		}
		if !regexp.MustCompile(`^[!-#%-~]{1,16}$`).MatchString(join.Name) || join.Password != nil {
			t.Errorf("got name %q and password %v, want a random name and none", join.Name, join.Password)
		}
		c.send(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info(join.Name))})
		c.send(protocol.NameMatchStarted, nil)
		c.finish()
	})
	coco(t, 0, "-s", f.url, "connect", matchID)
	f.wait()
}

func TestWithoutAProgramTheTerminalPlays(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.stream("from the server\n")
		c.expect("ROCK\nPAPER\n")
		c.finish()
	})
	r := start(t, "ROCK\nPAPER\n", "-s", f.url, "connect", matchID)
	r.wantExit(0)
	wantText(t, "stdout", r.stdout.String(), begun+"from the server\n> Game ended\n")
	f.wait()
}

func TestEveryReadIsOneFrame(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		for got := 0; got < flood; {
			kind, b, err := c.ws.ReadMessage()
			if err != nil || kind != websocket.BinaryMessage || len(b) > 32<<10 {
				c.fail("got kind %d of %d bytes, %v, want one read of the stream", kind, len(b), err)
			}
			got += len(b)
		}
		c.finish()
	})
	connect(t, 0, f.url, player("flood")...)
	f.wait()
}

func TestLongStreamReachesTheProgramWhole(t *testing.T) {
	t.Parallel()
	const frames, size = 40, 100_000
	sum := crc32.NewIEEE()
	f := serve(t, func(c *client) {
		c.begin()
		for i := range frames {
			frame := strings.Repeat(string(rune('a'+i%26)), size)
			sum.Write([]byte(frame))
			c.stream(frame)
		}
		c.finish()
	})
	_, stderr := connect(t, 0, f.url, player("sum")...)
	f.wait()
	wantText(t, "stderr", stderr, fmt.Sprintf("%d bytes, sum %08x\n", frames*size, sum.Sum32()))
}

func TestHalfALineIsSentAtOnce(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.expect("ROCK")
		c.finish()
	})
	connect(t, 0, f.url, player("half-line")...)
	f.wait()
}

func TestProgramThatCannotStartNeverJoins(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--", "no-such-program"}, {"-c", "pipe", "--", t.TempDir()}} {
		f := serve(t, func(c *client) {
			if got := c.awaitClose(); len(got) > 0 {
				t.Errorf("got messages %q, want none", got)
			}
		})
		_, stderr := connect(t, 5, f.url, args...)
		wantPart(t, "stderr", stderr, "cannot start the program")
		f.wait()
	}
}

func TestProgramIsStoppedWhenTheServerIsNotThere(t *testing.T) {
	t.Parallel()
	_, stderr := connect(t, 3, "ws://127.0.0.1:1/", player("echo")...)
	wantPart(t, "stderr", stderr, "cannot connect")
}

func TestProgramThatDoesNotExitIsStopped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		program, linger string
		code            int
		stderr          string
	}{
		{"stubborn", "0.3", 5, "did not end within 300ms after the match and was stopped"},
		{"parent", "10", 0, ""}, // exits by itself, and leaves a child
	}
	for _, tt := range tests {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(c *client) {
				c.begin()
				c.expect("here\n")
				c.finish()
			})
			_, stderr := connect(t, tt.code, f.url, append([]string{"--linger", tt.linger}, player(tt.program)...)...)
			wantPart(t, "stderr", stderr, tt.stderr)
			f.wait()
		})
	}
}

func TestExitOfTheProgramDuringAMatch(t *testing.T) {
	t.Parallel()
	const waiting, ended = "> Program ended with exit status 0, waiting for the end of the game\n", "> Game ended\n"
	tests := []struct {
		name, program string
		server        func(*client)
		code          int
		stdout, late  string // after begun; late: if the match ends half a second after the program
		linger        string
		stderr        string
	}{
		{
			name: "last answer, and the match ends", program: "one-answer",
			server: func(c *client) {
				c.stream("go\n")
				c.expect("LAST\n")
				c.stream("nobody reads this\n")
				c.finish()
			},
			stdout: ended, late: waiting + ended,
		},
		{
			name: "last answer, and the match never ends", program: "one-answer",
			server: func(c *client) {
				c.stream("go\n")
				c.expect("LAST\n")
				c.awaitClose()
			},
			code: 5, stdout: waiting, linger: "0.2",
			stderr: "the player was gone before the match ended",
		},
		{
			name: "move without reading", program: "blind",
			server: func(c *client) {
				c.expect("ROCK\n")
				c.finish()
			},
			stdout: ended, late: waiting + ended,
		},
		{
			name: "crash after an answer", program: "crash",
			server: func(c *client) {
				c.stream("go\n")
				c.expect("LAST\n")
				c.awaitClose()
			},
			code: 5, stderr: "the program failed: exit status 3",
		},
		{
			name: "crash after the last answer", program: "crash",
			server: func(c *client) {
				c.stream("go\n")
				c.expect("LAST\n")
				c.finish()
			},
			code: 5, stdout: ended, stderr: "the program failed: exit status 3",
		},
		{
			name: "crash after the match", program: "crash-at-end",
			server: func(c *client) { c.finish() },
			code:   5, stdout: ended, late: ended, stderr: "the program failed: exit status 3",
		},
		{
			name: "killed", program: "killed",
			server: func(c *client) {
				c.stream("go\n")
				c.awaitClose()
			},
			code: 5, stderr: "the program failed: signal: killed",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(c *client) {
				c.begin()
				tt.server(c)
			})
			stdout, stderr := connect(t, tt.code, f.url, append([]string{"--linger", cmp.Or(tt.linger, "60")}, player(tt.program)...)...)
			if stdout != begun+tt.late {
				wantText(t, "stdout", stdout, begun+tt.stdout)
			}
			wantPart(t, "stderr", stderr, tt.stderr)
			f.wait()
		})
	}
}

func TestMatchGoesOnAfterTheProgramWhileTheStreamMoves(t *testing.T) {
	t.Parallel()
	waiting := make(chan bool)
	f := serve(t, func(c *client) {
		c.begin()
		c.expect("ROCK\n")
		<-waiting
		beat := time.NewTicker(100 * time.Millisecond)
		defer beat.Stop()
		for begun := time.Now(); time.Since(begun) < 4*time.Second; { // longer than --linger
			<-beat.C
			c.stream("beat\n")
		}
		c.finish()
	})
	r := prepare(t, append([]string{"-s", f.url, "connect", matchID, "--linger", "3"}, player("blind")...)...)
	lines := r.lines()
	for lines.next() != "> Program ended with exit status 0, waiting for the end of the game" {
	}
	close(waiting)
	wantText(t, "rest", lines.rest(), "> Game ended\n")
	r.wantExit(0)
	f.wait()
}

func TestExitOfTheProgramBeforeTheMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ program, stderr string }{
		{"silent", "gone before the match began, and had written nothing"},
		{"crash-at-start", "the program failed: exit status 3"},
	} {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(c *client) {
				c.join()
				wantText(t, "messages", strings.Join(c.awaitClose(), "\n"), `{"LobbyLeaveMatch":{}}`)
			})
			_, stderr := connect(t, 5, f.url, player(tt.program)...)
			wantPart(t, "stderr", stderr, tt.stderr)
			f.wait()
		})
	}
}

func TestExpiredMatchIsARefusal(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-s"}} {
		f := serve(t, func(c *client) {
			c.receiveText()
			name := protocol.NameLobbyJoinedMatch
			if args != nil {
				name = protocol.NameSpectateJoined
			}
			c.send(name, protocol.JoinedReply{Info: protocol.Ok(info())})
			c.send(protocol.NameLobbyDelete, protocol.MatchID{ID: matchID})
			c.awaitClose()
		})
		_, stderr := connect(t, 4, f.url, append(args, player("echo")...)...)
		wantPart(t, "stderr", stderr, "the match expired")
		f.wait()
	}
}

func TestLostConnectionEndsTheProgram(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"waiting", "playing"} {
		for _, how := range []string{"echo", "stubborn"} {
			t.Run(when+" "+how, func(t *testing.T) {
				t.Parallel()
				f := serve(t, func(c *client) {
					c.join()
					if when == "playing" {
						c.send(protocol.NameMatchStarted, nil)
						c.stream("x\n")
						c.ws.ReadMessage()
					}
					c.ws.NetConn().Close()
				})
				_, stderr := connect(t, 3, f.url, player(how)...)
				wantPart(t, "stderr", stderr, "the connection was lost")
			})
		}
	}
}

func TestReasonOfTheServerIsShown(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(protocol.CloseTooSlow, "you do not read"))
	})
	_, stderr := connect(t, 3, f.url, player("echo")...)
	wantPart(t, "stderr", stderr, "closed the connection: you do not read (code 4001)")
}

func TestSpectatorOfARunningMatch(t *testing.T) {
	t.Parallel()
	spectated := func(c *client) {
		wantText(t, "request", string(c.receiveText()), `{"SpectateJoin":{"id":"8gj5mqqjtoklo"}}`)
		i := info("bob", "alice")
		i.Running, i.Spectators, i.Name = true, 1, `a "name"`
		c.send(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(i)})
		c.send(protocol.NameSpectateStarted, nil)
		c.stream("old\n")
		c.send(protocol.NameSpectateSynced, nil)
		c.stream("new\n")
		c.send(protocol.NameSpectateEnded, nil)
		c.awaitClose()
	}
	const before = "> Joined spectators for \"a \"name\"\" (roshambo)\n> Waiting for game to start\n" +
		"> Game has 1 spectator and 2/2 (0 bots) connected players: [\"alice\", \"bob\"]\n> Game started\n"
	t.Run("with a viewer", func(t *testing.T) {
		t.Parallel()
		stdout, _ := connect(t, 0, serve(t, spectated).url, append([]string{"-s"}, player("print")...)...)
		// The viewer writes to the same output, at any time.
		wantPart(t, "stdout", stdout, "seen old\n")
		wantPart(t, "stdout", stdout, "seen new\n")
		stdout = strings.NewReplacer("seen old\n", "", "seen new\n", "").Replace(stdout)
		wantText(t, "stdout", stdout, before+"> Reached current game status\n> Game ended\n")
	})
	t.Run("without", func(t *testing.T) {
		t.Parallel()
		stdout, _ := connect(t, 0, serve(t, spectated).url, "-s")
		wantText(t, "stdout", stdout, before+"old\n> Reached current game status\nnew\n> Game ended\n")
	})
	t.Run("by pipe", func(t *testing.T) {
		t.Parallel()
		stdout, _ := connect(t, 0, serve(t, spectated).url, append([]string{"-s", "-c", "pipe"}, player("pipe-print")...)...)
		wantPart(t, "stdout", stdout, "> Waiting until the program opens the pipe\n")
		wantPart(t, "stdout", stdout, "seen new\n")
	})
}

func TestSpectatorOfAWaitingMatch(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.receive(protocol.NameSpectateJoin)
		c.send(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(info())})
		c.send(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: info("bob")})
		c.send(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: info("bob")})
		c.send(protocol.NameSpectateStarted, nil)
		c.send(protocol.NameSpectateSynced, nil)
		c.stream("new\n")
		c.send(protocol.NameSpectateEnded, protocol.EndedReply{Result: &protocol.MatchResult{
			Players: []protocol.PlayerResult{{Name: "bob", Score: 0.5, Rank: 1, Ended: protocol.EndedFinished}},
		}})
		c.awaitClose()
	})
	stdout, _ := connect(t, 0, f.url, "-s")
	wantText(t, "stdout", stdout, "> Joined spectators for \"T\" (roshambo)\n> Waiting for game to start\n"+
		"> Game has 0 spectators and 0/2 (0 bots) connected players: []\n"+
		"> Game has 0 spectators and 1/2 (0 bots) connected player: [\"bob\"]\n"+
		"> Game started\n> Reached current game status\nnew\n> Game ended\n> 1. bob: 0.5 points, finished\n")
	f.wait()
}

func TestViewerThatIsClosedLeavesTheMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		program string
		code    int
	}{{"silent", 0}, {"crash-at-start", 5}} {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(c *client) {
				c.receive(protocol.NameSpectateJoin)
				c.send(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(info())})
				wantText(t, "messages", strings.Join(c.awaitClose(), "\n"), `{"SpectateLeave":{}}`)
			})
			connect(t, tt.code, f.url, append([]string{"-s"}, player(tt.program)...)...)
			f.wait()
		})
	}
}

func TestClosedOutputEndsSpectating(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.receive(protocol.NameSpectateJoin)
		c.send(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(info())})
		c.send(protocol.NameSpectateStarted, nil)
		c.stream("x\n")
		c.awaitClose()
	})
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	r := prepare(t, "-s", f.url, "connect", "-s", matchID)
	r.cmd.Stdout = write
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	r.wantExit(0)
	f.wait()
}

func TestProgramPlaysByPipe(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.stream("one\n")
		c.expect("got one\n")
		c.finish()
	})
	stdout, stderr := connect(t, 0, f.url, append([]string{"-c", "pipe"}, player("pipe-echo")...)...)
	wantText(t, "stdout", stdout, "> Waiting until the program opens the pipes\n"+begun+"> Game ended\n")
	wantText(t, "stderr", stderr, "")
	f.wait()
}

func TestProgramThatOpensThePipesForEachMove(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.expect("ROCK\nPAPER\n")
		c.finish()
	})
	connect(t, 0, f.url, "-c", "pipe", "--", "sh", "-c",
		`exec 3<"$COCO_PIPEIN"; echo ROCK >"$COCO_PIPEOUT"; echo PAPER >"$COCO_PIPEOUT"; cat <&3`)
	f.wait()
}

func TestPipesThatAreNeverOpened(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"silent", "crash-at-start"} {
		f := serve(t, func(c *client) {
			if got := c.awaitClose(); len(got) > 0 {
				t.Errorf("got messages %q, want none", got)
			}
		})
		stdout, stderr := connect(t, 5, f.url, append([]string{"-c", "pipe"}, player(how)...)...)
		wantText(t, "stdout", stdout, "> Waiting until the program opens the pipes\n")
		wantPart(t, "stderr", stderr, "the program ended before it opened the pipes: exit status")
	}
}

func TestCrashByPipe(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.stream("go\n")
		c.expect("LAST\n")
		c.awaitClose()
	})
	_, stderr := connect(t, 5, f.url, append([]string{"-c", "pipe"}, player("pipe-crash")...)...)
	wantPart(t, "stderr", stderr, "the program failed: exit status 3")
	f.wait()
}

func TestProgramSeesOnlyItsOwnPipes(t *testing.T) {
	t.Parallel()
	end := func(c *client) {
		c.receiveText()
		c.awaitClose()
	}
	_, stderr := coco(t, 5, append([]string{"COCO_PIPEIN=/old", "COCO_PIPEOUT=/old", "-s", serveRaw(t, end).url, "connect", "-s", "-c", "pipe", matchID}, player("environment")...)...)
	if !regexp.MustCompile(`(?m)^COCO_PIPEIN=.*/in$`).MatchString(stderr) || strings.Contains(stderr, "COCO_PIPEOUT") {
		t.Errorf("environment of a viewer: got %q, want COCO_PIPEIN alone", stderr)
	}
}

func TestEnvironmentDescribesTheMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		features []string
		info     protocol.MatchInfo
		want     []string
	}{
		{"an older server", nil, protocol.MatchInfo{}, nil},
		{
			"no clock", []string{protocol.FeatureFind},
			protocol.MatchInfo{ID: matchID, Game: "roshambo", Timeout: 2.5},
			[]string{"COCO_ARGS={}", "COCO_GAME=roshambo", "COCO_MATCH=" + matchID, "COCO_NAME=alice", "COCO_TIMEOUT=2.5"},
		},
		{
			"a clock and parameters", []string{protocol.FeatureFind},
			protocol.MatchInfo{ID: matchID, Game: "go", Timeout: 600, Args: map[string]string{"komi": "6,5", "a": "\"\n"}, Clock: &protocol.Clock{Bank: 60, Increment: 0.5}},
			[]string{`COCO_ARGS={"a":"\"\n","komi":"6,5"}`, "COCO_BANK=60", "COCO_GAME=go", "COCO_INCREMENT=0.5", "COCO_MATCH=" + matchID, "COCO_NAME=alice", "COCO_TIMEOUT=600"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serveRaw(t, func(c *client) {
				c.receive(protocol.NameHandshake)
				c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Features: tt.features})
				if tt.features != nil {
					c.receive(protocol.NameLobbyMatch)
					c.send(protocol.NameLobbyMatch, protocol.LobbyMatchReply{Info: protocol.Ok(tt.info)})
				}
				c.receive(protocol.NameLobbyJoinMatch)
				c.send(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info("alice"))})
				c.awaitClose()
			})
			old := []string{"COCO_PIPEIN=/old", "COCO_PIPEOUT=/old", "COCO_MATCH=old", "COCO_BANK=1", "-s", f.url, "connect", matchID, "-n", "alice"}
			_, stderr := coco(t, 5, append(old, player("environment")...)...) // the player writes nothing
			f.wait()
			got := strings.Fields(stderr)
			got = slices.DeleteFunc(got, func(v string) bool { return !strings.HasPrefix(v, "COCO_") })
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnknownMatchStartsNoProgram(t *testing.T) {
	t.Parallel()
	f := serveRaw(t, func(c *client) {
		c.receive(protocol.NameHandshake)
		c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Features: []string{protocol.FeatureFind}})
		c.receive(protocol.NameLobbyMatch)
		c.send(protocol.NameLobbyMatch, protocol.LobbyMatchReply{Info: protocol.Refused[protocol.MatchInfo](errors.New("Match m does not exists"))})
		c.awaitClose()
	})
	_, stderr := connect(t, 4, f.url, player("environment")...)
	wantText(t, "stderr", stderr, "coco: cannot join match "+matchID+": Match m does not exists; if it has ended, coco history "+matchID+" shows it\n")
}

func TestPipesWithoutAProgramArePrinted(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.stream("one\n")
		c.expect("ROCK\n")
		c.finish()
	})
	r := prepare(t, "-s", f.url, "connect", matchID, "-c", "pipe")
	lines := r.lines()
	in, _ := strings.CutPrefix(lines.next(), "> Input (stdin-like) pipe: ")
	out, _ := strings.CutPrefix(lines.next(), "> Output (stdout-like) pipe: ")
	wantText(t, "line", lines.next(), "> Waiting until some program opens the pipes")
	if filepath.Dir(filepath.Dir(in)) != r.temp {
		t.Errorf("got pipe %q, want it in a folder of %s", in, r.temp)
	}
	reader, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(out, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4)
	if _, err := reader.Read(line); err != nil || string(line) != "one\n" {
		t.Errorf("read %q, %v, want one", line, err)
	}
	fmt.Fprintln(writer, "ROCK")
	wantText(t, "rest", lines.rest(), begun+"> Game ended\n")
	r.wantExit(0)
	f.wait()
}
