package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/clusters"
	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == programs.AsDice:
		programs.PlayDice(os.Args[2])
	default:
		programs.Main(m, nil)
	}
}

// kill is the signal that ends a host at once.
const kill = syscall.SIGKILL

var buildNATS = sync.OnceValue(func() error { return clusters.BuildNATS(programs.Bin) })

// world is a cluster of a test.
type world struct {
	*clusters.Cluster
	t     testing.TB
	front *programs.Host   // any host, through the balancer
	hosts []*programs.Host // each one
	shown []func()         // they print more before go test's timeout
}

// start starts hosts that work as one, with links that can be cut. They end with the test.
func start(t testing.TB, hosts int, yaml string) *world {
	t.Helper()
	return startWith(t, clusters.Options{Hosts: hosts, YAML: yaml, Links: true})
}

// startWith is start with other options. It sets the folders and the games.
func startWith(t testing.TB, o clusters.Options) *world {
	t.Helper()
	return startIn(t, o, "best-effort")
}

// startIn is startWith with a setting for the isolation of the games.
func startIn(t testing.TB, o clusters.Options, isolation string) *world {
	t.Helper()
	programs.DependOnSources(t)
	if err := buildNATS(); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "e2e-") // a short path, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o.Bin, o.Dir = programs.Bin, dir
	o.YAML = "plugins: {folders: [" + programs.Plugins + ", " + programs.DiceFolder(t) + "], isolation: " + isolation + "}\n" +
		"lobby: {matches: 6000, expiry: 30s}\nlimits: {host_reads_per_second: 1000000}\n" + o.YAML
	c, err := clusters.Start(t.Context(), o)
	if errors.Is(err, clusters.ErrNoPostgres) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Cluster: c, t: t, front: &programs.Host{URL: c.Balancer.URL, Config: c.Hosts[0].Config, Data: c.Hosts[0].Data}}
	for _, h := range c.Hosts {
		w.hosts = append(w.hosts, &programs.Host{URL: h.URL, Config: h.Config, Data: h.Data})
	}
	t.Cleanup(w.end)
	if t, ok := t.(*testing.T); ok {
		if deadline, ok := t.Deadline(); ok { // go test's timeout runs no cleanup
			late := time.AfterFunc(time.Until(deadline)-5*time.Second, w.show)
			t.Cleanup(func() { late.Stop() })
		}
	}
	w.whole()
	return w
}

// show prints the logs of hosts and ends the cluster, shortly before go test's timeout.
func (w *world) show() {
	for _, f := range w.shown {
		f()
	}
	for i, h := range w.Hosts {
		fmt.Fprintf(os.Stderr, "the end of the log of %s:\n%s\n", h.Name, h.Tail(40))
		w.keep(h)
		for _, page := range []string{"api/hosts", "api/lobby", "api/serving", "api/contests"} {
			body, err := fetch(w.hosts[i].Page(page))
			fmt.Fprintf(os.Stderr, "%s of %s: %s (%v)\n", page, h.Name, body, err)
		}
	}
	w.Kill()
}

// keep copies a host's log to the folder in the environment variable E2E_LOGS.
func (w *world) keep(h *clusters.Host) {
	folder := os.Getenv("E2E_LOGS")
	text, err := os.ReadFile(h.Log)
	if folder != "" && err == nil {
		_ = os.WriteFile(filepath.Join(folder, h.Name+".log"), text, 0o600)
	}
}

// end ends the cluster, and checks the logs of the hosts.
func (w *world) end() {
	w.Kill()
	for _, h := range w.Hosts {
		text, err := os.ReadFile(h.Log)
		if err != nil {
			w.t.Error(err)
		}
		for _, bad := range []string{"DATA RACE", "panic"} {
			if strings.Contains(string(text), bad) {
				w.t.Errorf("got %q in the log of %s, want none:\n%s", bad, h.Name, text)
			}
		}
		if w.t.Failed() {
			w.t.Logf("the end of the log of %s:\n%s", h.Name, h.Tail(40))
			w.keep(h)
		}
	}
}

// hostsAnswer is what a host says about all hosts.
type hostsAnswer struct {
	Host      string
	Connected bool
	Hosts     []struct {
		Name             string
		Matches          int
		Draining, Leader bool
	}
}

