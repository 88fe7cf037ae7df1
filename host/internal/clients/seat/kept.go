package seat

// Received forgets the bytes that the player has received.
func (t *Seat) Received(bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if bytes <= t.sent {
		t.dropLocked(bytes)
	}
}

// keepLocked keeps bytes until the player has received them. Beyond the limits they
// are forgotten, and the player can no longer resume.
func (t *Seat) keepLocked(b []byte) {
	if t.ticket == "" || t.over || t.forgotten {
		return
	}
	t.kept = append(t.kept, b...)
	if len(t.kept) > t.set.limits.Backlog || !t.countLocked() {
		t.forgotten, t.kept = true, nil
		t.countLocked()
		if t.conn == nil {
			t.setTimerLocked(0) // the match, which is calling, cannot be called here
		}
	}
}

// reusable is the size, in bytes, of the largest array for kept bytes that is used
// again.
const reusable = 16 << 10

// dropLocked forgets the bytes before an offset in everything that was sent.
func (t *Seat) dropLocked(offset uint64) {
	first := t.sent - uint64(len(t.kept))
	if offset <= first {
		return
	}
	n := int(offset - first)
	rest := t.kept[n:]
	t.dropped += n
	switch {
	case t.dropped < len(rest): // not copied each time: a client can report each byte
		t.kept = rest
	case cap(t.kept) <= reusable:
		t.kept, t.dropped = append(t.kept[:0], rest...), 0
	default:
		t.kept, t.dropped = append([]byte(nil), rest...), 0
	}
	t.countLocked()
}

// keptStep is the step, in bytes, in which seats count what they keep.
const keptStep = 4 << 10

// countLocked updates the sum of the bytes that all seats keep. It returns false if
// the seat keeps more than before, and the sum is beyond the limit for all clients.
func (t *Seat) countLocked() bool {
	n := (len(t.kept) + keptStep - 1) / keptStep * keptStep
	if n == t.counted {
		return true
	}
	more := int64(n - t.counted)
	t.counted = n
	sum, limit := t.set.kept.Add(more), t.set.limits.Backlogs
	return more < 0 || limit == 0 || sum <= limit
}
