package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"colosseum/e2e/internal/clusters"
	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// hands are moves of roshambo; each beats the next.
var hands = []string{"PAPER", "ROCK", "SCISSORS"}

// TestThreeHostsWorkAsOne starts three hosts for tests that leave them as they were: each
// waits until all hosts work as one again.
func TestThreeHostsWorkAsOne(t *testing.T) {
	all := start(t, 3, "drain: 1s\nserving: {rematch: 0s}\n")
	class := programs.Enroll(t, all.front, 4)
	for _, tt := range []struct {
		name string
		test func(t *testing.T, w *world, c *programs.Class)
	}{
		{"a leader that was cut off is fenced", leaderThatWasCutOffIsFenced}, // first: it checks all records of dice
		{"a match is the same from each host", matchIsTheSameFromEachHost},
		{"coco plays across hosts", cocoPlaysAcrossHosts},
		{"players that serve on different hosts play each other", daemonsOnAllHostsPlayEachOther},
		{"a player comes back through another host", playerComesBackThroughAnotherHost},
		{"a host with another secret gets nothing", foreignHostGetsNothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, c := *all, *class
			w.t, c.T = t, t
			tt.test(t, &w, &c)
			w.whole()
		})
	}
}

// matchIsTheSameFromEachHost creates a match on one host, plays it from the two others
// with the messages of the original client, watches it from each, and reads its record.
func matchIsTheSameFromEachHost(t *testing.T, w *world, _ *programs.Class) {
	const rounds = 50
	for owner := range w.hosts {
		id := w.createOn(owner, programs.Roshambo(rounds, 0))
		if got := w.sameLobby(); !slices.ContainsFunc(got, func(m string) bool { return strings.HasPrefix(m, id) }) {
			t.Errorf("got the lobby %q, want match %s in it", got, id)
		}
		var players []*programs.Client
		for i := range 2 {
			c := w.hosts[(owner+1+i)%3].Dial(t)
			if err := c.Join(id, fmt.Sprintf("p%d", i)); err != nil {
				t.Fatalf("join from host %d a match on %d: got %v, want a seat", (owner+1+i)%3, owner, err)
			}
			players = append(players, c)
		}
		streams := make([]string, 2*len(w.hosts))
		var watching sync.WaitGroup
		for i := range streams { // two from each host
			c, err := w.hosts[i%3].Spectate(id)
			if err != nil {
				t.Fatal(err)
			}
			watching.Go(func() { // ends with the match
				defer c.Close()
				stream, err := c.Skip(protocol.NameSpectateEnded, nil)
				if err != nil {
					t.Errorf("spectator %d: got %v, want the end", i, err)
				}
				streams[i] = string(stream)
			})
		}
		var playing sync.WaitGroup
		for side, c := range players {
			playing.Go(func() { // ends with the match
				result, seen, err := c.Roshambo(func(round int) string { return hands[(round+side)%3] })
				if err != nil || result == nil || !programs.Finished(result) || len(seen) != 3+rounds {
					t.Errorf("player %d: got %+v, %v after %d lines, want a finished match of %d", side, result, err, len(seen), 3+rounds)
				}
			})
		}
		playing.Wait()
		watching.Wait()
		for i, h := range w.hosts {
			r := h.Record(t, id)
			if r.State != "finished" || len(r.Seats) != 2 || r.Seats[0].Score+r.Seats[1].Score != rounds {
				t.Errorf("host %d: got the record %+v, want a finished match with %d points", i, r, rounds)
			}
			history, err := h.Dial(t).History(id)
			if err != nil {
				t.Fatal(err)
			}
			for n, stream := range streams {
				if stream != string(history.Stream) {
					t.Errorf("spectator %d: got %d bytes, want the %d of the record on host %d", n, len(stream), len(history.Stream), i)
				}
			}
			if status, page := programs.Get(t, h.Page("match/"+id)); status != 200 || !strings.Contains(page, "<html") {
				t.Errorf("host %d: got status %d for the page of the match, want 200", i, status)
			}
		}
	}
}

// coco returns a command that runs coco on a host without a player.
func coco(t testing.TB, url string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(programs.Bin, "coco"), append([]string{"-s", url}, args...)...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "COCO_TOKEN=")
	return cmd
}

