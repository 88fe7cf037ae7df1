package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"colosseum/protocol"
)

// TestScripts runs testdata/*.txtar. Besides testscript's own commands there are
//
//	host [expiry=D] ARGS…   start a host; $URL is its address
//	stop SIGNAL             end it: TERM, INT or KILL
//	match VAR ARGS…         create a match with coco new ARGS…; $VAR is its ID
//	await ID N              wait until N players are in a waiting match
//	watched ID N            wait until N spectators watch a match
//	ended ID                wait until a match has left the lobby
//	slay GAME               kill -9 the process of a game
//	revived GAME            wait until the game has been started again
//	player MOVE [N]         play roshambo with one move; fail after N rounds
//	player idle             read to the end and say nothing
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Values[hostKey{}] = &running{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"host": cmdHost, "stop": cmdStop, "match": cmdMatch, "await": cmdAwait, "watched": cmdWatched, "ended": cmdEnded, "slay": cmdSlay, "revived": cmdRevived,
		},
	})
}

type hostKey struct{}

// running is the host of a script, once it was started.
type running struct {
	*host
	slain int // the process of the game that was killed last
}

func of(ts *testscript.TestScript) *running { return ts.Value(hostKey{}).(*running) }

// scriptT lets startHost fail a script.
type scriptT struct {
	testing.TB
	ts *testscript.TestScript
}

func (t scriptT) Helper()                   {}
func (t scriptT) Fatal(args ...any)         { t.ts.Fatalf("%s", fmt.Sprint(args...)) }
func (t scriptT) Fatalf(f string, a ...any) { t.ts.Fatalf(f, a...) }
func (t scriptT) Errorf(f string, a ...any) { t.ts.Fatalf(f, a...) }
func (t scriptT) Cleanup(f func())          { t.ts.Defer(f) }
func (t scriptT) TempDir() string           { return t.ts.MkAbs("") }

func cmdHost(ts *testscript.TestScript, _ bool, args []string) {
	expiry := "10m"
	if len(args) > 0 && strings.HasPrefix(args[0], "expiry=") {
		expiry, args = strings.TrimPrefix(args[0], "expiry="), args[1:]
	}
	config := fmt.Sprintf("plugins: {folders: [%s]}\nlobby: {expiry: %s}\n", plugins, expiry)
	of(ts).host = startHostWith(scriptT{ts: ts}, ts.MkAbs("data"), config, args...)
	ts.Setenv("URL", of(ts).url)
}

func cmdStop(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}
	of(ts).stop(scriptT{ts: ts}, signals[args[0]])
}

func cmdMatch(ts *testscript.TestScript, _ bool, args []string) {
	out, err := exec.Command(filepath.Join(bin, "coco"), append([]string{"-s", of(ts).url, "new"}, args[1:]...)...).CombinedOutput()
	id, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "Created new game with id ")
	if err != nil || !ok {
		ts.Fatalf("coco new: %v: %s", err, out)
	}
	ts.Setenv(args[0], id)
}

// watch reads the live lobby until a match is as wanted; nil: it is not there.
func watch(ts *testscript.TestScript, id string, wanted func(*protocol.MatchInfo) bool) {
	c, err := dial(of(ts).url)
	ts.Check(err)
	defer c.close()
	ts.Check(c.send(protocol.NameLobbySubscribe, nil))
	var all protocol.LobbySubscribedReply
	ts.Check(c.expect(protocol.NameLobbySubscribed, &all))
	var info *protocol.MatchInfo
	for i := range all.Seed {
		if all.Seed[i].ID == id {
			info = &all.Seed[i]
		}
	}
	for !wanted(info) {
		name, body, err := c.next()
		ts.Check(err)
		var event protocol.LobbyEvent
		var gone protocol.MatchID
		if name == protocol.NameLobbyDelete {
			ts.Check(protocol.Decode(name, body, &gone))
			if gone.ID == id {
				info = nil
			}
			continue
		}
		ts.Check(protocol.Decode(name, body, &event))
		if event.Info.ID == id {
			info = &event.Info
		}
	}
}

func cmdAwait(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	watch(ts, args[0], func(i *protocol.MatchInfo) bool { return i != nil && len(i.Connected) == n })
}

func cmdWatched(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	watch(ts, args[0], func(i *protocol.MatchInfo) bool { return i != nil && i.Spectators == n })
}

func cmdEnded(ts *testscript.TestScript, _ bool, args []string) {
	watch(ts, args[0], func(i *protocol.MatchInfo) bool { return i == nil })
}

func cmdSlay(ts *testscript.TestScript, _ bool, args []string) {
	of(ts).slain = of(ts).child(args[0])
	ts.Check(syscall.Kill(of(ts).slain, syscall.SIGKILL))
}

func cmdRevived(ts *testscript.TestScript, _ bool, args []string) {
	h := of(ts)
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.children[args[0]] == h.slain && !h.ended {
		h.changed.Wait()
	}
}

// player is a program that plays in the scripts.
func player() {
	in := bufio.NewScanner(os.Stdin)
	if os.Args[1] == "idle" {
		for in.Scan() {
		}
		return
	}
	for range 3 {
		in.Scan()
		fmt.Fprintln(os.Stderr, "start", in.Text())
	}
	most := 1 << 30
	if len(os.Args) > 2 {
		most, _ = strconv.Atoi(os.Args[2])
	}
	for round := 0; round < most; round++ {
		fmt.Println(os.Args[1])
		if !in.Scan() {
			return
		}
		fmt.Fprintln(os.Stderr, "got", in.Text())
	}
	os.Exit(3)
}
