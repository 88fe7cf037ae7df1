//go:build !linux

package group

import "time"

// Work is described for Linux.
func (g *Group) Work() time.Duration { return 0 }

// LeaderWork is described for Linux.
func (g *Group) LeaderWork() (work time.Duration, known bool) { return 0, false }
