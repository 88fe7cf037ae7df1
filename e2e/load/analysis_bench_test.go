package load

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// BenchmarkAnalyses compares 20 matches while ended matches are analysed, one after the
// other, to the same without.
func BenchmarkAnalyses(b *testing.B) {
	folder := b.TempDir()
	if err := os.CopyFS(folder, os.DirFS(programs.Plugins)); err != nil {
		b.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "kamisado"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := programs.Build("colosseum/plugins/kamisado", filepath.Join(folder, "kamisado", "kamisado"), false); err != nil {
		b.Fatal(err)
	}
	rounds := perMatch(b, 20)
	compare(b,
		func() figures { return duringAnalyses(b, folder, rounds, true) },
		func() figures { return duringAnalyses(b, folder, rounds, false) })
}

func duringAnalyses(b *testing.B, folder string, rounds int, analyse bool) figures {
	h := programs.StartHostWith(b, b.TempDir(), "plugins: {folders: ["+folder+"]}\nlobby: {matches: 6000}\n")
	defer h.Stop(b, syscall.SIGTERM)
	h.AwaitGame(b, "kamisado")
	ctx, cancel := context.WithCancel(context.Background())
	var analyses sync.WaitGroup
	if analyse {
		var ended []string
		for range 40 { // the host keeps fewer analyses than it could compute here
			ended = append(ended, playKamisado(b, h))
		}
		analyses.Go(func() { // ends with ctx, or when all are analysed
			n := 0
			for _, id := range ended {
				if !awaitAnalysis(ctx, b, h.Page("api/matches/"+id+"/analysis")) {
					break
				}
				n++
			}
			b.Logf("%d analyses", n)
		})
	}
	var players []*programs.Player
	for range 20 {
		pair, err := h.Pair(rounds)
		if err != nil {
			b.Fatal(err)
		}
		players = append(players, pair...)
	}
	f := measure(b, players, 20*rounds, func() [2]float64 { return h.CPU(b) })
	cancel()
	analyses.Wait()
	return f
}

// playKamisado plays a short match and returns its ID.
func playKamisado(b *testing.B, h *programs.Host) string {
	pair, err := h.PairOf(protocol.GameNew{Name: "short", Game: "kamisado", Args: map[string]string{"pace": "0"}})
	if err != nil {
		b.Fatal(err)
	}
	moves := strings.Fields("g1g5 f8g7 a1b2 h8h7 f1f7 e8b5 f7f8")
	for _, p := range pair {
		stream := ""
		for strings.Count(stream, "\n") < 3 {
			name, body, err := p.Next()
			if err != nil {
				b.Fatal(err)
			}
			if name == "" {
				stream += string(body)
			}
		}
		seat := strings.Count(strings.Split(stream, "\n")[2], "1")
		for i := seat; i < len(moves); i += 2 { // in advance: the host keeps them
			if err := p.SendLine(moves[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, p := range pair {
		p.AwaitEnd(b)
		p.Close()
	}
	return pair[0].ID
}

// awaitAnalysis asks for an analysis until it is there or ctx ends.
func awaitAnalysis(ctx context.Context, b *testing.B, url string) bool {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return false
		}
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		text, _ := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		switch reply.StatusCode {
		case http.StatusOK:
			return true
		case http.StatusAccepted, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		default:
			b.Errorf("%s: got status %d: %s", url, reply.StatusCode, text)
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}
