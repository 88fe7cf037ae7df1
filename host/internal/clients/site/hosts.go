package site

import (
	"net/http"
	"time"

	"colosseum/host/internal/clients/rendered"
	"colosseum/host/internal/cluster"
)

// hostPages answers requests for the list of hosts.
type hostPages struct {
	*shared
	hosting rendered.Cache[hostsKey, *document]
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
	Runner   bool       `json:"runner,omitempty"` // it only builds and plays programs that were handed in
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
func (s *hostPages) listHosts(w http.ResponseWriter, r *http.Request) {
	key := func() hostsKey {
		if s.Hosts == nil {
			return hostsKey{uint64(time.Now().Unix()), false}
		}
		return hostsKey{s.Hosts.Generation(), s.Hosts.Connected()}
	}
	d, _ := s.hosting.Get(key, func() (*document, error) { // cannot fail
		a, list := hostsAnswer{Hosts: []hostAnswer{}}, []cluster.Host{}
		switch {
		case s.Hosts != nil:
			a.Host, a.Connected, list = s.Hosts.Name(), s.Hosts.Connected(), s.Hosts.Hosts()
		case s.Alone != nil:
			list = append(list, s.Alone())
		}
		for _, h := range list {
			games := []hostGame{}
			for _, g := range h.Games {
				games = append(games, hostGame(g))
			}
			a.Hosts = append(a.Hosts, hostAnswer{h.Name, h.Started.UTC().Truncate(time.Second), games, h.Matches, h.Capacity, h.Sessions, h.Draining, h.Runner, h.Leader})
		}
		return newDocument("application/json", encode(a)), nil
	})
	s.send(w, r, d)
}
