package web

import (
	"colosseum/host/internal/base/limit"
)

// readWait is how long a session's request waits for points: the protocol has
// no refusal of most requests, and a client has one of them at a time.
const readWait = requestTimeout

// takePoints waits for the points of a request, or returns why it is refused.
func (s *session) takePoints(n int) error {
	if n == 0 {
		return nil
	}
	wait, refused := s.shared.readers.Take(s.from, n, readWait)
	switch refused {
	case limit.Reads:
		return errTooManyReads
	case limit.HostReads:
		return errTooManyHostReads
	}
	s.out.Sleep(wait)
	return nil
}

// charge takes the points for the length of an answer.
func (s *session) charge(bytes int) { s.shared.readers.Charge(s.from, bytes) }

// allowMatch returns an error if the client's address has created too many matches.
func (s *session) allowMatch() error {
	if !s.from.AllowMatch() {
		s.shared.count(limit.NewMatches)
		return errTooManyNewMatches
	}
	return nil
}

// historyPoints is the cost of reading a record.
const historyPoints = 2
