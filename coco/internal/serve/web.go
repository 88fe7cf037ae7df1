package serve

import (
	"cmp"
	"context"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/match"
	"colosseum/coco/internal/server"
	"colosseum/protocol"
)

// Web plays matches with a web service, as Program does with a program.
type Web struct {
	Service func(context.Context, *match.Match) error // plays one match
	Folder  string                                    // for logs; empty: none
	Server  string                                    // the server's address, for the logs
	Dial    func(context.Context) (*server.Conn, error)
}

// Play plays a match as the player with the given name.
func (w *Web) Play(ctx context.Context, info protocol.MatchInfo, name string) MatchEnd {
	out := MatchEnd{Summary: match.Summary{Info: info}, Name: name}
	m := &match.Match{ID: info.ID, Name: name, Dial: w.Dial, Server: w.Server}
	if m.Conn, out.Err = connect(ctx, w.Dial); out.Err != nil {
		return out
	}
	if w.Folder != "" {
		m.Log, out.Log = journal.New(w.Folder) // without a log, the match goes on
	}
	unlogged := out.Log
	err := w.Service(ctx, m)
	out.Summary, out.Err = m.Summary(), err
	if out.Info.ID == "" {
		out.Info = info
	}
	out.Log = cmp.Or(out.Log, unlogged)
	out.complete()
	out.LogPath = m.Log.Path()
	return out
}
