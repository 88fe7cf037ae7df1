// Package server is the whole host: it opens records, games, lobby, sessions,
// pages and metrics, connects them, and closes them in order.
package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/clients/downloads"
	"colosseum/host/internal/clients/exported"
	"colosseum/host/internal/clients/hostname"
	"colosseum/host/internal/clients/site"
	"colosseum/host/internal/clients/web"
	"colosseum/host/internal/clients/webhook"
	"colosseum/host/internal/cluster"
	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/director"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/analysis"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/export"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/server/doctor"
	"colosseum/host/internal/server/metrics"
)

// Server is a host.
type Server struct {
	config    *config.Config // of the start
	log       *slog.Logger
	started   time.Time
	listener  net.Listener // for clients
	scheme    string       // ws or wss
	page      *metrics.Page
	tracer    *trace.Tracer // nil: there are no traces
	records   *store.Store
	players   *players.Registry
	games     *catalog.Catalog
	lobby     *lobby.Lobby
	desk      *serving.Desk
	director  *director.Director
	organizer contest.Organizer
	sessions  *web.Server
	peers     *peers    // nil: this host is alone
	programs  *programs // nil: none can be handed in
	webhooks  *webhook.Sender
	monthly   *export.Monthly // nil: this host writes no exports
	http      *http.Server
	reloader  *reloader
	closers   []func() // in the order of opening
}

// Open locks the data folder and listens at the addresses of a configuration. Run
// serves clients and loads games. Close must be called, except after an error:
// then nothing is open.
func Open(ctx context.Context, source config.Source, log *slog.Logger) (_ *Server, err error) {
	c, err := source.Load()
	if err != nil {
		return nil, err
	}
	proxies, err := config.Networks("trusted_proxies", c.TrustedProxies)
	if err != nil {
		return nil, err
	}
	limits, err := clientLimits(c)
	if err != nil {
		return nil, err
	}
	limits.Names = hostname.New(append([]string{advertised(c)}, c.Names...), []string{c.Listen, c.Operations.Listen}, log)
	encrypted, err := encryption(c, log)
	if err != nil {
		return nil, err
	}
	if err := disk.MakeData(c.Data); err != nil {
		return nil, err
	}
	s := &Server{config: c, log: log, started: time.Now(), scheme: "ws"}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	secret, err := secretOf(c)
	if err != nil {
		return nil, err
	}
	if s.records, err = openStore(ctx, c, log); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, func() {
		if err := s.records.Close(); err != nil {
			log.Error("could not close the records cleanly", "error", err)
		}
	})
	s.records.SetPatience(c.Records.Patience)
	if s.tracer, err = trace.Open(c.Tracing.Endpoint, c.Cluster.Name, log); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.tracer.Close)
	s.players = players.New(s.records.Players(), playerSettings(c), log)
	hooks, err := webhook.Open(c.Webhooks)
	if err != nil {
		return nil, err
	}
	s.webhooks = webhook.New(s.records.Webhooks(), s.records.Contests(), log)
	s.webhooks.Set(hooks, c.PublicAddress())
	if s.monthly, err = s.monthlyExports(); err != nil {
		return nil, err
	}
	// store.Open has locked the folder: no other host makes a password in it.
	password, err := verificationPassword(c, secret, log)
	if err != nil {
		return nil, err
	}
	if problem, remedy := doctor.Exposed(c.Data); problem != "" {
		log.Warn("the data folder is not private", "problem", problem, "remedy", remedy)
	}
	if err := isolate(c, log); err != nil {
		return nil, err
	}
	listener, err := listen(c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w: choose another address with --listen", c.Listen, err)
	}
	s.closers = append(s.closers, func() { _ = listener.Close() })
	s.listener = arrival.Listener{Listener: listener}
	if encrypted != nil {
		s.listener, s.scheme = tls.NewListener(s.listener, encrypted), "wss"
	}
	page, stop, err := operate(c.Operations.Listen, limits.Names, log)
	if err != nil {
		return nil, err
	}
	s.page, s.closers = page, append(s.closers, stop)
	if s.games, err = catalog.Open(c, filepath.Join(c.Data, "cache"), log); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.games.Close)
	if err := c.KeepFolders(); err != nil {
		log.Warn("commands that run in another folder will not find the games of this host", "error", err)
	}

	s.lobby = lobby.New(s.games, traced(s.records, s.tracer), lobbyLimits(c), password, log)
	s.lobby.NeedRecords(s.records.Available)
	if err := s.join(ctx, secret); err != nil {
		return nil, err
	}
	if s.programs, err = s.openPrograms(ctx); err != nil {
		return nil, err
	}
	s.setDesk(s.games)
	parts := web.Parts{Games: s.games, Lobby: s.lobby, Desk: s.desk, History: s.records, Players: s.players, Tracer: s.tracer}
	pages := site.Parts{
		Games: s.games, Lobby: s.lobby, Serving: s.desk, Records: s.records, Players: accounts{s.players, s.organizer}, Contests: s.director, Alone: s.describe, Embed: c.Embed, Prefix: c.PathPrefix(), Watched: c.Plugins.Watch,
		Downloads: downloads.Open(downloadsFolder(c)), Exported: exported.Open(c.Exports.Dir),
	}
	s.addPeers(&parts, &pages)
	pages.Logins = s.players
	if err := addProvider(c, &pages, log); err != nil {
		return nil, err
	}
	if s.programs != nil {
		pages.Submissions = s.programs.registry
	}
	analyst := analysis.New(spares{s.games}, c.Plugins.Stall, log)
	s.closers = append(s.closers, analyst.Close)
	pages.Analyses, parts.Hints = analyst, analyst
	s.sessions = web.New(parts, limits, proxies, log)
	if s.peers != nil {
		s.peers.Tickets(s.sessions.HasTicket)
		pages.Clocks = cluster.NewClocks(s.peers.Cluster, s.lobby, s.sessions.Holds)
	}
	pages.Readers, pages.Seats = s.sessions, s.sessions
	s.http = &http.Server{
		Handler:     limits.Names.Guard(s.handler(pages, log)),
		ReadTimeout: c.Clients.HandshakeTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), ConnState: s.sessions.ConnState, ConnContext: s.sessions.ConnContext,
	}
	s.reloader = &reloader{source: source, current: c, games: s.games, lobby: s.lobby, players: s.players, webhooks: s.webhooks, log: log}
	return s, nil
}

