package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// readRecord returns the record of a match, which is the file of a transcript, or
// an ID in the data folder, which a running host can be using.
func readRecord(ctx context.Context, cmd *cli.Command, match string) (*record.Match, error) {
	b, err := os.ReadFile(match)
	if err == nil {
		r, err := record.DecodeTranscript(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", match, err)
		}
		return r, nil
	}
	if !lobby.ValidID(match) {
		return nil, fmt.Errorf("%q is neither the ID of a match nor a transcript: %w", match, err)
	}
	c, err := source(cmd).Load()
	if err != nil {
		return nil, err
	}
	records, err := store.OpenReader(ctx, c.StoreAt())
	if err != nil {
		return nil, err
	}
	defer records.Close()
	r, err := records.Get(ctx, match)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("there is no match %s in %s: name the host's data folder with --data", match, config.ShowStore(c.StoreAt()))
	}
	return r, err
}

// present returns an error if the records are in a file that does not exist.
func present(c *config.Config, what string) error {
	at := c.StoreAt()
	if config.InPostgres(at) {
		return nil
	}
	if _, err := os.Stat(at); err != nil {
		return fmt.Errorf("find the %s: %w: name the host's data folder with --data", what, err)
	}
	return nil
}
