package wire

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire/pb"
)

// hostFrames and gameFrames have every field, and the limits of their encodings.
var (
	long       = strings.Repeat("x", 300)
	hostFrames = []HostFrame{
		{},
		{Match: 1, Start: &driver.Setup{
			ID: "k3f9", Seed: 7, Rerun: true, Judge: 100 * time.Millisecond, JudgeAfter: 3, Begin: []driver.Answer{{Seat: 1, Line: "a"}, {Line: "\xff"}}, Stall: time.Minute, Names: []string{"A", "B"}, Bots: []bool{false, true},
			Banks:    []driver.Bank{{Start: 60, Increment: 0.5}, {}},
			Levels:   []string{"", "easy"},
			Hints:    []bool{true, false},
			Settings: driver.Settings{Players: 2, Bots: 1, Timeout: 10, Params: map[string]string{"rounds": "3"}},
		}},
		{Match: math.MaxUint64, Answers: []driver.Answer{
			{Seat: 99, Line: "ROCK", At: 1500 * time.Millisecond, Left: 1 << 40 * time.Millisecond}, {Outcome: driver.Timeout}, {},
			{Line: long, Note: "depth 9 – ♔"}, {Seat: 2, Outcome: driver.Disconnected, Line: "\xff\x00 not UTF-8"},
		}},
		{Match: 127, Stop: true},
	}
	gameFrames = []GameFrame{
		{Frame: &driver.Frame{}},
		{Match: 1 << 32, Frame: &driver.Frame{
			BotAnswers: []driver.Answer{{Seat: 1, Line: "\xff"}}, Pause: time.Minute,
			Texts:    []driver.Text{{To: driver.ToOthers, Seat: 3, Lines: []byte("one\n")}, {Lines: []byte(long)}, {}, {To: driver.ToAll}, {To: driver.ToSpectators, Lines: []byte("\xff\n\n")}},
			Question: &driver.Question{Seats: []int{0, 127, 128, math.MaxUint32}, Seconds: 0.1, Resumed: []int{127}, Tick: true},
		}},
		{Frame: &driver.Frame{Question: &driver.Question{Seats: []int{1}, Seconds: 1, Hints: []driver.Hint{
			{}, {Seat: 1, Answers: []string{"", "ROCK", "\xff", long}}, {Seat: math.MaxUint32, More: true, Examples: true},
		}}}},
		{Frame: &driver.Frame{Question: &driver.Question{Seconds: math.Copysign(0, -1)}, Judgement: &driver.Judgement{Value: -0.5, Best: "e4"}}},
		{Match: 3, Frame: &driver.Frame{End: &driver.Result{
			Seats: []driver.SeatResult{{Score: -1.5, Rank: 1, Ended: driver.EndedFinished, Team: 100}}, Reason: "because", Aborted: true, Stuck: true,
		}}},
	}
)

// The messages of frames, for the generated code.

func hostMessage(f HostFrame) *pb.HostFrame {
	m := &pb.HostFrame{Match: f.Match, Answers: answerMessages(f.Answers), Stop: f.Stop}
	if f.Start != nil {
		m.Start = encodeSetup(f.Start)
	}
	return m
}

func gameMessage(f GameFrame) *pb.GameFrame {
	m := &pb.GameFrame{Match: f.Match, BotAnswers: answerMessages(f.BotAnswers), PauseMs: uint64(f.Pause.Milliseconds())}
	for _, t := range f.Texts {
		m.Texts = append(m.Texts, &pb.Text{To: pb.Text_To(t.To), Seat: uint32(t.Seat), Lines: t.Lines})
	}
	if q := f.Question; q != nil {
		m.Ask = &pb.Ask{Seconds: q.Seconds, Seats: numbers[uint32](q.Seats), Resumed: numbers[uint32](q.Resumed), Tick: q.Tick}
		for _, h := range q.Hints {
			hint := &pb.Hint{Seat: uint32(h.Seat), More: h.More, Examples: h.Examples}
			for _, line := range h.Answers {
				hint.Answers = append(hint.Answers, []byte(line))
			}
			m.Ask.Hints = append(m.Ask.Hints, hint)
		}
	}
	if f.End != nil {
		m.End = encodeResult(f.End)
	}
	if f.Judgement != nil {
		m.Judgement = encodeJudgement(f.Judgement)
	}
	return m
}

