package site

import (
	"net/http"
	"time"

	"colosseum/host/internal/cluster"
)

// Hosts are the hosts of the cluster.
type Hosts interface {
	Hosts() []cluster.Host // by name, this one included
	Generation() uint64    // of Hosts
	Name() string          // of this host
	Connected() bool       // this host hears the others now
}

type hostsAnswer struct {
	Host      string       `json:"host,omitempty"`
	Connected bool         `json:"connected"`
	Hosts     []hostAnswer `json:"hosts"`
}

// hostAnswer is a cluster.Host without its address, which is not public.
type hostAnswer struct {
	Name     string     `json:"name,omitempty"` // empty: the host is alone
	Started  time.Time  `json:"started"`
	Games    []hostGame `json:"games"`
	Matches  int        `json:"matches"`
	Most     int        `json:"most"`
	Sessions int        `json:"sessions"`
	Draining bool       `json:"draining"`
	Leader   bool       `json:"leader"`
}

// hostGame is a cluster.Game.
type hostGame struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// hostsKey identifies a state of the hosts.
type hostsKey struct {
	generation uint64
	connected  bool
}

// listHosts sends the hosts of the cluster, or the one row of a host that is alone.
func (s *Site) listHosts(w http.ResponseWriter, r *http.Request) {
	key := func() hostsKey {
		if s.hosts == nil {
			return hostsKey{uint64(time.Now().Unix()), false}
		}
		return hostsKey{s.hosts.Generation(), s.hosts.Connected()}
	}
	d, _ := s.hosting.Get(key, func() (*document, error) { // cannot fail
		a, list := hostsAnswer{Hosts: []hostAnswer{}}, []cluster.Host{}
		switch {
		case s.hosts != nil:
			a.Host, a.Connected, list = s.hosts.Name(), s.hosts.Connected(), s.hosts.Hosts()
		case s.alone != nil:
			list = append(list, s.alone())
		}
		for _, h := range list {
			games := []hostGame{}
			for _, g := range h.Games {
				games = append(games, hostGame(g))
			}
			a.Hosts = append(a.Hosts, hostAnswer{h.Name, h.Started.UTC().Truncate(time.Second), games, h.Matches, h.Capacity, h.Sessions, h.Draining, h.Leader})
		}
		return newDocument("application/json", encode(a)), nil
	})
	s.send(w, r, d)
}
