package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

// The benchmarks below play roshambo with pace 0 on a real host, and report
// rounds per second of all matches together, the time of a round as a player
// sees it, and the CPU time that host and game spend on a round. The clients
// share the machine. Each is measured beside something else in the same run,
// in turns, since a machine is not always as fast: the ratios are what counts.

// BenchmarkRounds measures against a floor: the same moves through a bare relay
// without lobby, match, record or game. x-rate is our rate divided by the
// floor's, x-cpu our CPU time, of host and game, divided by the floor's, over-µs
// what our median round takes more.
func BenchmarkRounds(b *testing.B) {
	for _, matches := range []int{1, 10, 100, 400, 1000} {
		b.Run(fmt.Sprintf("matches=%d", matches), func(b *testing.B) {
			rounds := perMatch(b, matches)
			compare(b,
				func() figures { return load{matches: matches, rounds: rounds}.play(b) },
				func() figures { return floorRounds(b, matches, rounds) })
		})
	}
}

// BenchmarkMany measures 1,000 matches against 100.
func BenchmarkMany(b *testing.B) {
	compare(b,
		func() figures { return load{matches: 1000, rounds: perMatch(b, 1000)}.play(b) },
		func() figures { return load{matches: 100, rounds: perMatch(b, 100)}.play(b) })
}

// BenchmarkSpectators measures 100 matches with spectators against the same
// without, and with some that stop reading against the same without those.
func BenchmarkSpectators(b *testing.B) {
	b.Run("10 each", func(b *testing.B) {
		rounds := perMatch(b, 100)
		compare(b,
			func() figures { return load{matches: 100, rounds: rounds, spectators: 10}.play(b) },
			func() figures { return load{matches: 100, rounds: rounds}.play(b) })
	})
	b.Run("10 and one stalled", func(b *testing.B) {
		rounds := perMatch(b, 100)
		compare(b,
			func() figures { return load{matches: 100, rounds: rounds, spectators: 10, stalled: 1}.play(b) },
			func() figures { return load{matches: 100, rounds: rounds, spectators: 10}.play(b) })
	})
}

// BenchmarkScriptRounds measures the game as a script against the compiled one.
func BenchmarkScriptRounds(b *testing.B) {
	rounds := perMatch(b, 100)
	compare(b,
		func() figures { return load{matches: 100, rounds: rounds, script: true}.play(b) },
		func() figures { return load{matches: 100, rounds: rounds}.play(b) })
}

// turns is how often two things are measured, one after the other.
const turns = 3

// perMatch shares b.N rounds out among matches, and turns.
func perMatch(b *testing.B, matches int) int { return min(max(b.N/matches/turns, 1), 9999) }

// compare reports the medians of ours, and of its ratios to other.
func compare(b *testing.B, ours, other func() figures) {
	got := map[string][]float64{}
	for range turns {
		f, base := ours(), other()
		for unit, value := range map[string]float64{
			"rounds/s": f.rate, "p50-µs": f.p50, "p99-µs": f.p99, "p99/p50": f.p99 / f.p50,
			"host-µs/round": f.host, "game-µs/round": f.game, "other-µs/round": base.host + base.game, "other-rounds/s": base.rate,
			"x-rate": f.rate / base.rate, "x-cpu": (f.host + f.game) / (base.host + base.game), "over-µs": f.p50 - base.p50,
		} {
			got[unit] = append(got[unit], value)
		}
	}
	for unit, values := range got {
		slices.Sort(values)
		b.ReportMetric(values[turns/2], unit)
	}
	b.ReportMetric(0, "ns/op")
}

// figures are what one run measured; times in µs.
type figures struct{ rate, p50, p99, host, game float64 }

// load is what is played on a host.
type load struct {
	matches, rounds int
	spectators      int // of each match, who read all
	stalled         int // of each match, who read nothing
	script          bool
}

func (l load) play(b *testing.B) figures {
	config := "plugins: {folders: [" + plugins + "]}\nlobby: {matches: 6000}\n"
	if l.script {
		folder := b.TempDir()
		if err := os.CopyFS(filepath.Join(folder, "roshambo"), os.DirFS("../plugins/roshambo")); err != nil {
			b.Fatal(err)
		}
		config = "plugins: {folders: [" + folder + "], mode: script}\n"
	}
	h := startHostWith(b, b.TempDir(), config)
	defer h.stop(b, syscall.SIGTERM)
	var players []*bencher
	var watchers []*client
	for range l.matches {
		pair, err := h.pair(l.rounds)
		if err != nil {
			b.Fatal(err)
		}
		players = append(players, pair...)
		for n := range l.spectators + l.stalled {
			c, err := h.spectate(pair[0].id)
			if err != nil {
				b.Fatal(err)
			}
			watchers = append(watchers, c)
			if n < l.spectators {
				go c.drain() // ends with the connection
			}
		}
	}
	f := measure(b, players, l.rounds*l.matches, func() [2]float64 { return h.cpu(b) })
	for _, c := range watchers {
		c.close()
	}
	return f
}

// spectate watches a match.
func (h *host) spectate(id string) (*client, error) {
	c, err := dial(h.url)
	if err != nil {
		return nil, err
	}
	if err := c.send(protocol.NameSpectateJoin, protocol.MatchID{ID: id}); err != nil {
		return nil, err
	}
	var reply protocol.JoinedReply
	if err := c.expect(protocol.NameSpectateJoined, &reply); err != nil {
		return nil, err
	}
	_, err = reply.Info.Get()
	return c, err
}

