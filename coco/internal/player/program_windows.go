package player

// groupAlive returns false: the members of a job that was killed are gone.
func groupAlive(int) bool { return false }

func adoptOrphans() {}

func (*programs) reapStrays() {}
