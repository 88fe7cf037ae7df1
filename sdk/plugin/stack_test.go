//go:build unix

package plugin

import (
	"runtime"
	"testing"
	"time"

	"colosseum/internal/test/race"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

func TestStackOfAWaitingRefereeHasAtMost4KiB(t *testing.T) {
	if race.On {
		t.Skip("the race detector makes stacks larger")
	}
	const matches, turns, most = 300, 3, 6 << 10 // bytes, with what the system of stacks needs besides
	game := digits()
	conn := overSocket(t, &game)
	before := stacks()
	for n := range uint64(matches) {
		conn.PushNow(wire.HostFrame{Match: n + 1, Start: &driver.Setup{
			Settings: driver.Settings{Players: 1, Timeout: 10, Params: map[string]string{"rounds": "1000"}}, Names: []string{"P0"}, Stall: time.Hour,
		}})
	}
	for asked := 0; asked < matches*turns; {
		frames, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			if asked++; asked <= matches*(turns-1) {
				conn.PushNow(wire.HostFrame{Match: f.Match, Answers: []driver.Answer{{Line: "1"}}})
			}
		}
	}
	if each := (stacks() - before) / matches; each > most {
		t.Errorf("got %d bytes of stacks for each match that waits, want at most %d", each, most)
	}
}

// stacks returns the bytes of all stacks.
func stacks() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.StackInuse)
}
