package sdk_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

var digits = []string{"0", "1"}

func TestLinesReachTheirAudience(t *testing.T) {
	got := run(t, testMatch{seats: 3, play: func(m *sdk.Match) error {
		m.TellAll("all")
		m.Tell(1, "one")
		m.Tell(1, "one again")
		m.Show("shown")
		m.TellOthers(2, "not two")
		m.TellAll("two\nlines")
		m.Tell(0, "")
		return nil
	}})
	want := map[int]string{
		0: "all\nnot two\ntwo\nlines\n\n", 1: "all\none\none again\nnot two\ntwo\nlines\n", 2: "all\ntwo\nlines\n",
		-1: "all\nshown\nnot two\ntwo\nlines\n",
	}
	for seat, want := range want {
		if got := got.received(seat); got != want {
			t.Errorf("seat %d received %q, want %q", seat, got, want)
		}
	}
	if n := len(got.frames); n != 1 {
		t.Errorf("%d frames, want 1: no seat was asked", n)
	}
}

func TestRefereeThatSendsWithoutAskingIsFlushed(t *testing.T) {
	const lines, limit = 20000, 64 << 10
	long := strings.Repeat("x", 5000)
	tests := []struct {
		name string
		send func(m *sdk.Match, i int)
		line string
	}{
		{"to the same", func(m *sdk.Match, i int) { m.Show("x") }, "x\n"},
		{"to one and the other", func(m *sdk.Match, i int) { m.Show("x"); m.Tell(0, "y") }, "x\n"},
		{"long lines to one and the other", func(m *sdk.Match, i int) {
			if i%100 == 0 {
				m.Show(long)
				m.Tell(0, long)
			}
		}, long + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{play: func(m *sdk.Match) error {
				for i := range lines {
					tt.send(m, i)
				}
				return nil
			}})
			for i, frame := range got.frames {
				size := 0
				for _, text := range frame.Texts {
					size += len(text.Lines)
				}
				if size > limit || len(frame.Texts) > 1000 {
					t.Fatalf("frame %d has %d texts with %d bytes, want at most 1000 with %d", i, len(frame.Texts), size, limit)
				}
			}
			stream := got.received(-1)
			if n := strings.Count(stream, tt.line); n < lines/100 || n*len(tt.line) != len(stream) {
				t.Errorf("%d whole lines in %d bytes, want at least %d and nothing else", n, len(stream), lines/100)
			}
			if len(got.frames) < 2 {
				t.Errorf("got %d frames, want several", len(got.frames))
			}
		})
	}
}

func TestAnswerIsJudged(t *testing.T) {
	tests := []struct {
		name   string
		answer any
		line   string
		err    error
		ended  driver.Ended
	}{
		{"legal", "1", "1", nil, "finished"},
		{"illegal", "2", "", sdk.ErrIllegal, "forfeit: illegal"},
		{"empty", "", "", sdk.ErrIllegal, "forfeit: illegal"},
		{"late", driver.Timeout, "", sdk.ErrTimeout, "forfeit: timeout"},
		{"gone", driver.Disconnected, "", sdk.ErrDisconnected, "forfeit: disconnected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{answers: [][]any{{}, {tt.answer, "0"}}, play: func(m *sdk.Match) error {
				if line, err := m.Ask(1, digits); line != tt.line || err != tt.err {
					t.Errorf("got %q, %v, want %q, %v", line, err, tt.line, tt.err)
				}
				line, err := m.Ask(1, digits)
				if tt.err == nil && (line != "0" || err != nil) || tt.err != nil && (line != "" || err != tt.err) {
					t.Errorf("asked again: got %q, %v, want 0 or %v", line, err, tt.err)
				}
				return nil
			}})
			if ended := got.result().Seats[1].Ended; ended != tt.ended {
				t.Errorf("ended as %q, want %q", ended, tt.ended)
			}
			want := 2
			if tt.err != nil {
				want = 1 // a seat that has forfeited is not asked again
			}
			if n := len(got.questions()); n != want {
				t.Errorf("%d questions, want %d", n, want)
			}
		})
	}
}

