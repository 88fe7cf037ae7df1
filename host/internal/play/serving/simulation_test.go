package serving

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// ledger counts the matches of each player from the messages that any client of
// the lobby can read. It is called with the lobby locked.
type ledger struct {
	t       *testing.T
	limit   map[string]int
	players map[string][]string // by match
	count   map[string]int      // by player
	most    int                 // matches at the same time
}

func (l *ledger) Feed(message []byte) {
	name, body, err := protocol.Split(message)
	var m struct {
		ID   string             `json:"id"`
		Info protocol.MatchInfo `json:"info"`
	}
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil {
		l.t.Error(err)
	}
	if name == protocol.NameLobbyDelete {
		l.put(m.ID, nil)
		delete(l.players, m.ID)
		return
	}
	var players []string
	if m.Info.Contest == "" { // otherwise a seat is kept before its player has room for the match
		players = append(players, m.Info.Reserved...)
	}
	for _, p := range m.Info.Identities {
		players = append(players, p)
	}
	l.put(m.Info.ID, players)
}

func (l *ledger) put(id string, players []string) {
	for _, p := range l.players[id] {
		l.count[p]--
	}
	for _, p := range players {
		if l.count[p]++; l.count[p] > l.limit[p] {
			l.t.Errorf("%s has %d matches at the same time, want at most %d", p, l.count[p], l.limit[p])
		}
	}
	l.players[id] = players
	l.most = max(l.most, len(l.players))
}

// Players serve, leave, come back, join late or never, and leave before the start;
// clients challenge them and look for matches; contests play, engage players and stop;
// games vanish and the lobby is full.
func TestNoPlayerEverHasMoreMatchesThanItTakes(t *testing.T) {
	const players, events = 200, 10_000
	withDesk(t, func(t *testing.T, w *testDesk) {
		random := rand.New(rand.NewPCG(1, 2))
		l := &ledger{t: t, limit: map[string]int{}, players: map[string][]string{}, count: map[string]int{}}
		w.lobby.Subscribe(l, w.lobby.Generation)
		bots := make([]*bot, players)
		for i := range bots {
			bots[i] = &bot{w: w, player: fmt.Sprint("p", i)}
			l.limit[bots[i].player] = 1 + i%4
		}
		soon := func(most time.Duration, f func()) { time.AfterFunc(time.Duration(random.Int64N(int64(most))), f) }
		offered := map[string]bool{} // seats, by match and player
		refused, challenges := 0, 0
		contests := map[string]int{} // by how Play ended
		var count sync.Mutex         // guards contests
		var playing sync.WaitGroup
		for n := range events {
			i := random.IntN(players)
			b := bots[i]
			switch kind := random.IntN(100); {
			case kind < 30:
				next := &bot{w: w, player: b.player}
				if w.offer(next, func(r *protocol.Serve) {
					*r = protocol.Serve{Games: [][]string{{"duel"}, {"trio"}, {"duel", "trio"}}[random.IntN(3)], Concurrency: l.limit[b.player], Challenges: random.IntN(10) == 0}
				}) != nil {
					refused++
				} else {
					bots[i] = next
				}
			case kind < 50:
				w.Leave(b, b.player)
			case kind < 65:
				if _, err := w.challenge("", "duel", bots[random.IntN(players)].player); err == nil {
					challenges++
				}
			case kind < 80:
				guest := &guest{}
				r := protocol.LobbyFindMatch{New: protocol.GameNew{Name: "T", Game: []string{"duel", "trio"}[random.IntN(2)]}, Name: fmt.Sprint("g", n%7)}
				if w.Desk.Find(t.Context(), guest, lobby.Client{}, r) == nil {
					soon(time.Minute, func() { w.lobby.Leave(guest, guest.id) })
				}
			case kind < 81:
				w.games.remove("trio")
			case kind < 84:
				w.games.add("trio", 3)
			case kind < 85:
				w.lobby.SetLimits(lobby.Limits{Matches: 1 + random.IntN(100), Expiry: time.Minute, Stall: time.Hour})
			case kind < 95:
				game, size := "duel", 2
				if random.IntN(3) == 0 {
					game, size = "trio", 3
				}
				var names []string
				for _, k := range random.Perm(players)[:size] {
					names = append(names, bots[k].player)
				}
				f := cup(game, names...)
				f.Grace = time.Duration(1+random.IntN(60)) * time.Second
				ctx, cancel := context.WithCancel(t.Context())
				if random.IntN(5) == 0 {
					soon(time.Minute, cancel)
				}
				release := w.Engage(names[:random.IntN(size)])
				playing.Go(func() {
					_, absent, err := w.Play(ctx, f)
					cancel()
					release()
					how := "played"
					if len(absent) > 0 {
						how = "absent"
					} else if err != nil {
						how = "error"
					}
					count.Lock()
					defer count.Unlock()
					contests[how]++
				})
			case kind < 97:
				names := []string{b.player}
				soon(time.Minute, w.EngageFor([]string{"duel", "trio"}[random.IntN(2)], names))
			case kind < 98:
				w.lobby.SetLimits(lobby.Limits{Matches: 1000, Expiry: time.Minute, Stall: time.Hour})
			}
			for _, g := range w.take() {
				seat := g.Info.ID + g.player
				if offered[seat] || random.IntN(10) == 0 { // it never joins
					continue
				}
				offered[seat] = true
				leaves := random.IntN(10) == 0
				soon(16*time.Second, func() {
					if guest, err := w.join(g.Info.ID, g.player); err == nil && leaves {
						w.lobby.Leave(guest, g.Info.ID)
					}
				})
			}
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			if n%20 == 0 {
				w.expectSound(l.limit)
			}
		}
		for _, b := range bots {
			w.Leave(b, b.player)
		}
		time.Sleep(2 * time.Hour)
		playing.Wait()
		synctest.Wait()
		w.lobby.Unsubscribe(l) // nothing feeds l from here on
		got := w.Stats()
		// How many there are depends on which goroutine of the bubble runs first: these are far less
		// than the fewest that were seen.
		if got.Assigned < 500 || got.NotJoined < 50 || got.Refused < 50 || challenges < 5 || refused < 5 || l.most < 20 {
			t.Errorf("got %+v, %d challenges, %d offers refused, %d matches at the same time: want more of each", got, challenges, refused, l.most)
		}
		if contests["played"] < 5 || contests["absent"] < 50 || contests["error"] < 20 {
			t.Errorf("got %v matches of contests, want more of each", contests)
		}
		t.Logf("%v, %+v, %d challenges, %d offers refused, at most %d matches", contests, got, challenges, refused, l.most)
		if got.Serving != 0 || got.Matches != 0 || len(w.queues) != 0 || len(w.recent.last) != 0 || len(w.recent.order) != 0 {
			t.Errorf("got %+v, %d queues and %d recent pairings after all have left, want none", got, len(w.queues), len(w.recent.order))
		}
		if len(w.contests) != 0 || len(w.engaged) != 0 {
			t.Errorf("got %d players wanted and %d engaged after all have left, want none", len(w.contests), len(w.engaged))
		}
	})
}

