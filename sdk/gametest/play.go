// Package gametest is for authors of games. It plays matches without a server,
// without waiting for pauses or timeouts, and returns what every seat and the
// spectators received. [Run] is the test that every game must pass.
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

// Match is one match to play. Only Game and Players are required.
type Match struct {
	Game    *sdk.Game
	Players []Player          // by seat; a nil Player is a server bot
	Names   []string          // by seat; nil: Player0, Player1, …
	Args    map[string]string // the creator's parameters
	Timeout float64           // seconds; 0: the game's default
	Seed    uint64
	// Bank and Increment are the clock of the match in seconds, like 60 and 1; bots have
	// none. 0: there is no clock.
	Bank, Increment float64
	// Thoughts limits the bots: it is how many times Bot.Thinking returns true
	// for each line that a bot reads. 0: 50.
	Thoughts int
	Judge    bool // collect judgements; each has the same Thoughts
	stop     int  // the match is stopped at this question, from 1; 0: never

	begin []driver.Answer // see driver.Setup.Begin
}

// stall is how long the referee can work between two questions.
const stall = 20 * time.Second

// Question is what a Player answers.
type Question struct {
	Seat    int
	Number  int      // questions to this seat before
	Legal   []string // legal answers; nil if the referee lists none
	Stream  string   // what the seat has received so far; the lines it sent begin with >
	Seconds float64  // timeout of the answer, or length of the tick
	Tick    bool     // the last line counts, and a timeout is a miss
	took    *time.Duration
}

// take adds d to the pretended time of the answer.
func (q Question) take(d time.Duration) {
	if q.took != nil {
		*q.took += d
	}
}

// Player answers the questions to one seat. It returns a line, sdk.ErrTimeout or
// sdk.ErrDisconnected. A line takes a millisecond, unless the player is [Slow]. In a tick it
// can return several lines with line feeds between them: the last one counts. A tick takes
// all of its seconds.
type Player func(q Question) (string, error)

// Transcript is the record of a match.
type Transcript struct {
	Seats      []string // what each seat received; the lines it sent begin with >
	Spectators string   // what the spectators received
	Result     *driver.Result
	Answers    []driver.Answer // in the order in which they were used, bots' too
	Log        string          // panics and errors, for the author
	// Timeline has, in order, each line that the spectators received, "ask" for
	// each question to players other than bots, and "pause" for each pause.
	Timeline   []string
	Judgements []Judgement // of a Match with Judge

	cuts []cut // before each question
}

// Judgement is how good the referee found a position.
type Judgement struct {
	driver.Judgement
	Lines int // that the spectators had received
}

// String returns the streams and the result as text, for goldens.
func (t *Transcript) String() string {
	var b strings.Builder
	for seat, stream := range t.Seats {
		fmt.Fprintf(&b, "-- seat %d --\n%s", seat, stream)
	}
	fmt.Fprintf(&b, "-- spectators --\n%s-- result --\n", t.Spectators)
	for seat := range t.Seats {
		fmt.Fprintf(&b, "seat %d: %s\n", seat, t.ended(seat))
	}
	if t.Result.Reason != "" {
		fmt.Fprintf(&b, "%s\n", t.Result.Reason)
	}
	return b.String()
}

// ended returns the result of a seat as text: "score 1, rank 1, finished", and ", team 1" after it
// for the seat of a team.
func (t *Transcript) ended(seat int) string {
	r := t.Result.Seats[seat]
	text := fmt.Sprintf("score %v, rank %d, %s", r.Score, r.Rank, r.Ended)
	if r.Team > 0 {
		text += fmt.Sprintf(", team %d", r.Team)
	}
	return text
}

// Play plays a match to its end. It returns an error if the game refuses to
// create the match.
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
		request.Bots = 0 // whatever MaxBots says, a test can play bots alone
	}
	if m.Timeout != 0 {
		request.Timeout = &m.Timeout
	}
	settings, err := driver.Of(m.Game).Prepare(request)
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
	judge := time.Duration(0)
	if m.Judge {
		judge = 1 // Thoughts counts instead
	}
	d := &memoryDriver{match: m, begin: m.begin, streams: make([]strings.Builder, players), asked: make([]int, players), begun: make([]bool, players), left: make([]time.Duration, players), banks: make([]time.Duration, players)}
	banks := make([]driver.Bank, players)
	for seat := range banks {
		if !bots[seat] && m.Bank > 0 {
			d.banks[seat] = seconds(m.Bank)
			banks[seat] = driver.Bank{Start: m.Bank, Increment: m.Increment}
		}
	}
	var mu sync.Mutex
	var log strings.Builder
	done := make(chan struct{})
	d.stuck = make(chan struct{})
	go func() { // ends with the match, or never: see driver.Setup.Stall
		defer close(done)
		driver.Of(m.Game).Run(&driver.Setup{
			Settings: settings, Seed: m.Seed, Names: names, Bots: bots, Thoughts: thoughts, Judge: judge, Banks: banks, Stall: stall, Begin: m.begin,
			Log: func(text string) { mu.Lock(); defer mu.Unlock(); log.WriteString(text + "\n") },
		}, d)
	}()
	select {
	case <-done:
	case <-d.stuck:
	}
	mu.Lock()
	defer mu.Unlock()
	t := &Transcript{Spectators: d.spectators.String(), Result: d.result, Answers: d.answers, Log: log.String(), Timeline: d.timeline, Judgements: d.judgements, cuts: d.cuts}
	for i := range d.streams {
		t.Seats = append(t.Seats, d.streams[i].String())
	}
	return t, nil
}