func TestQuestionCarriesItsLegalAnswers(t *testing.T) {
	got := run(t, testMatch{answers: [][]any{{"0", "any", "any", "any"}}, play: func(m *sdk.Match) error {
		m.Ask(0, digits)
		m.Examples(func(seat int) []string { return []string{"a", "b"} })
		m.AskLine(0)
		m.AskLine(0)
		m.Forfeit(1, sdk.ErrResigned)
		m.Examples(func(seat int) []string { return []string{"a", "b"} })
		m.AskLine(1)
		m.AskLine(0)
		return nil
	}})
	for i, want := range [][]string{digits, {"a", "b"}, nil, nil} {
		q := got.questions()[i]
		if answers := q.Answers(0); !slices.Equal(answers, want) || !slices.Equal(q.Seats, []int{0}) || q.Seconds != 10 {
			t.Errorf("question %d: seats %v, %v seconds, answers %q, want %q of seat 0 in 10", i, q.Seats, q.Seconds, answers, want)
		}
	}
}

func TestRefereeJudgesFreeText(t *testing.T) {
	got := run(t, testMatch{answers: [][]any{{"a line", "nonsense", "more"}, {driver.Timeout}}, play: func(m *sdk.Match) error {
		if line, err := m.AskLine(0); line != "a line" || err != nil {
			t.Errorf("got %q, %v, want the line", line, err)
		}
		m.AskLine(0)
		m.Forfeit(0, sdk.ErrIllegal)
		if line, err := m.AskLine(0); line != "" || err != sdk.ErrIllegal {
			t.Errorf("asked after a forfeit: got %q, %v, want %v", line, err, sdk.ErrIllegal)
		}
		if line, err := m.AskLine(1); line != "" || err != sdk.ErrTimeout {
			t.Errorf("late: got %q, %v, want %v", line, err, sdk.ErrTimeout)
		}
		return nil
	}})
	if got, want := got.result().Reason, "P0 forfeits: illegal; P1 forfeits: timeout"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

func TestAllAreAskedAtOnce(t *testing.T) {
	answers := [][]any{{"1", "0"}, {"nonsense"}, {driver.Timeout}, {"0", driver.Disconnected}}
	got := run(t, testMatch{seats: 4, answers: answers, play: func(m *sdk.Match) error {
		legal := [][]string{digits, digits, digits, digits}
		want := []sdk.Answer{{0, "1", nil, 0}, {1, "", sdk.ErrIllegal, 0}, {2, "", sdk.ErrTimeout, 0}, {3, "0", nil, 0}}
		if answers := m.AskAll(legal); !slices.Equal(answers, want) {
			t.Errorf("got %v, want %v", answers, want)
		}
		legal[1], legal[2] = nil, nil // they have forfeited
		want[0].Line, want[3] = "0", sdk.Answer{Seat: 3, Err: sdk.ErrDisconnected}
		if answers := m.AskAll(legal); !slices.Equal(answers, want) {
			t.Errorf("the second time: got %v, want %v", answers, want)
		}
		m.Forfeit(0, sdk.ErrResigned)
		if answers := m.AskAll(legal); answers[0].Err != sdk.ErrResigned {
			t.Errorf("the third time: got %v, want %v first", answers, sdk.ErrResigned)
		}
		return nil
	}})
	if seats, want := asked(got), [][]int{{0, 1, 2, 3}, {0, 3}}; !reflect.DeepEqual(seats, want) {
		t.Errorf("asked %v, want %v", seats, want)
	}
}

// asked returns the seats of each question.
func asked(d *testDriver) (seats [][]int) {
	for _, q := range d.questions() {
		seats = append(seats, q.Seats)
	}
	return seats
}

func TestSomeSeatsAreAskedAtOnce(t *testing.T) {
	got := run(t, testMatch{seats: 4, answers: [][]any{{"0", "a"}, {}, {driver.Timeout}, {"b", "1"}}, play: func(m *sdk.Match) error {
		want := func(got []sdk.Answer, want ...sdk.Answer) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
		want(m.AskSeats([]int{3, 0}, [][]string{{"b"}, {"0"}}), // each has its own list
			sdk.Answer{3, "b", nil, 0}, sdk.Answer{0, "0", nil, 0})
		m.Forfeit(1, sdk.ErrResigned)
		want(m.AskSeats([]int{1, 3, 2, 0}, [][]string{nil, digits, digits, digits}),
			sdk.Answer{1, "", sdk.ErrResigned, 0}, sdk.Answer{3, "1", nil, 0}, sdk.Answer{2, "", sdk.ErrTimeout, 0}, sdk.Answer{0, "", sdk.ErrIllegal, 0})
		want(m.AskSeats([]int{0, 1}, [][]string{digits, digits}), sdk.Answer{0, "", sdk.ErrIllegal, 0}, sdk.Answer{1, "", sdk.ErrResigned, 0})
		want(m.AskSeats(nil, nil))
		return nil
	}})
	if seats, want := asked(got), [][]int{{3, 0}, {3, 2, 0}}; !reflect.DeepEqual(seats, want) {
		t.Errorf("asked %v, want %v", seats, want)
	}
}

func TestSeveralSeatsAnswerWithFreeText(t *testing.T) {
	got := run(t, testMatch{seats: 3, answers: [][]any{{"any line", "better"}, {}, {"worse", "good"}}, play: func(m *sdk.Match) error {
		m.Forfeit(1, sdk.ErrResigned)
		m.Examples(func(seat int) []string { return []string{fmt.Sprint("example of ", seat)} })
		want := []sdk.Answer{{2, "worse", nil, 0}, {1, "", sdk.ErrResigned, 0}, {0, "any line", nil, 0}}
		if answers := m.AskLines([]int{2, 1, 0}); !slices.Equal(answers, want) {
			t.Errorf("got %v, want %v", answers, want)
		}
		m.Refuse(2, "again")
		want = []sdk.Answer{{0, "better", nil, 0}, {2, "good", nil, 0}}
		if answers := m.AskLines([]int{0, 2}); !slices.Equal(answers, want) {
			t.Errorf("asked again: got %v, want %v", answers, want)
		}
		return nil
	}})
	questions := got.questions()
	if seats, want := asked(got), [][]int{{2, 0}, {0, 2}}; !reflect.DeepEqual(seats, want) {
		t.Fatalf("asked %v, want %v", seats, want)
	}
	if got, want := [][]string{questions[0].Answers(0), questions[0].Answers(1), questions[1].Answers(0)}, [][]string{{"example of 2"}, {"example of 0"}, nil}; !reflect.DeepEqual(got, want) {
		t.Errorf("got examples %q, want %q", got, want)
	}
	if want := []int{2}; !slices.Equal(questions[1].Resumed, want) {
		t.Errorf("the second question continues the turns of %v, want %v", questions[1].Resumed, want)
	}
}

func TestPardonedSeatIsAskedAgain(t *testing.T) {
	got := run(t, testMatch{answers: [][]any{{driver.Timeout, "1"}}, play: func(m *sdk.Match) error {
		m.Ask(0, digits)
		m.Pardon(0)
		if line, err := m.Ask(0, digits); line != "1" || err != nil {
			t.Errorf("got %q, %v, want 1", line, err)
		}
		return nil
	}})
	if r := got.result(); r.Seats[0].Ended != "finished" || r.Reason != "" {
		t.Errorf("ended as %q by %q, want %q and no reason", r.Seats[0].Ended, r.Reason, driver.EndedFinished)
	}
}

func TestFirstForfeitCounts(t *testing.T) {
	got := run(t, testMatch{play: func(m *sdk.Match) error {
		m.Forfeit(0, sdk.ErrResigned)
		m.Forfeit(0, sdk.ErrIllegal)
		return nil
	}})
	if ended := got.result().Seats[0].Ended; ended != driver.ForfeitResigned {
		t.Errorf("ended as %q, want %q", ended, driver.ForfeitResigned)
	}
}

func TestSeatsOfATeamShareTheRankOfTheSumOfTheirPoints(t *testing.T) {
	tests := []struct {
		name    string
		points  []float64
		teams   [][]int
		forfeit []int
		ranks   []int
	}{
		{"two against two", []float64{9, 5, 0, 5}, [][]int{{0, 2}, {1, 3}}, nil, []int{3, 1, 3, 1}},
		{"equal teams", []float64{9, 5, 1, 5}, [][]int{{0, 2}, {3, 1}}, nil, []int{1, 1, 1, 1}},
		{"three teams", []float64{1, 2, 3, 0, 0, 0}, [][]int{{0, 3}, {1, 4}, {2, 5}}, nil, []int{5, 3, 1, 5, 3, 1}},
		{"a team against one", []float64{4, 3, 6}, [][]int{{0, 1}}, nil, []int{1, 1, 3}},
		{"of different sizes", []float64{1, 1, 1, 2, 4}, [][]int{{0, 1, 2}, {3}}, nil, []int{2, 2, 2, 5, 1}},
		{"all together", []float64{1, 0}, [][]int{{0, 1}}, nil, []int{1, 1}},
		{"a forfeit in a team that goes on", []float64{1, 2, 3, 0}, [][]int{{0, 2}, {1, 3}}, []int{2}, []int{1, 3, 1, 3}},
		{"a whole team forfeits", []float64{1, 2, 3, 0}, [][]int{{0, 2}, {1, 3}}, []int{2, 0}, []int{3, 1, 3, 1}},
		{"all but one seat forfeit", []float64{1, 2, 3, 0}, [][]int{{0, 2}, {1, 3}}, []int{0, 1, 2}, []int{3, 1, 3, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{seats: len(tt.points), play: func(m *sdk.Match) error {
				for _, seats := range tt.teams {
					m.Team(seats...)
				}
				for seat, points := range tt.points {
					m.Score(seat, points)
				}
				for _, seat := range tt.forfeit {
					m.Forfeit(seat, sdk.ErrResigned)
				}
				return nil
			}}).result()
			for seat, r := range got.Seats {
				want := driver.SeatResult{Score: tt.points[seat], Rank: tt.ranks[seat], Ended: driver.EndedFinished}
				if slices.Contains(tt.forfeit, seat) {
					want.Ended = "forfeit: resigned"
				}
				for i, seats := range tt.teams {
					if slices.Contains(seats, seat) {
						want.Team = i + 1
					}
				}
				if r != want {
					t.Errorf("seat %d: %+v, want %+v", seat, r, want)
				}
			}
		})
	}
}

