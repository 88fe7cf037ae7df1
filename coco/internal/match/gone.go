package match

import (
	"context"
	"time"

	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
)

// forward sends what the player says, a frame for each piece that can be read
// at once. What it says before the start waits; what it says after the end is
// read and dropped, so that the program is not kept from exiting.
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
				m.Conn.SendStream(piece[:n]) // when the connection is lost, follow says so
			}
		}
		if err != nil {
			return
		}
	}
}

// watch decides what becomes of the match when the player is gone. A program
// may rightly exit after its last move, before the end of the match, so we
// stay as long as the stream moves; but the server may as well wait for a
// player who will never move again, so we do not stay for ever.
func (m *Match) watch(ctx context.Context, leave context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
		return
	case <-m.Player.Gone():
	}
	how, failure := m.Player.Farewell()
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
	wait(ctx, m.drained, m.Linger) // a child of the program may hold its output open
	wait(ctx, nil, settle)
	if ctx.Err() != nil {
		return
	}
	if failure != nil {
		leave(failure)
		return
	}
	m.Print.Line("%s, waiting for the end of the game", how)
	for {
		before := m.moves.Load()
		wait(ctx, nil, m.Linger)
		if ctx.Err() != nil || m.moves.Load() == before {
			leave(&player.Failed{Text: "the player was gone before the match ended"})
			return
		}
	}
}

// awaitStart waits for the start of the match on behalf of a program that has
// already said all that it will ever say, if it has said anything.
func (m *Match) awaitStart(ctx context.Context, leave context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
	case <-m.started:
	case <-m.drained:
		if !m.begun.Load() {
			leave(&player.Failed{Text: "the player was gone before the match began, without a word"})
		}
	}
}

// wait returns after some time, or when done is closed, or when ctx ends.
func wait(ctx context.Context, done <-chan struct{}, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-done:
	case <-timer.C:
	}
}
