//go:build unix

package main

import (
	"os"
	"testing"

	"colosseum/protocol"
)

func TestAnEnginePlaysAMatch(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.stream("alice\nbob\n0\n")
		c.expect("e2 e4\n")
		c.stream("OK <e2> <e4>\nRETIRE\nWINNER <WHITE>\n")
		c.finish()
	})
	_, stderr := connect(t, 0, f.url, "--uci", os.Args[0], "--uci-option", "Level=3", "--movetime=0.25", "--uci-trace", "--", asPlayer, "engine")
	f.wait()
	wantText(t, "stderr", stderr, "> uci\n< option name Level type spin\n< uciok\n> setoption name Level value 3\n> ucinewgame\n> isready\n< readyok\n"+
		"> position startpos\n> go movetime 250\n< bestmove e2e4\n> quit\n")
}

func TestAnEngineThatFailsIsNamed(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		c.begin()
		c.awaitClose()
	})
	_, stderr := connect(t, 5, f.url, "--uci", os.Args[0], "--uci-option", "Depth=3", "--", asPlayer, "engine")
	f.wait()
	wantPart(t, "stderr", stderr, `has no option "Depth" (have Level)`)
}

// describe shakes hands and describes a match of a game.
func (c *client) describe(game string) {
	c.receive(protocol.NameHandshake)
	c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Features: []string{protocol.FeatureFind}})
	c.receive(protocol.NameLobbyMatch)
	c.send(protocol.NameLobbyMatch, protocol.LobbyMatchReply{Info: protocol.Ok(protocol.MatchInfo{ID: matchID, Game: game})})
}

func TestAnEnginePlaysChessUnderAnotherName(t *testing.T) {
	t.Parallel()
	f := serveRaw(t, func(c *client) {
		c.describe("blitz")
		c.begin()
		c.stream("alice\nbob\n0\n")
		c.expect("e2 e4\n")
		c.stream("OK <e2> <e4>\nRETIRE\nWINNER <WHITE>\n")
		c.finish()
	})
	connect(t, 0, f.url, "--uci", os.Args[0], "--uci-game", "chess960", "--uci-game", "blitz", "--", asPlayer, "engine")
	f.wait()
}

func TestNoMatchOfAnotherGameIsJoined(t *testing.T) {
	t.Parallel()
	f := serveRaw(t, func(c *client) {
		c.describe("dama")
		c.awaitClose()
	})
	_, stderr := connect(t, 2, f.url, "--uci", os.Args[0], "--uci-game", "blitz")
	f.wait()
	wantPart(t, "stderr", stderr, "an engine of UCI plays chess, not dama; if that is chess under another name, add --uci-game dama")
}

func TestNoMatchIsJoinedWithoutTheEngine(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"connect", "new"} { // no host listens at port 1
		_, stderr := coco(t, 1, "-s", "ws://127.0.0.1:1/", command, "--uci", "no-such-engine", map[string]string{"connect": matchID, "new": "chess"}[command])
		wantPart(t, command, stderr, "cannot start the engine: exec: \"no-such-engine\"")
	}
}

func TestWrongUseOfAnEngineIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"connect", "--movetime", "1", matchID}, "--movetime needs --uci ENGINE"},
		{[]string{"connect", "--uci", "", matchID}, "--uci needs an engine"},
		{[]string{"connect", "--uci", "x", "-s", matchID}, "without -s and -c pipe"},
		{[]string{"connect", "--uci", "x", "-c", "pipe", matchID}, "without -s and -c pipe"},
		{[]string{"new", "--uci", "x", "--movetime", "0", "chess"}, "--movetime must be from 0.001 to 3600 seconds"},
		{[]string{"new", "--uci", "x", "--uci-option", "Level", "chess"}, "is not of the form NAME=VALUE"},
		{[]string{"challenge", "--uci-trace", "bob", "chess"}, "--uci-trace needs --uci ENGINE"},
		{[]string{"serve", "--uci-option", "a=b", "chess", "--", "x"}, "--uci-option needs --uci ENGINE"},
		{[]string{"uci"}, "uci needs an engine"},
		{[]string{"new", "--uci", os.Args[0], "dama"}, "an engine of UCI plays chess, not dama"},
		{[]string{"challenge", "--uci", os.Args[0], "bob", "dama"}, "an engine of UCI plays chess, not dama"},
		{[]string{"serve", "--uci", os.Args[0], "chess", "dama"}, "an engine of UCI plays chess, not dama"},
		{[]string{"uci", "x"}, "an engine of UCI plays chess, not dama"},
	}
	for _, tt := range tests {
		_, stderr := coco(t, 2, append([]string{"COCO_GAME=dama"}, tt.args...)...)
		wantPart(t, tt.args[0], stderr, tt.want)
	}
}
