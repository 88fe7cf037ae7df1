package serve

import (
	"cmp"
	"context"
	"io"
	"time"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/protocol"
)

// Program plays matches, each with a new process.
type Program struct {
	Command   []string // the program and its arguments
	Linger    time.Duration
	Questions string // see player.NewQuestions; empty: none
	Folder    string // for logs; empty: none
	Server    string // the server's address, for the logs
	Dial      func(context.Context) (*server.Conn, error)
}

// Play plays a match as the player with the given name.
func (p *Program) Play(ctx context.Context, info protocol.MatchInfo, name string) MatchEnd {
	out := MatchEnd{Summary: match.Summary{Info: info}, Name: name}
	m := &match.Match{ID: info.ID, Name: name, Linger: p.Linger, Dial: p.Dial, Server: p.Server}
	if m.Conn, out.Err = connect(ctx, p.Dial); out.Err != nil {
		return out
	}
	if p.Folder != "" {
		m.Log, out.Log = journal.New(p.Folder) // without a log, the match goes on
	}
	var questions *player.Questions
	var err error
	if p.Questions != "" {
		if questions, err = player.NewQuestions(p.Questions, nil); err == nil {
			defer questions.Close()
		}
	}
	var process *player.Player
	if err == nil {
		process, err = player.Open(ctx, player.Config{Command: p.Command, Channel: player.Stdio, Env: player.Environment(info, name), Stderr: io.Discard, Questions: questions})
	}
	if err != nil {
		m.Conn.Close()
		out.Err = err
		return out
	}
	defer process.Close()
	m.Player = process
	if questions != nil {
		m.Question = questions.Write
	}
	err = m.Run(ctx)
	if err == nil {
		err = process.End(ctx, p.Linger)
	}
	unlogged := out.Log
	out.Summary, out.Err = m.Summary(), err
	if out.Info.ID == "" {
		out.Info = info
	}
	out.Log = cmp.Or(out.Log, unlogged)
	out.complete()
	m.Finish(out.Err)
	out.LogPath = m.Log.Path()
	if out.failed() {
		out.Stderr = process.Stderr()
	}
	return out
}

// delays are the times between attempts to connect for a match. Together they are
// shorter than the time in which a player must join.
var delays = []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// connect connects for a match that the server has just assigned. It tries again if the
// connection breaks, because a player that does not join loses the match, or gets no other
// one for some time.
func connect(ctx context.Context, dial func(context.Context) (*server.Conn, error)) (*server.Conn, error) {
	for _, delay := range delays {
		conn, err := dial(ctx)
		if err == nil || !server.Broken(err) || ctx.Err() != nil {
			return conn, err
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
	}
	return dial(ctx)
}
