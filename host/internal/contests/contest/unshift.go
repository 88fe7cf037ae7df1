package contest

// unshift applies that an event of Shift no longer holds.
func (s *State) unshift(int64) error { return errNewer }
