package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/records/export"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/poll"
)

func TestHostExportsTheLastMonthAndOffersIt(t *testing.T) {
	dir := t.TempDir()
	private, _, err := export.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, private, 0o600); err != nil {
		t.Fatal(err)
	}
	from := source(t, "127.0.0.1:0")
	override := from.Override
	from.Override = func(c *config.Config) {
		override(c)
		c.Exports = config.Exports{Dir: filepath.Join(dir, "exports"), Monthly: true, KeyFile: key}
	}
	s, err := Open(t.Context(), from, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// A match on each of the last 70 days, so that the last month has some.
	for i := range 70 {
		ended := time.Now().AddDate(0, 0, -i)
		r := &record.Match{ID: record.NewID(), Name: "m", Game: "dama", Plugin: "dama", Version: "v", Seats: []record.Seat{{Name: "ann", Ended: "finished"}}, Started: ended, Ended: ended, State: record.Finished}
		if err := s.records.Finish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }() // ends with cancel
	address := strings.Replace(s.Address(), "ws", "http", 1) + "api/exports"
	var text string
	poll.Until(t, "an export of dama at "+address, func() bool {
		reply, err := http.Get(address)
		if err != nil {
			return false
		}
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		text = string(body)
		return err == nil && strings.Contains(text, `"games":{"dama":`) && strings.Contains(text, `"key":"`)
	}, func() any { return text })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestHostWithAWrongKeyDoesNotStart(t *testing.T) {
	from := source(t, "127.0.0.1:0")
	override := from.Override
	from.Override = func(c *config.Config) {
		override(c)
		c.Exports = config.Exports{Dir: t.TempDir(), Monthly: true, KeyFile: filepath.Join(t.TempDir(), "nowhere")}
	}
	if _, err := Open(t.Context(), from, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "exports.key_file: ") {
		t.Errorf("got %v, want an error that names exports.key_file", err)
	}
}