func answerMessages(answers []driver.Answer) (list []*pb.Answer) {
	outcomes := map[driver.Outcome]pb.Answer_Outcome{driver.Timeout: pb.Answer_TIMEOUT, driver.Disconnected: pb.Answer_DISCONNECTED}
	for _, a := range answers {
		list = append(list, &pb.Answer{
			Seat: uint32(a.Seat), Line: []byte(a.Line), Outcome: outcomes[a.Outcome], Note: strings.ToValidUTF8(a.Note, "\uFFFD"),
			AtMs: uint64(a.At.Milliseconds()), LeftMs: uint64(max(0, a.Left.Milliseconds())),
		})
	}
	return list
}

// The frames of messages.

func hostFrameOf(m *pb.HostFrame) *HostFrame {
	f := &HostFrame{Match: m.Match, Answers: answersOf(m.Answers), Stop: m.Stop}
	if m.Start != nil {
		f.Start = decodeSetup(m.Start)
	}
	return f
}

func gameFrameOf(m *pb.GameFrame) *GameFrame {
	f := &GameFrame{Match: m.Match, Frame: &driver.Frame{BotAnswers: answersOf(m.BotAnswers), Pause: durationOf(m.PauseMs)}}
	for _, t := range m.Texts {
		f.Texts = append(f.Texts, driver.Text{To: driver.Audience(t.To), Seat: int(t.Seat), Lines: t.Lines})
	}
	if q := m.Ask; q != nil {
		f.Question = &driver.Question{Seconds: q.Seconds, Seats: numbers[int](q.Seats), Resumed: numbers[int](q.Resumed), Tick: q.Tick}
		for _, m := range q.Hints {
			h := driver.Hint{Seat: int(m.Seat), More: m.More, Examples: m.Examples}
			for _, line := range m.Answers {
				h.Answers = append(h.Answers, string(line))
			}
			f.Question.Hints = append(f.Question.Hints, h)
		}
	}
	if m.End != nil {
		f.End = decodeResult(m.End)
	}
	if m.Judgement != nil {
		f.Judgement = &driver.Judgement{Value: m.Judgement.Value, Best: m.Judgement.Best}
	}
	return f
}

func answersOf(messages []*pb.Answer) (answers []driver.Answer) {
	outcomes := map[pb.Answer_Outcome]driver.Outcome{pb.Answer_TIMEOUT: driver.Timeout, pb.Answer_DISCONNECTED: driver.Disconnected}
	for _, m := range messages {
		answers = append(answers, driver.Answer{
			Seat: int(m.Seat), Line: string(m.Line), Outcome: outcomes[m.Outcome], At: durationOf(m.AtMs), Note: m.Note, Left: durationOf(m.LeftMs),
		})
	}
	return answers
}

func durationOf(ms uint64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	if ms > uint64(most) {
		return time.Duration(most) * time.Millisecond
	}
	return time.Duration(ms) * time.Millisecond
}

func numbers[To, From int | uint32](list []From) (seats []To) {
	for _, n := range list {
		seats = append(seats, To(n))
	}
	return seats
}

func TestFramesAreEncodedLikeTheGeneratedCode(t *testing.T) {
	for _, f := range hostFrames {
		sameBytes(t, appendHostFrame(nil, f), hostMessage(f))
	}
	for _, f := range gameFrames {
		sameBytes(t, appendGameFrame(nil, f), gameMessage(f))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		h, g := randomHostFrame(r), randomGameFrame(r)
		sameBytes(t, appendHostFrame(nil, h), hostMessage(h))
		sameBytes(t, appendGameFrame(nil, g), gameMessage(g))
	}
}

func sameBytes(t *testing.T, got []byte, m proto.Message) {
	t.Helper()
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v is %x, want %x, error %v", m, got, want, err)
	}
}

func TestFramesSurviveTheWire(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 1000 {
		h, g := randomHostFrame(r), randomGameFrame(r)
		if n < len(hostFrames) {
			h, g = hostFrames[n], gameFrames[n]
		}
		if got, err := decodeHostFrame(appendHostFrame(nil, h)); err != nil || !equal(*got, h) {
			t.Errorf("got %+v, error %v, want %+v", got, err, h)
		}
		if got, err := decodeGameFrame(appendGameFrame(nil, g)); err != nil || !equal(*got, g) {
			t.Errorf("got %+v, error %v, want %+v", got, err, g)
		}
	}
}

// equal is reflect.DeepEqual for frames without cycles, in which NaN is itself and an empty
// list none.
func equal(x, y any) bool { return equalValues(reflect.ValueOf(x), reflect.ValueOf(y)) }

