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

// readRecord returns the record of a match, given the file of a transcript, or
// the match's ID in the data folder, which a running host may be using.
func readRecord(ctx context.Context, cmd *cli.Command, what string) (*record.Match, error) {
	b, err := os.ReadFile(what)
	if err == nil {
		r, err := record.DecodeTranscript(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		return r, nil
	}
	if !lobby.ValidID(what) {
		return nil, fmt.Errorf("%q is neither the ID of a match nor a transcript: %w", what, err)
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
	r, err := records.Get(ctx, what)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("there is no match %s in %s: name the host's data folder with --data", what, path)
	}
	return r, err
}
