package cluster

import (
	"github.com/nats-io/nats.go"

	"colosseum/host/internal/base/trace"
)

// Config is how a host joins the cluster.
type Config struct {
	Name            string // of this host; see config.ValidHostName
	NATS            string // nats://… or tls://…
	CredentialsFile string // for NATS; empty: none
	CAFile          string // certificate authorities of NATS; empty: those of the system
	Advertise       string // where other hosts reach this one: ws://… or wss://…
	Secret          []byte // see config.Cluster
	WithoutNATS     string // see config.Cluster
	// Runner makes this host a runner: it plays the matches of programs that were handed in,
	// never leads, and gets no other matches.
	Runner bool

	Tracer *trace.Tracer // of requests between hosts; nil: there are no traces
}

// access returns the options of NATS for credentials and authorities.
func (c Config) access() (options []nats.Option) {
	if c.CredentialsFile != "" {
		options = append(options, nats.UserCredentials(c.CredentialsFile))
	}
	if c.CAFile != "" {
		options = append(options, nats.RootCAs(c.CAFile))
	}
	return options
}
