package serve

import (
	"context"
	"errors"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

const (
	// Delays before a new attempt to connect; each is twice the one before.
	firstDelay = 250 * time.Millisecond
	maxDelay   = 30 * time.Second
	// steady is how long a connection must have served for the delays to start again.
	steady = 2 * time.Second

	// A connection on which nothing arrives for pingAfter is probed, and is broken
	// if nothing arrives for maxSilence.
	watchEvery = 5 * time.Second
	pingAfter  = 20 * time.Second
	maxSilence = time.Minute

	// drainGrace is how long to wait for further matches after the server's reply: one
	// that it was creating can still be assigned.
	drainGrace = time.Second
	// drainTimeout is how long to wait for that reply.
	drainTimeout = 5 * time.Second
)

// offer is the connection on which the server assigns matches.
type offer struct {
	daemon   *Daemon
	drain    context.Context
	contests []string  // that the player has not entered yet
	news     chan news // closed at the end
	served   bool      // the server has once accepted the player
	since    time.Time // when it accepted the player on this connection; zero: it has not

	failure error // final; read it after news is closed
}

// news is an event of an offer: an assignment, a lost connection, a contest that was
// entered, or otherwise a new connection.
type news struct {
	assigned *protocol.ServeMatch
	err      error
	delay    time.Duration
	contest  string
	player   string
	replaced []string // games that another connection of the player served
}

// run serves until drain or ctx ends, or a failure is final.
func (o *offer) run(ctx context.Context) {
	defer close(o.news)
	delay := firstDelay
	for {
		o.since = time.Time{}
		err := o.session(ctx)
		switch {
		case ctx.Err() != nil || o.drain.Err() != nil:
			return
		case o.final(err):
			o.failure = explained(err)
			return
		}
		if !o.since.IsZero() && time.Since(o.since) >= steady {
			delay = firstDelay
		}
		wait := delay/2 + time.Duration(o.daemon.Jitter()*float64(delay/2))
		delay = min(2*delay, maxDelay)
		o.send(ctx, news{err: err, delay: wait})
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-o.drain.Done():
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

func (o *offer) send(ctx context.Context, n news) {
	select {
	case o.news <- n:
	case <-ctx.Done():
	}
}

// session connects, serves, and passes on the assigned matches until the connection is
// lost or drained. It does not connect if drain has ended.
func (o *offer) session(ctx context.Context) error {
	dialing, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(o.drain, cancel)()
	defer cancel()
	conn, err := o.daemon.Dial(dialing)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, conn.Abort)()
	switch {
	case !conn.Has(protocol.FeatureServe):
		return &server.Refused{Text: locale.Errorf("the server does not pair players: coco serve needs a server of Colosseum")}
	case conn.Player == "":
		return &server.Refused{Text: locale.Errorf("the server does not know your player: coco register NAME creates one")}
	}
	for len(o.contests) > 0 {
		if err := o.daemon.Enter(dialing, o.contests[0]); err != nil {
			return err
		}
		o.send(ctx, news{contest: o.contests[0]})
		o.contests = o.contests[1:]
	}
	var reply protocol.ServingReply
	if err := conn.Ask(ctx, o.request(o.daemon.Concurrency), protocol.NameServing, &reply); err != nil {
		return err
	}
	if _, err := reply.Player.Get(); err != nil {
		return &server.Refused{Text: locale.Errorf("the server refuses to serve %s: %v", conn.Player, err)}
	}
	connected := news{player: conn.Player}
	if !o.served { // later it was most likely the connection that this one was before
		connected.replaced = reply.Replaced
	}
	o.served, o.since = true, time.Now()
	o.send(ctx, connected)
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	go watch(watching, conn)
	defer context.AfterFunc(o.drain, func() {
		conn.Send(o.request(0)) // after an error Receive fails too
		time.AfterFunc(drainTimeout, conn.Abort)
	})()
	return o.receive(ctx, conn)
}

// receive passes on the assigned matches. Its error is never nil.
func (o *offer) receive(ctx context.Context, conn *server.Conn) error {
	for {
		frame, err := conn.Receive(ctx)
		if err != nil {
			return err
		}
		switch frame.Name {
		case protocol.NameServeMatch:
			var m protocol.ServeMatch
			if err := protocol.Decode(frame.Name, frame.Body, &m); err != nil {
				return &server.ConnectionError{Err: locale.Errorf("the server's assignment cannot be read: %w", err)}
			}
			o.send(ctx, news{assigned: &m})
		case protocol.NameServing: // the reply to the second request, sent when drain ended
			time.AfterFunc(drainGrace, conn.Abort)
		}
	}
}

func (o *offer) request(concurrency int) []byte {
	return protocol.Encode(protocol.NameServe, protocol.Serve{Games: o.daemon.Games, Concurrency: concurrency, Challenges: o.daemon.Challenges})
}

// final reports whether another attempt to serve cannot help. A server that once
// accepted the player can refuse it for a short time, for example while it loads its
// games after a restart.
func (o *offer) final(err error) bool {
	switch server.CloseCode(err) {
	case 0:
		var refused *server.Refused
		return errors.As(err, &refused) && !o.served
	case protocol.CloseProtocol, protocol.CloseToken, protocol.CloseReplaced:
		return true
	}
	return false
}

// explained adds to a final error what the user can do.
func explained(err error) error {
	if server.CloseCode(err) == protocol.CloseReplaced {
		return &server.Refused{Text: locale.Errorf("another coco serve of this player has taken over: stop it, let one coco serve name the games of both, or register another player for this one"), Err: errors.Unwrap(err)}
	}
	return err
}

// watch ends a connection that is silent, until ctx ends.
func watch(ctx context.Context, conn *server.Conn) {
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		switch silence := conn.Silence(); {
		case silence >= maxSilence:
			conn.Abort()
		case silence >= pingAfter:
			go conn.Ping("") // until it is written, or the connection ends
		}
	}
}