func equalValues(x, y reflect.Value) bool {
	switch x.Kind() {
	case reflect.Float64:
		return math.Float64bits(x.Float()) == math.Float64bits(y.Float())
	case reflect.Pointer:
		return x.IsNil() == y.IsNil() && (x.IsNil() || equalValues(x.Elem(), y.Elem()))
	case reflect.Slice:
		same := x.Len() == y.Len()
		for i := 0; same && i < x.Len(); i++ {
			same = equalValues(x.Index(i), y.Index(i))
		}
		return same
	case reflect.Struct:
		same := true
		for i := range x.NumField() {
			same = same && equalValues(x.Field(i), y.Field(i))
		}
		return same
	case reflect.Map:
		return x.Len() == 0 && y.Len() == 0 || reflect.DeepEqual(x.Interface(), y.Interface())
	case reflect.Func:
		return x.IsNil() && y.IsNil()
	default:
		return x.Equal(y)
	}
}

func randomHostFrame(r *rand.Rand) HostFrame {
	f := HostFrame{Match: r.Uint64() >> r.IntN(64), Answers: randomAnswers(r), Stop: r.IntN(4) == 0}
	if r.IntN(4) == 0 {
		n := r.IntN(4)
		f.Start = &driver.Setup{
			ID: randomText(r), Seed: r.Uint64(), Rerun: r.IntN(2) == 0, Judge: randomTime(r) / 1e6, Stall: randomTime(r),
			Names: make([]string, n), Bots: make([]bool, n), Banks: make([]driver.Bank, n), Levels: make([]string, n),
			Settings: driver.Settings{Players: n, Timeout: r.Float64(), Params: map[string]string{randomText(r): randomText(r)}},
		}
		f.Start.Judge = f.Start.Judge.Truncate(time.Millisecond)
		for i := range n {
			f.Start.Names[i], f.Start.Levels[i] = randomText(r), randomText(r)
			f.Start.Banks[i] = driver.Bank{Start: r.Float64(), Increment: r.NormFloat64()}
			if r.IntN(2) == 0 {
				f.Start.Bots[i] = true
				f.Start.Settings.Bots++
			}
		}
	}
	return f
}

func randomGameFrame(r *rand.Rand) GameFrame {
	f := GameFrame{Match: r.Uint64() >> r.IntN(64), Frame: &driver.Frame{BotAnswers: randomAnswers(r)}}
	for range r.IntN(5) {
		f.Texts = append(f.Texts, driver.Text{To: driver.Audience(r.IntN(4)), Seat: r.IntN(200), Lines: []byte(randomText(r))})
	}
	if r.IntN(2) == 0 {
		f.Pause = randomTime(r)
	}
	if r.IntN(2) == 0 {
		f.Question = &driver.Question{Seats: r.Perm(r.IntN(200)), Seconds: r.Float64(), Resumed: r.Perm(r.IntN(3)), Tick: r.IntN(2) == 0}
		for range r.IntN(3) {
			h := driver.Hint{Seat: r.IntN(200), More: r.IntN(2) == 0, Examples: r.IntN(2) == 0}
			for range r.IntN(4) {
				h.Answers = append(h.Answers, randomText(r))
			}
			f.Question.Hints = append(f.Question.Hints, h)
		}
	}
	if r.IntN(4) == 0 {
		f.Judgement = &driver.Judgement{Value: r.NormFloat64(), Best: randomText(r)}
	}
	if r.IntN(4) == 0 {
		f.End = &driver.Result{Reason: randomText(r), Aborted: r.IntN(2) == 0, Stuck: r.IntN(2) == 0}
		for range r.IntN(4) {
			f.End.Seats = append(f.End.Seats, driver.SeatResult{Score: r.NormFloat64(), Rank: r.IntN(200), Ended: driver.Ended(randomText(r)), Team: r.IntN(200)})
		}
	}
	return f
}

func randomAnswers(r *rand.Rand) (answers []driver.Answer) {
	outcomes := []driver.Outcome{driver.Answered, driver.Timeout, driver.Disconnected}
	for range r.IntN(4) {
		answers = append(answers, driver.Answer{
			Seat: r.IntN(200), Line: randomText(r), Outcome: outcomes[r.IntN(3)], At: randomTime(r), Note: randomText(r), Left: randomTime(r),
		})
	}
	return answers
}

func randomText(r *rand.Rand) string { return strings.Repeat("é", r.IntN(1<<r.IntN(14))) }

func randomTime(r *rand.Rand) time.Duration {
	return (time.Duration(r.Int64()) >> r.IntN(40)).Truncate(time.Millisecond)
}

