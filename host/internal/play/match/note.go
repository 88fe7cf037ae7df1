package match

import "colosseum/sdk/driver"

// notes are the notes of one player, which come before its lines. The mu of the match guards
// them.
type notes struct {
	next  string // about the next line
	taken string // with the line that was taken last, until it is in the record
}

// Note adds a note to the next line of the player on a seat, instead of one that no line has
// taken. The record has it.
func (m *Match) Note(number int, text string) {
	text = driver.CleanNote(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seats[number].next = text
}

// nextLocked returns the note about a line that has come.
func (n *notes) nextLocked() (note string) {
	note, n.next = n.next, ""
	return note
}
