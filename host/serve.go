package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"colosseum/host/internal/arrival"
	"colosseum/host/internal/catalog"
	"colosseum/host/internal/config"
	"colosseum/host/internal/disk"
	"colosseum/host/internal/doctor"
	"colosseum/host/internal/engine"
	"colosseum/host/internal/hostname"
	"colosseum/host/internal/lobby"
	"colosseum/host/internal/metrics"
	"colosseum/host/internal/site"
	"colosseum/host/internal/store"
	"colosseum/host/internal/web"
)

// serve runs the host until ctx ends, and then ends everything in the order in
// which it depends on each other: matches, sessions, games, records.
func serve(ctx context.Context, from settings, c *config.Config, log *slog.Logger) error {
	cores, _ := engine.Shares()
	runtime.GOMAXPROCS(cores)
	proxies, err := config.Networks("trusted_proxies", c.TrustedProxies)
	if err != nil {
		return err
	}
	limited, err := clientLimits(c)
	if err != nil {
		return err
	}
	limited.Names = hostname.New(c.Names, []string{c.Listen, c.Operations.Listen}, log)
	encrypted, err := encryption(c, log)
	if err != nil {
		return err
	}
	if err := disk.MakeFolder(c.Data); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	records, err := store.Open(ctx, filepath.Join(c.Data, "colosseum.db"), log)
	if err != nil {
		return err
	}
	defer func() {
		if err := records.Close(); err != nil {
			log.Error("the records were not closed cleanly", "error", err)
		}
	}()
	// From here on the folder is ours: no other host makes a password in it.
	password, err := verificationPassword(c, log)
	if err != nil {
		return err
	}
	if problem, remedy := doctor.Exposed(c.Data); problem != "" {
		log.Warn("the data folder is not private", "problem", problem, "remedy", remedy)
	}
	// The address is taken first: when it is not free, nothing was started.
	listener, err := listen(c.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	listener = arrival.Listener{Listener: listener}
	scheme := "ws"
	if encrypted != nil {
		listener, scheme = tls.NewListener(listener, encrypted), "wss"
	}
	page, silent, err := operate(c.Operations.Listen, limited.Names, log)
	if err != nil {
		return err
	}
	defer silent()
	games, err := catalog.Open(c, filepath.Join(c.Data, "cache"), log)
	if err != nil {
		return err
	}
	defer games.Close()

	hall := lobby.New(games, records, limits(c), password, log)
	sessions := web.New(games, hall, records, limited, proxies, log)
	server := &http.Server{
		Handler:           limited.Names.Guard(sessions.Or(site.New(games, hall, records, sessions, log))),
		ReadHeaderTimeout: c.Clients.HandshakeTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), ConnState: sessions.ConnState,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }() // ends with server.Close
	reloading := &reloader{settings: from, current: c, games: games, hall: hall, log: log}
	go reloading.run(ctx) // ends with ctx
	page.Started(metrics.Sources{Lobby: hall, Web: sessions, Games: games, Records: records})
	at := []any{"address", address(listener, scheme)}
	if listener.Addr().Network() != "unix" {
		at = append(at, "browser", address(listener, strings.Replace(scheme, "ws", "http", 1)))
	}
	log.Info("listening", at...)
	go games.Load(ctx) // ends with ctx, or when all were loaded or not

	select {
	case err = <-failed:
	case <-ctx.Done():
		log.Info("shutting down")
		err = nil
	}
	page.Stopping()
	_ = listener.Close()
	patience, cancel := context.WithTimeout(context.Background(), c.Drain)
	defer cancel()
	hall.Close(patience)
	sessions.Close()
	_ = server.Close()
	return err
}

// listen opens the address for clients.
func listen(where string) (net.Listener, error) {
	l, err := open(where)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w: choose another address with --listen", where, err)
	}
	return l, nil
}

// open opens HOST:PORT or unix:PATH.
func open(where string) (net.Listener, error) {
	path, unix := strings.CutPrefix(where, "unix:")
	if !unix {
		return net.Listen("tcp", where)
	}
	l, err := net.Listen("unix", path)
	if err != nil && staleSocket(path) {
		if err = os.Remove(path); err == nil {
			l, err = net.Listen("unix", path)
		}
	}
	return l, err
}

// staleSocket tells whether a host that was killed has left its socket behind.
func staleSocket(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return false
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = conn.Close()
		return false
	}
	return !errors.Is(err, os.ErrPermission)
}

// address is what a client passes to coco -s.
func address(l net.Listener, scheme string) string {
	if l.Addr().Network() == "unix" {
		return "unix:" + l.Addr().String()
	}
	return scheme + "://" + l.Addr().String() + "/"
}