// fetch reads a page. It returns an error if the status is not 200, or after five seconds: the
// caller asks again.
func fetch(url string) ([]byte, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d", url, r.StatusCode)
	}
	return body, err
}

// hostsOf returns what a host says about all hosts.
func (w *world) hostsOf(i int) (a hostsAnswer, err error) {
	body, err := fetch(w.hosts[i].Page("api/hosts"))
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	return a, err
}

// lists reports whether a host lists the given number of hosts with one leader, and
// returns the leader.
func (w *world) lists(i, hosts int) (leader string, ok bool) {
	a, err := w.hostsOf(i)
	if err != nil || !a.Connected || len(a.Hosts) != hosts {
		return "", false
	}
	for _, h := range a.Hosts {
		if h.Draining || h.Leader && leader != "" {
			return "", false
		}
		if h.Leader {
			leader = h.Name
		}
	}
	return leader, leader != ""
}

// whole waits until all hosts are ready, and list each other with the same leader.
func (w *world) whole() {
	w.t.Helper()
	poll.Until(w.t, "all hosts work as one", func() bool {
		leaders := map[string]bool{}
		for i, h := range w.Hosts {
			_, err := fetch(h.Operations + "readyz")
			leader, ok := w.lists(i, len(w.Hosts))
			if err != nil || !ok {
				return false
			}
			leaders[leader] = true
		}
		return len(leaders) == 1
	})
}

// owned returns how many matches of a game a host owns.
func (w *world) owned(i int, game string) (n int) {
	w.t.Helper()
	_, body := programs.Get(w.t, w.Hosts[i].Operations+"metrics")
	for line := range strings.Lines(body) {
		for _, state := range []string{"waiting", "running"} {
			if value, ok := strings.CutPrefix(line, `colosseum_matches{game="`+game+`",state="`+state+`"} `); ok {
				one, err := strconv.Atoi(strings.TrimSpace(value))
				if err != nil {
					w.t.Fatal(err)
				}
				n += one
			}
		}
	}
	return n
}

// create has a host create a match, and returns its owner.
func (w *world) create(near int, r protocol.GameNew) (id string, owner int) {
	w.t.Helper()
	before := make([]int, len(w.hosts))
	for i := range w.hosts {
		before[i] = w.owned(i, r.Game)
	}
	id, err := w.hosts[near].Dial(w.t).Create(r)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range w.hosts {
		if w.owned(i, r.Game) > before[i] {
			return id, i
		}
	}
	w.t.Fatalf("got no host with the match %s, want one", id)
	return "", 0
}

// createOn creates matches until one is on a host, and returns it. The others wait.
func (w *world) createOn(host int, r protocol.GameNew) (id string) {
	w.t.Helper()
	next := time.Now()
	poll.Until(w.t, "a match is placed on "+w.Hosts[host].Name, func() bool {
		// The hosts share a machine, and measure its use at different moments: one of them can
		// seem busier than the others until it has measured again.
		if time.Now().Before(next) {
			return false
		}
		next = time.Now().Add(100 * time.Millisecond)
		var owner int
		id, owner = w.create(host, r)
		return owner == host
	})
	return id
}

// lobby returns the IDs of the matches that a host lists, in order.
func (w *world) lobby(host int) (ids []string) {
	w.t.Helper()
	c := w.hosts[host].Dial(w.t)
	defer c.Close()
	var list protocol.LobbyListReply
	err := c.Send(protocol.NameLobbyList, nil)
	if err == nil {
		err = c.Expect(protocol.NameLobbyList, &list)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range list.Info {
		ids = append(ids, fmt.Sprint(m.ID, " ", m.Name, " ", m.Game, " ", m.Running, " ", m.Connected, " ", m.Players))
	}
	slices.Sort(ids)
	return ids
}

// lobbies returns what each host lists.
func (w *world) lobbies() (all [][]string) {
	w.t.Helper()
	for i := range w.hosts {
		all = append(all, w.lobby(i))
	}
	return all
}

// sameLobby waits until all hosts list the same matches, and returns them.
func (w *world) sameLobby() (ids []string) {
	w.t.Helper()
	poll.Until(w.t, "all hosts list the same matches", func() bool {
		ids = w.lobby(0)
		for i := range w.hosts {
			if !slices.Equal(ids, w.lobby(i)) {
				return false
			}
		}
		return true
	})
	return ids
}
