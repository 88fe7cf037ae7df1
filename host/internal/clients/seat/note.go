package seat

// Note adds a note to the next line of the player, which came on the given connection.
func (t *Seat) Note(c *Conn, text string) {
	t.mu.Lock()
	m, number := t.match, t.number
	if t.conn != c {
		m = nil
	}
	t.mu.Unlock()
	if m != nil {
		m.Note(number, text)
	}
}
