package cluster

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
)

// ticketTimeout is how long Holder waits for the other hosts.
const ticketTimeout = 2 * time.Second

// errTickets is an error for the client.
var errTickets = errors.New("not all hosts answer, so the host of your match is not known now: try again")

// Tickets sets the function that reports whether this host knows a ticket. It must be
// called at most once.
func (c *Cluster) Tickets(has func(hash [32]byte) bool) {
	c.Handle("ticket", func(_ context.Context, body []byte) (any, error) {
		var text string
		if err := json.Unmarshal(body, &text); err != nil {
			return nil, err
		}
		b, err := hex.DecodeString(text)
		if err != nil || len(b) != 32 {
			return nil, errInvalid
		}
		return has([32]byte(b)), nil
	})
}

// Holder returns the other host that knows a ticket, given its SHA-256. The error is for
// the client: a host that did not answer might know the ticket.
func (c *Cluster) Holder(ctx context.Context, hash [32]byte) (host string, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, ticketTimeout)
	defer cancel()
	hosts, silent := c.hosts.all()
	if !c.Connected() {
		return "", false, errTickets
	}
	type reply struct {
		host string
		has  bool
		err  error
	}
	replies := make(chan reply, len(hosts))
	for _, h := range hosts {
		go func() { // ends with the request
			r := reply{host: h}
			r.err = c.Request(ctx, h, "ticket", hex.EncodeToString(hash[:]), &r.has)
			replies <- r
		}()
	}
	for range hosts {
		r := <-replies
		if r.has {
			return r.host, true, nil
		}
		silent = silent || r.err != nil
	}
	if silent {
		return "", false, errTickets
	}
	return "", false, nil
}