// expectSound checks that no player has more matches than it takes, and that a player
// with room has the seats that contests keep for it.
func (w *testDesk) expectSound(limit map[string]int) {
	w.t.Helper()
	synctest.Wait()
	w.Desk.mu.Lock()
	defer w.Desk.mu.Unlock()
	for _, p := range w.players {
		if got := len(p.matches); got > limit[p.name] {
			w.t.Errorf("%s has %d matches, want at most %d", p.name, got, limit[p.name])
		}
		for _, a := range w.contests[key(p.name)] {
			if p.conn != nil && !p.fullLocked() && a.keepsLocked(p) && slices.Contains(p.games, a.info.Game) && p.matches[a] == nil {
				w.t.Errorf("%s has room: got no seat in the match %s, want one", p.name, a.info.ID)
			}
		}
		for _, game := range p.games {
			if _, got := w.queues[game].free[p]; got != w.freeLocked(p) {
				w.t.Errorf("%s is free for the %s: got %v, want %v", p.name, game, got, !got)
			}
		}
	}
}

// Each of 24 players meets each other one about as often.
func TestPairingIsFair(t *testing.T) {
	const players = 24
	withDesk(t, func(t *testing.T, w *testDesk) {
		w.games.lasts = time.Second
		for i := range players {
			w.serve(fmt.Sprint("p", i), nil)
		}
		met, played := map[string]int{}, map[string]int{}
		for range players * 30 {
			byMatch := map[string][]string{}
			for _, g := range w.take() {
				byMatch[g.Info.ID] = append(byMatch[g.Info.ID], g.player)
			}
			for id, group := range byMatch {
				w.mustJoin(id, group...)
				a, b := min(group[0], group[1]), max(group[0], group[1])
				met[a+" "+b]++
				played[a]++
				played[b]++
			}
			time.Sleep(time.Second)
		}
		least, most := 1<<30, 0
		for _, n := range met {
			least, most = min(least, n), max(most, n)
		}
		if pairs := players * (players - 1) / 2; len(met) != pairs || most > 2*least {
			t.Errorf("%d pairs met %d to %d times, want all %d with at most twice the least", len(met), least, most, pairs)
		}
		least, most = 1<<30, 0
		for _, n := range played {
			least, most = min(least, n), max(most, n)
		}
		if most > least*5/4 {
			t.Errorf("players played %d to %d matches, want a difference of at most a quarter", least, most)
		}
	})
}
