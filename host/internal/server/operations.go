package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/clients/hostname"
	"colosseum/host/internal/server/metrics"
)

// operate serves metrics and health at an address until stop is called; if the
// address is empty, it does not. With config.OperationsAuto it only warns if the address is in use,
// so that a second host can run on the machine.
func operate(at string, names *hostname.Names, log *slog.Logger) (page *metrics.Page, stop func(), err error) {
	page = metrics.New(log)
	if at == "" {
		return page, func() {}, nil
	}
	auto := at == config.OperationsAuto
	if auto {
		at = config.OperationsDefault
	}
	listener, err := listen(at)
	if err != nil && auto {
		log.Warn("metrics and health are not served: set operations.listen to another address", "error", err)
		return page, func() {}, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("operations: listen on %s: %w", at, err)
	}
	server := &http.Server{
		Handler: names.Guard(page), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() { _ = server.Serve(listener) }() // ends with stop
	log.Info("serving metrics and health", "at", "http://"+strings.TrimPrefix(address(listener, "ws"), "ws://"))
	return page, func() { _ = server.Close() }, nil
}
