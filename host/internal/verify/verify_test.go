package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/host/internal/store"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/wire"
)

const stall = 30 * time.Second

// guess is a game of five rounds: both players guess a coin at the same time,
// and then the first says a number, until somebody forfeits.
var guess = sdk.Game{
	Name: "guess", Title: "Guess the coin", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10,
	Params: []sdk.Param{sdk.Choice("then", "what the referee does after the rounds", "end", "fail", "reason")},
	Play: func(m *sdk.Match) error {
		m.Show(m.Name(0) + " " + m.Name(1))
		if m.Bots() > 0 {
			m.Show("with a bot")
		}
		coin := []string{"heads", "tails"}
		for range 5 {
			m.Pace(20)
			truth := coin[m.Rand(2)]
			answers, errs := m.AskAll([][]string{coin, coin})
			for seat := range 2 {
				if errs[seat] != nil {
					m.Show(fmt.Sprint(m.Name(seat), " forfeits: ", errs[seat]))
					return nil
				}
				m.Show(m.Name(seat) + " says " + answers[seat])
				m.Tell(1-seat, answers[seat])
				if answers[seat] == truth {
					m.Score(seat, 1)
				}
			}
			number, err := m.AskLine(0, nil)
			if err != nil {
				return nil
			}
			m.Show(fmt.Sprintf("%s, and %s after %.1f s", truth, number, m.Elapsed()))
		}
		switch m.Choice("then") {
		case "fail":
			return errors.New("no idea")
		case "reason":
			m.Reason(strings.Repeat("long ", 300))
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error {
		for {
			b.Write([]string{"heads", "tails"}[b.Rand(2)])
			b.Read()
		}
	},
}

// process stands in for the process of a game.
type process struct {
	game   *sdk.Game
	dies   bool // before it says anything
	silent bool // it never says anything
	live   bool // it plays matches for the first time, too
}

func (p process) Open(start *wire.Start, r engine.Receiver) (engine.Table, error) {
	t := &table{Receiver: r, answers: make(chan []*wire.Answer), stopped: make(chan struct{})}
	if p.dies {
		r.Lost(errors.New("killed"))
		return t, nil
	}
	if p.silent {
		return t, nil
	}
	if !start.Rerun && !p.live {
		return nil, errors.New("the game is not told that this is a rerun: it would rest, and its bots would play")
	}
	bots := 0
	setup := driver.Setup{Seed: start.Seed}
	for _, s := range start.Seats {
		if s.Bot {
			bots++
		}
		setup.Names = append(setup.Names, s.Name)
		setup.Bots = append(setup.Bots, s.Bot && !start.Rerun)
	}
	setup.Settings = driver.Settings{Players: len(start.Seats), Bots: bots, Timeout: start.Timeout, Params: start.Params}
	go p.game.Run(setup, t) // ends with the match, or with Stop
	return t, nil
}

type table struct {
	engine.Receiver
	answers chan []*wire.Answer
	stopped chan struct{}
}

func (t *table) Send(turn *driver.Turn) bool {
	t.Frame(wire.EncodeTurn(1, turn))
	return true
}

func (t *table) Wait() ([]driver.Answer, bool) {
	select {
	case a := <-t.answers:
		return wire.DecodeAnswers(a), true
	case <-t.stopped:
		return nil, false
	}
}

func (t *table) Pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-t.stopped:
		return false
	}
}

func (t *table) Answer(a []*wire.Answer) { t.answers <- a }
func (t *table) Stop()                   { close(t.stopped) }

// recorded plays a match in memory and returns its record.
func recorded(t *testing.T, then string, players ...gametest.Player) *store.Record {
	t.Helper()
	got, err := gametest.Play(gametest.Match{Game: &guess, Players: players, Seed: 42, Args: map[string]string{"then": then}})
	if err != nil {
		t.Fatal(err)
	}
	r := &store.Record{
		ID: "8gj5mqqjtoklo", Game: "guess", Seed: 42, Timeout: 10, Params: map[string]string{"then": then},
		State: store.Finished, Reason: got.Result.Reason, Stream: []byte(got.Spectators),
	}
	if got.Result.Aborted {
		r.State = store.Aborted
	}
	for i, s := range got.Result.Seats {
		r.Seats = append(r.Seats, store.Seat{Name: fmt.Sprintf("Player%d", i), Bot: players[i] == nil, Score: s.Score, Rank: s.Rank, Ended: s.Ended})
	}
	for _, a := range got.Answers {
		a.At = a.At.Truncate(time.Millisecond)
		r.Answers = append(r.Answers, store.Answer(a))
	}
	return r
}

func script(lines ...string) gametest.Player { return gametest.Script(lines...) }

var (
	first  = script("heads", "1", "tails", "2", "heads", "3", "heads", "4", "tails", "5")
	second = script("tails", "tails", "tails", "heads", "heads")
)

// verified runs a match again in a bubble of its own time, in which pauses take
// none.
func verified(t *testing.T, game Game, record *store.Record) (outcome *Outcome, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		outcome, err = Run(t.Context(), game, record, stall)
	})
	return outcome, err
}

func TestRecordedMatchIsVerified(t *testing.T) {
	long := recorded(t, "reason", first, second)
	long.Reason = long.Reason[:1000] + "…" // as a host cuts it
	tests := []struct {
		name   string
		record *store.Record
	}{
		{"two players", recorded(t, "end", first, second)},
		{"a bot", recorded(t, "end", first, nil)},
		{"a late answer", recorded(t, "end", first, gametest.Then(gametest.Late, "heads"))},
		{"an illegal answer", recorded(t, "end", script("heads", "1", "edge"), second)},
		{"a lost connection", recorded(t, "end", first, script("heads"))},
		{"a long reason", long},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := verified(t, process{game: &guess}, tt.record)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Differences) > 0 || got.Answers != len(tt.record.Answers) {
				t.Errorf("%d of %d answers, differences %q", got.Answers, len(tt.record.Answers), got.Differences)
			}
		})
	}
}

