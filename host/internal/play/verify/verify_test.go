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

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

const stall = 30 * time.Second

// guess is a game of five rounds: both players guess a coin at the same time, and
// then the first gives a number. A forfeit ends it.
var guess = sdk.Game{
	Name: "guess", Title: "Guess the coin", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10,
	Params: []sdk.Param{sdk.Choice("then", "what the referee does after the rounds", "end", "fail", "reason")},
	Play: func(m *sdk.Match) error {
		m.Show(m.Name(0) + " " + m.Name(1))
		coin := []string{"heads", "tails"}
		for range 5 {
			m.Pace(20)
			truth := coin[m.Rand(2)]
			for seat, a := range m.AskAll([][]string{coin, coin}) {
				if a.Err != nil {
					m.Show(fmt.Sprint(m.Name(seat), " forfeits: ", a.Err))
					return nil
				}
				m.Show(m.Name(seat) + " says " + a.Line)
				m.Tell(1-seat, a.Line)
				if a.Line == truth {
					m.Score(seat, 1)
				}
			}
			number, err := m.AskLine(0)
			if err != nil {
				return nil
			}
			m.Show(fmt.Sprintf("%s, and %s after %.1f s, with %.1f s left", truth, number, m.Elapsed(), m.TimeLeft(0)))
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

// fakeGame plays a game in this process.
type fakeGame struct {
	game   *sdk.Game
	dies   bool // before its first frame
	silent bool // it sends no frame
	live   bool // it also plays matches that are not reruns
}

func (g fakeGame) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	m := &fakeMatch{inbox: in, answers: make(chan []driver.Answer, 1), stopped: make(chan struct{})}
	if g.dies {
		in.Close(errors.New("killed"))
		return m, nil
	}
	if g.silent {
		return m, nil
	}
	if !setup.Rerun && !g.live {
		return nil, errors.New("the start is not that of a rerun: the game would pause, and its bots would play")
	}
	played := *setup
	played.Stall = 0
	if setup.Rerun {
		played.Bots = nil
	}
	go driver.Of(g.game).Run(&played, m) // ends with the match, or with Stop
	return m, nil
}

type fakeMatch struct {
	inbox   engine.Receiver
	answers chan []driver.Answer
	stopped chan struct{}
}

func (m *fakeMatch) Send(frame *driver.Frame) bool {
	m.inbox.Put(frame)
	return true
}

func (m *fakeMatch) Wait() ([]driver.Answer, bool) {
	select {
	case a := <-m.answers:
		return a, true
	case <-m.stopped:
		return nil, false
	}
}

func (m *fakeMatch) Pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-m.stopped:
		return false
	}
}

func (m *fakeMatch) Answer(a []driver.Answer) { m.answers <- a }
func (m *fakeMatch) Stop()                    { close(m.stopped) }

// recorded plays a match in memory and returns its record.
func recorded(t *testing.T, then string, players ...gametest.Player) *record.Match {
	t.Helper()
	return recordOf(t, gametest.Match{Game: &guess, Players: players, Seed: 42, Args: map[string]string{"then": then}})
}

func recordOf(t *testing.T, m gametest.Match) *record.Match {
	t.Helper()
	then, players := m.Args["then"], m.Players
	got, err := gametest.Play(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Match{
		ID: "8gj5mqqjtoklo", Game: "guess", Seed: 42, Timeout: 10, Params: map[string]string{"then": then},
		State: record.Finished, Reason: got.Result.Reason, Stream: []byte(got.Spectators),
	}
	if got.Result.Aborted {
		r.State = record.Aborted
	}
	for i, s := range got.Result.Seats {
		r.Seats = append(r.Seats, record.Seat{Name: fmt.Sprintf("Player%d", i), Bot: players[i] == nil, Score: s.Score, Rank: s.Rank, Ended: s.Ended})
	}
	for _, a := range got.Answers {
		a.At = a.At.Truncate(time.Millisecond)
		one := record.NewAnswer(a)
		one.Left = a.Left.Truncate(time.Microsecond)
		r.Answers = append(r.Answers, one)
	}
	if m.Bank > 0 {
		r.Clock = &record.Clock{Bank: m.Bank, Increment: m.Increment}
	}
	return r
}

func TestTimeLeftIsTheSameInTheSecondRun(t *testing.T) {
	slow := []gametest.Player{gametest.Slow(1.2345678, first), gametest.Slow(2, second)}
	r := recordOf(t, gametest.Match{Game: &guess, Players: slow, Seed: 42, Args: map[string]string{"then": "end"}, Bank: 15, Increment: 0.25})
	if text, want := string(r.Stream), "with 5.2 s left\n"; !strings.HasSuffix(text, want) { // 15 - 10 * 1.2345678 + 10 * 0.25
		t.Errorf("got the stream\n%s\nwant %q at its end", text, want)
	}
	if report, err := verified(t, fakeGame{game: &guess}, r); err != nil || len(report.Differences) > 0 {
		t.Errorf("got %+v, %v, want no difference", report, err)
	}
	for i := range r.Answers {
		r.Answers[i].Left /= 4
	}
	if report, err := verified(t, fakeGame{game: &guess}, r); err != nil || len(report.Differences) == 0 {
		t.Errorf("with other times in the record: got %+v, %v, want differences", report, err)
	}
}

func script(lines ...string) gametest.Player { return gametest.Script(lines...) }

var (
	first  = script("heads", "1", "tails", "2", "heads", "3", "heads", "4", "tails", "5")
	second = script("tails", "tails", "tails", "heads", "heads")
)

// verified runs a match again in a bubble of fake time.
func verified(t *testing.T, game Game, record *record.Match) (report *Report, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		report, err = Run(t.Context(), game, record, stall)
	})
	return report, err
}

