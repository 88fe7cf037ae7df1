package cluster

import (
	"time"
)

// times are the periods of everything that the cluster does regularly; tests change them.
type times struct {
	tick       time.Duration // between two beats, listings of this host, and looks at the others
	silent     time.Duration // a host without a sign of life for this time is dead
	again      time.Duration // after which a match is listed again
	gone       time.Duration // how long the listing of a match of players that serve stays after its end
	sweepDelay time.Duration // after a host has listed all its matches, until its other listings are removed
	reconnect  time.Duration // to NATS, between two tries; up to half more by chance
	complete   time.Duration // of a connection to NATS, until all hosts are expected to have listed their matches
}

// Times that cannot be changed.
const (
	live        = 5 * time.Second  // a host that was not heard for this time is not listed
	forgetHost  = 10 * time.Second // in NATS
	forgetMatch = 10 * time.Minute // in NATS, and without a connection between its host and this one
)
