package server

import (
	"context"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/analysis"
)

// spares are the games of analyses.
type spares struct{ *catalog.Catalog }

func (s spares) Spare(ctx context.Context, plugin, version string) (analysis.Process, error) {
	game, err := s.Catalog.Spare(ctx, plugin, version)
	if err != nil {
		return nil, err // game, as a Process, would not be nil
	}
	return game, nil
}