func TestRanksFollowPointsAndForfeitsComeLast(t *testing.T) {
	tests := []struct {
		name    string
		points  []float64
		forfeit []int
		ranks   []int
	}{
		{"no points", []float64{0, 0}, nil, []int{1, 1}},
		{"more points", []float64{1, 2}, nil, []int{2, 1}},
		{"below zero", []float64{-5, -1.5}, nil, []int{2, 1}},
		{"a tie in the middle", []float64{1, 3, 1, 0}, nil, []int{2, 1, 2, 4}},
		{"a tie at the top", []float64{3, 1, 3}, nil, []int{1, 3, 1}},
		{"a forfeit in the lead", []float64{9, 0}, []int{0}, []int{2, 1}},
		{"two forfeits", []float64{9, 0, 10}, []int{0, 2}, []int{3, 1, 2}},
		{"two equal forfeits", []float64{1, 0, 1}, []int{0, 2}, []int{2, 1, 2}},
		{"all forfeit", []float64{0, 0}, []int{1, 0}, []int{1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{seats: len(tt.points), play: func(m *sdk.Match) error {
				for seat, points := range tt.points {
					m.Score(seat, points/2)
					m.Score(seat, points/2)
				}
				for _, seat := range tt.forfeit {
					m.Forfeit(seat, sdk.ErrResigned)
				}
				return nil
			}}).result()
			for seat, r := range got.Seats {
				want := driver.SeatResult{Score: tt.points[seat], Rank: tt.ranks[seat], Ended: driver.EndedFinished}
				if slices.Contains(tt.forfeit, seat) {
					want.Ended = "forfeit: resigned"
				}
				if r != want {
					t.Errorf("seat %d: %+v, want %+v", seat, r, want)
				}
			}
		})
	}
}

