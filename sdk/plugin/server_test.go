package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
	"colosseum/sdk/wire/pb"
)

// digits returns a game whose seats send digits in rounds, and get the sum.
func digits() sdk.Game {
	legal := strings.Split("0123456789", "")
	return sdk.Game{
		Name: "digits", Title: "Digits", Rules: "# digits", MinPlayers: 1, MaxPlayers: 3, MaxBots: 2, Timeout: 10, Delay: 1.5,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 1, 1, 1000)},
		Play: func(m *sdk.Match) error {
			m.TellAll("begin")
			all := make([][]string, m.Players())
			for seat := range all {
				all[seat] = legal
			}
			for range m.Int("rounds") {
				sum := 0
				for seat, a := range m.AskAll(all) {
					if a.Err != nil {
						return nil
					}
					m.Score(seat, float64(a.Line[0]-'0'))
					sum += int(a.Line[0] - '0')
				}
				m.TellAll(fmt.Sprint(sum))
			}
			return nil
		},
		Bot: func(b *sdk.Bot) error {
			for {
				b.Read()
				b.Write("7")
			}
		},
	}
}

// host is the other side of the wire.
type host struct {
	t      *testing.T
	client pb.GameClient
	stream grpc.BidiStreamingClient[pb.HostBatch, pb.GameBatch]
	cancel context.CancelFunc // ends the stream at once
	left   []*pb.GameFrame    // received; next returns them
}

// serve calls talk with a host that is connected to the game. The test fails if a
// goroutine is left after the connection has been closed.
func serve(t *testing.T, game sdk.Game, talk func(t *testing.T, h *host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := bufconn.Listen(1 << 20)
		s := newGRPCServer(nil)
		wire.Register(s, &server{game: driver.Of(&game)})
		go func() { _ = s.Serve(listener) }() // ends with s.Stop
		connection := dial(t, listener)
		ctx, cancel := context.WithCancel(t.Context())
		h := &host{t: t, client: pb.NewGameClient(connection), cancel: cancel}
		var err error
		if h.stream, err = h.client.Play(ctx); err != nil {
			t.Fatal(err)
		}
		talk(t, h)
		cancel()
		connection.Close()
		s.Stop()
	})
}

// dial returns a connection to a listener.
func dial(t testing.TB, listener *bufconn.Listener) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient("passthrough:///game",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	return connection
}

func (h *host) send(frames ...*pb.HostFrame) {
	h.t.Helper()
	if err := h.stream.Send(&pb.HostBatch{Frames: frames}); err != nil {
		h.t.Fatal(err)
	}
}

// next returns the next frame.
func (h *host) next() *pb.GameFrame {
	h.t.Helper()
	for len(h.left) == 0 {
		batch, err := h.stream.Recv()
		if err != nil {
			h.t.Fatal(err)
		}
		h.left = batch.Frames
	}
	f := h.left[0]
	h.left = h.left[1:]
	return f
}

// start returns the first frame of a match; bots have the last seats.
func start(match uint64, rounds, people, bots int) *pb.HostFrame {
	s := &pb.Start{Seed: match, Timeout: 10, Params: map[string]string{"rounds": fmt.Sprint(rounds)}}
	for seat := range people + bots {
		s.Seats = append(s.Seats, &pb.Seat{Name: fmt.Sprint("P", seat), Bot: seat >= people})
	}
	return &pb.HostFrame{Match: match, Start: s}
}

// answer returns a frame with the answers of the seats from 0; "" is a timeout.
func answer(match uint64, lines ...string) *pb.HostFrame {
	f := &pb.HostFrame{Match: match}
	for seat, line := range lines {
		a := &pb.Answer{Seat: uint32(seat), Line: []byte(line)}
		if line == "" {
			a.Outcome = pb.Answer_TIMEOUT
		}
		f.Answers = append(f.Answers, a)
	}
	return f
}

// said returns the texts of a frame.
func said(f *pb.GameFrame) string {
	var b strings.Builder
	for _, text := range f.Texts {
		b.Write(text.Lines)
	}
	return b.String()
}

