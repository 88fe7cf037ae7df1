package wire

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// travel encodes a message and decodes it again.
func travel[M proto.Message](t *testing.T, m M) M {
	t.Helper()
	bytes, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	received := m.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(bytes, received); err != nil {
		t.Fatal(err)
	}
	return received.(M)
}

func TestParametersSurviveTheWire(t *testing.T) {
	for _, p := range []sdk.Param{
		sdk.Int("rounds", "number of rounds", 5, -1, 1<<40),
		sdk.Float("pace", "seconds", 0.1, 0, 30.5),
		sdk.Choice("bot", "level – of the bot", "strong", "random"),
		sdk.Text("start", "start position", "W:W21:B1 – ♔", 200),
	} {
		if got := DecodeParam(travel(t, EncodeParam(p))); !reflect.DeepEqual(got, p) {
			t.Errorf("got %+v, want %+v", got, p)
		}
	}
}

func TestAnswersSurviveTheWire(t *testing.T) {
	answers := []driver.Answer{
		{Seat: 0, Line: "ROCK", At: 1500 * time.Millisecond, Left: 2 * time.Second},
		{Seat: 99, Line: "\xff\x00 not UTF-8"},
		{Seat: 1, Outcome: driver.Timeout, At: 10 * time.Minute},
		{Seat: 2, Outcome: driver.Disconnected},
		{Seat: 3, Line: "", Note: "depth 9"},
	}
	frame := travel(t, &HostFrame{Answers: EncodeAnswers(answers)})
	if got := DecodeAnswers(frame.Answers); !reflect.DeepEqual(got, answers) {
		t.Errorf("got %v, want %v", got, answers)
	}
}

func TestFramesSurviveTheWire(t *testing.T) {
	frame := &driver.Frame{
		Texts: []driver.Text{
			{To: driver.ToSeat, Seat: 3, Lines: []byte("one\n")}, {To: driver.ToSpectators, Lines: []byte("\xff\n\n")},
			{To: driver.ToAll, Lines: []byte("all\n")}, {To: driver.ToOthers, Seat: 1, Lines: []byte("others\n")},
		},
		BotAnswers: []driver.Answer{{Seat: 2, Line: "bot"}, {Seat: 3, Outcome: driver.Timeout}},
		Question:   &driver.Question{Seats: []int{0, 5}, Seconds: 0.25, Resumed: []int{5}, Legal: [][]string{{"a"}, {"b"}}},
		Pause:      1500 * time.Millisecond,
		End: &driver.Result{Reason: "no moves left", Aborted: true, Seats: []driver.SeatResult{
			{Score: -1.5, Rank: 2, Ended: "forfeit: illegal", Team: 100}, {Score: 3, Rank: 1, Ended: driver.EndedFinished},
		}},
	}
	got := travel(t, EncodeFrame(1<<63, frame))
	if got.Match != 1<<63 || got.PauseMs != 1500 {
		t.Errorf("match %d, pause %d ms, want 1<<63 and 1500 ms", got.Match, got.PauseMs)
	}
	var texts []driver.Text
	for _, text := range got.Texts {
		texts = append(texts, driver.Text{To: driver.Audience(text.To), Seat: int(text.Seat), Lines: text.Lines})
	}
	if !reflect.DeepEqual(texts, frame.Texts) {
		t.Errorf("texts %v, want %v", texts, frame.Texts)
	}
	if answers := DecodeAnswers(got.BotAnswers); !reflect.DeepEqual(answers, frame.BotAnswers) {
		t.Errorf("answers %v, want %v", answers, frame.BotAnswers)
	}
	if !reflect.DeepEqual(got.Ask.Seats, []uint32{0, 5}) || got.Ask.Seconds != 0.25 || !reflect.DeepEqual(got.Ask.Resumed, []uint32{5}) {
		t.Errorf("question %v, want %v", got.Ask, frame.Question)
	}
	if result := DecodeResult(got.End); !reflect.DeepEqual(result, frame.End) {
		t.Errorf("result %+v, want %+v", result, frame.End)
	}
}

func TestEmptyFrameHasOnlyItsMatch(t *testing.T) {
	if got := EncodeFrame(7, &driver.Frame{}); !proto.Equal(got, &GameFrame{Match: 7}) {
		t.Errorf("got %v, want only the match", got)
	}
}

func TestReasonThatIsNotUTF8DoesNotBreakTheStream(t *testing.T) {
	frame := &driver.Frame{End: &driver.Result{Reason: "bob wrote \xff\xfe, whatever"}}
	if got := travel(t, EncodeFrame(1, frame)).End.Reason; got != "bob wrote \uFFFD, whatever" {
		t.Errorf("reason %q, want U+FFFD for the bytes that are not UTF-8", got)
	}
}

func TestNumbersOfTheWireAreThoseOfTheSDK(t *testing.T) {
	audiences := map[driver.Audience]Text_To{
		driver.ToSeat: Text_SEAT, driver.ToSpectators: Text_SPECTATORS, driver.ToAll: Text_ALL, driver.ToOthers: Text_OTHERS,
	}
	for a, to := range audiences {
		if int(a) != int(to) {
			t.Errorf("audience %d, want that of %v, %d", a, to, to)
		}
	}
	kinds := map[driver.Kind]Param_Kind{driver.KindInt: Param_INT, driver.KindFloat: Param_FLOAT, driver.KindChoice: Param_CHOICE}
	for k, kind := range kinds {
		if int(k) != int(kind) {
			t.Errorf("kind %d, want that of %v, %d", k, kind, kind)
		}
	}
}