// cocoPlaysAcrossHosts creates matches with coco on one host, and plays them with coco on two
// others.
func cocoPlaysAcrossHosts(t *testing.T, w *world, _ *programs.Class) {
	for n := range 3 {
		out, err := coco(t, w.hosts[n%3].URL, "new", "-n", "2", "-a", "rounds=3", "dice").CombinedOutput()
		id, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "Created new game with id ")
		if err != nil || !ok {
			t.Fatalf("coco new: got %v, %s, want a match", err, out)
		}
		var playing sync.WaitGroup
		for i := range 2 {
			playing.Go(func() { // ends with the match
				args := append([]string{"connect", "-n", fmt.Sprintf("p%d", i), id, "--"}, programs.DiceCommand(t, fmt.Sprintf("%d-%d", i, i))...)
				if out, err := coco(t, w.hosts[(n+1+i)%3].URL, args...).CombinedOutput(); err != nil || !bytes.Contains(out, []byte("> Game ended")) {
					t.Errorf("coco connect: got %v, want a match\n%s", err, out)
				}
			})
		}
		playing.Wait()
		if out, err := coco(t, w.hosts[n%3].URL, "history", id).CombinedOutput(); err != nil || !bytes.Contains(out, []byte("p1")) {
			t.Errorf("coco history: got %v, want the record\n%s", err, out)
		}
	}
}

// playerComesBackThroughAnotherHost kills the host to which coco is connected, while the
// match is on another one.
func playerComesBackThroughAnotherHost(t *testing.T, w *world, _ *programs.Class) {
	const rounds = 50
	const near, owner = 1, 0
	request := programs.Roshambo(0, 0)
	request.Game, request.Params.Players = "dice", new(2)
	request.Args = map[string]string{"rounds": fmt.Sprint(rounds)}
	// The third host is there for coco only after its near host has died.
	balancer, err := clusters.NewBalancer("127.0.0.1:0", w.Hosts[near:near+1])
	if err != nil {
		t.Fatal(err)
	}
	defer balancer.Close()
	id := w.createOn(owner, request)
	args := append([]string{"connect", "-n", "alice", id, "--"}, programs.DiceCommand(t, "60-60")...)
	cmd := coco(t, balancer.URL, args...)
	alice := programs.StartDaemon(t, cmd)
	alice.Await(t, 1, "> Joined")
	bob := w.hosts[owner].Dial(t)
	if err := bob.Join(id, "bob"); err != nil {
		t.Fatal(err)
	}
	lines := &programs.Lines{C: bob}
	var result *protocol.MatchResult
	for answered := 0; result == nil; answered++ {
		_, ended, err := lines.Next()
		if err != nil {
			t.Fatal(err)
		}
		if ended != nil {
			result = ended.Result
			break
		}
		if answered == rounds/4 {
			w.Hosts[near].End(kill)
			balancer.Add(w.Hosts[2])
		}
		if answered < rounds {
			bob.Answer(t, "50")
		}
	}
	alice.Await(t, 1, "> Game ended")
	<-alice.Done
	if code := alice.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("got exit code %d of coco, want 0\n%s", code, strings.Join(alice.Log, "\n"))
	}
	for _, p := range result.Players {
		want := map[string]float64{"alice": rounds, "bob": 0}[p.Name]
		if p.Ended != protocol.EndedFinished || p.Score != want || p.Name == "alice" && p.Away != 1 {
			t.Errorf("got %+v, want %v points, and alice away once", p, want)
		}
	}
	for _, i := range []int{owner, 2} {
		if r := w.hosts[i].Record(t, id); r.State != "finished" {
			t.Errorf("host %d: got the record %+v, want a finished match", i, r)
		}
	}
	if err := w.Hosts[near].Start(); err != nil {
		t.Fatal(err)
	}
}

// daemonsOnAllHostsPlayEachOther lets a player serve on each host, challenges each from
// another host, and finds opponents.
func daemonsOnAllHostsPlayEachOther(t *testing.T, w *world, c *programs.Class) {
	before := w.front.Records(t)
	var daemons []*programs.Student
	for i, h := range w.hosts {
		cmd := c.Coco(programs.StudentName(i))
		cmd.Args = slices.Concat([]string{cmd.Args[0], "-s", h.URL, "serve", "dice", "--concurrency", "2", "--"}, programs.DiceCommand(t, "0-99"))
		daemons = append(daemons, &programs.Student{Daemon: programs.StartDaemon(t, cmd), Name: programs.StudentName(i)})
	}
	for _, d := range daemons {
		d.Await(t, 2, "msg=\"match ended\"")
	}
	programs.Drain(t, daemons)
	daemons = nil
	for i, h := range w.hosts {
		daemons = append(daemons, c.Roll(programs.StudentName(i), h.URL, "0-99")) // only for challenges
	}
	for i, h := range w.hosts {
		target := programs.StudentName((i + 1) % 3)
		cmd := c.Coco(programs.StudentName(3))
		cmd.Args = slices.Concat([]string{cmd.Args[0], "-s", h.URL, "challenge", target, "dice", "-a", "rounds=2", "--"}, programs.DiceCommand(t, "0-9"))
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("\n> Game ended\n")) || !bytes.Contains(out, []byte(target+": ")) {
			t.Errorf("challenge from host %d: got %v, want a match against %s\n%s", i, err, target, out)
		}
	}
	w.find()
	programs.Drain(t, daemons)
	for id, r := range w.front.Records(t) {
		if before[id] == nil && r.State != "finished" {
			t.Errorf("match %s: got %+v, want it finished", id, r)
		}
	}
}

