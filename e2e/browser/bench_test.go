package browser

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

// BenchmarkFirstBoard opens the page of a running match with an empty cache, and
// reports the time until the board is drawn and the bytes and files sent for it.
func BenchmarkFirstBoard(b *testing.B) {
	needBrowser(b)
	for _, game := range []string{"roshambo", "royalur"} {
		b.Run(game, func(b *testing.B) {
			h := serve(b, folder(b, []string{game}, nil), b.TempDir(), "127.0.0.1:0")
			alice := dial(b, h)
			alice.send(protocol.NameGameNew, protocol.GameNew{Name: "bench", Game: game, Params: protocol.GameParams{Bots: 1}})
			var reply protocol.GameNewReply
			alice.until(protocol.NameGameNew, &reply)
			id, err := reply.ID.Get()
			if err != nil {
				b.Fatal(err)
			}
			alice.join(id, "alice")
			var board, bytes, files float64
			for b.Loop() {
				w := open(b, 1200, 900)
				w.visit(h.url + "/match/" + id)
				w.await("performance.getEntriesByName('board').length")
				var ms, size, n float64
				w.eval("performance.getEntriesByName('board')[0].startTime", &ms)
				const entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
				w.eval(entries+".reduce((sum, e) => sum + e.transferSize, 0)", &size)
				w.eval(entries+".length", &n)
				board, bytes, files = board+ms, bytes+size, files+n
			}
			b.ReportMetric(board/float64(b.N), "ms/board")
			b.ReportMetric(bytes/float64(b.N)/1024, "KiB/page")
			b.ReportMetric(files/float64(b.N), "files/page")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSpectators plays one match of roshambo with many spectators at full speed.
func BenchmarkSpectators(b *testing.B) {
	needBrowser(b) // which built the host
	for _, spectators := range []int{0, 1, 100, 1000} {
		b.Run(strconv.Itoa(spectators), func(b *testing.B) {
			h := serve(b, folder(b, []string{"roshambo"}, nil), b.TempDir(), "127.0.0.1:0")
			const rounds = 2000
			for b.Loop() {
				alice := dial(b, h)
				id := alice.create("watched", rounds, 1)
				alice.join(id, "alice") // a waiting match would send an update for each spectator
				before := h.memory(b)
				var ended, ready sync.WaitGroup
				for range spectators {
					ended.Add(1)
					ready.Add(1)
					go func() { // ends with the match
						defer ended.Done()
						watch(b, h, id, ready.Done)
					}()
				}
				ready.Wait()
				if spectators > 0 {
					b.ReportMetric((h.memory(b)-before)/float64(spectators), "KiB/spectator")
				}
				used := h.seconds(b)
				for range rounds {
					alice.play("ROCK")
					alice.until("", nil)
				}
				ended.Wait()
				b.ReportMetric((h.seconds(b)-used)/rounds*1e6, "host-µs/round")
			}
			b.ReportMetric(rounds*float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// watch reads a match to its end, and checks the number of lines.
func watch(b *testing.B, h *host, id string, ready func()) {
	conn, _, err := new(websocket.Dialer).Dial("ws"+strings.TrimPrefix(h.url, "http"), nil)
	if err != nil {
		b.Error(err)
		ready()
		return
	}
	defer conn.Close()
	_ = conn.WriteMessage(websocket.TextMessage, protocol.Encode(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version})) // reading returns the error
	_ = conn.WriteMessage(websocket.TextMessage, protocol.Encode(protocol.NameSpectateJoin, protocol.MatchID{ID: id}))
	lines := 0
	for {
		kind, message, err := conn.ReadMessage()
		if err != nil {
			b.Error(err)
			return
		}
		if kind == websocket.BinaryMessage {
			lines += strings.Count(string(message), "\n")
			continue
		}
		switch name, _, _ := protocol.Split(message); name {
		case protocol.NameSpectateJoined:
			ready()
		case protocol.NameSpectateEnded:
			if lines != 3+2*2000 {
				b.Errorf("got %d lines, want %d", lines, 3+2*2000)
			}
			return
		}
	}
}

// memory returns the resident memory of the host's process in KiB.
func (h *host) memory(b *testing.B) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.cmd.Process.Pid))
	m := regexp.MustCompile(`VmRSS:\s+(\d+)`).FindSubmatch(text)
	if err != nil || m == nil {
		b.Skip("the system has no /proc/PID/status")
	}
	n, _ := strconv.ParseFloat(string(m[1]), 64) // digits
	return n
}

// seconds returns the CPU time of the host's process, without its games.
func (h *host) seconds(b *testing.B) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.cmd.Process.Pid))
	if err != nil {
		b.Skip("the system has no /proc/PID/stat")
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.ParseFloat(fields[11], 64) // clock ticks, 100 a second
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}
