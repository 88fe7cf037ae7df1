package engine

import (
	"os"
	"runtime"
	"strconv"
	"sync"
)

const procsKey = "GOMAXPROCS"

// Cores returns how many cores the host and each game can use at once: half of the
// machine's, rounded up, or the value of GOMAXPROCS. A process that uses all cores
// spends more on waking threads than it gains: with half of them a round of roshambo
// costs a fifth less. The bots of one game also cannot delay everyone else. On a
// machine with several cores the host gets at least two, so that a long answer to a
// reader delays no move.
//
// The result does not change when the host sets its own GOMAXPROCS.
var Cores = sync.OnceValues(func() (host, game int) {
	setting, cores := os.Getenv(procsKey), runtime.GOMAXPROCS(0)
	return coresOf(setting, cores, 2), coresOf(setting, cores, 1)
})

// coresOf returns the number of cores for a process; setting is the value of
// GOMAXPROCS. A machine with fewer than least cores gives all of them.
func coresOf(setting string, cores, least int) int {
	if n, err := strconv.Atoi(setting); err == nil && n > 0 {
		return n
	}
	return max((cores+1)/2, min(least, cores))
}
