// Package load puts a server under load: matches of roshambo at full speed,
// spectators and idle connections, and tells how it held.
package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/protocol"
)

// Plan is what to do.
type Plan struct {
	Address    server.Address
	Options    server.Options
	Game       string // roshambo, or a game that plays like it
	Matches    int    // at the same time
	Rounds     int    // of each match
	Spectators int    // of each match
	Bots       bool   // play against the server's bots
	Idle       int    // connections that only shake hands
	Pids       []int  // processes of the server, whose CPU time and memory are read
}

// Report is what came of it. Times are of a round, as a player sees it: from
// sending a move to having read the opponent's.
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
	Wrong     map[string]int `json:"wrong"` // what was not as it should be, and how often
	Server    *Usage         `json:"server,omitempty"`
}

// Usage is what the server's processes needed.
type Usage struct {
	CPUPerRound  float64 `json:"cpu_us_per_round"`
	IdleKiB      float64 `json:"kib_per_idle_connection,omitempty"`
	MatchKiB     float64 `json:"kib_per_match"` // with its connections
	ResidentKiB  int     `json:"resident_kib"`  // at the end
	StartedAtKiB int     `json:"resident_kib_at_start"`
}

// buffer is small: there are many connections, and their messages are short.
const buffer = 1 << 10

// Run carries out a plan. Its error means that the load could not be brought
// on; what went wrong during the matches stands in the report.
func Run(ctx context.Context, p Plan) (*Report, error) {
	p.Options.Buffer = buffer
	var crew crew
	defer crew.dismiss()
	start, err := usage(p.Pids)
	if err != nil {
		return nil, err
	}
	for range p.Idle {
		if _, err := crew.dial(ctx, p); err != nil {
			return nil, err
		}
	}
	idle, err := usage(p.Pids)
	if err != nil {
		return nil, err
	}
	for i := range p.Matches {
		if err := crew.match(ctx, p, i); err != nil {
			return nil, fmt.Errorf("match %d of %d: %w", i+1, p.Matches, err)
		}
	}
	seated, err := usage(p.Pids)
	if err != nil {
		return nil, err
	}

	begin := time.Now()
	var players, spectators sync.WaitGroup
	for _, m := range crew.members {
		if m.spectator {
			spectators.Go(func() { m.err = m.watch(ctx) }) // ends with the match
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

	r := crew.report(p, took)
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

// crew is all connections.
type crew struct {
	conns   []*server.Conn
	members []*member
}

func (c *crew) dial(ctx context.Context, p Plan) (*server.Conn, error) {
	conn, err := server.Dial(ctx, p.Address, p.Options)
	if err == nil {
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

// match makes the i-th match and fills its seats but the last, which join
// takes when all is ready.
func (c *crew) match(ctx context.Context, p Plan, i int) error {
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
		watcher, err := c.dial(ctx, p)
		if err != nil {
			return err
		}
		ask := protocol.Encode(protocol.NameSpectateJoin, protocol.MatchID{ID: id})
		if err := joined(ctx, watcher, ask, protocol.NameSpectateJoined); err != nil {
			return err
		}
		c.members = append(c.members, &member{conn: watcher, rounds: p.Rounds, spectator: true})
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
		ask := protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: names[seat]})
		if err := joined(ctx, conn, ask, protocol.NameLobbyJoinedMatch); err != nil {
			return err
		}
		c.members = append(c.members, &member{conn: conn, rounds: p.Rounds, seat: seat, bots: p.Bots})
	}
	return nil
}

func joined(ctx context.Context, conn *server.Conn, ask []byte, want string) error {
	var reply protocol.JoinedReply
	if err := conn.Ask(ctx, ask, want, &reply); err != nil {
		return err
	}
	_, err := reply.Info.Get()
	return err
}

func (c *crew) dismiss() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

func (c *crew) report(p Plan, took time.Duration) *Report {
	r := &Report{Matches: p.Matches, Rounds: p.Matches * p.Rounds, Seconds: took.Seconds(), Wrong: map[string]int{}}
	r.RoundRate = float64(r.Rounds) / r.Seconds
	var times []time.Duration
	for _, m := range c.members {
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

// Err tells whether anything was not as it should be.
func (r *Report) Err() error {
	if len(r.Wrong) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(r.Wrong))[0]
	return errors.New("not every match went right, e.g.: " + first)
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
