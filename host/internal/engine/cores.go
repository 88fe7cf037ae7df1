package engine

import (
	"os"
	"runtime"
	"strconv"
	"sync"
)

const procsKey = "GOMAXPROCS"

// Cores returns how many cores the host may use at once, and how many each
// game: half of the machine's, rounded up, or the value of GOMAXPROCS. A process
// that spreads over all cores spends more on waking threads than it gains, since
// the others need them too: with half of them a round of roshambo costs a fifth
// less. And no game's bots can keep everybody else from playing. The host
// has at least two where there are two, so that a long answer to a reader delays
// no move.
//
// The result does not change when the host sets its own GOMAXPROCS.
var Cores = sync.OnceValues(func() (host, game int) {
	setting, cores := os.Getenv(procsKey), runtime.GOMAXPROCS(0)
	return coresOf(setting, cores, 2), coresOf(setting, cores, 1)
})

// coresOf returns the number of cores for one process on a machine with some
// cores; setting is the value of GOMAXPROCS.
func coresOf(setting string, cores, least int) int {
	if n, err := strconv.Atoi(setting); err == nil && n > 0 {
		return n
	}
	return max((cores+1)/2, min(least, cores))
}