func TestRecordedMatchIsVerified(t *testing.T) {
	long := recorded(t, "reason", first, second)
	long.Reason = long.Reason[:1000] + "…" // as a host cuts it
	tests := []struct {
		name   string
		record *record.Match
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
			got, err := verified(t, fakeGame{game: &guess}, tt.record)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Differences) > 0 || got.Answers != len(tt.record.Answers) {
				t.Errorf("got %d answers and the differences %q, want %d and none", got.Answers, got.Differences, len(tt.record.Answers))
			}
		})
	}
}

func TestChangedRecordIsDetected(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *record.Match)
		want   string
	}{
		{"an answer", func(r *record.Match) { r.Answers[3].Line = "heads" }, // it was tails
			`the spectators' stream differs in line 5 (byte 111), after 5 answers: the record has "Player0 says tails", the referee shows "Player0 says heads"`},
		{"an answer's time", func(r *record.Match) { r.Answers[2].At += 5 * time.Second }, "stream differs in line 4"},
		{"an answer too few", func(r *record.Match) { r.Answers = r.Answers[:len(r.Answers)-1] }, "after 14 answers the referee asks seat 0; the record has no answers left"},
		{"an answer too many", func(r *record.Match) { r.Answers = append(r.Answers, r.Answers[0]) }, "ends the match after 15 answers; the record has 1 more"},
		{"an answer of another seat", func(r *record.Match) { r.Answers[2].Seat = 1 }, "after 2 answers the referee asks seat 0; the next answer of the record is of seat 1"},
		{"an outcome", func(r *record.Match) { r.Answers[4].Outcome = "timeout" }, `the record has "Player1 says tails"`},
		{"a byte of the stream", func(r *record.Match) { r.Stream[3] ^= 1 }, "stream differs in line 1 (byte 3)"},
		{"the stream's end", func(r *record.Match) { r.Stream = r.Stream[:len(r.Stream)-3] }, "after 15 answers"},
		{"more stream", func(r *record.Match) { r.Stream = append(r.Stream, "more\n"...) }, `the record has "more", the referee shows nothing more`},
		{"a score", func(r *record.Match) { r.Seats[1].Score++ }, "the result of seat 1 (Player1) differs"},
		{"a rank", func(r *record.Match) { r.Seats[0].Rank = 7 }, "rank 7"},
		{"an ending", func(r *record.Match) { r.Seats[0].Ended = "forfeit: illegal" }, "forfeit: illegal"},
		{"the reason", func(r *record.Match) { r.Reason = "because" }, `the record has "because"`},
		{"the seed", func(r *record.Match) { r.Seed++ }, "differs"},
		{"a player's name", func(r *record.Match) { r.Seats[0].Name = "Mallory" }, `the record has "Player0 Player1", the referee shows "Mallory Player1"`},
		{"another result", func(r *record.Match) { r.Params["then"] = "fail" }, "the referee fails: the referee failed: no idea"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			record := recorded(t, "end", first, second)
			tt.change(record)
			got, err := verified(t, fakeGame{game: &guess}, record)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(got.Differences, func(d string) bool { return strings.Contains(d, tt.want) }) {
				t.Errorf("got the differences %q, want %q", got.Differences, tt.want)
			}
		})
	}
}

func TestRecordedPartOfAnAbortedMatchIsVerified(t *testing.T) {
	whole := recorded(t, "fail", first, second)
	if whole.State != record.Aborted {
		t.Fatalf("the match is %s, want it aborted", whole.State)
	}
	upTo := func(answers int, stream string) *record.Match {
		r := *whole
		r.Answers, r.Reason = r.Answers[:answers], "the host is shutting down"
		r.Stream = []byte(stream)
		return &r
	}
	names := "Player0 Player1\n"
	tests := []struct {
		name   string
		record *record.Match
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
			got, err := verified(t, fakeGame{game: &guess}, tt.record)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" && (len(got.Differences) > 0 || got.Answers != len(tt.record.Answers)) {
				t.Errorf("got %d answers and the differences %q, want %d and none", got.Answers, got.Differences, len(tt.record.Answers))
			}
			if tt.want != "" && !strings.Contains(strings.Join(got.Differences, "\n"), tt.want) {
				t.Errorf("got the differences %q, want %q", got.Differences, tt.want)
			}
		})
	}
}

func TestMatchThatCannotBeVerifiedIsReported(t *testing.T) {
	rec := recorded(t, "end", first, second)
	got, err := verified(t, fakeGame{game: &guess, dies: true}, rec)
	if err != nil || len(got.Differences) != 1 || got.Differences[0] != "the referee's process has ended: killed" {
		t.Errorf("a process that dies: got %+v, error %v, want that it has ended", got, err)
	}
	got, err = verified(t, fakeGame{silent: true}, rec)
	if err != nil || len(got.Differences) != 1 || got.Differences[0] != "the referee sends nothing for 30s" {
		t.Errorf("a silent process: got %+v, error %v, want that it sends nothing", got, err)
	}
	rec.State = record.Running
	if _, err := verified(t, fakeGame{game: &guess}, rec); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("a running match: error %v, want that it has not ended", err)
	}
	rec.State = record.Finished
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, fakeGame{silent: true}, rec, stall); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v, want %v", err, context.Canceled)
	}
}
