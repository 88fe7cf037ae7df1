package browser

import (
	"bytes"
	"strconv"
	"sync"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// BenchmarkFirstBoard opens the page of a running match with an empty cache, and
// reports the time until the board is drawn and the bytes and files sent for it.
func BenchmarkFirstBoard(b *testing.B) {
	needBrowser(b)
	for _, game := range []string{"roshambo", "royalur"} {
		b.Run(game, func(b *testing.B) {
			h := serve(b, folder(b, []string{game}, nil), "", b.TempDir())
			_, id := h.Join(b, protocol.GameNew{Name: "bench", Game: game, Params: protocol.GameParams{Bots: 1}}, "alice")
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
	needBrowser(b) // without one, the host is not built
	for _, spectators := range []int{0, 1, 100, 1000} {
		b.Run(strconv.Itoa(spectators), func(b *testing.B) {
			h := serve(b, folder(b, []string{"roshambo"}, nil), "", b.TempDir())
			const rounds = 2000
			for b.Loop() {
				alice := dial(b, h)
				id := alice.create("watched", rounds, 1)
				alice.join(id, "alice") // a waiting match would send an update for each spectator
				pid := h.Cmd.Process.Pid
				before := programs.ResidentOf(b, pid)
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
					b.ReportMetric(float64(programs.ResidentOf(b, pid)-before)/float64(spectators), "KiB/spectator")
				}
				used := programs.CPUOf(b, pid)
				for range rounds {
					alice.play("ROCK")
					for name := " "; name != ""; { // up to the next bytes of the match
						var err error
						if name, _, err = alice.Next(); err != nil {
							b.Fatal(err)
						}
					}
				}
				ended.Wait()
				b.ReportMetric((programs.CPUOf(b, pid)-used)/rounds*1e6, "host-µs/round")
			}
			b.ReportMetric(rounds*float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// watch reads a match to its end, and checks the number of lines.
func watch(b *testing.B, h *host, id string, ready func()) {
	c, err := h.Spectate(id)
	ready()
	if err != nil {
		b.Error(err)
		return
	}
	defer c.Close()
	stream, err := c.Skip(protocol.NameSpectateEnded, nil)
	if lines, want := bytes.Count(stream, []byte{'\n'}), 3+2*2000; err != nil || lines != want {
		b.Errorf("got %d lines, %v, want %d", lines, err, want)
	}
}
