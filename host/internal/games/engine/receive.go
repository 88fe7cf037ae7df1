package engine

import (
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"colosseum/sdk/wire"
)

// receive gives every frame to the receiver of its match.
func (g *Game) receive() {
	var receivers []Receiver
	for {
		frames, err := g.conn.Read()
		if err != nil {
			g.lost(err)
			return
		}
		var last uint64
		receivers, last = g.find(frames, receivers[:0])
		for i, f := range frames {
			if receivers[i] == nil && !g.strays.add(g.log, f.Match, last) {
				g.lost(errStrays)
				return
			}
		}
		deliver(frames, receivers)
		clear(receivers)
	}
}

// find appends the receiver of each frame to receivers, nil for that of a match that has
// ended or never existed. It also returns the number of the last match.
func (g *Game) find(frames []*wire.GameFrame, receivers []Receiver) ([]Receiver, uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range frames {
		receivers = append(receivers, g.matches[f.Match])
		if f.End != nil {
			delete(g.matches, f.Match)
		}
	}
	return receivers, g.last
}

// share is the least number of frames for which another goroutine is worth its start.
const share = 32

// deliver gives the frames to their receivers, and returns when all have them. Matches
// handle their frames at once, so those of many are handled on several cores.
func deliver(frames []*wire.GameFrame, receivers []Receiver) {
	parts := max(1, min(runtime.GOMAXPROCS(0), len(frames)/share))
	give := func(part int) {
		for i, f := range frames {
			if receivers[i] != nil && f.Match%uint64(parts) == uint64(part) {
				receivers[i].Put(f.Frame)
			}
		}
	}
	var others sync.WaitGroup
	for part := 1; part < parts; part++ {
		others.Go(func() { give(part) })
	}
	give(0)
	others.Wait()
}

// Matches that the host has just stopped leave at most some hundred thousand
// frames. A child that sends more than maxStrays frames for unknown matches within
// strayTime is broken and would burn a core, so it is killed.
const (
	maxStrays = 1 << 20
	strayTime = 10 * time.Second
)

// strays counts frames for unknown matches.
type strays struct {
	frames int
	since  time.Time
	logged bool
}

// add counts a frame for a match that has ended or never existed; last is the
// number of the last match. It returns false when there are too many.
func (s *strays) add(log *slog.Logger, match, last uint64) bool {
	if (match == 0 || match > last) && !s.logged {
		s.logged = true
		log.Error("the game broke the rules of the wire", "error", fmt.Sprintf("it sent a frame of match %d, and there were only %d", match, last))
	}
	if now := time.Now(); now.Sub(s.since) > strayTime {
		s.frames, s.since = 0, now
	}
	s.frames++
	return s.frames <= maxStrays
}
