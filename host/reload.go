package main

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

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/config"
	"colosseum/host/internal/guess"
	"colosseum/host/internal/lobby"
)

// settings is where the configuration comes from: a file, if any, under the
// flags of the command line.
type settings struct {
	path  string // empty: the defaults
	flags func(c *config.Config)
}

func (s settings) load() (*config.Config, error) {
	c := config.Default()
	if s.path != "" {
		var err error
		if c, err = config.Load(s.path); err != nil {
			return nil, err
		}
	}
	s.flags(c)
	return c, nil
}

// reloader takes a changed configuration over while the host runs.
type reloader struct {
	settings settings
	current  *config.Config
	games    *catalog.Catalog
	hall     *lobby.Lobby
	log      *slog.Logger
}

// run reloads on SIGHUP and when the file has changed, until ctx ends.
func (r *reloader) run(ctx context.Context) {
	hup := make(chan os.Signal, 1) // 1: a second signal says the same
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	changed := make(chan struct{}, 1) // 1: as above
	if r.settings.path != "" {
		stop, err := watchFile(r.settings.path, changed)
		if err != nil {
			r.log.Warn("the configuration is not watched: send SIGHUP after a change", "error", err)
		} else {
			defer stop()
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
		case <-changed:
		}
		if err := r.reload(); err != nil {
			r.log.Error("the configuration was not reloaded; the old one stays in force", "error", err)
		} else {
			r.log.Info("configuration reloaded")
		}
	}
}

// reload takes the configuration over as a whole, or, with an error, not at all.
func (r *reloader) reload() error {
	c, err := r.settings.load()
	if err != nil {
		return err
	}
	for name, same := range map[string]bool{
		"listen": c.Listen == r.current.Listen, "data": c.Data == r.current.Data, "clients": c.Clients == r.current.Clients,
		"trusted_proxies": slices.Equal(c.TrustedProxies, r.current.TrustedProxies), "origins": slices.Equal(c.Origins, r.current.Origins),
		"names": slices.Equal(c.Names, r.current.Names),
		"tls":   reflect.DeepEqual(c.TLS, r.current.TLS), "operations": c.Operations == r.current.Operations,
		"limits":                     sameButLobby(c.Limits, r.current.Limits),
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
	r.hall.SetLimits(limits(c))
	r.current = c
	return nil
}

func limits(c *config.Config) lobby.Limits {
	return lobby.Limits{
		Matches: c.Lobby.Matches, Waiting: c.Limits.WaitingMatches, Expiry: c.Lobby.Expiry, Stall: c.Plugins.Stall,
		Guesses: guess.Limits{Address: c.Limits.GuessesPerMinute, Secret: c.Limits.MatchGuessesPerMinute},
	}
}

// sameButLobby compares what can't change while the host runs: all but the
// limits of the lobby.
func sameButLobby(a, b config.Limits) bool {
	a.WaitingMatches, a.GuessesPerMinute, a.MatchGuessesPerMinute = b.WaitingMatches, b.GuessesPerMinute, b.MatchGuessesPerMinute
	return reflect.DeepEqual(a, b)
}

// settle is how long a file must be quiet: editors write in several steps.
const settle = 50 * time.Millisecond

// watchFile signals when a file has changed. Its folder is watched, because
// many editors replace a file instead of writing it.
func watchFile(path string, changed chan<- struct{}) (stop func(), err error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := w.Add(filepath.Dir(path)); err != nil {
		_ = w.Close()
		return nil, err
	}
	quiet := time.AfterFunc(time.Hour, func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	quiet.Stop()
	go func() { // ends with the watcher
		for e := range w.Events {
			if filepath.Base(e.Name) == filepath.Base(path) {
				quiet.Reset(settle)
			}
		}
	}()
	go func() { // ends with the watcher; the next change is seen all the same
		for range w.Errors {
		}
	}()
	return func() { quiet.Stop(); _ = w.Close() }, nil
}
