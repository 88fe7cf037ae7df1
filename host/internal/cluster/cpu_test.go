package cluster

import "testing"

func TestUsedCPUTimeIsAnAverageOfSomeSeconds(t *testing.T) {
	t.Parallel()
	var c cpu
	for i, step := range []struct {
		busy, all uint64
		want      float64
	}{{1000, 9000, 0}, {1050, 9100, 0.5}, {1150, 9200, 0.65}, {1150, 9300, 0.46}, {1150, 9300, 0.46}, {0, 100, 0.46}, {100, 200, 0.62}} {
		c.sample(step.busy, step.all)
		if got := c.share(); got != step.want {
			t.Errorf("sample %d: got %v, want %v", i, got, step.want)
		}
	}
}
