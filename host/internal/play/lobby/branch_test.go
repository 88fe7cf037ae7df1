package lobby

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// count is a game for two, who name numbers in turn: the first, who gives one above 8, wins.
var count = sdk.Game{
	Name: "count", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
	Params: []sdk.Param{sdk.Choice("ask", "how", "one", "all", "tick", "chance"), sdk.Choice(sdk.BotParam, "level of the bot", "strong", "easy")},
	Play: func(m *sdk.Match) error {
		m.TellAll(m.Name(0) + " and " + m.Name(1))
		legal := []string{"1", "2", "9"}
		for i := 0; ; i = 1 - i {
			m.Pace(1)
			said := []sdk.Answer{{}}
			switch m.Choice("ask") {
			case "all":
				said = m.AskAll([][]string{legal, legal})
			case "tick":
				said = m.Tick(1)
			default:
				said[0].Seat = i
				said[0].Line, said[0].Err = m.Ask(i, legal)
			}
			for _, a := range said {
				if a.Err != nil {
					return nil
				}
				if m.TellAll(fmt.Sprint(a.Seat, " says ", a.Line, ", draw ", m.Rand(1000))); a.Line == "9" {
					m.Score(a.Seat, 1)
					return nil
				}
			}
		}
	},
	Bot: func(b *sdk.Bot) error {
		for b.Read() != "" {
			b.Write("2")
		}
		return nil
	},
}

// playing plays a game in this process.
type playingEngine struct{ game *sdk.Game }

func (e playingEngine) Prepare(_ context.Context, r driver.Request) (driver.Settings, error) {
	return driver.Of(e.game).Prepare(r)
}

func (e playingEngine) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	m := &played{in, setup.Rerun, make(chan []driver.Answer, 1), make(chan struct{})}
	s := *setup
	if s.Stall = 0; s.Rerun {
		s.Bots = nil
	}
	go driver.Of(e.game).Run(&s, m) // ends with the match, or with Stop
	return m, nil
}

type played struct {
	in      engine.Receiver
	hurries bool
	answers chan []driver.Answer // 1: a question is answered once
	stopped chan struct{}
}

func (m *played) Send(f *driver.Frame) bool {
	select {
	case <-m.stopped:
		return false
	default:
		m.in.Put(f)
		return true
	}
}

func (m *played) Wait() ([]driver.Answer, bool) {
	select {
	case a := <-m.answers:
		return a, true
	case <-m.stopped:
		return nil, false
	}
}

func (m *played) Pause(d time.Duration) bool {
	if m.hurries {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-m.stopped:
		return false
	}
}

func (m *played) Answer(a []driver.Answer) { m.answers <- a }
func (m *played) Stop()                    { close(m.stopped) }

// withCount adds the game to a lobby in a bubble.
func withCount(t *testing.T, f func(t *testing.T, l *testLobby)) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		offer := *l.games.(fakeCatalog)["duel"]
		offer.Params = count.Params
		offer.Name, offer.Plugin, offer.Version, offer.Engine = "count", "count", "v2", playingEngine{&count}
		l.games.(fakeCatalog)["count"] = &offer
		f(t, l)
	})
}

// counted returns the record of a match of players that say some lines.
func counted(t *testing.T, ask string, first, second []string) *record.Match {
	t.Helper()
	args := map[string]string{"ask": ask}
	got := gametest.MustPlay(t, gametest.Match{Game: &count, Players: []gametest.Player{gametest.Script(first...), gametest.Script(second...)}, Names: []string{"ann", "bob"}, Args: args, Seed: 5})
	r := &record.Match{
		ID: "0123456789abc", Name: "Final", Game: "count", Plugin: "count", Version: "v1", Args: args, Params: map[string]string{"ask": ask, "bot": "strong"},
		Timeout: 30, Seed: 5, State: record.Finished, Stream: []byte(got.Spectators), Seats: []record.Seat{{Name: "ann"}, {Name: "bob"}},
	}
	for _, a := range got.Answers {
		r.Answers = append(r.Answers, record.NewAnswer(a))
	}
	return r
}

func branchOf(rec *record.Match, change func(*protocol.GameNew)) protocol.GameNew {
	r := protocol.GameNew{Game: "count", Branch: &protocol.NewBranch{Match: rec.ID, Name: "eve"}}
	if change != nil {
		change(&r)
	}
	return r
}

