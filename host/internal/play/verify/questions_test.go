package verify

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/records/record"
	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func TestQuestionsOfASecondRunIncludeTheOneAfterTheRecord(t *testing.T) {
	rec := recorded(t, "end", first, second)
	list := func(rec *record.Match, stop int) (list []string) {
		t.Helper()
		var report *Report
		var err error
		synctest.Test(t, func(t *testing.T) {
			report, err = Questions(t.Context(), fakeGame{game: &guess}, rec, stall, func(q Question) bool {
				list = append(list, fmt.Sprint(q.Seats, " after ", q.Answers, " at ", q.Lines))
				return len(list) != stop
			})
		})
		if err != nil || len(report.Differences) > 0 {
			t.Fatalf("got %+v, %v, want no difference", report, err)
		}
		return list
	}
	if got := list(rec, 0); len(got) != 10 || got[0] != "[0 1] after 0 at 1" || got[1] != "[0] after 2 at 3" {
		t.Errorf("got the questions %q, want all ten", got)
	}
	if got := list(rec, 3); len(got) != 3 {
		t.Errorf("got %q, want three questions", got)
	}
	part := *rec
	part.State, part.Answers, part.Stream = record.Aborted, rec.Answers[:3], rec.Stream[:len("Player0 Player1\nPlayer0 says heads\n")]
	want := []string{"[0 1] after 0 at 1", "[0] after 2 at 3", "[0 1] after 3 at 4"}
	if got := list(&part, 0); !slices.Equal(got, want) {
		t.Errorf("got the questions %q of an aborted match, want %q", got, want)
	}
}

func TestLastPositionOfARecordIsJudged(t *testing.T) {
	said := sdk.Game{Name: "said", MinPlayers: 2, MaxPlayers: 2, Timeout: 10, Play: func(m *sdk.Match) error {
		for i := range 4 {
			m.Judge(func(func() bool) (float64, string) { return float64(i) / 10, fmt.Sprint("line ", i) })
			line, err := m.AskLine(i % 2)
			if err != nil {
				return nil
			}
			m.TellAll(line)
		}
		return nil
	}}
	rec := recordOf(t, gametest.Match{Game: &said, Players: []gametest.Player{script("a", "c"), script("b")}, Seed: 42})
	rec.State, rec.Answers, rec.Stream = record.Aborted, append(rec.Answers[:2:2], record.Answer{Line: "no", Outcome: record.Refused}), []byte("a\nb\n")
	last, err := Last(t.Context(), fakeGame{game: &said}, rec, stall, 1e6)
	if err != nil || last == nil || last.Best != "line 2" {
		t.Errorf("got %+v, %v, want the judgement after two answers", last, err)
	}
	rec.Stream = []byte("a\nc\n")
	if _, err := Last(t.Context(), fakeGame{game: &said}, rec, stall, 1e6); err == nil {
		t.Error("a record that differs: got no error, want one")
	}
}
