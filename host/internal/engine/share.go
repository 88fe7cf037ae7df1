package engine

import (
	"os"
	"runtime"
	"strconv"
	"sync"
)

const procsKey = "GOMAXPROCS"

// Share is how many cores the host may use at once, and each game: half of
// the machine's, or what GOMAXPROCS says. A process that spreads over all cores
// spends more on waking threads than it wins, since the others need them too:
// with half, a round of roshambo costs a fifth less. And no game's bots can
// keep everybody else from playing.
var Share = sync.OnceValue(func() int { // once: the host then takes its own share
	return share(os.Getenv(procsKey), runtime.GOMAXPROCS(0))
})

func share(asked string, cores int) int {
	if n, err := strconv.Atoi(asked); err == nil && n > 0 {
		return n
	}
	return (cores + 1) / 2
}
