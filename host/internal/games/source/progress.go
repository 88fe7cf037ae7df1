package source

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// How the progress of the go command is judged.
const (
	looks    = 50            // at its work, in the time limit
	leastCPU = 200           // the part of the limit that is progress: a command that waits uses less, one on a busy machine more
	mostCPU  = 2 * time.Hour // of one command; a compiler that needs more does not end
)

// work is what a command has done.
type work struct {
	cpu    time.Duration // 0 on systems that do not tell
	output int64         // bytes
}

// errStalled and errEndless are why the go command was stopped.
var (
	errStalled = errors.New("the go command made no progress")
	errEndless = fmt.Errorf("the go command used %v of CPU time without an end", mostCPU)
)

// supervise returns nil when done is closed, or an error if the command must be stopped:
// it made no progress for the time limit, whatever the time that it has taken.
func supervise(done <-chan struct{}, limit time.Duration, look func() work) error {
	ticker := time.NewTicker(max(limit/looks, time.Millisecond))
	defer ticker.Stop()
	progress, at := look(), time.Now()
	for {
		select {
		case <-done:
			return nil
		case <-ticker.C:
		}
		switch now := look(); {
		case now.cpu > mostCPU:
			return errEndless
		case now.output > progress.output || now.cpu-progress.cpu >= limit/leastCPU && now.cpu > progress.cpu:
			progress, at = now, time.Now()
		case time.Since(at) >= limit:
			return fmt.Errorf("%w for %v (plugins.build_timeout)", errStalled, limit)
		}
	}
}

// counted is a head whose bytes another goroutine can count.
type counted struct {
	head
	bytes atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return c.head.Write(p)
}
