package store

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// Result is the result of one match of a contest. It is written in the same
// transaction as the match's record, and stays when the record is removed.
type Result struct {
	Number       int64 // grows with each result in the file
	Contest      string
	Pairing, Leg int
	Attempt      int    // how often an organizer had the leg played again before this match
	Match        string // its ID
	Ended        time.Time
	Aborted      bool
	Seats        []ResultSeat
}

// ResultSeat is the result of one seat.
type ResultSeat struct {
	Entry int // its number in the contest
	Rank  int
	Score float64
	Ended driver.Ended
	// Version is that of the program that the player had handed in; 0: none.
	Version int
	// Team is that of the record. Results from before teams were stored have none: in
	// them each seat plays for itself.
	Team int
}

// resultOf returns the parameters of the statement that adds a result.
func resultOf(r *record.Match) []any {
	var seats []ResultSeat
	for i, s := range r.Seats {
		seats = append(seats, ResultSeat{Entry: r.Fixture.Entries[i], Rank: s.Rank, Score: s.Score, Ended: s.Ended, Version: s.Version, Team: s.Team})
	}
	return []any{r.Fixture.Contest, r.Fixture.Pairing, r.Fixture.Leg, r.Fixture.Attempt, r.ID, nanos(r.Ended), r.State == record.Aborted, encodeResult(seats)}
}

// resultEndings are the values of ResultSeat.Ended that are stored as a number, their index.
// They never change; more can be added.
var resultEndings = []driver.Ended{driver.EndedFinished, driver.EndedAborted,
	"forfeit: illegal", "forfeit: timeout", "forfeit: disconnected", "forfeit: resigned"}

// Both are above all numbers of endings, and one byte as a varint with each of them.
const (
	teamed    = 32
	versioned = 64
)

// encodeResult returns for each seat varints of encoding/binary: the entry, the rank
// (signed), the bits of the score with its bytes reversed, because short numbers end
// with zeros, and how it ended: 1 + the index in resultEndings, or 0, the number of
// bytes of a text, and the text. A seat with a version has versioned added to that
// number, and the version behind; one with a team has teamed added, and the team at its end.
func encodeResult(seats []ResultSeat) []byte {
	b := make([]byte, 0, 8*len(seats)) // not nil, which would be NULL
	for _, s := range seats {
		b = binary.AppendUvarint(b, uint64(s.Entry))
		b = binary.AppendVarint(b, int64(s.Rank))
		b = binary.AppendUvarint(b, bits.ReverseBytes64(math.Float64bits(s.Score)))
		i := slices.Index(resultEndings, s.Ended)
		ended := uint64(i + 1)
		if s.Version > 0 {
			ended |= versioned
		}
		if s.Team > 0 {
			ended |= teamed
		}
		b = binary.AppendUvarint(b, ended)
		if i < 0 {
			b = binary.AppendUvarint(b, uint64(len(s.Ended)))
			b = append(b, s.Ended...)
		}
		if s.Version > 0 {
			b = binary.AppendUvarint(b, uint64(s.Version))
		}
		if s.Team > 0 {
			b = binary.AppendUvarint(b, uint64(s.Team))
		}
	}
	return b
}

var errDamagedResult = errors.New("the recorded bytes are damaged")

// decodeResult is the reverse of encodeResult. It fails for other bytes.
func decodeResult(b []byte) ([]ResultSeat, error) {
	seats := make([]ResultSeat, 0, 2)
	failed := false
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			failed, n = true, len(b)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		s := ResultSeat{Entry: int(next())}
		rank := next()
		s.Rank = int(int64(rank>>1) ^ -int64(rank&1)) // as binary.Varint
		s.Score = math.Float64frombits(bits.ReverseBytes64(next()))
		code := next()
		switch ended := code &^ (versioned | teamed); {
		case ended > uint64(len(resultEndings)):
			failed = true
		case ended > 0:
			s.Ended = resultEndings[ended-1]
		default:
			n := next()
			if n > uint64(len(b)) {
				failed, n = true, 0
			}
			s.Ended, b = driver.Ended(b[:n]), b[n:]
		}
		if code&versioned != 0 {
			s.Version = int(next())
			failed = failed || s.Version <= 0
		}
		if code&teamed != 0 {
			s.Team = int(next())
			failed = failed || s.Team <= 0
		}
		if failed || s.Entry < 0 {
			return nil, errDamagedResult
		}
		seats = append(seats, s)
	}
	return seats, nil
}
