package load

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

const (
	climbers = 500              // players of the ladder
	measured = 30 * time.Second // after everybody has played about twice
)

// BenchmarkLadder measures what a host with a ladder of 500 players costs: its CPU time
// for a match and as a share of one core, its memory with the game, and the time from the
// end of a match until its player has the next one. The players run in this process.
func BenchmarkLadder(b *testing.B) {
	b.Run("matches of an instant", func(b *testing.B) { climb(b, 1, 0) })
	b.Run("matches of 10 s", func(b *testing.B) { climb(b, 10, 1) })
}

func climb(b *testing.B, rounds int, pace float64) {
	h := programs.StartHostWith(b, b.TempDir(), "plugins: {folders: ["+programs.Plugins+"]}\nplayers: {registration: closed}\nlobby: {matches: 6000}\n")
	run := func(args ...string) string {
		b.Helper()
		cmd := exec.Command(filepath.Join(programs.Bin, "host"), append([]string{"--config", h.Config, "--data", h.Data}, args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("host %s: %v\n%s", args[0], err, &stderr)
		}
		return string(out)
	}
	write := func(name, text string) string {
		path := filepath.Join(b.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		return path
	}
	var names []string
	for i := range climbers {
		names = append(names, fmt.Sprintf("p%03d", i))
	}
	tokens, err := csv.NewReader(strings.NewReader(run("players", "import", write("players.csv", strings.Join(names, "\n"))))).ReadAll()
	if err != nil || len(tokens) != climbers {
		b.Fatalf("got %d tokens, %v, want %d", len(tokens), err, climbers)
	}
	l := &ladder{host: h, rounds: rounds, ended: make(chan struct{}, 1<<20), stop: make(chan struct{})} // never full: more than all matches
	var players sync.WaitGroup
	var conns []*programs.Client
	for _, row := range tokens {
		conn, err := l.dial(row[1])
		if err == nil {
			err = conn.Send(protocol.NameServe, protocol.Serve{Games: []string{"roshambo"}, Concurrency: 1, Challenges: true})
		}
		if err == nil {
			err = conn.Expect(protocol.NameServing, nil)
		}
		if err != nil {
			b.Fatal(err)
		}
		conns = append(conns, conn)
		players.Go(func() { l.serve(conn, row[0], row[1]) }) // ends with the host
	}
	idle := programs.ResidentOf(b, h.Cmd.Process.Pid)
	run("contest", "create", write("ladder.yaml", fmt.Sprintf("name: stairs\ngame: roshambo\nargs: {rounds: %d, pace: %v}\nformat: ladder\nentries: [{bot: default}, {open: true}]\n", rounds, pace)))
	run(append([]string{"contest", "enter", "stairs"}, names...)...)
	for range climbers { // everybody has played about twice
		<-l.ended
	}
	l.take()
	before, begun := h.CPU(b), time.Now()
	matches := 0
	for end := time.After(measured); end != nil; { // not b.N: matches end in bursts, which mislead its choice
		select {
		case <-l.ended:
			matches++
		case <-end:
			end = nil
		}
	}
	took, after := time.Since(begun), h.CPU(b)
	waits, err := l.take()
	b.ReportMetric(float64(programs.ResidentOf(b, h.Cmd.Process.Pid))/1024, "host-MiB")
	b.ReportMetric(float64(idle)/1024, "host-idle-MiB")
	b.ReportMetric(float64(h.Resident(b))/1024, "all-MiB")
	close(l.stop)
	h.Stop(b, os.Kill) // without a drain
	players.Wait()
	for _, c := range conns {
		c.Close()
	}
	if err != nil {
		b.Error(err)
	}
	n := float64(matches)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(n/took.Seconds(), "matches/s")
	b.ReportMetric((after[0]-before[0])/n*1e3, "host-ms/match")
	b.ReportMetric((after[1]-before[1])/n*1e3, "game-ms/match")
	b.ReportMetric((after[0]-before[0])/took.Seconds()*100, "%-of-a-core")
	if len(waits) > 0 {
		slices.Sort(waits)
		b.ReportMetric(waits[len(waits)/2].Seconds()*1e3, "wait-p50-ms")
		b.ReportMetric(waits[len(waits)*99/100].Seconds()*1e3, "wait-p99-ms")
	}
}

// ladder is the players of a ladder.
type ladder struct {
	host   *programs.Host
	rounds int
	ended  chan struct{} // a value for each match that has ended for its first seat
	stop   chan struct{} // closed at the end: errors no longer count

	mu    sync.Mutex // guards the fields below
	waits []time.Duration
	err   error // the first one
}

// take returns the times between matches since the last call.
func (l *ladder) take() ([]time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waits := l.waits
	l.waits = nil
	return waits, l.err
}

// dial connects as a player.
func (l *ladder) dial(token string) (*programs.Client, error) {
	conn, _, err := (&websocket.Dialer{ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10}).Dial(l.host.URL, nil)
	if err != nil {
		return nil, err
	}
	c := &programs.Client{Conn: conn}
	if err := c.Send(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version, Token: token}); err != nil {
		return nil, err
	}
	return c, c.Expect(protocol.NameHandshake, nil)
}

// serve plays the matches that a player is assigned.
func (l *ladder) serve(c *programs.Client, name, token string) {
	var free time.Time // since the end of the last match
	for {
		var m protocol.ServeMatch
		_, err := c.Skip(protocol.NameServeMatch, &m)
		if err == nil {
			if !free.IsZero() {
				l.mu.Lock()
				l.waits = append(l.waits, time.Since(free))
				l.mu.Unlock()
			}
			err = l.play(m.Info.ID, name, token)
			free = time.Now()
		}
		if err != nil {
			select {
			case <-l.stop:
			default:
				l.mu.Lock()
				if l.err == nil {
					l.err = fmt.Errorf("%s: %w", name, err)
				}
				l.mu.Unlock()
			}
			return
		}
	}
}

// play joins a match, and plays ROCK against everybody.
func (l *ladder) play(id, name, token string) error {
	c, err := l.dial(token)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Join(id, name); err != nil {
		return err
	}
	if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
		return err
	}
	for range l.rounds { // a player need not wait for the other one
		if err := c.SendLine("ROCK"); err != nil {
			return err
		}
	}
	var reply protocol.EndedReply
	if _, err := c.Skip(protocol.NameMatchEnded, &reply); err != nil {
		return err
	}
	r := reply.Result
	for _, p := range r.Players {
		if p.Ended != protocol.EndedFinished {
			return fmt.Errorf("the match %s: got %+v, want it finished", id, r)
		}
	}
	if first := r.Players[0].Name; first == name || strings.HasPrefix(first, "ServerBot") {
		l.ended <- struct{}{}
	}
	return nil
}
