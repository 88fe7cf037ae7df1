package rating

import (
	"runtime"
	"sync"
)

const (
	maxShards = 8
	shardWork = 32_768 // cells of two in a shard
)

// shards returns the number of parts in which sums over all cells are computed. It depends on
// the cells alone, and the parts are added in order, so sums have the same bits with any number
// of processors.
func (l *ledger) shards() int {
	return min(maxShards, 1+(len(l.pairs)+manyWork*len(l.manys))/shardWork)
}

// part returns the bounds of one of n parts of a list.
func part(i, n, length int) (from, to int) { return i * length / n, (i + 1) * length / n }

// parallel calls run for numbers below n, on all processors, and waits.
func parallel(n int, run func(i int)) {
	if n == 1 {
		run(0)
		return
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0)) // full: the next one waits for a processor
	for i := range n {
		slots <- struct{}{}
		wait.Add(1)
		go func() { // ends when its part is computed
			defer func() { <-slots; wait.Done() }()
			run(i)
		}()
	}
	wait.Wait()
}
