package engine

import (
	"context"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// beat is how often a child with matches is asked whether it lives: a part of the
// second that its matches may outlive the time that the operator gives them.
const beat = 500 * time.Millisecond

// watch ends a child that is frozen, a stopped process for example: it answers
// nothing and does nothing, for the time given. The host waits for bots and for
// players longer than for a referee, and could not tell in which of these a child
// was frozen. One that works answers late, perhaps, when it has only one thread;
// that is a matter for its matches.
func (g *Game) watch(stall time.Duration) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-ticker.C:
		}
		if g.Matches() == 0 || g.answers(stall/2) {
			continue
		}
		before, known := work(g.Pid())
		if !known || g.answers(stall-stall/2) {
			continue
		}
		if after, known := work(g.Pid()); !known || after != before {
			continue
		}
		g.log.Error("the game's process is frozen: it is ended", "pid", g.Pid(), "after", stall)
		g.mu.Lock()
		g.closing = true
		if g.why == nil {
			g.why = errFrozen
		}
		g.mu.Unlock()
		_ = g.process.Kill(context.Background())
		return
	}
}

// answers tells whether the child answers within a time, or is gone.
func (g *Game) answers(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_, err := g.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	return err == nil || ctx.Err() == nil
}
