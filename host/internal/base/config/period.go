package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Period is a duration that can also be written in days, like 400d.
type Period time.Duration

const day = 24 * time.Hour

// UnmarshalYAML implements yaml.Unmarshaler.
func (p *Period) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return notPeriod(n)
	}
	if days, ok := strings.CutSuffix(n.Value, "d"); ok {
		count, err := strconv.ParseInt(days, 10, 64)
		if err != nil || count < 0 || count > int64(math.MaxInt64/day) {
			return notPeriod(n)
		}
		*p = Period(time.Duration(count) * day)
		return nil
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil && n.Value != "" {
		return notPeriod(n)
	}
	*p = Period(d)
	return nil
}

// notPeriod has the form of the library's own errors.
func notPeriod(n *yaml.Node) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q is not a duration like 400d, 12h or 30m", n.Line, n.Value)}}
}
