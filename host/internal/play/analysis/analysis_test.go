package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func analysed(t *testing.T, rec *record.Match) *Analysis {
	t.Helper()
	a, err := analyse(t.Context(), &process{game: &say}, rec, stall, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestEachPositionHasItsPlaceInTheMatch(t *testing.T) {
	a := analysed(t, said(t, "a", "0.1", "0", "0.1", "0", "0.1", "0"))
	if len(a.Positions) != 7 {
		t.Fatalf("got %d positions, want six and the end", len(a.Positions))
	}
	for i, p := range a.Positions {
		lines, seat := 2*i+1, (i+1)%2
		if i == 0 {
			seat = -1
		}
		if i == 6 {
			lines = 12
		}
		if p.Lines != lines || p.Answers != i || p.Seat != seat {
			t.Errorf("position %d: got %+v, want %d lines, %d answers and seat %d", i, p, lines, i, seat)
		}
	}
	if a.Positions[0].Best != "b0" || a.Think != mostThought {
		t.Errorf("got %+v after %v, want the best answer and %v", a.Positions[0], a.Think, mostThought)
	}
}

func TestMistakesAreTheMovesThatLowerTheResultOfTheirPlayer(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []int     // positions after the mistakes
		loss  []float64 // of them
	}{
		{"none", []string{"0", "0.3", "0", "0.3", "0", "0"}, nil, nil},
		{"the first player's", []string{"-0.7", "-0.7", "-0.7", "-0.7", "-0.7", "-0.7"}, []int{1}, []float64{0.7}},
		{"the second player's", []string{"0", "0.9", "0.9", "0.9", "0.9", "0.9"}, []int{2}, []float64{0.9}},
		{"a better position is no mistake", []string{"0.9", "0.9", "0.9", "0.9", "0.9", "0.9"}, nil, nil},
		{"both", []string{"0", "0.9", "-0.9", "-0.9", "-0.9", "-0.9"}, []int{2, 3}, []float64{0.9, 1.8}},
		{"luck is nobody's", []string{"0", "luck", "0.9", "0.9", "0.9", "0.9"}, nil, nil},
		{"at the end", []string{"0", "0", "0", "0", "0", "1"}, []int{6}, []float64{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := analysed(t, said(t, "a", tt.lines...))
			var got []int
			for i, m := range a.Mistakes {
				got = append(got, m.Position)
				if i < len(tt.loss) && math.Abs(m.Loss-tt.loss[i]) > 1e-9 {
					t.Errorf("mistake %d lost %v, want %v", i, m.Loss, tt.loss[i])
				}
				if m.Blunder() != (m.Loss >= 0.8) {
					t.Errorf("a loss of %v: blunder %v, want from 0.8 on", m.Loss, m.Blunder())
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got mistakes before positions %v (%+v), want %v", got, a, tt.want)
			}
		})
	}
}

func TestOnlyTheFiveLargestMistakesOfASeatAreKept(t *testing.T) {
	a := &Analysis{}
	for i := range 17 {
		value := 0.0
		if i%2 == 1 {
			value = -0.4 - float64(i)/50
		}
		a.Positions = append(a.Positions, Position{Seat: (i + 1) % 2, Value: value})
	}
	a.find()
	if len(a.Mistakes) != 2*mostMistakes || a.Mistakes[0].Position != 7 || a.Mistakes[9].Position != 16 {
		t.Errorf("got %+v, want those before positions 7 to 16, in order", a.Mistakes)
	}
}

func TestValuesFollowFromWhatCameLater(t *testing.T) {
	a := analysed(t, said(t, "a", "0.8", "0.8", "0.8", "0.8", "0.8", "0.8"))
	for i, p := range a.Positions[:6] {
		if want := 0.8; math.Abs(p.Value-want) > 1e-9 && i < 5 {
			t.Errorf("position %d: got %v, want %v: seat 0 could reach that", i, p.Value, want)
		}
	}
	if last := a.Positions[6]; last.Value != 1 {
		t.Errorf("the end has %v, want 1: seat 0 has won", last.Value)
	}
}

func TestForfeitIsNoMistake(t *testing.T) {
	rec := recorded(t, "a", &say, gametest.Script("0.9", "0.9"), gametest.Then(gametest.Late, "0.9"))
	a := analysed(t, rec)
	last := a.Positions[len(a.Positions)-1]
	if last.Value != 1 || last.Seat != -1 || len(a.Mistakes) > 1 {
		t.Errorf("got the end %+v and mistakes %+v, want the result, by no move", last, a.Mistakes)
	}
}

func TestAbortedMatchIsAnalysedWithoutAnEnd(t *testing.T) {
	rec := said(t, "a", "0", "0", "0", "0", "0", "0")
	rec.State, rec.Answers, rec.Stream = record.Aborted, rec.Answers[:3], []byte(strings.Repeat("turn\n0\n", 3)+"turn\n")
	for i := range rec.Seats {
		rec.Seats[i].Ended = driver.EndedAborted
	}
	if a := analysed(t, rec); len(a.Positions) != 4 {
		t.Errorf("got %+v, want the four positions of the record", a.Positions)
	}
}

func TestMatchesThatCannotBeAnalysedAreRefused(t *testing.T) {
	rec := said(t, "a", "0", "0", "0", "0", "0", "0")
	change := func(f func(r *record.Match)) *record.Match {
		r := *rec
		f(&r)
		return &r
	}
	for want, r := range map[string]*record.Match{
		"has not ended": change(func(r *record.Match) { r.State = record.Running }),
		"3 seats":       change(func(r *record.Match) { r.Seats = make([]record.Seat, 3) }),
		"nobody moved":  change(func(r *record.Match) { r.Answers = nil }),
		"too long":      change(func(r *record.Match) { r.Answers = make([]record.Answer, maxAnswers+1) }),
	} {
		if err := check(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a refusal with %q", err, want)
		}
	}
}

func TestGamesThatFailGiveAReason(t *testing.T) {
	rec := said(t, "a", "0", "0", "0", "0", "0", "0")
	other := said(t, "a", "0", "0", "0", "0", "0", "0.5")
	other.Stream = rec.Stream
	wild := say
	wild.Play = mute.Play
	quietly := recorded(t, "a", &mute, gametest.Script("x"), gametest.Script("x"))
	for _, tt := range []struct {
		name, want string
		game       *process
		rec        *record.Match
	}{
		{"its process ends", "ended by a signal", &process{dies: true}, rec},
		{"another game", "differs from the record", &process{game: &wild}, rec},
		{"another stream", "differs from the record", &process{game: &say}, other},
		{"no judgements", "judged no position", &process{game: &mute}, quietly},
	} {
		if _, err := analyse(t.Context(), tt.game, tt.rec, stall, func(int) {}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

func TestLongMatchesGetLessThoughtForEachPosition(t *testing.T) {
	rec := said(t, "a", "0", "0", "0", "0", "0", "0")
	rec.Answers = append(rec.Answers, make([]record.Answer, 2994)...)
	got := max(leastThought, min(mostThought, allThought/time.Duration(len(rec.Answers)+1)))
	if want := 9 * time.Millisecond; got.Truncate(time.Millisecond) != want {
		t.Errorf("got %v for each position of 3000, want %v", got, want)
	}
}