func TestReasonOfTheRefereeGoesFirst(t *testing.T) {
	got := run(t, testMatch{play: func(m *sdk.Match) error {
		m.Forfeit(0, sdk.ErrIllegal)
		m.Reason("P0 went to sleep")
		return nil
	}})
	if r := got.result(); r.Reason != "P0 went to sleep" || r.Aborted {
		t.Errorf("result %+v, want the referee's reason", r)
	}
}

func TestElapsedChangesOnlyWithAnswers(t *testing.T) {
	run(t, testMatch{answers: [][]any{{"0", "1"}, {"0"}}, took: 1500 * time.Millisecond, play: func(m *sdk.Match) error {
		for i, want := range []float64{0, 1.5, 3, 4.5} {
			if got := m.Elapsed(); got != want {
				t.Errorf("after %d answers: %v s, want %v", i, got, want)
			}
			m.Ask(i%2, digits)
		}
		return nil
	}})
}

func TestTimeoutIsThatOfTheMatchUntilChanged(t *testing.T) {
	got := run(t, testMatch{answers: [][]any{{"0", "0", "0"}}, timeout: 7, play: func(m *sdk.Match) error {
		m.Ask(0, digits)
		m.SetTimeout(0.25)
		m.Ask(0, digits)
		m.AskLine(0)
		if m.Timeout() != 7 {
			t.Errorf("the setting became %v, want 7", m.Timeout())
		}
		return nil
	}})
	for i, want := range []float64{7, 0.25, 0.25} {
		if s := got.questions()[i].Seconds; s != want {
			t.Errorf("question %d: %v seconds, want %v", i, s, want)
		}
	}
}

func TestPaceIsKeptSinceTheLastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := run(t, testMatch{play: func(m *sdk.Match) error {
			at := func(want time.Duration) {
				t.Helper()
				if got := time.Since(start); got != want {
					t.Errorf("after %v, want %v", got, want)
				}
			}
			m.TellAll("first")
			m.Pace(1)
			at(time.Second)
			<-time.After(400 * time.Millisecond)
			m.Pace(1)
			at(2 * time.Second)
			<-time.After(3 * time.Second)
			m.Pace(1) // the second has passed
			m.Pace(0)
			at(5 * time.Second)
			m.Pace(1.5)
			at(6500 * time.Millisecond)
			return nil
		}})
		var pauses []time.Duration
		for _, frame := range got.frames {
			if frame.Pause > 0 {
				pauses = append(pauses, frame.Pause)
			}
		}
		if want := []time.Duration{time.Second, 600 * time.Millisecond, 1500 * time.Millisecond}; !slices.Equal(pauses, want) {
			t.Errorf("pauses %v, want %v", pauses, want)
		}
		if first := got.frames[0]; first.Pause == 0 || len(first.Texts) != 1 {
			t.Errorf("the first frame is %+v, want a text and a pause", first)
		}
	})
}

func TestRefereeDrawsFromTheSeed(t *testing.T) {
	want := driver.NewRand(9, driver.StreamReferee)
	run(t, testMatch{seed: 9, play: func(m *sdk.Match) error {
		for range 100 {
			if got, want := m.Rand(1000), want.Intn(1000); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		}
		return nil
	}})
}

func TestStopEndsTheReferee(t *testing.T) {
	tests := []struct {
		name string
		call func(m *sdk.Match)
		at   int // the call of the driver
	}{
		{"asks", func(m *sdk.Match) { m.Ask(0, digits) }, 1},
		{"waits for an answer", func(m *sdk.Match) { m.Ask(0, digits) }, 2},
		{"waits for a line", func(m *sdk.Match) { m.AskLine(0) }, 2},
		{"waits for all", func(m *sdk.Match) { m.AskAll([][]string{digits, digits}) }, 2},
		{"announces a pause", func(m *sdk.Match) { m.Pace(1) }, 1},
		{"pauses", func(m *sdk.Match) { m.Pace(1) }, 2},
		{"sends", func(m *sdk.Match) {
			for range 1 << 16 {
				m.TellAll("a line")
			}
		}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails when a goroutine is left
				cleaned := false
				got := run(t, testMatch{answers: [][]any{{"0"}, {"0"}}, stopAt: tt.at, play: func(m *sdk.Match) error {
					defer func() {
						cleaned = true
						m.Ask(0, digits) // changes nothing
					}()
					tt.call(m)
					t.Error("the call returned, want it to end the referee")
					return nil
				}})
				if !cleaned {
					t.Error("deferred functions did not run, want them to")
				}
				if r := got.result(); r != nil {
					t.Errorf("result %+v, want none", r)
				}
				if got.log.String() != "" {
					t.Errorf("log %q, want none", got.log)
				}
			})
		})
	}
}

func TestRefereeThatFailsAbortsTheMatch(t *testing.T) {
	tests := []struct {
		name   string
		play   func(m *sdk.Match) error
		reason string
		log    string
	}{
		{"error", func(m *sdk.Match) error { return fmt.Errorf("no such card: %d", 53) }, "no such card: 53", "referee: no such card: 53"},
		{"panic", func(m *sdk.Match) error { panic("oh") }, "oh", "match_test.go"},
		{"index", func(m *sdk.Match) error { return fmt.Errorf("%s", m.Name(2)) }, "index out of range", "goroutine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{play: func(m *sdk.Match) error {
				m.TellAll("before")
				m.Score(0, 1)
				return tt.play(m)
			}})
			r := got.result()
			if !r.Aborted || !strings.HasPrefix(r.Reason, "the referee failed: ") || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("result %+v, want it aborted because of %q", r, tt.reason)
			}
			for seat, s := range r.Seats {
				if want := (driver.SeatResult{Ended: driver.EndedAborted}); s != want {
					t.Errorf("seat %d: %+v, want %+v", seat, s, want)
				}
			}
			if !strings.Contains(got.log.String(), tt.log) {
				t.Errorf("log %q, want %q in it", got.log, tt.log)
			}
			if got.received(0) != "before\n" {
				t.Errorf("seat 0 received %q, want the line sent before", got.received(0))
			}
		})
	}
}

