package lobby

// Spectate adds a spectator to a match. The error is for the client.
func (l *Lobby) Spectate(s Spectator, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.findLocked(id)
	if err != nil {
		return err
	}
	e.spectators[s] = 1
	e.info.Spectators++
	l.generation.Add(1)
	if e.info.Running {
		s.Watching(e.info, e.stream)
	} else {
		s.Watching(e.info, nil)
	}
	l.updateLocked(e)
	return nil
}

// Unspectate ends Spectate.
func (l *Lobby) Unspectate(s Spectator, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil {
		return
	}
	if n, ok := e.spectators[s]; ok {
		delete(e.spectators, s)
		e.info.Spectators -= n
		l.generation.Add(1)
		l.updateLocked(e)
	}
}

// CountAs makes a spectator of a match count as n spectators: it is a relay of another
// host, which has n of them.
func (l *Lobby) CountAs(s Spectator, id string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil {
		return
	}
	if before, ok := e.spectators[s]; ok && before != n {
		e.spectators[s] = n
		e.info.Spectators += n - before
		l.generation.Add(1)
		l.updateLocked(e)
	}
}
