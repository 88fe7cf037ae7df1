package clients

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/cutproxy"
	"colosseum/internal/test/poll"
)

var moves = []string{"ROCK", "PAPER", "SCISSORS"}

// play is a program that plays roshambo and writes everything that it reads to the file of its
// argument.
func play() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	defer file.Close()
	in := bufio.NewReader(io.TeeReader(os.Stdin, file))
	for range 3 {
		in.ReadString('\n')
	}
	for round := 0; ; round++ {
		fmt.Println(moves[round%3])
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
	}
}

// match is a match between alice, who is behind a proxy, and bob.
type match struct {
	seen   string // by alice's program
	result string // of the match, by name
	stream string // for spectators, with the names in a fixed order
	coco   string // the output of alice's coco
}

// run plays a match of rounds. alice joins first.
func run(t *testing.T, h *programs.Host, rounds int, plan cutproxy.Plan) (m match, proxy *cutproxy.Proxy) {
	t.Helper()
	proxy, url := cutproxy.Listen(t, h.URL, plan)
	bob := h.Dial(t)
	request := programs.Roshambo(rounds, 0)
	request.Params.Timeout = new(600.0)
	id, err := bob.Create(request)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "seen")
	var out bytes.Buffer
	coco := exec.Command(filepath.Join(programs.Bin, "coco"), "-s", url, "connect", "-n", "alice", id, "--", "player", file)
	coco.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	joined := make(chan struct{})
	coco.Stderr = &out
	stdout, err := coco.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := coco.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	printed := make(chan struct{})
	go func() { // ends with coco
		defer close(printed)
		for text := bufio.NewScanner(stdout); text.Scan(); {
			lines = append(lines, text.Text())
			if strings.HasPrefix(text.Text(), "> Joined") {
				close(joined)
			}
		}
	}()
	late := time.AfterFunc(poll.Limit, func() { _ = coco.Process.Kill() }) // ends each wait below
	defer late.Stop()
	_ = bob.Conn.SetReadDeadline(time.Now().Add(poll.Limit))
	select {
	case <-joined:
	case <-printed:
		t.Errorf("got %v and no seat, want one; output:\n%s\n%s", coco.Wait(), strings.Join(lines, "\n"), &out)
		bob.Close()
		return m, proxy
	}
	if err := bob.Join(id, "bob"); err != nil {
		t.Fatal(err)
	}
	result, seenByBob, err := bob.Roshambo(func(round int) string { return moves[(round+1)/2%3] })
	if err != nil {
		t.Errorf("bob after %d lines: got %v, want nil", len(seenByBob), err)
	}
	bob.Close()
	<-printed
	if err := coco.Wait(); err != nil {
		t.Errorf("coco: got %v, want nil; output:\n%s\n%s", err, strings.Join(lines, "\n"), &out)
	}
	seen, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	}
	m.seen, m.coco = string(seen), strings.Join(lines, "\n")
	var places []string
	for _, p := range result.Players {
		places = append(places, fmt.Sprint(p.Name, " ", p.Score, " ", p.Rank, " ", p.Ended))
	}
	slices.Sort(places)
	m.result = strings.Join(places, ", ")
	history, err := h.Dial(t).History(id)
	if err != nil {
		t.Fatal(err)
	}
	m.stream = sorted(string(history.Stream))
	return m, proxy
}

// sorted returns a stream of roshambo as if alice had the first seat.
func sorted(stream string) string {
	lines := strings.Split(strings.TrimSuffix(stream, "\n"), "\n")
	if len(lines) > 0 && lines[0] == "bob" {
		lines[0], lines[1] = lines[1], lines[0]
		for i := 3; i+1 < len(lines); i += 2 {
			lines[i], lines[i+1] = lines[i+1], lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// check compares a match with one without cuts.
func check(t *testing.T, what string, got, want match) {
	t.Helper()
	if got.seen != want.seen {
		t.Errorf("%s: the program got %q, want %q", what, got.seen, want.seen)
	}
	if got.result != want.result {
		t.Errorf("%s: got the result %q, want %q", what, got.result, want.result)
	}
	if got.stream != want.stream {
		t.Errorf("%s: got the record %q, want %q", what, got.stream, want.stream)
	}
}

// TestMatchIsTheSameAfterACutAtAnyFrame cuts alice's first connection once at each place
// behind the handshake.
func TestMatchIsTheSameAfterACutAtAnyFrame(t *testing.T) {
	t.Parallel()
	const rounds = 5
	h := programs.StartHost(t, t.TempDir())
	want, proxy := run(t, h, rounds, cutproxy.Pass)
	toServer, toClient := proxy.Frames()
	if len(want.seen) == 0 || strings.Contains(want.coco, "Connection lost") {
		t.Fatalf("without a cut: got %+v, want a match on one connection", want)
	}
	slots := make(chan struct{}, 8) // full: the next match waits
	var running sync.WaitGroup
	var broken atomic.Int64
	for d, frames := range map[cutproxy.Direction]int{cutproxy.ToServer: toServer, cutproxy.ToClient: toClient} {
		for number := 1; number < frames; number++ {
			for _, place := range []cutproxy.Place{cutproxy.Before, cutproxy.Middle, cutproxy.After} {
				slots <- struct{}{}
				running.Go(func() {
					defer func() { <-slots }()
					got, proxy := run(t, h, rounds, cutproxy.Once(d, number, place))
					if proxy.Connections() > 1 {
						broken.Add(1)
					}
					check(t, fmt.Sprintf("cut %v frame %d %v", place, number, d), got, want)
				})
			}
		}
	}
	running.Wait()
	if got, least := broken.Load(), int64(3*2*rounds); got < least {
		t.Errorf("got %d matches with a broken connection, want at least %d", got, least)
	}
}

// TestMatchesSurviveManyCuts plays matches whose player loses its connection several times,
// on a network that also splits and delays. All records can be verified.
func TestMatchesSurviveManyCuts(t *testing.T) {
	t.Parallel()
	const rounds, matches, cuts = 20, 8, 5
	h := programs.StartHost(t, t.TempDir())
	want, _ := run(t, h, rounds, cutproxy.Pass)
	var running sync.WaitGroup
	slots := make(chan struct{}, 25) // full: the next match waits
	for seed := range matches {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			got, _ := run(t, h, rounds, cutproxy.Random(uint64(seed), 0.1, cuts, 3, 10*time.Millisecond))
			check(t, fmt.Sprintf("seed %d", seed), got, want)
		})
	}
	running.Wait()
	records := h.Records(t)
	if len(records) != matches+1 {
		t.Errorf("got %d records, want %d", len(records), matches+1)
	}
	cache := t.TempDir()
	for id := range records {
		if out, err := programs.Tool(t, cache, "--config", h.Config, "--data", h.Data, "verify", id).CombinedOutput(); err != nil {
			t.Errorf("host verify %s: got %v, want nil; output:\n%s", id, err, out)
		}
	}
}
