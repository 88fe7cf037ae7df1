package programs

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

	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// Scripts runs the scripts *.txtar of a folder. They have these commands in addition
// to testscript's own:
//
//	host [expiry=D] ARGS…   start a host; $URL is its address
//	stop SIGNAL             end the host with TERM, INT or KILL
//	match VAR ARGS…         create a match with coco new ARGS…; $VAR is its ID
//	await ID N              wait until N players are in a waiting match
//	watched ID N            wait until a match has N spectators
//	recorded ID             wait until the start of a match is recorded, later than its players receive it
//	ended ID                wait until a match has left the lobby
//	killgame GAME           kill the process of a game with SIGKILL
//	restarted GAME          wait until that game has been started again
//	noprocess FILE          fail if a process whose ID is in the file is running
//	player MOVE [N]         play roshambo with one move; fail after N rounds
//	player idle             read to the end and send nothing
//
// The last two are ScriptPlayer, which must be passed to Main. A line that begins with [long]
// runs in depth only. $PLUGINS is the games folder, which the file host.yaml names too. setup
// can be nil.
func Scripts(t *testing.T, dir string, setup func(env *testscript.Env) error) {
	DependOnSources(t)
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Condition: func(name string) (bool, error) { // of a line that begins with [long]
			if name != "long" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return long.Run(), nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", Bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("PLUGINS", Plugins)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Values[hostKey{}] = &running{}
			err := os.WriteFile(filepath.Join(env.WorkDir, "host.yaml"), []byte("plugins: {folders: ["+Plugins+"]}\n"), 0o644)
			if err == nil && setup != nil {
				err = setup(env)
			}
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"host": cmdHost, "stop": cmdStop, "match": cmdMatch, "await": cmdAwait, "watched": cmdWatched, "ended": cmdEnded,
			"recorded": cmdRecorded, "killgame": cmdKillGame, "restarted": cmdRestarted, "noprocess": cmdNoProcess,
		},
	})
}

type hostKey struct{}

// running is the host of a script; nil before it is started.
type running struct {
	*Host
	killed int // process ID of the last game that was killed
}

func of(ts *testscript.TestScript) *running { return ts.Value(hostKey{}).(*running) }

// scriptT is the testing.TB of a script.
type scriptT struct {
	testing.TB
	ts *testscript.TestScript
}

func (t scriptT) Helper() {}

func (t scriptT) Logf(f string, a ...any) { t.ts.Logf(f, a...) }

func (t scriptT) Fatal(args ...any) { t.ts.Fatalf("%s", fmt.Sprint(args...)) }

func (t scriptT) Fatalf(f string, a ...any) { t.ts.Fatalf(f, a...) }

func (t scriptT) Errorf(f string, a ...any) { t.ts.Fatalf(f, a...) }

// Failed returns false, because a script shows its own output.
func (t scriptT) Failed() bool { return false }

func (t scriptT) Cleanup(f func()) { t.ts.Defer(f) }

func (t scriptT) TempDir() string { return t.ts.MkAbs("") }

func cmdHost(ts *testscript.TestScript, _ bool, args []string) {
	expiry := "10m"
	if len(args) > 0 && strings.HasPrefix(args[0], "expiry=") {
		expiry, args = strings.TrimPrefix(args[0], "expiry="), args[1:]
	}
	config := fmt.Sprintf("plugins: {folders: [%s]}\nlobby: {expiry: %s}\n", Plugins, expiry)
	of(ts).Host = StartHostWith(scriptT{ts: ts}, ts.MkAbs("data"), config, args...)
	ts.Setenv("URL", of(ts).URL)
}

func cmdStop(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}
	of(ts).Stop(scriptT{ts: ts}, signals[args[0]])
}

func cmdMatch(ts *testscript.TestScript, _ bool, args []string) {
	out, err := exec.Command(filepath.Join(Bin, "coco"), append([]string{"-s", of(ts).URL, "new"}, args[1:]...)...).CombinedOutput()
	id, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "Created new game with id ")
	if err != nil || !ok {
		ts.Fatalf("coco new: %v: %s", err, out)
	}
	ts.Setenv(args[0], id)
}

// watch follows the lobby until wanted returns true for a match; nil is a match that
// is not in the lobby.
func watch(ts *testscript.TestScript, id string, wanted func(*protocol.MatchInfo) bool) {
	c, err := Dial(of(ts).URL)
	ts.Check(err)
	defer c.Close()
	ts.Check(c.Send(protocol.NameLobbySubscribe, nil))
	var all protocol.LobbySubscribedReply
	ts.Check(c.Expect(protocol.NameLobbySubscribed, &all))
	var info *protocol.MatchInfo
	for i := range all.Seed {
		if all.Seed[i].ID == id {
			info = &all.Seed[i]
		}
	}
	for !wanted(info) {
		name, body, err := c.Next()
		ts.Check(err)
		var event protocol.LobbyEvent
		var deleted protocol.MatchID
		if name == protocol.NameLobbyDelete {
			ts.Check(protocol.Decode(name, body, &deleted))
			if deleted.ID == id {
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

func cmdRecorded(ts *testscript.TestScript, _ bool, args []string) {
	poll.Until(scriptT{ts: ts}, "the start of the match is recorded", func() bool {
		out, err := exec.Command(filepath.Join(Bin, "host"), "--data", of(ts).Data, "replay", args[0]).Output()
		return err == nil && strings.Contains(string(out), "running")
	})
}

func cmdKillGame(ts *testscript.TestScript, _ bool, args []string) {
	of(ts).killed = of(ts).Child(args[0])
	game, err := os.FindProcess(of(ts).killed)
	ts.Check(err)
	ts.Check(game.Kill())
}

func cmdRestarted(ts *testscript.TestScript, _ bool, args []string) {
	h := of(ts)
	h.mu.Lock()
	defer h.mu.Unlock()
	poll.On(scriptT{ts: ts}, h.changed, args[0]+" has been started again", func() bool {
		return h.children[args[0]] != h.killed || h.ended
	})
}

// ScriptPlayer is the main function of player, a program of the scripts.
func ScriptPlayer() {
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
	rounds := 1 << 30
	if len(os.Args) > 2 {
		rounds, _ = strconv.Atoi(os.Args[2])
	}
	for range rounds {
		fmt.Println(os.Args[1])
		if !in.Scan() {
			return
		}
		fmt.Fprintln(os.Stderr, "got", in.Text())
	}
	os.Exit(3)
}

func cmdNoProcess(ts *testscript.TestScript, _ bool, args []string) {
	for _, pid := range strings.Fields(ts.ReadFile(args[0])) {
		n, err := strconv.Atoi(pid)
		ts.Check(err)
		if Alive(n) {
			ts.Fatalf("process %d is running", n)
		}
	}
}
