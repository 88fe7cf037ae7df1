package engine

import (
	"context"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc/health/grpc_health_v1"

	"colosseum/host/internal/games/sandbox"
)

// limit kills a child that exceeds a limit which the system does not enforce.
func (g *Game) limit(p sandbox.Policy) {
	ticker := time.NewTicker(sandbox.WatchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-g.process.exited:
			return
		case <-ticker.C:
		}
		if why := excess(g.Pid(), p); why != nil {
			g.log.Error("the game exceeds a limit: killing it", "pid", g.Pid(), "limit", why)
			g.setClosing(why)
			_ = g.process.Kill(context.Background())
			return
		}
	}
}

// watch kills a child that neither answers nor uses CPU time for the time of stall (0: forever), such as a stopped process; the
// interval between checks is a part of the second by which it can outlast that time
// (docs/faults.md). Matches can't detect a frozen child, because they wait longer for
// bots and players than for a referee. They do detect a child that is busy, which can
// answer late if it has only one thread.
func (g *Game) watch(stall time.Duration) {
	ticker := time.NewTicker(sandbox.WatchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-ticker.C:
		}
		if g.lowered.Load() {
			lowerPriority(g.Pid()) // again: a thread that was being created at that time could keep its priority
		}
		if stall == 0 || g.Matches() == 0 || g.answers(stall/2) {
			continue
		}
		before, known := sandbox.CPUTicks(g.Pid())
		if !known || g.answers(stall-stall/2) {
			continue
		}
		if after, known := sandbox.CPUTicks(g.Pid()); !known || after != before {
			continue
		}
		g.log.Error("the game's process is frozen: killing it", "pid", g.Pid(), "after", stall)
		g.setClosing(errFrozen)
		_ = g.process.Kill(context.Background())
		return
	}
}

// answers reports whether the child answers within the given time, or is gone.
func (g *Game) answers(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_, err := g.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	return err == nil || ctx.Err() == nil
}