func TestTextsThatAreNotUTF8DoNotBreakTheStream(t *testing.T) {
	frame := GameFrame{Match: 1, Frame: &driver.Frame{
		BotAnswers: []driver.Answer{{Note: "a\xff"}}, Judgement: &driver.Judgement{Best: "b\xff"},
		End: &driver.Result{Reason: "bob wrote \xff\xfe, whatever"},
	}}
	got, err := decodeGameFrame(appendGameFrame(nil, frame))
	if err != nil || got.BotAnswers[0].Note != "a\uFFFD" || got.Judgement.Best != "b\uFFFD" || got.End.Reason != "bob wrote \uFFFD, whatever" {
		t.Errorf("got %+v, error %v, want U+FFFD for the bytes that are not UTF-8", got, err)
	}
}

func TestNumbersOfTheWireAreThoseOfTheSDK(t *testing.T) {
	audiences := map[driver.Audience]pb.Text_To{
		driver.ToSeat: pb.Text_SEAT, driver.ToSpectators: pb.Text_SPECTATORS, driver.ToAll: pb.Text_ALL, driver.ToOthers: pb.Text_OTHERS,
	}
	for a, to := range audiences {
		if int(a) != int(to) {
			t.Errorf("audience %d, want that of %v, %d", a, to, to)
		}
	}
	kinds := map[driver.Kind]pb.Param_Kind{driver.KindInt: pb.Param_INT, driver.KindFloat: pb.Param_FLOAT, driver.KindChoice: pb.Param_CHOICE}
	for k, kind := range kinds {
		if int(k) != int(kind) {
			t.Errorf("kind %d, want that of %v, %d", k, kind, kind)
		}
	}
}

// A decoded frame shares no memory with the bytes, which are overwritten by later ones.
func TestDecodedFramesKeepTheirTexts(t *testing.T) {
	for i, f := range gameFrames {
		b := appendGameFrame(nil, f)
		got, err := decodeGameFrame(b)
		clear(b)
		if err != nil || !equal(*got, f) {
			t.Errorf("frame %d: got %+v, error %v, want %+v", i, got, err, f)
		}
	}
	for i, f := range hostFrames {
		b := appendHostFrame(nil, f)
		got, err := decodeHostFrame(b)
		clear(b)
		if err != nil || !equal(*got, f) {
			t.Errorf("frame %d: got %+v, error %v, want %+v", i, got, err, f)
		}
	}
}

func FuzzHostFrame(f *testing.F) {
	for _, frame := range hostFrames {
		f.Add(appendHostFrame(nil, frame))
	}
	f.Add([]byte{0x1a, 11, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}) // an unknown outcome
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeHostFrame(b)
		var m pb.HostFrame
		wantErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, &m)
		sameFrame(t, b, got, err, hostFrameOf(&m), wantErr)
	})
}

func FuzzGameFrame(f *testing.F) {
	for _, frame := range gameFrames {
		f.Add(appendGameFrame(nil, frame))
	}
	ask, unpacked := []byte{0x22, 2, 8, 1}, []byte{0x22, 4, 8, 1, 24, 1}
	f.Add(slices.Concat(ask, unpacked))                                                       // the same part twice, with seats that are not packed
	f.Add([]byte{0x12, 3, 0x2a, 1, 0xff})                                                     // a note that is not UTF-8
	f.Add([]byte{0x08, 1, 0x0d, 0, 0, 0, 0, 0x4b, 0x4c})                                      // other types of fields
	f.Add([]byte{0x22, 2, 0x0a, 5})                                                           // seats that end too early
	f.Add([]byte{0xf8, 0xf8, 0xf8, 0xf8, 0x30, 0x30})                                         // a number of a field that is too large
	f.Add([]byte{0x32, 3, 0x32, 1, 0x30})                                                     // an unknown field in a part
	f.Add([]byte{0x32, 2, 0x18, 1, 0x32, 2, 0x20, 1})                                         // an end in two pieces
	f.Add([]byte{0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})           // the longest pause
	f.Add([]byte{0x1a, 11, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}) // an audience below 0
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeGameFrame(b)
		var m pb.GameFrame
		wantErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, &m)
		sameFrame(t, b, got, err, gameFrameOf(&m), wantErr)
	})
}

// sameFrame compares a frame with that of the generated code.
func sameFrame(t *testing.T, b []byte, got any, err error, want any, wantErr error) {
	t.Helper()
	if (err == nil) != (wantErr == nil) || err == nil && !equal(got, want) {
		t.Fatalf("%x is %+v, error %v, want %+v, error %v", b, got, err, want, wantErr)
	}
}
