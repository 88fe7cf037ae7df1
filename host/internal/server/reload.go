package server

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/guess"
	"colosseum/host/internal/clients/webhook"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/lobby"
)

// reloader applies a changed configuration while the host runs.
type reloader struct {
	source   config.Source
	current  *config.Config
	games    *catalog.Catalog
	lobby    *lobby.Lobby
	players  *players.Registry
	webhooks *webhook.Sender
	log      *slog.Logger
}

// debounce is how long the file must be unchanged: editors write in several steps.
const debounce = 50 * time.Millisecond

// run reloads at SIGHUP and after a change of the file, until ctx ends.
func (r *reloader) run(ctx context.Context) {
	hup := make(chan os.Signal, 1) // 1: one reload serves all signals before it
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	watcher := &fsnotify.Watcher{} // without a file: its channels are nil
	if r.source.Path != "" {
		w, err := watchFolder(filepath.Dir(r.source.Path))
		if err != nil {
			r.log.Warn("could not watch the configuration: send SIGHUP after a change", "error", err)
		} else {
			defer w.Close()
			watcher = w
		}
	}
	quiet := time.NewTimer(debounce)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-watcher.Events:
			if filepath.Base(e.Name) == filepath.Base(r.source.Path) {
				quiet.Reset(debounce)
			}
			continue
		case <-watcher.Errors: // the watcher continues
			continue
		case <-hup:
		case <-quiet.C:
		}
		if err := r.reload(); err != nil {
			r.log.Error("could not reload the configuration: the old one stays in use", "error", err)
		} else {
			r.log.Info("configuration reloaded")
		}
	}
}

// watchFolder watches a folder instead of one file in it, because many editors
// replace a file instead of writing it.
func watchFolder(folder string) (*fsnotify.Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := w.Add(folder); err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}

// reload applies the whole configuration, or, if it returns an error, nothing.
func (r *reloader) reload() error {
	c, err := r.source.Load()
	if err != nil {
		return err
	}
	hooks, err := webhook.Open(c.Webhooks)
	if err != nil {
		return err
	}
	for name, same := range map[string]bool{
		"listen": c.Listen == r.current.Listen, "data": c.Data == r.current.Data, "store": c.Store == r.current.Store, "clients": sameClients(c.Clients, r.current.Clients),
		"trusted_proxies": slices.Equal(c.TrustedProxies, r.current.TrustedProxies), "origins": slices.Equal(c.Origins, r.current.Origins),
		"names": slices.Equal(c.Names, r.current.Names), "embed": slices.Equal(c.Embed, r.current.Embed),
		"tls": reflect.DeepEqual(c.TLS, r.current.TLS), "operations": c.Operations == r.current.Operations,
		"serving":                    c.Serving == r.current.Serving,
		"cluster":                    c.Cluster == r.current.Cluster,
		"tracing":                    c.Tracing == r.current.Tracing,
		"contests":                   c.Contests == r.current.Contests,
		"records":                    c.Records == r.current.Records,
		"submissions":                sameSubmissions(c.Submissions, r.current.Submissions),
		"players.oidc":               reflect.DeepEqual(c.Players.OIDC, r.current.Players.OIDC),
		"limits":                     sameAtStart(c.Limits, r.current.Limits),
		"verification_password":      c.VerificationPassword == r.current.VerificationPassword,
		"verification_password_file": c.VerificationPasswordFile == r.current.VerificationPasswordFile,
	} {
		if !same {
			r.log.Warn("this setting takes effect at the next start", "setting", name)
		}
	}
	if err := r.games.Reconfigure(c); err != nil {
		return err
	}
	r.lobby.SetLimits(lobbyLimits(c))
	r.players.SetSettings(playerSettings(c))
	r.webhooks.Set(hooks, c.PublicAddress())
	r.current = c
	return nil
}

// lobbyLimits returns the limits that a reload changes.
func lobbyLimits(c *config.Config) lobby.Limits {
	return lobby.Limits{
		Matches: c.Lobby.Matches, Waiting: c.Limits.WaitingMatches, BotMatches: c.Lobby.BotMatches, Expiry: c.Lobby.Expiry, Stall: c.Plugins.Stall,
		StartGrace: c.Clients.StartGrace, ProgramGrace: c.Submissions.Start, Lag: c.Clients.Lag,
		Guesses: guess.Limits{Address: c.Limits.GuessesPerMinute, Secret: c.Limits.MatchGuessesPerMinute},
		Streams: int64(c.Limits.StreamsMB) << 20,
	}
}

// sameClients reports whether the settings of clients that take effect at the next
// start are the same: all except the lobby's.
func sameClients(a, b config.Clients) bool {
	a.StartGrace, a.Lag = b.StartGrace, b.Lag
	return a == b
}

// sameSubmissions reports whether the settings of programs that are handed in that take
// effect at the next start are the same: all except the lobby's.
func sameSubmissions(a, b config.Submissions) bool {
	a.Start = b.Start
	return reflect.DeepEqual(a, b)
}

// playerSettings returns the settings of players, which a reload changes: all except the login
// provider.
func playerSettings(c *config.Config) players.Settings {
	return players.Settings{
		Registration: c.Players.Registration, PerHour: c.Players.RegistrationsPerHour,
		Guesses: c.Limits.GuessesPerMinute, Reserved: c.Players.Reserved,
	}
}

// sameAtStart reports whether the limits that take effect at the next start are
// the same: all except the lobby's.
func sameAtStart(a, b config.Limits) bool {
	a.WaitingMatches, a.StreamsMB = b.WaitingMatches, b.StreamsMB
	a.GuessesPerMinute, a.MatchGuessesPerMinute = b.GuessesPerMinute, b.MatchGuessesPerMinute
	return reflect.DeepEqual(a, b)
}
