package engine

import (
	"context"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// checkInterval is how often a child with matches is checked. Its matches can last
// one second longer than the operator allows; this is a part of it.
const checkInterval = 500 * time.Millisecond

// watch kills a child that is frozen, for example a stopped process: for the time
// of stall it answers nothing and uses no CPU time. A match can't detect that, since
// it waits longer for bots and players than for a referee. A busy child with only
// one thread can answer late; its matches deal with that.
func (g *Game) watch(stall time.Duration) {
	ticker := time.NewTicker(checkInterval)
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
		before, known := cpuTicks(g.Pid())
		if !known || g.answers(stall-stall/2) {
			continue
		}
		if after, known := cpuTicks(g.Pid()); !known || after != before {
			continue
		}
		g.log.Error("the game's process is frozen: killing it", "pid", g.Pid(), "after", stall)
		g.setClosing(errFrozen)
		_ = g.process.Kill(context.Background())
		return
	}
}

// answers reports whether the child answers within a time, or is gone.
func (g *Game) answers(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_, err := g.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	return err == nil || ctx.Err() == nil
}
