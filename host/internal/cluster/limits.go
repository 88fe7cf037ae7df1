package cluster

import (
	"context"
	"encoding/json"
	"time"

	"colosseum/host/internal/base/limit"
)

// Limits are the limits of addresses; see limit.Addresses.
type Limits interface {
	Usage() []limit.Usage
	Charge(host string, usage []limit.Usage)
}

// broadcast is what ShareLimits uses of a Cluster.
type broadcast interface {
	Publish(name string, v any)
	Subscribe(name string, f func(from string, body []byte))
}

const (
	usageName  = "usage"
	usageEvery = 2 * time.Second
	// maxUsage is the longest report of a host in bytes: a thousand addresses of about
	// 200 bytes.
	maxUsage = 256 << 10
)

// ShareLimits reports to the other hosts what addresses use of their limits here, and
// counts here what they use there, until ctx ends. A host without clients reports
// nothing. It must be called at most once.
func (c *Cluster) ShareLimits(ctx context.Context, l Limits) { shareLimits(ctx, c, l) }

func shareLimits(ctx context.Context, b broadcast, l Limits) {
	b.Subscribe(usageName, func(from string, body []byte) {
		var usage []limit.Usage
		if len(body) <= maxUsage && json.Unmarshal(body, &usage) == nil {
			l.Charge(from, usage)
		}
	})
	tick := time.NewTicker(usageEvery)
	defer tick.Stop()
	for reported := false; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		usage := l.Usage()
		if len(usage) > 0 || reported { // an empty report ends the connections of the last one
			b.Publish(usageName, usage)
		}
		reported = len(usage) > 0
	}
}
