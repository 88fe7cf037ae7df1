package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/lobby"
	"colosseum/host/internal/record"
	"colosseum/host/internal/store"
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
	path := filepath.Join(c.Data, "colosseum.db")
	records, err := store.OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	defer records.Close()
	r, err := records.Get(ctx, match)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("there is no match %s in %s: name the host's data folder with --data", match, path)
	}
	return r, err
}
