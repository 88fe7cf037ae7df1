package wire

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk"
)

// travel sends a message to the other side, as bytes.
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
	} {
		if got := ToParam(travel(t, FromParam(p))); !reflect.DeepEqual(got, p) {
			t.Errorf("%+v arrives as %+v", p, got)
		}
	}
}

func TestAnswersSurviveTheWire(t *testing.T) {
	answers := []sdk.Answer{
		{Seat: 0, Line: "ROCK", At: 1500 * time.Millisecond},
		{Seat: 99, Line: "\xff\x00 not UTF-8"},
		{Seat: 1, Outcome: sdk.ErrTimeout, At: 10 * time.Minute},
		{Seat: 2, Outcome: sdk.ErrDisconnected},
		{Seat: 3, Line: ""},
	}
	frame := travel(t, &HostFrame{Answers: FromAnswers(answers)})
	if got := ToAnswers(frame.Answers); !reflect.DeepEqual(got, answers) {
		t.Errorf("%v arrive as %v", answers, got)
	}
}

func TestTurnsSurviveTheWire(t *testing.T) {
	turn := &sdk.Turn{
		Texts: []sdk.Text{
			{To: sdk.ToSeat, Seat: 3, Lines: []byte("one\n")}, {To: sdk.ToSpectators, Lines: []byte("\xff\n\n")},
			{To: sdk.ToAll, Lines: []byte("all\n")}, {To: sdk.ToOthers, Seat: 1, Lines: []byte("others\n")},
		},
		BotAnswers: []sdk.Answer{{Seat: 2, Line: "bot"}, {Seat: 3, Outcome: sdk.ErrTimeout}},
		Ask:        &sdk.Ask{Seats: []int{0, 5}, Seconds: 0.25, Resumed: []int{5}, Legal: [][]string{{"a"}, {"b"}}},
		Pause:      1500 * time.Millisecond,
		End: &sdk.Result{Reason: "no moves left", Aborted: true, Seats: []sdk.SeatResult{
			{Score: -1.5, Rank: 2, Ended: "forfeit: illegal"}, {Score: 3, Rank: 1, Ended: sdk.EndedFinished},
		}},
	}
	got := travel(t, FromTurn(1<<63, turn))
	if got.Match != 1<<63 || got.PauseMs != 1500 {
		t.Errorf("match %d, pause %d ms", got.Match, got.PauseMs)
	}
	var texts []sdk.Text
	for _, text := range got.Texts {
		texts = append(texts, sdk.Text{To: sdk.Audience(text.To), Seat: int(text.Seat), Lines: text.Lines})
	}
	if !reflect.DeepEqual(texts, turn.Texts) {
		t.Errorf("texts %v arrive as %v", turn.Texts, texts)
	}
	if answers := ToAnswers(got.BotAnswers); !reflect.DeepEqual(answers, turn.BotAnswers) {
		t.Errorf("answers %v arrive as %v", turn.BotAnswers, answers)
	}
	if !reflect.DeepEqual(got.Ask.Seats, []uint32{0, 5}) || got.Ask.Seconds != 0.25 || !reflect.DeepEqual(got.Ask.Resumed, []uint32{5}) {
		t.Errorf("question %v", got.Ask)
	}
	if result := ToResult(got.End); !reflect.DeepEqual(result, turn.End) {
		t.Errorf("result %+v arrives as %+v", turn.End, result)
	}
}

func TestEmptyTurnIsAnEmptyFrame(t *testing.T) {
	if got := FromTurn(7, &sdk.Turn{}); !proto.Equal(got, &GameFrame{Match: 7}) {
		t.Errorf("got %v", got)
	}
}

func TestReasonThatIsNotUTF8DoesNotBreakTheStream(t *testing.T) {
	turn := &sdk.Turn{End: &sdk.Result{Reason: "bob wrote \xff\xfe, whatever"}}
	if got := travel(t, FromTurn(1, turn)).End.Reason; got != "bob wrote \uFFFD, whatever" {
		t.Errorf("reason %q", got)
	}
}

func TestNumbersOfTheWireAreThoseOfTheSDK(t *testing.T) {
	audiences := map[sdk.Audience]Text_To{
		sdk.ToSeat: Text_SEAT, sdk.ToSpectators: Text_SPECTATORS, sdk.ToAll: Text_ALL, sdk.ToOthers: Text_OTHERS,
	}
	for a, to := range audiences {
		if int(a) != int(to) {
			t.Errorf("audience %d is %v", a, to)
		}
	}
	kinds := map[sdk.Kind]Param_Kind{sdk.KindInt: Param_INT, sdk.KindFloat: Param_FLOAT, sdk.KindChoice: Param_CHOICE}
	for k, kind := range kinds {
		if int(k) != int(kind) {
			t.Errorf("kind %d is %v", k, kind)
		}
	}
}
