package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"colosseum/host/internal/config"
	"colosseum/host/internal/hostname"
	"colosseum/host/internal/metrics"
)

// usualOperations is where operations are served when nothing else is said.
const usualOperations = "127.0.0.1:9088"

// operate serves metrics and health, when they are wanted, until stop is
// called. A host with the usual address goes without when it is not free:
// another host on the machine has it.
func operate(where string, names *hostname.Names, log *slog.Logger) (page *metrics.Page, stop func(), err error) {
	page = metrics.New(log)
	if where == "" {
		return page, func() {}, nil
	}
	var listener net.Listener
	if where == config.OperationsAuto {
		if listener, err = net.Listen("tcp", usualOperations); err != nil {
			log.Warn("metrics and health are not served: set operations.listen to another address", "error", err)
			return page, func() {}, nil
		}
	} else if listener, err = open(where); err != nil {
		return nil, nil, fmt.Errorf("operations: listen on %s: %w", where, err)
	}
	server := &http.Server{
		Handler: names.Guard(page), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() { _ = server.Serve(listener) }() // ends with stop
	log.Info("serving metrics and health", "at", "http://"+strings.TrimPrefix(address(listener, "ws"), "ws://"))
	return page, func() { _ = server.Close() }, nil
}
