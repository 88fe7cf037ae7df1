package server

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/clients/site"
	"colosseum/host/internal/clients/web"
	"colosseum/host/internal/cluster"
	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/director"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/server/metrics"
)

// peers are the other hosts of the cluster. A nil *peers means that this host is alone.
type peers struct {
	*cluster.Cluster
	*relay.Key
	players *cluster.Players
}

// openStore opens the records of a host.
func openStore(ctx context.Context, c *config.Config, log *slog.Logger) (*store.Store, error) {
	if c.Cluster.Name != "" {
		return store.OpenAs(ctx, c.StoreAt(), c.Cluster.Name, log)
	}
	return store.Open(ctx, c.StoreAt(), log)
}

// secretOf returns the secret of the cluster; nil: this host is alone.
func secretOf(c *config.Config) ([]byte, error) {
	if c.Cluster.Name == "" {
		return nil, nil
	}
	secret, err := c.Cluster.ReadSecret()
	if err != nil {
		return nil, fmt.Errorf("cluster.secret_file: %w", err)
	}
	return secret, nil
}

// sharedPassword derives the verification password of hosts with the same secret.
func sharedPassword(secret []byte) string {
	return hex.EncodeToString(cluster.Derive(secret, "verification password, version 1")[:16])
}

// advertised returns the name that other hosts use for this one; empty: it is alone.
func advertised(c *config.Config) string {
	u, err := url.Parse(c.Cluster.Advertise)
	if err != nil { // the configuration was checked
		return ""
	}
	return u.Hostname()
}

// join joins the cluster; without a secret this host is alone.
func (s *Server) join(ctx context.Context, secret []byte) error {
	if secret == nil {
		return nil
	}
	k := s.config.Cluster
	roots, err := authorities(k.CAFile)
	if err != nil {
		return err
	}
	joined, err := cluster.Open(ctx, cluster.Config{
		Name: k.Name, NATS: k.NATS, CredentialsFile: k.CredentialsFile, CAFile: k.CAFile, Advertise: k.Advertise, Secret: secret, WithoutNATS: k.WithoutNATS, Runner: s.config.Runner, Tracer: s.tracer,
	}, s.lobby, cluster.InStore(s.records.Hosts()), cluster.Sources{
		Games: s.playable, Matches: s.lobby.Load, Sessions: s.clients, Programs: s.programCores, Fenced: s.lobby.AbortRunning, Ended: s.breakRelays,
	}, s.log)
	if err != nil {
		return fmt.Errorf("join the cluster: %w", err)
	}
	s.peers = &peers{Cluster: joined, Key: relay.NewKey(cluster.Derive(secret, "relays, version 1"), k.Name, roots)}
	s.peers.Key.Frozen = joined.Frozen
	s.closers = append(s.closers, joined.Close)
	return nil
}

// authorities reads the certificates of authorities; nil: those of the system.
func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cluster.ca_file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("cluster.ca_file: %s has no certificate in PEM", file)
	}
	return pool, nil
}

// offered returns the games that can be played now.
func (s *Server) offered() []cluster.Game {
	var games []cluster.Game
	for _, o := range s.games.List() {
		if o.Unavailable == "" {
			games = append(games, cluster.Game{Name: o.Name, Version: o.Version})
		}
	}
	return games
}

// playable returns the games of which matches can begin on this host: none while they
// could not be recorded. New matches are then placed on other hosts.
func (s *Server) playable() []cluster.Game {
	if !s.records.Available() {
		return nil
	}
	return s.offered()
}

// clients returns the number of clients' connections.
func (s *Server) clients() int { return s.sessions.Stats().Connections }

// breakRelays ends the relays to a host that is no longer part of the cluster.
func (s *Server) breakRelays(host string) { s.sessions.BreakRelays(host) }

// Dial implements web.Cluster.
func (p *peers) Dial(ctx context.Context, host string, c relay.Client) (*websocket.Conn, error) {
	at, ok := p.Address(host)
	if !ok {
		return nil, fmt.Errorf("host %s is unknown here now", host)
	}
	return p.Key.Dial(ctx, host, at, c)
}

// setDesk creates the desk and the director. In a cluster they work while this host leads.
func (s *Server) setDesk(games *catalog.Catalog) {
	c := s.config
	limits := serving.Limits{Players: c.Serving.Players, Rematch: c.Serving.Rematch, Accept: c.Serving.Accept}
	if s.peers == nil {
		s.desk = serving.New(s.lobby, games, limits, s.log)
	} else {
		s.desk = serving.NewInCluster(cluster.NewMatches(s.peers.Cluster, s.lobby), games, limits, s.log)
		s.peers.players = cluster.NewPlayers(s.peers.Cluster, s.desk)
	}
	settings := director.Settings{Parallel: c.Contests.Parallel, Written: s.records.Refresh}
	if s.programs != nil {
		settings.Programs = s.programs.hosted
	}
	s.organizer = contest.Organizer{Store: s.records.Contests(), HalfLife: time.Duration(c.Contests.HalfLife), Players: s.players, Classes: s.players}
	s.director = director.New(s.organizer, s.desk, s.lobby,
		settings, s.log)
}

// addPeers adds to sessions and pages what they need of other hosts.
func (s *Server) addPeers(w *web.Parts, p *site.Parts) {
	if s.peers == nil {
		return
	}
	w.Cluster = s.peers
	p.Hosts, p.Serving = s.peers.Cluster, s.peers.players
}

// lead plays contests, pairs players, sends messages to webhooks and exports records until ctx
// ends; in a cluster, while this host leads.
func (s *Server) lead(ctx context.Context) {
	if s.peers == nil {
		var sending sync.WaitGroup
		defer sending.Wait()
		sending.Go(func() { s.webhooks.Run(ctx) }) // ends with ctx
		sending.Go(func() { s.exportMonths(ctx) }) // ends with ctx
		s.director.Lead(ctx)
		return
	}
	s.peers.Lead(ctx, func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		var working sync.WaitGroup
		defer working.Wait()
		defer cancel()
		working.Go(func() { s.programs.reclaim(ctx, s.records.Hosts()) }) // ends with ctx
		working.Go(func() { s.webhooks.Run(ctx) })                        // ends with ctx
		working.Go(func() { s.exportMonths(ctx) })                        // ends with ctx
		s.desk.Lead(ctx, s.director.Lead)
	})
}

// work does the work for other hosts until ctx ends.
func (p *peers) work(ctx context.Context, sessions *web.Server) {
	if p == nil {
		return
	}
	var all sync.WaitGroup
	all.Go(func() { p.Run(ctx) })
	all.Go(func() { p.players.Run(ctx) })
	all.Go(func() { p.ShareLimits(ctx, sessions.Addresses()) })
	all.Wait()
}

// leave begins to stop: other hosts get the new matches, and clients that can connect to
// them.
func (p *peers) leave(sessions *web.Server) {
	if p != nil {
		p.Drain()
		sessions.Drain()
	}
}

// metrics returns the peers for metrics; nil: this host is alone.
func (p *peers) metrics() metrics.Cluster {
	if p == nil {
		return nil
	}
	return p.Cluster
}

// describe describes this host, which is alone.
func (s *Server) describe() cluster.Host {
	now, most := s.lobby.Load()
	return cluster.Host{Started: s.started, Games: s.offered(), Matches: now, Capacity: most, Sessions: s.clients(), Leader: true}
}
