package match

import (
	"context"
	"time"

	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

// forward sends the player's output, one frame for each read. Output before the
// start of the match waits for it. Output after the end is read and dropped, so
// that a full pipe does not keep the program from exiting.
func (m *Match) forward(ctx context.Context) {
	defer close(m.drained)
	piece := make([]byte, server.MaxFrame)
	for {
		n, err := m.Player.Out.Read(piece)
		if n > 0 {
			select {
			case <-m.started:
			case <-ctx.Done():
			}
			if ctx.Err() == nil {
				m.moves.Add(1)
				m.trace.sent(piece[:n])
				m.link.send(ctx, piece[:n]) // if the connection is lost for good, follow returns the error
			}
		}
		if err != nil {
			return
		}
	}
}

// watch waits until the player is gone, and leaves the match if necessary. A
// program can exit after its last move, before the end of the match, so coco
// stays while the stream moves. But the server can also be waiting for a move
// that never comes, so coco leaves when the stream is silent for Linger.
func (m *Match) watch(ctx context.Context, leave context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
		return
	case <-m.Player.Gone():
	}
	status, failure := m.Player.ExitStatus()
	switch {
	case failure != nil && (m.Spectate || !m.begun.Load()):
		leave(failure)
		return
	case m.Spectate:
		leave(errViewerGone)
		return
	case failure == nil:
		m.awaitStart(ctx, leave)
	}
	wait(ctx, m.drained, m.Linger) // a child of the program can keep its output open
	wait(ctx, nil, endGrace)
	if ctx.Err() != nil {
		return
	}
	if failure != nil {
		leave(failure)
		return
	}
	m.Print.Line("%v, waiting for the end of the game", status)
	for {
		before, there := m.moves.Load(), m.link.connected() != nil
		wait(ctx, nil, m.Linger)
		if ctx.Err() != nil || there && m.moves.Load() == before && m.link.connected() != nil {
			leave(&player.Failed{Text: locale.Errorf("the player was gone before the match ended")})
			return
		}
	}
}

// awaitStart waits for the start of the match after the program's exit. It leaves
// the match if the program has written nothing.
func (m *Match) awaitStart(ctx context.Context, leave context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
	case <-m.started:
	case <-m.drained:
		if !m.begun.Load() {
			leave(&player.Failed{Text: locale.Errorf("the player was gone before the match began, and had written nothing")})
		}
	}
}

// wait returns after limit, when done is closed, or when ctx ends.
func wait(ctx context.Context, done <-chan struct{}, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-done:
	case <-timer.C:
	}
}
