package server

import (
	"context"
	"fmt"

	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/records/export"
)

// monthlyExports returns what exports each month; nil: nothing does.
func (s *Server) monthlyExports() (*export.Monthly, error) {
	c := s.config.Exports
	if !c.Monthly {
		return nil, nil
	}
	m := &export.Monthly{Records: s.records, Folder: c.Dir, Host: s.config.PublicAddress(), Log: s.log}
	if c.KeyFile != "" {
		var err error
		if m.Key, err = export.ReadKey(c.KeyFile); err != nil {
			return nil, fmt.Errorf("exports.key_file: %w", err)
		}
	}
	if err := disk.MakeFolder(c.Dir); err != nil {
		return nil, fmt.Errorf("exports.dir: %w", err)
	}
	return m, nil
}

// exportMonths writes the exports until ctx ends.
func (s *Server) exportMonths(ctx context.Context) {
	if s.monthly != nil {
		s.monthly.Run(ctx)
	}
}
