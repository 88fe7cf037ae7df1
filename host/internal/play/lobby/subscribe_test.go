package lobby

import (
	"testing"
	"time"
)

func TestSubscribersGetEveryChangeAfterTheirList(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		first := l.create(t, nil)
		feed := l.client("feed")
		l.Subscribe(feed, func() uint64 {
			seed, generation := l.Snapshot()
			if len(seed) != 1 || seed[0].ID != first {
				t.Errorf("the list is %+v, want match %s", seed, first)
			}
			return generation
		})
		id := l.create(t, withBot)
		l.expect(t, "feed: LobbyNew waits []")
		l.mustWatch(t, unlogged("eve"), id)
		l.expect(t, "feed: LobbyUpdate waits watched by 1 []")
		l.mustJoin(t, unlogged("alice"), id)
		l.expect(t, "feed: LobbyUpdate waits watched by 1 [alice]", "feed: LobbyUpdate runs watched by 1 [alice]")
		l.mustWatch(t, unlogged("mallory"), id)
		l.expect(t, "feed: LobbyUpdate runs watched by 2 [alice]")
		l.duel.end()
		l.expect(t, "record: T finished", "feed: LobbyDelete")
		time.Sleep(600 * time.Second)
		l.expect(t, "feed: LobbyDelete") // the first match expires
		l.Unsubscribe(feed)
		l.create(t, nil)
		l.expect(t)
	})
}

func TestChangesWaitUntilASubscriberHasItsList(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		feed := l.client("feed")
		l.Subscribe(feed, func() uint64 {
			l.create(t, nil) // in the list, so not in the feed
			_, generation := l.Snapshot()
			l.mustJoin(t, unlogged("alice"), l.create(t, withBot))
			l.expect(t) // nothing comes before the list
			return generation
		})
		l.expect(t, "feed: LobbyNew waits []", "feed: LobbyUpdate waits [alice]", "feed: LobbyUpdate runs [alice]")
		l.duel.end()
		l.expect(t, "record: T finished", "feed: LobbyDelete")
		l.Subscribe(feed, func() uint64 {
			l.Unsubscribe(feed)
			l.create(t, nil)
			return l.Generation()
		})
		l.create(t, nil)
		l.expect(t) // it unsubscribed while its list was made
	})
}
