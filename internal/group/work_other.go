//go:build !linux

package group

import "time"

// Work is described for Linux.
func (g *Group) Work() time.Duration { return 0 }