// drain reads until the connection ends.
func (c *client) drain() {
	for {
		_, r, err := c.conn.NextReader()
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r)
	}
}

// floorRounds plays through the relay.
func floorRounds(b *testing.B, matches, rounds int) figures {
	cmd := exec.Command("relay")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	var players []*bencher
	for range matches {
		for range 2 {
			conn, _, err := websocket.DefaultDialer.Dial("ws://"+strings.TrimSpace(address), nil)
			if err != nil {
				b.Fatal(err)
			}
			players = append(players, &bencher{client: &client{conn}, rounds: rounds, bare: true})
		}
	}
	return measure(b, players, rounds*matches, func() [2]float64 { return [2]float64{cpuOf(b, cmd.Process.Pid), 0} })
}

// measure lets all players play.
func measure(b *testing.B, players []*bencher, total int, cpu func() [2]float64) figures {
	before := cpu()
	begin := time.Now()
	var wait sync.WaitGroup
	for _, p := range players {
		wait.Go(p.play)
	}
	wait.Wait()
	took := time.Since(begin)
	after := cpu()
	var times []time.Duration
	for _, p := range players {
		if p.err != nil {
			b.Fatal(p.err)
		}
		times = append(times, p.times...)
		p.close()
	}
	slices.Sort(times)
	micro := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	return figures{
		rate: float64(total) / took.Seconds(), p50: micro(times[len(times)/2]), p99: micro(times[len(times)*99/100]),
		host: (after[0] - before[0]) / float64(total) * 1e6, game: (after[1] - before[1]) / float64(total) * 1e6,
	}
}

// relay is the floor: it pairs connections as they come and passes what one
// says on to the other.
func relay() {
	upgrader := websocket.Upgrader{ReadBufferSize: 512, WriteBufferSize: 1024, WriteBufferPool: &sync.Pool{}}
	waiting := make(chan *websocket.Conn, 1)
	pass := func(from, to *websocket.Conn) {
		buffer := make([]byte, 4096)
		for {
			_, r, err := from.NextReader()
			if err != nil {
				_ = to.Close()
				return
			}
			n, _ := io.ReadFull(r, buffer) // one short line
			if err := to.WriteMessage(websocket.BinaryMessage, buffer[:n]); err != nil {
				return
			}
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		select {
		case other := <-waiting:
			go pass(conn, other)
			go pass(other, conn)
		default:
			waiting <- conn
		}
	})))
}

// bencher is a player that does as little as possible.
type bencher struct {
	*client
	id     string // of the match
	rounds int
	bare   bool // no names come before the match, and no result after it
	times  []time.Duration
	err    error
}

// pair creates a match and joins it with two players.
func (h *host) pair(rounds int) ([]*bencher, error) {
	creator, err := dial(h.url)
	if err != nil {
		return nil, err
	}
	id, err := creator.create(protocol.GameNew{Game: "roshambo", Args: map[string]string{"rounds": strconv.Itoa(rounds), "pace": "0"}})
	if err != nil {
		return nil, err
	}
	other, err := dial(h.url)
	if err != nil {
		return nil, err
	}
	pair := []*bencher{{client: creator, id: id, rounds: rounds}, {client: other, id: id, rounds: rounds}}
	for i, p := range pair {
		if err := p.join(id, fmt.Sprintf("p%d", i)); err != nil {
			return nil, err
		}
	}
	for _, p := range pair {
		if _, err := p.skip(protocol.NameMatchStarted, nil); err != nil {
			return nil, err
		}
	}
	return pair, nil
}

// play sends a move and reads the other's, rounds times.
func (p *bencher) play() {
	move := []byte("ROCK\n")
	buffer := make([]byte, 4096)
	lines := -3 // names and number of rounds come first
	if p.bare {
		lines = 0
	}
	read := func() error {
		for {
			kind, r, err := p.conn.NextReader()
			if err != nil {
				return err
			}
			for {
				n, err := r.Read(buffer)
				if kind == websocket.BinaryMessage {
					lines += bytes.Count(buffer[:n], []byte{'\n'})
				} else if bytes.Contains(buffer[:n], []byte(protocol.NameMatchEnded)) {
					lines = p.rounds + 1
				}
				if err != nil {
					break
				}
			}
			if kind == websocket.BinaryMessage || lines > p.rounds {
				return nil
			}
		}
	}
	for lines < 0 && p.err == nil {
		p.err = read()
	}
	for round := 0; round < p.rounds && p.err == nil; {
		begin := time.Now()
		if p.err = p.conn.WriteMessage(websocket.BinaryMessage, move); p.err != nil {
			return
		}
		for round++; lines < round && p.err == nil; {
			p.err = read()
		}
		p.times = append(p.times, time.Since(begin))
	}
	for !p.bare && lines <= p.rounds && p.err == nil {
		p.err = read()
	}
}

// cpu returns the CPU seconds of the host and of its games so far.
func (h *host) cpu(t testing.TB) [2]float64 {
	t.Helper()
	var seconds [2]float64
	seconds[0] = cpuOf(t, h.cmd.Process.Pid)
	for _, child := range h.children {
		seconds[1] += cpuOf(t, child)
	}
	return seconds
}

func cpuOf(t testing.TB, pid int) float64 {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	const ticks = 100 // per second, on every Linux
	return float64(user+system) / ticks
}
