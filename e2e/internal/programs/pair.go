package programs

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// Spectate connects a spectator of a match.
func (h *Host) Spectate(id string) (*Client, error) {
	c, err := Dial(h.URL)
	if err != nil {
		return nil, err
	}
	if err := c.spectate(id); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) spectate(id string) error {
	if err := c.Send(protocol.NameSpectateJoin, protocol.MatchID{ID: id}); err != nil {
		return err
	}
	var reply protocol.JoinedReply
	if err := c.Expect(protocol.NameSpectateJoined, &reply); err != nil {
		return err
	}
	_, err := reply.Info.Get()
	return err
}

// Drain reads until the connection is closed.
func (c *Client) Drain() {
	for {
		_, r, err := c.Conn.NextReader()
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r)
	}
}

// Player is a client that plays a match. Its method Play uses little CPU time.
type Player struct {
	*Client
	ID     string // of the match
	Rounds int
	Bare   bool            // through a relay: no header, and no result
	Times  []time.Duration // of the rounds played
	Err    error
}

// Pair starts a match of roshambo between two players, with 600 s for an answer.
func (h *Host) Pair(rounds int) ([]*Player, error) { return h.PairIn(rounds, 600) }

// PairIn is Pair with timeout seconds for an answer.
func (h *Host) PairIn(rounds int, timeout float64) ([]*Player, error) {
	r := Roshambo(rounds, 0)
	r.Params.Timeout = &timeout
	pair, err := h.PairOf(r)
	for _, p := range pair {
		p.Rounds = rounds
	}
	return pair, err
}

// PairOf creates a match for two players, p0 and p1, and returns them when it has
// started.
func (h *Host) PairOf(r protocol.GameNew) ([]*Player, error) { return h.pairOf(r, false) }

// ResumablePair is Pair with players that could come back after a broken connection.
func (h *Host) ResumablePair(rounds int) ([]*Player, error) {
	r := Roshambo(rounds, 0)
	r.Params.Timeout = new(600.0)
	pair, err := h.pairOf(r, true)
	for _, p := range pair {
		p.Rounds = rounds
	}
	return pair, err
}

func (h *Host) pairOf(r protocol.GameNew, resume bool) ([]*Player, error) {
	var pair []*Player
	id := ""
	for i := range 2 {
		c, err := Dial(h.URL)
		if err != nil {
			return nil, err
		}
		c.Resume = resume
		if i == 0 {
			if id, err = c.Create(r); err != nil {
				return nil, err
			}
		}
		if err := c.Join(id, fmt.Sprintf("p%d", i)); err != nil {
			return nil, err
		}
		pair = append(pair, &Player{Client: c, ID: id})
	}
	for _, p := range pair {
		if _, err := p.Skip(protocol.NameMatchStarted, nil); err != nil {
			return nil, err
		}
	}
	return pair, nil
}

// Play plays Rounds rounds of roshambo: it sends a move, and reads the opponent's. It
// sets Times and Err. If it can resume, it reports what it has received.
func (p *Player) Play() {
	move := []byte("ROCK\n")
	buffer := make([]byte, 4096)
	lines := -3 // the header: names and number of rounds
	received, reported := uint64(0), uint64(0)
	if p.Bare {
		lines = 0
	}
	read := func() error {
		_ = p.Conn.SetReadDeadline(time.Now().Add(poll.Limit))
		for {
			kind, r, err := p.Conn.NextReader()
			if err != nil {
				return err
			}
			for {
				n, err := r.Read(buffer)
				if kind == websocket.BinaryMessage {
					lines += bytes.Count(buffer[:n], []byte{'\n'})
					received += uint64(n)
				} else if bytes.Contains(buffer[:n], []byte(protocol.NameMatchEnded)) {
					lines = p.Rounds + 1
				}
				if err != nil {
					break
				}
			}
			if p.Resume && received-reported >= 1<<10 {
				reported = received
				if err := p.Send(protocol.NameMatchReceived, protocol.MatchReceived{Bytes: received}); err != nil {
					return err
				}
			}
			if kind == websocket.BinaryMessage || lines > p.Rounds {
				return nil
			}
		}
	}
	for lines < 0 && p.Err == nil {
		p.Err = read()
	}
	for round := 0; round < p.Rounds && p.Err == nil; {
		begin := time.Now()
		if p.Err = p.Conn.WriteMessage(websocket.BinaryMessage, move); p.Err != nil {
			return
		}
		for round++; lines < round && p.Err == nil; {
			p.Err = read()
		}
		p.Times = append(p.Times, time.Since(begin))
	}
	for !p.Bare && lines <= p.Rounds && p.Err == nil {
		p.Err = read()
	}
}
