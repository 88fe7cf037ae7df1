// Package gametest is for those who write a game: it plays matches without a
// server, as fast as the referee goes, and shows what every seat and the
// spectators saw.
package gametest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// Match is one match to play. Only Game and Players are needed.
type Match struct {
	Game    *sdk.Game
	Players []Player          // by seat; a nil Player is a server bot
	Names   []string          // by seat; nil: Player0, Player1, …
	Args    map[string]string // as the creator of a match gives them
	Timeout float64           // seconds; 0: the game's own
	Seed    uint64
	// Thoughts bounds what bots think: Bot.Thinking says yes so often for
	// each line read. 0: 50.
	Thoughts int
	stop     int // the match is stopped at this question, from 1; 0: never
	// Watch, when not nil, is called for every turn as the referee ends it.
	Watch func(t *driver.Turn)
}

// Question is what a Player answers.
type Question struct {
	Seat    int
	Number  int      // questions put to this seat before
	Legal   []string // legal answers; none when the referee does not tell
	Stream  string   // what the seat has seen so far; its own lines begin with >
	Seconds float64  // time for the answer
	took    *time.Duration
}

// take pretends that the answer takes so long.
func (q Question) take(d time.Duration) {
	if q.took != nil {
		*q.took += d
	}
}

// Player answers the questions put to one seat: with a line, after a millisecond
// unless it is [Slow]; or with sdk.ErrTimeout or sdk.ErrDisconnected, as if it were
// late or gone.
type Player func(q Question) (string, error)

// Transcript is what came of a match.
type Transcript struct {
	Seats      []string // what each seat received; lines it sent begin with >
	Spectators string
	Result     *driver.Result
	Answers    []driver.Answer // in the order in which they were used, bots' too
	Log        string          // panics and complaints, for the author
}

// String is the whole transcript as text, for goldens.
func (t *Transcript) String() string {
	var b strings.Builder
	for seat, stream := range t.Seats {
		fmt.Fprintf(&b, "-- seat %d --\n%s", seat, stream)
	}
	fmt.Fprintf(&b, "-- spectators --\n%s-- result --\n", t.Spectators)
	for seat, r := range t.Result.Seats {
		fmt.Fprintf(&b, "seat %d: score %v, rank %d, %s\n", seat, r.Score, r.Rank, r.Ended)
	}
	if t.Result.Reason != "" {
		fmt.Fprintf(&b, "%s\n", t.Result.Reason)
	}
	return b.String()
}

// Play plays a match to its end. Its error is the refusal of the game to
// create such a match.
func Play(m Match) (*Transcript, error) {
	bots := make([]bool, len(m.Players))
	players, nbots := len(m.Players), 0
	for seat, p := range m.Players {
		if bots[seat] = p == nil; bots[seat] {
			nbots++
		}
	}
	request := driver.Request{Players: &players, Bots: nbots, Args: m.Args}
	if nbots == players {
		request.Bots = 0 // a server refuses such a match; a test may watch bots play
	}
	if m.Timeout != 0 {
		request.Timeout = &m.Timeout
	}
	settings, err := m.Game.Prepare(request)
	if err != nil {
		return nil, err
	}
	names := m.Names
	if names == nil {
		for seat := range m.Players {
			names = append(names, fmt.Sprintf("Player%d", seat))
		}
	}
	thoughts := m.Thoughts
	if thoughts == 0 {
		thoughts = 50
	}
	t := &table{match: m, streams: make([]strings.Builder, players), asked: make([]int, players), left: make([]time.Duration, players)}
	var mu sync.Mutex
	var log strings.Builder
	done := make(chan struct{})
	go func() { // ends with the match
		defer close(done)
		m.Game.Run(driver.Setup{
			Settings: settings, Seed: m.Seed, Names: names, Bots: bots, Thoughts: thoughts,
			Log: func(text string) { mu.Lock(); defer mu.Unlock(); log.WriteString(text + "\n") },
		}, t)
	}()
	<-done
	mu.Lock()
	defer mu.Unlock()
	tr := &Transcript{Spectators: t.spectators.String(), Result: t.result, Answers: t.answers, Log: log.String()}
	for i := range t.streams {
		tr.Seats = append(tr.Seats, t.streams[i].String())
	}
	return tr, nil
}

// MustPlay plays a match that the game must not refuse. The test fails when the
// match is aborted, or somebody complains in the log.
func MustPlay(t testing.TB, m Match) *Transcript {
	t.Helper()
	got, err := Play(m)
	if err != nil {
		t.Fatal(err)
	}
	if got.Result.Aborted || got.Log != "" {
		t.Fatalf("the match was not played well: %q\n%s%s", got.Result.Reason, got, got.Log)
	}
	return got
}

// table plays a match in memory.
type table struct {
	match      Match
	streams    []strings.Builder
	spectators strings.Builder
	asked      []int // questions put to each seat
	questions  int   // put to people
	ask        *driver.Question
	left       []time.Duration // what its last answer left each seat of its time
	now        time.Duration   // pretended: pauses and timeouts take no time
	answers    []driver.Answer
	result     *driver.Result
}

func (t *table) Send(turn *driver.Turn) bool {
	for _, a := range turn.BotAnswers {
		t.record(a)
	}
	for _, text := range turn.Texts {
		for seat := range t.streams {
			if text.For(seat) {
				t.streams[seat].Write(text.Lines)
			}
		}
		if text.ForSpectators() {
			t.spectators.Write(text.Lines)
		}
	}
	if turn.Question != nil {
		t.ask = turn.Question
	}
	if turn.End != nil {
		t.result = turn.End
	}
	if t.match.Watch != nil {
		t.match.Watch(turn)
	}
	return true
}

func (t *table) Wait() ([]driver.Answer, bool) {
	if t.questions++; t.match.stop > 0 && t.questions >= t.match.stop {
		return nil, false
	}
	var answers []driver.Answer
	var longest time.Duration
	for i, seat := range t.ask.Seats {
		player := t.match.Players[seat]
		if player == nil {
			continue
		}
		allowed := time.Duration(t.ask.Seconds * float64(time.Second))
		if slices.Contains(t.ask.Resumed, seat) {
			allowed = min(allowed, t.left[seat])
		}
		took := time.Duration(0)
		line, err := player(Question{
			Seat: seat, Number: t.asked[seat], Legal: t.ask.Answers(i),
			Stream: t.streams[seat].String(), Seconds: allowed.Seconds(), took: &took,
		})
		took = max(took, time.Millisecond)
		outcome := driver.Answered
		switch {
		case err == sdk.ErrTimeout, err == nil && took >= allowed:
			line, outcome, took = "", driver.Timeout, allowed
		case err != nil:
			outcome = driver.Disconnected
		}
		t.left[seat] = allowed - took
		longest = max(longest, took)
		t.asked[seat]++
		answers = append(answers, driver.Answer{Seat: seat, Line: strings.TrimSpace(line), Outcome: outcome})
	}
	t.now += longest
	for i := range answers {
		answers[i].At = t.now
		t.record(answers[i])
	}
	return answers, true
}

func (t *table) Pause(d time.Duration) bool {
	t.now += d
	return true
}

func (t *table) record(a driver.Answer) {
	t.answers = append(t.answers, a)
	if a.Outcome == driver.Answered {
		t.streams[a.Seat].WriteString(">" + a.Line + "\n")
	}
}