// find plays matches between clients of different hosts that look for an opponent.
func (w *world) find() {
	w.t.Helper()
	request := protocol.LobbyFindMatch{New: programs.Roshambo(5, 0)}
	request.New.Name = "found"
	for i := range w.hosts {
		var pair []*programs.Client
		for side := range 2 {
			c := w.hosts[(i+side)%3].Dial(w.t)
			request.Name = fmt.Sprintf("f%d", side)
			if err := c.Send(protocol.NameLobbyFindMatch, request); err != nil {
				w.t.Fatal(err)
			}
			var reply protocol.JoinedReply
			if err := c.Expect(protocol.NameLobbyJoinedMatch, &reply); err != nil {
				w.t.Fatal(err)
			}
			if _, err := reply.Info.Get(); err != nil {
				w.t.Fatal(err)
			}
			pair = append(pair, c)
		}
		var playing sync.WaitGroup
		for _, c := range pair {
			playing.Go(func() { // ends with the match
				result, _, err := c.Roshambo(func(int) string { return "ROCK" })
				if err != nil || result == nil || !programs.Finished(result) {
					w.t.Errorf("a match that was found: got %+v, %v, want it finished", result, err)
				}
			})
		}
		playing.Wait()
	}
}

// foreignHostGetsNothing starts a host with another secret at the same NATS and PostgreSQL.
func foreignHostGetsNothing(t *testing.T, w *world, _ *programs.Class) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(strings.Repeat("another-", 8)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign, err := w.NewHost("foreign", secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := foreign.Start(); err != nil {
		t.Fatal(err)
	}
	defer foreign.End(kill)
	if err := foreign.Ready(t.Context()); err != nil {
		t.Logf("the foreign host has ended: %v", err)
		return
	}
	all := append(slices.Clone(w.hosts), &programs.Host{URL: foreign.URL})
	_, id := w.hosts[0].Join(t, programs.Roshambo(3, 0), "alice")
	other := all[3].Dial(t)
	hidden, err := other.Create(programs.Roshambo(3, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Join(id, "eve"); err == nil {
		t.Error("join from the foreign host: got a seat, want a refusal")
	}
	w.sameLobby()
	for i, want := range []string{id, id, id, hidden} {
		one := &world{Cluster: w.Cluster, t: t, hosts: all[i : i+1]}
		got := one.lobby(0)
		has := func(id string) bool {
			return slices.ContainsFunc(got, func(m string) bool { return strings.HasPrefix(m, id) })
		}
		if has(id) != (want == id) || has(hidden) != (want == hidden) {
			t.Errorf("host %d: got the lobby %q, want %s and not the other match", i, got, want)
		}
	}
	w.whole() // without the foreign one
	if err := w.hosts[1].Duel(20); err != nil {
		t.Errorf("a match of the others: got %v, want it played", err)
	}
	if err := all[3].Duel(20); err != nil {
		t.Logf("a match of the foreign host: %v", err)
	}
	log, err := os.Open(foreign.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for lines := bufio.NewScanner(io.LimitReader(log, 1<<20)); lines.Scan(); {
		if strings.Contains(lines.Text(), "another-another-") {
			t.Errorf("got the secret in the log: %s", lines.Text())
		}
	}
}

// begun waits until the beginning of a match is recorded: later than its players receive
// it.
func (w *world) begun(id string) {
	w.t.Helper()
	db, err := pgx.Connect(w.t.Context(), w.Postgres.URL("colosseum"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close(context.Background())
	poll.Until(w.t, "the beginning of the match is recorded", func() (recorded bool) {
		err := db.QueryRow(w.t.Context(), "SELECT EXISTS (SELECT FROM matches WHERE id = $1)", id).Scan(&recorded)
		if err != nil {
			w.t.Fatal(err)
		}
		return recorded
	})
}

// leaderThatWasCutOffIsFenced cuts the host that leads off from NATS and PostgreSQL while it
// plays, until the others have recorded its match as aborted. A contest goes on: one of its
// players comes only then, so that it can't end before.
func leaderThatWasCutOffIsFenced(t *testing.T, w *world, c *programs.Class) {
	const students, legs = 4, 2
	const all = students * (students - 1) / 2 * legs
	c.Create(fmt.Sprintf("name: cup\ngame: dice\nargs: {rounds: 3}\ntimeout: 60\nformat: round-robin\nmatches: %d\nentries: open\ngrace: 10m\n", legs))
	late := programs.StudentName(students - 1)
	c.Run("contest", "enter", "cup", late)
	daemons := c.RollAll(students-1, func(i int) string { return fmt.Sprintf("%d-%d", i, i+5) }, "--contest", "cup")
	c.Run("contest", "start", "cup")
	w.reached("cup", 1)
	cut := w.leader()
	other := (cut + 1) % 3
	id := w.createOn(cut, programs.Roshambo(9999, 0))
	pair := []*programs.Client{w.hosts[cut].Dial(t), w.hosts[cut].Dial(t)}
	for i, c := range pair {
		if err := c.Join(id, fmt.Sprintf("p%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	spectator, err := w.hosts[other].Spectate(id)
	if err != nil {
		t.Fatal(err)
	}
	defer spectator.Close()
	w.begun(id)
	results := make([]*protocol.MatchResult, 2)
	var playing sync.WaitGroup
	for i, c := range pair {
		playing.Go(func() { // ends with the match
			var err error
			if results[i], _, err = c.Roshambo(func(int) string {
				time.Sleep(10 * time.Millisecond) // it thinks, so that the match outlasts the cut
				return "ROCK"
			}); err != nil {
				t.Errorf("player %d: got %v, want the end of the match", i, err)
			}
		})
	}
	w.Hosts[cut].ToNATS.Cut()
	w.Hosts[cut].ToPostgres.Cut()
	var record *programs.Record
	poll.Until(t, "the others have recorded the match", func() bool {
		record = w.hosts[other].Records(t)[id]
		return record != nil
	})
	if record.State != "aborted" || record.Reason == "" {
		t.Errorf("got the record %+v, want it aborted with a reason", record)
	}
	poll.Until(t, "the match has left the lobby of another host", func() bool {
		return !slices.ContainsFunc(w.lobby(other), func(m string) bool { return strings.HasPrefix(m, id) })
	})
	// Now the contest can end: another host leads it, also while the old leader comes back.
	daemons = append(daemons, c.Roll(late, w.hosts[other].URL, "7-9"))
	w.Hosts[cut].ToNATS.Heal()
	w.Hosts[cut].ToPostgres.Heal()
	playing.Wait()
	for i, r := range results {
		if r != nil && !r.Aborted {
			t.Errorf("player %d: got %+v, want an aborted match", i, r)
		}
	}
	w.whole()
	for i, h := range w.hosts {
		if got := h.Record(t, id); got.State != "aborted" || got.Reason != record.Reason {
			t.Errorf("host %d: got the record %+v, want %+v", i, got, record)
		}
	}
	play := func(near int) (finished bool) {
		next := w.createOn(cut, programs.Roshambo(5, 1))
		c := w.hosts[near].Dial(t)
		if err := c.Join(next, "alice"); err != nil {
			t.Fatal(err)
		}
		result, _, err := c.Roshambo(func(int) string { return "ROCK" })
		if err != nil || result == nil {
			t.Fatalf("a match after the cut: got %v, want its end", err)
		}
		r := w.hosts[other].Records(t)[next]
		if !result.Aborted && (r == nil || r.State != "finished") {
			t.Errorf("a match after the cut: got the record %+v, want it finished, as its player has received", r)
		}
		return programs.Finished(result)
	}
	poll.Until(t, "the host has a new generation", func() bool { return play(cut) }) // until then, its matches are aborted
	for i := range 3 {
		if !play((cut + i) % 3) {
			t.Error("a match after the cut: got it aborted, want it finished")
		}
	}
	if d := w.ended(c, "cup", all); d.Done != all || d.All != all {
		t.Errorf("got %d of %d matches, want %d", d.Done, d.All, all)
	}
	c.CheckOnce("cup")
	c.CheckStandings("cup", 0)
	c.Run("contest", "verify", "cup")
	programs.Drain(t, daemons)
}