func TestGameDescribesItself(t *testing.T) {
	game := digits()
	serve(t, game, func(t *testing.T, h *host) {
		d, err := h.client.Describe(t.Context(), &pb.DescribeRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if d.Name != "digits" || d.Title != "Digits" || d.Rules != "# digits" || d.Timeout != 10 || d.Delay != 1.5 ||
			d.MinPlayers != 1 || d.MaxPlayers != 3 || d.MaxBots != 2 {
			t.Errorf("got %v, want the description of digits", d)
		}
		want := &pb.Param{Name: "rounds", Description: "number of rounds", Kind: pb.Param_INT, Min: 1, Max: 1000, DefaultValue: "1"}
		if len(d.Params) != 1 || !proto.Equal(d.Params[0], want) {
			t.Errorf("parameters %v, want %v", d.Params, want)
		}
	})
}

func TestRequestsArePrepared(t *testing.T) {
	game := digits()
	game.Check = func(s *sdk.Settings) error {
		switch s.Int("rounds") {
		case 13:
			return errors.New("13 \xff rounds are unlucky")
		case 14:
			s.Int("ruonds")
		}
		return nil
	}
	_, _, line, _ := runtime.Caller(0)
	place := fmt.Sprintf("server_test.go:%d", line-4) // of the call above
	players, many, timeout := uint32(3), uint32(1<<32-1), 0.5
	tests := []struct {
		name    string
		request *pb.PrepareRequest
		want    *pb.PrepareReply
	}{
		{"defaults", &pb.PrepareRequest{}, &pb.PrepareReply{Players: 1, Timeout: 10, Params: map[string]string{"rounds": "1"}}},
		{"all given", &pb.PrepareRequest{Players: &players, Bots: 2, Timeout: &timeout, Args: map[string]string{"rounds": "07"}},
			&pb.PrepareReply{Players: 3, Timeout: 0.5, Params: map[string]string{"rounds": "7"}}},
		{"too many", &pb.PrepareRequest{Players: &many}, &pb.PrepareReply{Refusal: "Cannot create game with 4294967295 players: digits is played by 1 to 3 players"}},
		{"refusal that is not UTF-8", &pb.PrepareRequest{Args: map[string]string{"rounds": "13"}}, &pb.PrepareReply{Refusal: "13 \uFFFD rounds are unlucky"}},
		{"a check that fails", &pb.PrepareRequest{Args: map[string]string{"rounds": "14"}}, // and ends no other match
			&pb.PrepareReply{Refusal: "the game failed: " + place + `: sdk: the game has no parameter "ruonds": add it to Params in a function literal`}},
	}
	serve(t, game, func(t *testing.T, h *host) {
		for _, tt := range tests {
			got, err := h.client.Prepare(t.Context(), tt.request)
			if err != nil || got.Refusal != tt.want.Refusal || got.Players != tt.want.Players || got.Timeout != tt.want.Timeout || !reflect.DeepEqual(got.Params, tt.want.Params) {
				t.Errorf("%s: got %v, error %v, want %v", tt.name, got, err, tt.want)
			}
		}
	})
}

func TestManyMatchesShareTheStream(t *testing.T) {
	const matches, rounds = 200, 20
	serve(t, digits(), func(t *testing.T, h *host) {
		var starts []*pb.HostFrame
		for n := range uint64(matches) {
			starts = append(starts, start(n, rounds, 2, 1))
		}
		h.send(starts...)
		asked := make([]int, matches) // questions so far
		for ended := 0; ended < matches; {
			f := h.next()
			mine := fmt.Sprint(f.Match % 10)
			want, bots := "begin\n", 0
			if asked[f.Match] > 0 {
				want, bots = fmt.Sprintf("%d\n", 2*(f.Match%10)+7), 1
			}
			if said(f) != want || len(f.BotAnswers) != bots {
				t.Fatalf("match %d says %q after %d answers, %d of bots, want %q", f.Match, said(f), asked[f.Match], len(f.BotAnswers), want)
			}
			if f.End == nil {
				if !slices.Equal(f.Ask.GetSeats(), []uint32{0, 1, 2}) || f.Ask.Seconds != 10 {
					t.Fatalf("match %d asks %v, want all three seats for 10 s", f.Match, f.Ask)
				}
				asked[f.Match]++
				h.send(answer(f.Match, mine, mine))
				continue
			}
			ended++
			if score := float64(rounds * (f.Match % 10)); asked[f.Match] != rounds || f.End.Seats[0].Score != score || f.End.Seats[2].Score != 7*rounds {
				t.Errorf("match %d ends after %d rounds as %v, want %d rounds and %v points", f.Match, asked[f.Match], f.End, rounds, score)
			}
		}
	})
}

func TestForfeitsCrossTheWire(t *testing.T) {
	serve(t, digits(), func(t *testing.T, h *host) {
		h.send(start(1, 5, 2, 0))
		h.next()
		h.send(answer(1, "", "ten"))
		end := h.next().End
		if end == nil || end.Seats[0].Ended != "forfeit: timeout" || end.Seats[1].Ended != "forfeit: illegal" {
			t.Errorf("the match ends as %v, want a timeout and an illegal line", end)
		}
	})
}

func TestRefereeThatFailsEndsOnlyItsMatch(t *testing.T) {
	game := digits()
	play := game.Play
	game.Play = func(m *sdk.Match) error {
		if m.Players() == 3 {
			panic("three players")
		}
		return play(m)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = log
	defer func() { os.Stderr = stderr }()
	serve(t, game, func(t *testing.T, h *host) {
		failing := start(2, 1, 3, 0)
		failing.Start.Id = "k3f9"
		h.send(start(1, 1, 1, 0), failing)
		for range 2 {
			switch f := h.next(); {
			case f.Match == 1 && f.Ask == nil, f.Match == 2 && (f.End == nil || !f.End.Aborted || !strings.Contains(f.End.Reason, "three players")):
				t.Errorf("got %v, want a question of match 1 and match 2 aborted", f)
			}
		}
		h.send(answer(1, "3"))
		if f := h.next(); f.End == nil || f.End.Aborted {
			t.Errorf("the other match ends as %v, want no fault", f.End)
		}
	})
	_ = log.Close()
	if text, err := os.ReadFile(log.Name()); err != nil || !strings.HasPrefix(string(text), "match k3f9: referee: server_test.go:") {
		t.Errorf("log %q, error %v, want the failure with the ID of the match", text, err)
	}
}

// watched returns a game whose referee reports when it has ended. With pause it
// pauses instead of asking.
func watched(pause bool) (game sdk.Game, ended chan string) {
	game, ended = digits(), make(chan string, 10)
	game.Play = func(m *sdk.Match) error {
		defer func() { ended <- m.Name(0) }()
		m.TellAll("begin")
		if pause {
			m.Pace(3600)
		}
		m.AskLine(0)
		m.TellAll("end")
		return nil
	}
	return game, ended
}

func TestStopEndsTheReferee(t *testing.T) {
	for _, pause := range []bool{false, true} {
		t.Run(fmt.Sprintf("pause %v", pause), func(t *testing.T) {
			game, ended := watched(pause)
			serve(t, game, func(t *testing.T, h *host) {
				h.send(start(1, 1, 1, 0), start(2, 1, 1, 0))
				h.next()
				h.next()
				h.send(&pb.HostFrame{Match: 1, Stop: true})
				<-ended
				synctest.Wait()
				if n := len(ended); n != 0 {
					t.Errorf("%d other matches ended, want none", n)
				}
				if !pause {
					h.send(answer(1, "1"), answer(2, "1"))
					if f := h.next(); f.Match != 2 || f.End == nil {
						t.Errorf("got %v, want the end of match 2 and nothing of match 1", f)
					}
				}
			})
		})
	}
}

func TestMatchCanBeStoppedAtOnce(t *testing.T) {
	game, ended := watched(false)
	serve(t, game, func(t *testing.T, h *host) {
		h.send(start(1, 1, 1, 0), &pb.HostFrame{Match: 1, Stop: true}, start(2, 1, 1, 0))
		<-ended
		f := h.next()
		if f.Match == 1 && f.End == nil {
			f = h.next() // its first frame was on its way
		}
		if f.Match != 2 {
			t.Errorf("got %v, want match 2", f)
		}
	})
}

func TestUnexpectedFramesAreIgnored(t *testing.T) {
	serve(t, digits(), func(t *testing.T, h *host) {
		h.send(answer(7, "1"), &pb.HostFrame{Match: 8, Stop: true}, &pb.HostFrame{}) // unknown matches
		h.send(start(1, 1, 2, 0))
		if f := h.next(); f.Match != 1 || f.Ask == nil {
			t.Fatalf("got %v, want the question of match 1", f)
		}
		h.send(start(1, 1, 1, 0))                            // it has begun
		h.send(answer(1, "2", "3"), answer(1, "4", "5"))     // the second is not asked for
		if f := h.next(); said(f) != "5\n" || f.End == nil { // 2 + 3
			t.Errorf("got %v, want the sum 5 and the end", f)
		}
		h.send(answer(1, "6", "7"), &pb.HostFrame{Match: 1, Stop: true}) // it has ended
		h.send(start(2, 1, 1, 0))
		if f := h.next(); f.Match != 2 {
			t.Errorf("got %v, want match 2", f)
		}
	})
}

func TestEndOfTheStreamStopsAllMatches(t *testing.T) {
	tests := []struct {
		name string
		end  func(h *host)
		want error
	}{
		{"closed in order", func(h *host) { _ = h.stream.CloseSend() }, io.EOF},
		{"cut", func(h *host) { h.cancel() }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			game, ended := watched(false)
			serve(t, game, func(t *testing.T, h *host) {
				for n := range uint64(10) {
					h.send(start(n, 1, 1, 0))
					h.next()
				}
				tt.end(h)
				for range 10 {
					<-ended
				}
				if _, err := h.stream.Recv(); err == nil || tt.want != nil && err != tt.want {
					t.Errorf("the stream ends with %v, want %v", err, tt.want)
				}
			})
		})
	}
}

func TestBatchCanExceedTheDefaultLimitOfGRPC(t *testing.T) {
	game := digits()
	game.Play = func(m *sdk.Match) error {
		line, err := m.AskLine(0)
		m.TellAll(fmt.Sprint(len(line)))
		return err
	}
	serve(t, game, func(t *testing.T, h *host) {
		h.send(start(1, 1, 1, 0))
		h.next()
		h.send(answer(1, strings.Repeat("x", 10<<20)))
		if f := h.next(); said(f) != "10485760\n" {
			t.Errorf("got %v, want a line of 10485760 bytes", f)
		}
	})
}

func TestPauseIsSentAndKept(t *testing.T) {
	game := digits()
	game.Play = func(m *sdk.Match) error {
		m.TellAll("before")
		m.Pace(2.5)
		m.TellAll("after")
		return nil
	}
	serve(t, game, func(t *testing.T, h *host) {
		begin := time.Now()
		h.send(start(1, 1, 1, 0))
		if f := h.next(); f.PauseMs != 2500 || said(f) != "before\n" {
			t.Errorf("got %v, want a pause of 2500 ms", f)
		}
		if f := h.next(); f.End == nil || said(f) != "after\n" || time.Since(begin) != 2500*time.Millisecond {
			t.Errorf("after %v: got %v, want the end after 2.5 s", time.Since(begin), f)
		}
	})
}

func TestRerunAsksTheHostForBotsAndDoesNotPause(t *testing.T) {
	game := digits()
	play := game.Play
	game.Play = func(m *sdk.Match) error {
		m.Pace(30)
		return play(m)
	}
	serve(t, game, func(t *testing.T, h *host) {
		begin := time.Now()
		f := start(1, 1, 1, 2)
		f.Start.Rerun = true
		h.send(f)
		h.next() // the pause
		if f := h.next(); said(f) != "begin\n" || len(f.Ask.GetSeats()) != 3 {
			t.Errorf("got %v, want a question to 3 seats", f)
		}
		h.send(answer(1, "1", "2", "3")) // a bot would answer 7
		if f := h.next(); f.End == nil || said(f) != "6\n" || len(f.BotAnswers) > 0 {
			t.Errorf("got %v, want the sum 6 and the end", f)
		}
		if took := time.Since(begin); took > 0 {
			t.Errorf("it took %v, want no time", took)
		}
	})
}