func TestChangedRecordIsDetected(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *store.Record)
		want   string
	}{
		{"an answer", func(r *store.Record) { r.Answers[3].Line = "heads" }, // it was tails
			`the spectators' stream differs in line 5 (byte 93), after 5 answers: the record has "Player0 says tails", the referee shows "Player0 says heads"`},
		{"an answer's time", func(r *store.Record) { r.Answers[2].At += 5 * time.Second }, "stream differs in line 4"},
		{"an answer too few", func(r *store.Record) { r.Answers = r.Answers[:len(r.Answers)-1] }, "after 14 answers the referee asks seat 0; the record has no answers left"},
		{"an answer too many", func(r *store.Record) { r.Answers = append(r.Answers, r.Answers[0]) }, "ends the match after 15 answers; the record has 1 more"},
		{"an answer of another seat", func(r *store.Record) { r.Answers[2].Seat = 1 }, "after 2 answers the referee asks seat 0; the record goes on with an answer of seat 1"},
		{"an outcome", func(r *store.Record) { r.Answers[4].Outcome = "timeout" }, `the record has "Player1 says tails"`},
		{"a byte of the stream", func(r *store.Record) { r.Stream[3] ^= 1 }, "stream differs in line 1 (byte 3)"},
		{"the stream's end", func(r *store.Record) { r.Stream = r.Stream[:len(r.Stream)-3] }, "after 15 answers"},
		{"more stream", func(r *store.Record) { r.Stream = append(r.Stream, "more\n"...) }, `the record has "more", the referee shows its end`},
		{"a score", func(r *store.Record) { r.Seats[1].Score++ }, "the result of seat 1 (Player1) differs"},
		{"a rank", func(r *store.Record) { r.Seats[0].Rank = 7 }, "rank 7"},
		{"an ending", func(r *store.Record) { r.Seats[0].Ended = "forfeit: illegal" }, "forfeit: illegal"},
		{"the reason", func(r *store.Record) { r.Reason = "because" }, `the record has "because"`},
		{"the seed", func(r *store.Record) { r.Seed++ }, "differs"},
		{"a player's name", func(r *store.Record) { r.Seats[0].Name = "Mallory" }, `the record has "Player0 Player1", the referee shows "Mallory Player1"`},
		{"a result that never was", func(r *store.Record) { r.Params["then"] = "fail" }, "the referee fails: the referee failed: no idea"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			record := recorded(t, "end", first, second)
			tt.change(record)
			got, err := verified(t, process{game: &guess}, record)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(got.Differences, func(d string) bool { return strings.Contains(d, tt.want) }) {
				t.Errorf("differences %q, want %q", got.Differences, tt.want)
			}
		})
	}
}

func TestOfAnAbortedMatchTheRecordedPartIsVerified(t *testing.T) {
	whole := recorded(t, "fail", first, second)
	if whole.State != store.Aborted {
		t.Fatal("the referee did not fail")
	}
	upTo := func(answers int, stream string) *store.Record {
		r := *whole
		r.Answers, r.Reason = r.Answers[:answers], "the host is shutting down"
		r.Stream = []byte(stream)
		return &r
	}
	names := "Player0 Player1\n"
	tests := []struct {
		name   string
		record *store.Record
		want   string // a difference; empty: none
	}{
		{"the referee failed", whole, ""},
		{"nothing was recorded", upTo(0, ""), ""},
		{"during the first question", upTo(0, names), ""},
		{"one of two answers", upTo(1, names), ""},
		{"answers whose effect was not recorded", upTo(2, names), ""},
		{"answers with a part of their effect", upTo(2, names+"Player0 says heads\n"), ""},
		{"another line", upTo(2, names+"Player0 says tails\n"), "stream differs in line 2"},
		{"more stream than answers", upTo(0, names+"Player0 says heads\n"), "stream differs in line 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := verified(t, process{game: &guess}, tt.record)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" && (len(got.Differences) > 0 || got.Answers != len(tt.record.Answers)) {
				t.Errorf("%d of %d answers, differences %q", got.Answers, len(tt.record.Answers), got.Differences)
			}
			if tt.want != "" && !strings.Contains(strings.Join(got.Differences, "\n"), tt.want) {
				t.Errorf("differences %q, want %q", got.Differences, tt.want)
			}
		})
	}
}

func TestWhatCannotBeVerifiedIsSaid(t *testing.T) {
	record := recorded(t, "end", first, second)
	got, err := verified(t, process{game: &guess, dies: true}, record)
	if err != nil || len(got.Differences) != 1 || got.Differences[0] != "the referee's process has ended: killed" {
		t.Errorf("a process that dies: %+v, %v", got, err)
	}
	got, err = verified(t, process{silent: true}, record)
	if err != nil || len(got.Differences) != 1 || got.Differences[0] != "the referee says nothing for 30s" {
		t.Errorf("a process that is silent: %+v, %v", got, err)
	}
	record.State = store.Running
	if _, err := verified(t, process{game: &guess}, record); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("a running match: error %v", err)
	}
	record.State = store.Finished
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, process{silent: true}, record, stall); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
}
