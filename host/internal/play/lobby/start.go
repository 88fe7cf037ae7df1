package lobby

import (
	"crypto/rand"
	"encoding/binary"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// startLocked starts a waiting match.
func (l *Lobby) startLocked(e *entry) {
	l.stopWaitingLocked(e)
	seed, salt := newSeed(), record.NewSalt()
	if e.seed != nil {
		seed = *e.seed
	}
	// After a crash, the same version runs in another process.
	if now, release, err := l.hold(e.offer.Name, func() {}); err == nil {
		if now.Version == e.offer.Version {
			e.offer, e.release, release = now, release, e.release
		}
		release()
	}
	e.info.Running = true
	e.info.Time = time.Now().Unix()
	e.info.Commitment = record.Commitment(salt, seed)
	e.info.Delay = e.offer.Delay
	e.stream = match.NewDelayedStream(time.Duration(e.offer.Delay * float64(time.Second)))
	l.generation.Add(1)
	l.updateLocked(e)
	seats, of := e.seatedLocked()
	log := l.log.With("match", e.info.ID, "game", e.info.Game)
	m, places := match.New(match.Config{
		Record: &record.Match{
			ID: e.info.ID, Name: e.info.Name, Game: e.offer.Name, Plugin: e.offer.Plugin, Version: e.offer.Version,
			Args: e.info.Args, Params: e.settings.Params, Timeout: e.info.Timeout, Retries: e.info.Retries, Clock: (*record.Clock)(e.info.Clock), Seed: seed, Salt: salt, Verified: e.info.Verified, Fixture: e.fixture, Branch: e.branch,
		},
		Seats: seats, Seated: e.order != nil || e.seat > 0, Begin: e.begin, Game: e.offer.Engine, Recorder: l.recorder, Stream: e.stream, Total: l.streams, Stall: l.limits.Stall, Log: log,
		StartGrace: l.limits.StartGrace, ProgramGrace: l.limits.ProgramGrace, Lag: l.limits.Lag, MaxLine: e.offer.MaxLine,
		Over: func() { l.end(e) }, Stuck: e.offer.Stuck, Counters: &l.countersLocked(e.info.Game).matches,
	})
	e.match = m
	for i, p := range e.players {
		p.Started(m, places[of[i]])
	}
	e.players, e.kept, e.hints, e.sent, e.begin = nil, nil, nil, nil, nil
	for s := range e.spectators {
		s.Playing(e.stream)
	}
	l.running.Add(1)
	running := l.playing
	running.wait.Add(1)
	log.Info("match started")
	go m.Start(running.ctx, func() { // ends when the game has the match
		running.wait.Done()
		l.running.Done()
	})
}

// end removes a match whose record is durable. It is called before the players
// learn of the end, so that a client that reads MatchEnded does not find the
// match in the lobby.
func (l *Lobby) end(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.entries, e.info.ID)
	if e.bots {
		l.botMatches--
	}
	e.leaveLocked()
	l.generation.Add(1)
	l.fixtureChangedLocked(e.fixture)
	e.release()
	l.feedLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: e.info.ID}))
	l.publishLocked(e, Change{Gone: true})
	e.reportLocked(Change{Gone: true})
}

func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}