// downloadsFolder returns the folder of downloads: the one of the configuration, or one
// next to the host's program.
func downloadsFolder(c *config.Config) string {
	if c.Downloads != "" {
		return c.Downloads
	}
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(self), "downloads")
}

// Address returns where clients connect, as a URL or as unix:PATH: a value for
// coco -s.
func (s *Server) Address() string { return address(s.listener, s.scheme) }

// Run serves until ctx ends or the listener fails. Then it refuses new matches,
// gives the running ones the time of the setting drain, and ends all matches and
// connections. It must be called at most once.
func (s *Server) Run(ctx context.Context) error {
	var background, contests sync.WaitGroup
	defer background.Wait()
	working, stopWorking := context.WithCancel(context.Background())
	defer stopWorking() // after the matches have ended, so that the other hosts see it
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	background.Go(func() { s.peers.work(working, s.sessions) }) // ends with working
	failed := make(chan error, 1)
	background.Go(func() { failed <- s.http.Serve(s.listener) })         // ends with http.Close
	background.Go(func() { s.reloader.run(ctx) })                        // ends with ctx
	background.Go(func() { s.players.Run(ctx) })                         // ends with ctx
	background.Go(func() { s.sessions.EndLogins(ctx) })                  // ends with ctx
	background.Go(func() { s.records.Retain(ctx, retention(s.config)) }) // ends with ctx
	background.Go(func() { s.records.Check(ctx) })                       // ends with ctx, or when all is read
	s.page.Started(metrics.Sources{Lobby: s.lobby, Web: s.sessions, Games: s.games, Records: s.records, Players: s.players, Serving: s.desk, Contests: s.director, Webhooks: s.webhooks, Isolation: s.isolation, Available: s.records.Available, Cluster: s.peers.metrics(), Programs: s.programs.metrics()})
	at := []any{"address", s.Address()}
	if s.listener.Addr().Network() != "unix" {
		at = append(at, "browser", address(s.listener, strings.Replace(s.scheme, "ws", "http", 1)))
	}
	s.log.Info("listening", at...)
	background.Go(func() { s.games.Load(ctx) })   // ends with ctx, or when each game is ready or has failed
	background.Go(func() { s.programs.run(ctx) }) // ends with ctx
	directing, stopDirecting := context.WithCancel(ctx)
	defer stopDirecting()
	contests.Go(func() { s.director.Run(directing) }) // ends with its context
	contests.Go(func() { s.lead(directing) })         // ends after its context and the matches that run then

	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		s.log.Info("shutting down")
	}
	s.page.Stopping()
	s.peers.leave(s.sessions)
	if s.peers == nil { // otherwise other hosts still need it, for clients in matches here
		_ = s.listener.Close()
	}
	drain, stop := context.WithTimeout(context.Background(), s.config.Drain)
	defer stop()
	stopDirecting()
	s.desk.Close()
	s.lobby.Close(drain)
	contests.Wait()
	s.sessions.AwaitRelays(drain)
	_ = s.listener.Close()
	s.sessions.Close()
	_ = s.http.Close()
	return err
}

// retention returns which records are removed.
func retention(c *config.Config) store.Retention {
	return store.Retention{Keep: time.Duration(c.Records.Keep), MaxBytes: int64(c.Records.MaxGB) << 30, KeepVerified: c.Records.KeepVerified}
}

// Close ends the games' processes and closes everything that Open opened. It must
// be called after Run has returned.
func (s *Server) Close() {
	for len(s.closers) > 0 {
		last := len(s.closers) - 1
		s.closers[last]()
		s.closers = s.closers[:last]
	}
}
