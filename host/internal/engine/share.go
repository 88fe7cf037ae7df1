package engine

import (
	"os"
	"runtime"
	"strconv"
	"sync"
)

const procsKey = "GOMAXPROCS"

// Shares returns how many cores the host may use at once, and how many each
// game: half of the machine's, or what GOMAXPROCS says. A process that spreads
// over all cores spends more on waking threads than it wins, since the others
// need them too: with half, a round of roshambo costs a fifth less. And no game's
// bots can keep everybody else from playing. The host has two at least where
// there are two, so that a long answer to a reader keeps no move waiting.
var Shares = sync.OnceValues(func() (host, game int) { // once: the host then takes its own share
	says, cores := os.Getenv(procsKey), runtime.GOMAXPROCS(0)
	return share(says, cores, 2), share(says, cores, 1)
})

func share(says string, cores, least int) int {
	if n, err := strconv.Atoi(says); err == nil && n > 0 {
		return n
	}
	return max((cores+1)/2, min(least, cores))
}
