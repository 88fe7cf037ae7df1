//go:build unix && !linux

package player

// On other systems, process 1 reaps orphans at once.
func adoptOrphans()   {}
func reapOrphans(int) {}

func (*programs) reapStrays() {}
