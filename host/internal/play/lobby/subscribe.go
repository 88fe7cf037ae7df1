package lobby

import "colosseum/protocol"

// Subscriber receives the changes of the lobby, as encoded messages. Feed must
// not block and must not call the lobby, which is locked while it calls Feed.
type Subscriber interface{ Feed(message []byte) }

// subscription keeps the changes that happen while seed sends the list.
type subscription struct {
	seeded bool
	missed []change // without a limit, until seed returns
}

// change is a message of the feed, and the generation that it led to.
type change struct {
	generation uint64
	message    []byte
}

// Subscribe sends a subscriber a list and then all later changes. Seed sends the
// list, a Snapshot, and returns its generation. The lobby is not locked while
// seed runs, because writing a long list takes time; the changes that happen in
// that time follow the list.
func (l *Lobby) Subscribe(s Subscriber, seed func() (generation uint64)) {
	l.mu.Lock()
	sub := &subscription{}
	l.subscribers[s] = sub
	l.mu.Unlock()
	generation := seed()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.subscribers[s] != sub {
		return // it has unsubscribed
	}
	for _, c := range sub.missed {
		if c.generation > generation {
			s.Feed(c.message)
		}
	}
	sub.seeded, sub.missed = true, nil
}

// Unsubscribe ends Subscribe. Feed is not called after it returns.
func (l *Lobby) Unsubscribe(s Subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subscribers, s)
}

// updateLocked sends a changed match to the subscribers and, until its start has
// been announced, to its players and spectators.
func (l *Lobby) updateLocked(e *entry) {
	message := protocol.Encode(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: e.info})
	l.feedLocked(message)
	l.publishLocked(e, Change{})
	e.reportLocked(Change{})
	if e.info.Running && e.players == nil {
		return
	}
	for _, p := range e.players {
		p.Update(message)
	}
	for s := range e.spectators {
		s.Update(message)
	}
}

// feedLocked sends a message to all subscribers. The change must have been
// counted in generation.
func (l *Lobby) feedLocked(message []byte) {
	for s, sub := range l.subscribers {
		if sub.seeded {
			s.Feed(message)
		} else {
			sub.missed = append(sub.missed, change{l.generation.Load(), message})
		}
	}
}