// MustPlay plays a match to its end. The test fails if the game refuses to create
// the match, aborts it, or logs an error.
func MustPlay(t testing.TB, m Match) *Transcript {
	t.Helper()
	got, err := Play(m)
	if err != nil {
		t.Fatal(err)
	}
	if got.Result.Aborted || got.Log != "" {
		t.Fatalf("aborted %v (%s), log %q, want a match without errors:\n%s", got.Result.Aborted, got.Result.Reason, got.Log, got)
	}
	return got
}

// memoryDriver runs a referee without a host.
type memoryDriver struct {
	match      Match
	streams    []strings.Builder
	spectators strings.Builder
	asked      []int  // questions to each seat
	begun      []bool // the first turn of each seat, which no tick is
	questions  int    // to players other than bots
	pauses     int
	question   *driver.Question
	left       []time.Duration // of the time of each seat, after its last answer
	banks      []time.Duration // likewise, of a match with a clock
	now        time.Duration   // pretended: pauses and timeouts take no time
	answers    []driver.Answer
	begin      []driver.Answer // those of Match.begin for later questions
	given      []driver.Answer // those for the last question
	cuts       []cut
	timeline   []string
	judgements []Judgement
	result     *driver.Result
	stuck      chan struct{} // closed if the referee does not end
}

func (d *memoryDriver) Send(frame *driver.Frame) bool {
	for _, a := range frame.BotAnswers {
		d.record(a)
	}
	for _, text := range frame.Texts {
		for seat := range d.streams {
			if text.For(seat) {
				d.streams[seat].Write(text.Lines)
			}
		}
		if text.ForSpectators() {
			d.spectators.Write(text.Lines)
			d.timeline = append(d.timeline, strings.Split(strings.TrimSuffix(string(text.Lines), "\n"), "\n")...)
		}
	}
	if frame.Judgement != nil {
		d.judgements = append(d.judgements, Judgement{*frame.Judgement, strings.Count(d.spectators.String(), "\n")})
	}
	if frame.Question != nil {
		d.question = frame.Question
		d.timeline = append(d.timeline, "ask")
		d.cuts = append(d.cuts, cut{len(d.answers), d.spectators.Len(), d.question.Tick})
		n := min(len(d.begin), len(d.question.Seats))
		d.given, d.begin = d.begin[:n], d.begin[n:]
	}
	if frame.Pause > 0 {
		d.timeline = append(d.timeline, "pause")
	}
	if frame.End != nil {
		d.result = frame.End
		if frame.End.Stuck {
			close(d.stuck)
		}
	}
	return true
}

func (d *memoryDriver) Wait() ([]driver.Answer, bool) {
	if len(d.given) > 0 {
		return d.give(), true
	}
	if d.questions++; d.match.stop > 0 && d.questions >= d.match.stop {
		return nil, false
	}
	var answers []driver.Answer
	var longest time.Duration
	tick, banked := d.question.Tick, d.match.Bank > 0 && !d.question.Tick
	for i, seat := range d.question.Seats {
		player := d.match.Players[seat]
		if player == nil {
			continue
		}
		allowed := seconds(d.question.Seconds)
		if slices.Contains(d.question.Resumed, seat) {
			allowed = min(allowed, d.left[seat])
		} else if banked && d.begun[seat] {
			d.banks[seat] += seconds(d.match.Increment)
		}
		if banked {
			allowed = min(allowed, d.banks[seat])
		}
		took := time.Duration(0)
		line, err := player(Question{
			Seat: seat, Number: d.asked[seat], Legal: d.question.Answers(i),
			Stream: d.streams[seat].String(), Seconds: allowed.Seconds(), Tick: tick, took: &took,
		})
		took = max(took, time.Millisecond)
		outcome := driver.Answered
		switch {
		case err == sdk.ErrTimeout, err == nil && took >= allowed:
			line, outcome, took = "", driver.Timeout, allowed
		case err != nil:
			outcome = driver.Disconnected
		}
		d.left[seat] = allowed - took
		d.begun[seat] = d.begun[seat] || !tick
		if banked && outcome != driver.Disconnected {
			d.banks[seat] -= took
		}
		if tick {
			took, line = allowed, line[strings.LastIndexByte(line, '\n')+1:]
		}
		longest = max(longest, took)
		d.asked[seat]++
		answers = append(answers, driver.Answer{Seat: seat, Line: strings.TrimSpace(line), Outcome: outcome, Left: d.banks[seat]})
	}
	d.now += longest
	for i := range answers {
		answers[i].At = d.now
		d.record(answers[i])
	}
	return answers, true
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (d *memoryDriver) Pause(pause time.Duration) bool {
	d.now += pause
	d.pauses++
	return d.match.stop == 0 || d.pauses < maxQuestions // else bots alone play ticks without end
}

func (d *memoryDriver) record(a driver.Answer) {
	d.answers = append(d.answers, a)
	if a.Outcome == driver.Answered {
		d.streams[a.Seat].WriteString(">" + a.Line + "\n")
	}
}