func TestBranchPlaysTheSameMatchUpToItsLine(t *testing.T) {
	rec := counted(t, "one", []string{"1", "2", "9"}, []string{"2", "1"})
	lines := strings.SplitAfter(string(rec.Stream), "\n")
	withCount(t, func(t *testing.T, l *testLobby) {
		info, err := l.Branch(t.Context(), Client{}, branchOf(rec, func(r *protocol.GameNew) {
			r.Branch.Seat, r.Branch.Line, r.Params.Levels = 1, 3, []string{"easy"}
		}), rec)
		if err != nil {
			t.Fatal(err)
		}
		if want := (protocol.Branch{Match: rec.ID, Line: 3, Answers: 2}); info.Branch == nil || *info.Branch != want || info.Name != "Final" || info.Bots != 1 {
			t.Fatalf("got %+v, want the branch %+v", info, want)
		}
		if err := l.Join(l.client("eve"), Client{}, protocol.LobbyJoinMatch{ID: info.ID, Name: "eve"}); err == nil || !strings.Contains(err.Error(), "play it on the page of the host") {
			t.Errorf("a client that cannot repeat moves: got %v, want a refusal", err)
		}
		var sent []string
		eve := l.client("eve")
		if err := l.Join(eve, Client{Sent: func(line string) { sent = append(sent, line) }}, protocol.LobbyJoinMatch{ID: info.ID, Name: "eve"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // no pause takes time before the branch
		got, asked := eve.match.Snapshot()
		// The bot has seat 0, reads its first line and says 2; eve sits where bob sat.
		want := strings.Replace(strings.Join(lines[:3], ""), "ann and bob", "ServerBot$0 and eve", 1)
		if string(got.Stream) != want || asked != nil || got.Seed != 5 || got.Branch == nil || *got.Branch != *(*record.Branch)(info.Branch) || got.Seats[0].Level != "easy" {
			t.Errorf("got the stream\n%s of %+v, seats %v asked, want\n%s", got.Stream, got, asked, want)
		}
		time.Sleep(time.Second) // the first pause
		synctest.Wait()
		got, _ = eve.match.Snapshot()
		if len(got.Answers) != 3 || got.Answers[2].Line != "2" || !slices.Equal(sent, []string{"2"}) {
			t.Errorf("got the answers %+v, sent %q, want those of ann and bob, and then the bot's own", got.Answers, sent)
		}
		// Back before the line that bob had sent.
		back := branchOf(got, func(r *protocol.GameNew) { r.Branch.Seat, r.Branch.Back = 1, true })
		again, err := l.Branch(t.Context(), Client{}, back, got)
		if err != nil || again.Branch.Answers != 1 || again.Branch.Line != 2 || again.Branch.Match != info.ID {
			t.Errorf("got the branch %+v of the branch, %v, want one before the move of seat 1", again.Branch, err)
		}
	})
}

func TestBranchOfAMatchInWhichAllAnswerAtOnceBeginsBetweenQuestions(t *testing.T) {
	rec := counted(t, "all", []string{"1", "2", "9"}, []string{"2", "1", "1"})
	withCount(t, func(t *testing.T, l *testLobby) {
		info, err := l.Branch(t.Context(), Client{Player: "cy"}, branchOf(rec, func(r *protocol.GameNew) { r.Branch.Line = 2 }), rec)
		if err != nil || info.Branch.Answers != 2 || info.Branch.Line != 3 || !slices.Equal(info.Reserved, []string{"cy"}) {
			t.Errorf("got %+v, %v, want a branch after both first answers, kept for cy", info.Branch, err)
		}
	})
}

func TestBranchesThatCannotBeginAreRefused(t *testing.T) {
	rec := counted(t, "one", []string{"1", "9"}, []string{"2"})
	of := func(change func(*record.Match)) *record.Match {
		r := *rec
		r.Answers = slices.Clone(rec.Answers)
		change(&r)
		return &r
	}
	ticks := counted(t, "tick", []string{"1", "9"}, []string{"2"})
	tests := []struct {
		name   string
		rec    *record.Match
		change func(*protocol.GameNew)
		want   string
	}{
		{"a match that runs", of(func(r *record.Match) { r.State = record.Running }), nil, "runs"},
		{"another game", rec, func(r *protocol.GameNew) { r.Game = "duel" }, "is of the same game"},
		{"opponents", rec, func(r *protocol.GameNew) { r.Opponents = []string{"bob"} }, "against bots"},
		{"no such seat", rec, func(r *protocol.GameNew) { r.Branch.Seat = 2 }, "its seats are 0 to 1"},
		{"a negative line", rec, func(r *protocol.GameNew) { r.Branch.Line = -1 }, "has no line -1"},
		{"the end", rec, func(r *protocol.GameNew) { r.Branch.Line = 4 }, "nobody is to move after line 4"},
		{"no name", rec, func(r *protocol.GameNew) { r.Branch.Name = "" }, "not a valid username"},
		{"a level that the bot does not have", rec, func(r *protocol.GameNew) { r.Params.Levels = []string{"wild"} }, "wild"},
		{"no move yet", of(func(r *record.Match) { r.State, r.Answers, r.Stream = record.Aborted, nil, nil }), func(r *protocol.GameNew) { r.Branch.Back = true }, "no move to take back"},
		{"ticks", ticks, func(r *protocol.GameNew) { r.Branch.Line = 2 }, "is played in ticks"},
		{"another stream", of(func(r *record.Match) { r.Stream = []byte(strings.Replace(string(r.Stream), "draw ", "draw 1", 1)) }), func(r *protocol.GameNew) { r.Branch.Line = 2 }, "does not play match 0123456789abc again"},
		{"another seed", of(func(r *record.Match) { r.Seed++ }), func(r *protocol.GameNew) { r.Branch.Line = 2 }, "does not play match 0123456789abc again"},
	}
	for _, tt := range tests {
		withCount(t, func(t *testing.T, l *testLobby) {
			info, err := l.Branch(t.Context(), Client{}, branchOf(tt.rec, tt.change), tt.rec)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %+v, %v, want a refusal with %q", tt.name, info, err, tt.want)
			}
		})
	}
}
