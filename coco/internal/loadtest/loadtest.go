// Package loadtest measures a server under load: matches of roshambo at full
// speed, spectators and idle connections.
package loadtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

// Plan describes a load test.
type Plan struct {
	Address    server.Address
	Options    server.Options
	Game       string // roshambo, or a game with the same moves and lines
	Matches    int    // at the same time
	Rounds     int    // of each match
	Spectators int    // of each match
	Bots       bool   // play against the server's bots
	Idle       int    // connections that do nothing after the handshake
	Pids       []int  // process IDs of the server, to read its CPU time and memory
}

// Report holds the results of a load test. Times are of one round as a player
// measures it: from sending a move until the opponent's move is read.
type Report struct {
	Matches   int            `json:"matches"`
	Rounds    int            `json:"rounds"` // of all matches together
	Seconds   float64        `json:"seconds"`
	RoundRate float64        `json:"rounds_per_second"`
	P50       float64        `json:"p50_us"`
	P99       float64        `json:"p99_us"`
	Max       float64        `json:"max_us"`
	Received  int64          `json:"received_bytes"` // by players and spectators
	Sent      int64          `json:"sent_bytes"`
	Wrong     map[string]int `json:"wrong"` // number of each fault, by its text
	Server    *Usage         `json:"server,omitempty"`
}

// Usage is the CPU time and memory of the server's processes.
type Usage struct {
	CPUPerRound  float64 `json:"cpu_us_per_round"`
	IdleKiB      float64 `json:"kib_per_idle_connection,omitempty"`
	MatchKiB     float64 `json:"kib_per_match"` // with its connections
	ResidentKiB  int     `json:"resident_kib"`  // at the end
	StartedAtKiB int     `json:"resident_kib_at_start"`
}

// buffer is the size of a connection's buffers. It is small, because there are many
// connections and their messages are short.
const buffer = 1 << 10

// Run runs a load test. It returns an error if the matches cannot be started;
// faults during the matches are in the report.
func Run(ctx context.Context, p Plan) (*Report, error) {
	p.Options.Buffer = buffer
	var conns connections
	defer conns.close()
	start, err := usage(p.Pids)
	if err != nil {
		return nil, err
	}
	for range p.Idle {
		if _, err := conns.dial(ctx, p); err != nil {
			return nil, err
		}
	}
	idle, err := usage(p.Pids)
	if err != nil {
		return nil, err
	}
	for i := range p.Matches {
		if err := conns.match(ctx, p, i); err != nil {
			return nil, locale.Errorf("match %d of %d: %w", i+1, p.Matches, err)
		}
	}
	seated, err := usage(p.Pids)
	if err != nil {
		return nil, err
	}

	begin := time.Now()
	var players, spectators sync.WaitGroup
	for _, m := range conns.clients {
		if m.spectator {
			spectators.Go(func() { m.err = m.finish(ctx, header+2*m.rounds) }) // ends with the match
		} else {
			players.Go(func() { m.err = m.play(ctx) }) // ends with the match
		}
	}
	players.Wait()
	took := time.Since(begin)
	end, err := usage(p.Pids)
	if err != nil {
		return nil, err
	}
	spectators.Wait()

	r := conns.report(p, took)
	if len(p.Pids) > 0 {
		r.Server = &Usage{
			CPUPerRound: (end.cpu - seated.cpu).Seconds() * 1e6 / float64(r.Rounds),
			MatchKiB:    float64(end.resident-idle.resident) / float64(p.Matches),
			ResidentKiB: end.resident, StartedAtKiB: start.resident,
		}
		if p.Idle > 0 {
			r.Server.IdleKiB = float64(idle.resident-start.resident) / float64(p.Idle)
		}
	}
	return r, ctx.Err()
}

// connections holds all connections of a test.
type connections struct {
	conns   []*server.Conn
	clients []*client
}

func (c *connections) dial(ctx context.Context, p Plan) (*server.Conn, error) {
	conn, err := server.Dial(ctx, p.Address, p.Options)
	if err == nil {
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

// match creates the i-th match and lets its spectators and players join, which
// starts it. The players do not move yet.
func (c *connections) match(ctx context.Context, p Plan, i int) error {
	conn, err := c.dial(ctx, p)
	if err != nil {
		return err
	}
	request := protocol.GameNew{
		Name: fmt.Sprintf("load %d", i), Game: p.Game, Args: map[string]string{"rounds": fmt.Sprint(p.Rounds), "pace": "0"},
	}
	if p.Bots {
		request.Params.Bots = 1
	}
	var reply protocol.GameNewReply
	if err := conn.Ask(ctx, protocol.Encode(protocol.NameGameNew, request), protocol.NameGameNew, &reply); err != nil {
		return err
	}
	id, err := reply.ID.Get()
	if err != nil {
		return err
	}
	for range p.Spectators {
		spectator, err := c.dial(ctx, p)
		if err != nil {
			return err
		}
		request := protocol.Encode(protocol.NameSpectateJoin, protocol.MatchID{ID: id})
		if err := join(ctx, spectator, request, protocol.NameSpectateJoined); err != nil {
			return err
		}
		c.clients = append(c.clients, &client{conn: spectator, rounds: p.Rounds, spectator: true})
	}
	seats := 2
	if p.Bots {
		seats = 1
	}
	for seat := range seats {
		if seat > 0 {
			if conn, err = c.dial(ctx, p); err != nil {
				return err
			}
		}
		request := protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: names[seat]})
		if err := join(ctx, conn, request, protocol.NameLobbyJoinedMatch); err != nil {
			return err
		}
		c.clients = append(c.clients, &client{conn: conn, rounds: p.Rounds, seat: seat, bots: p.Bots})
	}
	return nil
}

// join sends a request to join. A refusal is an error.
func join(ctx context.Context, conn *server.Conn, request []byte, want string) error {
	var reply protocol.JoinedReply
	if err := conn.Ask(ctx, request, want, &reply); err != nil {
		return err
	}
	_, err := reply.Info.Get()
	return err
}

func (c *connections) close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

func (c *connections) report(p Plan, took time.Duration) *Report {
	r := &Report{Matches: p.Matches, Rounds: p.Matches * p.Rounds, Seconds: took.Seconds(), Wrong: map[string]int{}}
	r.RoundRate = float64(r.Rounds) / r.Seconds
	var times []time.Duration
	for _, m := range c.clients {
		times = append(times, m.times...)
		r.Received += m.received
		r.Sent += m.sent
		if m.err != nil {
			r.Wrong[m.err.Error()]++
		}
	}
	slices.Sort(times)
	if n := len(times); n > 0 {
		r.P50, r.P99, r.Max = micro(times[n/2]), micro(times[n*99/100]), micro(times[n-1])
	}
	return r
}

// Err returns an error if there was any fault.
func (r *Report) Err() error {
	if len(r.Wrong) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(r.Wrong))[0]
	return locale.Errorf("some matches failed, for example: %s", first)
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
