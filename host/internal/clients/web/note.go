package web

import "colosseum/protocol"

// note handles a MatchNote.
func (s *session) note(c call) error {
	var r protocol.MatchNote
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	c.seat.Note(s.forSeats, r.Text)
	return nil
}