func TestMisuseAbortsTheMatchAndSaysWhy(t *testing.T) {
	tests := []struct {
		name string
		play func(m *sdk.Match)
		want string
	}{
		{"no legal answer", func(m *sdk.Match) { m.Ask(0, nil) }, "use AskLine for free text"},
		{"no legal answer of one", func(m *sdk.Match) { m.AskAll([][]string{digits, {}}) }, "AskAll with no legal answer"},
		{"answers for too few", func(m *sdk.Match) { m.AskAll([][]string{digits}) }, "one list of legal answers for each seat"},
		{"no legal answer of a seat", func(m *sdk.Match) { m.AskSeats([]int{1}, [][]string{{}}) }, "use AskLines for free text"},
		{"answers for other seats", func(m *sdk.Match) { m.AskSeats([]int{0}, [][]string{digits, digits}) }, "AskSeats wants one list of legal answers"},
		{"asks a seat twice", func(m *sdk.Match) { m.AskSeats([]int{0, 1, 0}, [][]string{digits, digits, digits}) }, "one question asks a seat twice"},
		{"reads a seat twice", func(m *sdk.Match) { m.AskLines([]int{1, 1}) }, "one question asks a seat twice"},
		{"asks seats that do not exist", func(m *sdk.Match) { m.AskSeats([]int{0, 2}, [][]string{digits, digits}) }, "there is no such seat"},
		{"reads seats that do not exist", func(m *sdk.Match) { m.AskLines([]int{-1}) }, "there is no such seat"},
		{"seat below", func(m *sdk.Match) { m.Tell(-1, "") }, "there is no such seat"},
		{"seat above", func(m *sdk.Match) { m.TellOthers(2, "") }, "there is no such seat"},
		{"asks no seat", func(m *sdk.Match) { m.Ask(2, digits) }, "there is no such seat"},
		{"reads no seat", func(m *sdk.Match) { m.AskLine(-1) }, "there is no such seat"},
		{"scores no seat", func(m *sdk.Match) { m.Score(2, 1) }, "there is no such seat"},
		{"a team of no seats", func(m *sdk.Match) { m.Team() }, "Team wants the seats of a team"},
		{"a team with a seat that does not exist", func(m *sdk.Match) { m.Team(0, 2) }, "there is no such seat"},
		{"two teams with one seat", func(m *sdk.Match) { m.Team(0); m.Team(1, 0) }, "a seat is in two teams"},
		{"a team with one seat twice", func(m *sdk.Match) { m.Team(1, 1) }, "or twice in one"},
		{"forfeits no seat", func(m *sdk.Match) { m.Forfeit(2, sdk.ErrIllegal) }, "there is no such seat"},
		{"pardons no seat", func(m *sdk.Match) { m.Pardon(2) }, "there is no such seat"},
		{"forfeit for another error", func(m *sdk.Match) { m.Forfeit(0, fmt.Errorf("bored")) }, "Forfeit wants one of"},
		{"no forfeit", func(m *sdk.Match) { m.Forfeit(0, nil) }, "Forfeit wants one of"},
		{"points that are not a number", func(m *sdk.Match) { m.Score(0, math.NaN()) }, "Score wants points from -1e+15 to 1e+15"},
		{"too many points", func(m *sdk.Match) { m.Score(0, 1e15); m.Score(0, 1) }, "the seat would have 1.000000000000001e+15"},
		{"time of no seat", func(m *sdk.Match) { m.TimeLeft(2) }, "there is no such seat"},
		{"no time", func(m *sdk.Match) { m.SetTimeout(0) }, "SetTimeout wants more than 0 and at most 600"},
		{"too much time", func(m *sdk.Match) { m.SetTimeout(601) }, "SetTimeout wants"},
		{"random number below 0", func(m *sdk.Match) { m.Rand(0) }, "Rand wants a number above 0"},
		{"the driver returns no answer", func(m *sdk.Match) { m.Ask(1, digits) }, "the driver did not return one answer for each seat"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{answers: [][]any{{"0"}}, play: func(m *sdk.Match) error {
				tt.play(m)
				return nil
			}})
			if r := got.result(); !r.Aborted || !strings.Contains(r.Reason, tt.want) {
				t.Errorf("result %+v, want it aborted because of %q", r, tt.want)
			}
		})
	}
}
