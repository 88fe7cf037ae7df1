package bridge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// With this as its first argument, the test binary is an engine.
const asEngine = "-as-engine"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asEngine {
		engine(os.Args[2], os.Args[3:])
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the engines, which with -race take a second to exit
	os.Exit(m.Run())
}

// engine is an engine that fails in a way, if how is not "well", and plays the given moves.
func engine(how string, moves []string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		command, _, _ := strings.Cut(in.Text(), " ")
		switch command {
		case "uci":
			if how == "deaf" {
				continue
			}
			if how == "has endless options" {
				for range maxOptions {
					fmt.Println("option name x type check")
				}
			}
			if how == "ends at once" {
				os.Exit(3)
			}
			fmt.Println("id name Test\noption name Skill Level type spin default 20 min 0 max 20\noption name Clear type button\nuciok")
		case "isready":
			if how == "never ready" {
				continue
			}
			fmt.Println("readyok")
		case "go":
			switch how {
			case "dies":
				os.Exit(7)
			case "waits for stop":
				continue
			case "never moves":
				in.Scan()
				continue
			case "has no move":
				fmt.Println("bestmove (none)")
				continue
			case "writes a long line":
				fmt.Println(strings.Repeat("x", maxLine+1))
				continue
			case "loses":
				fmt.Println("info depth 1 score cp -30 pv a2a3")
			case "wins":
				fmt.Println("info depth 1 score cp 30 pv a2a3\ninfo depth 9 score mate 5")
			}
			fmt.Println("bestmove " + moves[0] + " ponder a7a6")
			moves = moves[1:]
		case "stop":
			if how == "waits for stop" {
				fmt.Println("bestmove " + moves[0])
			}
		case "quit":
			return
		}
	}
}

// play plays a match whose referee sends the given lines, and returns what the player and
// the engine received.
func play(t *testing.T, stream string, cfg Config, how string, moves ...string) (sent string, toEngine []string, err error) {
	t.Helper()
	var out, trace bytes.Buffer
	cfg.Engine = append([]string{os.Args[0], asEngine, how}, moves...)
	cfg.In, cfg.Out, cfg.Trace = strings.NewReader(stream), &out, &trace
	err = Chess(cfg)
	for line := range strings.Lines(trace.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
			toEngine = append(toEngine, text)
		}
	}
	return out.String(), toEngine, err
}

func TestMatchIsTranslatedForAnEngine(t *testing.T) {
	tests := []struct {
		name, stream string
		moves        []string
		sent         string
		positions    []string
	}{
		{"White, to the mate", "a\nb\n0\nOK <e2> <e4>\nOK <g8> <f6>\nOK <e4> <e5>\nOK <d7> <d5>\nOK <enpassant> <e5> <d6>\nWINNER <WHITE>\n",
			[]string{"e2e4", "e4e5", "e5d6"}, "e2 e4\ne4 e5\nenpassant e5 d6\n",
			[]string{"startpos", "startpos moves e2e4 g8f6", "startpos moves e2e4 g8f6 e4e5 d7d5"}},
		{"Black, castles", "a\nb\n1\nOK <a2> <a3>\nOK <g8> <f6>\nOK <a3> <a4>\nOK <g7> <g6>\nOK <b2> <b3>\nOK <f8> <g7>\nOK <c2> <c3>\nOK <castle> <e8> <g8> <h8> <f8>\nOK <c3> <c4>\nOK <f8> <e8>\nRETIRE\nWINNER <BLACK>\n",
			[]string{"g8f6", "g7g6", "f8g7", "e8g8", "f8e8"}, "g8 f6\ng7 g6\nf8 g7\ncastle e8 g8 h8 f8\nf8 e8\n",
			[]string{"startpos moves a2a3", "startpos moves a2a3 g8f6 a3a4", "startpos moves a2a3 g8f6 a3a4 g7g6 b2b3", "startpos moves a2a3 g8f6 a3a4 g7g6 b2b3 f8g7 c2c3", "startpos moves a2a3 g8f6 a3a4 g7g6 b2b3 f8g7 c2c3 e8g8 c3c4"}},
		{"from a position, promotes", "a\nb\nSTART <4k3/8/8/8/8/8/p7/4K3 b - - 0 1>\n1\nOK <promote> <a2> <a1> <rook>\nOK <e1> <d2>\nOK <a1> <a2>\nDRAW <MATERIAL>\n",
			[]string{"a2a1r", "a1a2"}, "promote a2 a1 rook\na1 a2\n",
			[]string{"fen 4k3/8/8/8/8/8/p7/4K3 b - - 0 1", "fen 4k3/8/8/8/8/8/p7/4K3 b - - 0 1 moves a2a1r e1d2"}},
		{"opponent that castles, captures en passant and promotes", "a\nb\nSTART <4k2r/P7/8/8/5p2/8/4P3/4K3 w k - 0 1>\n0\nOK <e2> <e4>\nOK <enpassant> <f4> <e3>\nOK <promote> <a7> <a8> <queen>\nOK <e8> <e7>\nOK <a8> <a3>\nRETIRE\n",
			[]string{"e2e4", "a7a8q", "a8a3"}, "e2 e4\npromote a7 a8 queen\na8 a3\n",
			[]string{"fen 4k2r/P7/8/8/5p2/8/4P3/4K3 w k - 0 1", "fen 4k2r/P7/8/8/5p2/8/4P3/4K3 w k - 0 1 moves e2e4 f4e3", "fen 4k2r/P7/8/8/5p2/8/4P3/4K3 w k - 0 1 moves e2e4 f4e3 a7a8q e8e7"}},
		{"queen's side", "a\nb\nSTART <r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1>\n0\nOK <castle> <e1> <c1> <a1> <d1>\nOK <castle> <e8> <c8> <a8> <d8>\nOK <d1> <d8>\nRETIRE\n",
			[]string{"e1c1", "d1d8"}, "castle e1 c1 a1 d1\nd1 d8\n",
			[]string{"fen r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1", "fen r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1 moves e1c1 e8c8"}},
		{"no match", "", nil, "", nil},
		{"match that ends while the opponent moves", "a\nb\n1\nRETIRE\nWINNER <BLACK>\n", nil, "", nil},
		{"names like lines of the match", "RETIRE\nDRAW <PROPOSED>\n1\nOK <e2> <e4>\n", []string{"e7e5"}, "e7 e5\n", []string{"startpos moves e2e4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent, toEngine, err := play(t, tt.stream, Config{}, "well", tt.moves...)
			if err != nil || sent != tt.sent {
				t.Errorf("got %q, %v, want %q", sent, err, tt.sent)
			}
			var positions []string
			for _, line := range toEngine {
				if p, ok := strings.CutPrefix(line, "position "); ok {
					positions = append(positions, p)
				}
			}
			if got, want := strings.Join(positions, "\n"), strings.Join(tt.positions, "\n"); got != want {
				t.Errorf("the engine got the positions\n%s\nwant\n%s", got, want)
			}
			if last := toEngine[len(toEngine)-1]; last != "quit" {
				t.Errorf("the last line to the engine is %q, want quit", last)
			}
		})
	}
}

func TestOffersAreAnsweredByTheScore(t *testing.T) {
	const stream = "a\nb\n0\nOK <e2> <e4>\nDRAW <PROPOSED>\n"
	for how, want := range map[string]string{"loses": "e2 e4\nDRAW\n", "wins": "e2 e4\nNO\n", "well": "e2 e4\nNO\n"} {
		if sent, _, err := play(t, stream, Config{}, how, "e2e4"); err != nil || sent != want {
			t.Errorf("an engine that plays %s: got %q, %v, want %q", how, sent, err, want)
		}
	}
	if sent, _, err := play(t, "a\nb\n1\nDRAW <PROPOSED>\n", Config{}, "loses"); err != nil || sent != "NO\n" {
		t.Errorf("before its first move: got %q, %v, want NO", sent, err)
	}
}

func TestAnEngineWithoutAMoveWaitsForTheEnd(t *testing.T) {
	sent, _, err := play(t, "a\nb\n1\nOK <f7> <f7>\nWINNER <WHITE>\n", Config{}, "has no move")
	if err != nil || sent != "" {
		t.Errorf("got %q, %v, want nothing", sent, err)
	}
}

func TestTheEndOfTheMatchEndsTheSearch(t *testing.T) {
	// After the last move, an engine has no move to search for, or no time to play it.
	const mate = "a\nb\n1\nOK <f7> <f7>\nWINNER <WHITE>\n"
	for _, how := range []string{"dies", "never moves", "writes a long line"} {
		sent, _, err := play(t, mate, Config{MoveTime: time.Hour}, how)
		if err != nil || sent != "" {
			t.Errorf("an engine that %s: got %q, %v, want nothing", how, sent, err)
		}
	}
	for _, end := range []string{"DRAW <REPETITION>", "WINNER <BLACK>", "RETIRE"} {
		sent, _, err := play(t, "a\nb\n0\n"+end+"\n", Config{MoveTime: time.Hour}, "never moves")
		if err != nil || sent != "" {
			t.Errorf("after %s: got %q, %v, want nothing", end, sent, err)
		}
	}
	if sent, _, err := play(t, mate, Config{}, "well", "banana"); err != nil || sent != "" {
		t.Errorf("an engine that answers what is no move: got %q, %v, want nothing", sent, err)
	}
}

func TestScoreIsThatOfTheBestMove(t *testing.T) {
	e := &uci{}
	for _, line := range []string{"info depth 9 multipv 1 score cp 40 pv e2e4", "info depth 9 multipv 2 score cp -300 pv f2f3", "info multipv"} {
		e.rate(strings.Fields(line))
	}
	if e.score != 40 {
		t.Errorf("got %d, want 40, that of the first of two lines", e.score)
	}
}

func TestOptionsReachTheEngine(t *testing.T) {
	_, toEngine, err := play(t, "", Config{Options: []Option{{"skill level", "3"}, {"Clear", ""}}}, "well")
	want := "uci|setoption name skill level value 3|setoption name Clear|ucinewgame|isready|quit"
	if got := strings.Join(toEngine, "|"); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestNoMoreOptionsAreKeptThanAnEngineHas(t *testing.T) {
	_, _, err := play(t, "", Config{Options: []Option{{"Clear", ""}}}, "has endless options")
	if err == nil || strings.Count(err.Error(), "x") > maxOptions+10 {
		t.Errorf("got %v, want that the option is not known, after %d others", err, maxOptions)
	}
}

func TestAnEngineThatWaitsForStopMoves(t *testing.T) {
	cfg := Config{MoveTime: time.Millisecond, patience: usualPatience}
	cfg.patience.grace = time.Millisecond
	// The first wait is 2 ms; the second can be too short on a busy machine, so try again.
	for {
		sent, _, err := play(t, "a\nb\n0\n", cfg, "waits for stop", "e2e4")
		if err == nil && sent == "e2 e4\n" {
			return
		}
		if cfg.patience.grace *= 2; cfg.patience.grace > time.Minute {
			t.Fatalf("got %q, %v, want a move", sent, err)
		}
	}
}

func TestFaultsOfEnginesAreNamed(t *testing.T) {
	short := patience{usualPatience.greeting, usualPatience.loading, 10 * time.Millisecond, time.Second}
	tests := []struct {
		how, move, want string
		patience        patience
	}{
		{"deaf", "", `does not answer "uci" within 1ms: is it an engine`, patience{greeting: time.Millisecond}},
		{"never ready", "", `does not answer "isready" within 1ms`, patience{greeting: usualPatience.greeting, loading: time.Millisecond}},
		{"ends at once", "", "ended: exit status 3", usualPatience},
		{"dies", "", "ended: exit status 7", usualPatience},
		{"never moves", "", `gave no bestmove after "go movetime 1" and "stop"`, short},
		{"writes a long line", "", "could not read", usualPatience},
		{"well", "banana", `answered "banana", which is not a move`, usualPatience},
		{"well", "e4e5", `answered "e4e5", which is not a move`, usualPatience},
		{"well", "e7e8x", `answered "e7e8x", which is not a move`, usualPatience},
	}
	for _, tt := range tests {
		t.Run(tt.how+tt.move, func(t *testing.T) {
			sent, _, err := play(t, "a\nb\n0\n", Config{MoveTime: time.Millisecond, patience: tt.patience}, tt.how, tt.move)
			if _, ok := err.(*Failed); !ok || !strings.Contains(err.Error(), tt.want) || sent != "" {
				t.Errorf("got %q, %v, want a failure with %q", sent, err, tt.want)
			}
		})
	}
	t.Run("does not exist", func(t *testing.T) {
		err := Chess(Config{Engine: []string{"/no/such/engine"}, In: strings.NewReader(""), Out: io.Discard})
		if err == nil || !strings.Contains(err.Error(), "cannot start the engine") {
			t.Errorf("got %v, want that it cannot start", err)
		}
	})
	t.Run("unknown option", func(t *testing.T) {
		_, _, err := play(t, "", Config{Options: []Option{{"Foo", "1"}}}, "well")
		if err == nil || !strings.Contains(err.Error(), `has no option "Foo" (have Skill Level, Clear)`) {
			t.Errorf("got %v, want the names of its options", err)
		}
	})
}

func TestAnEngineThatStartsSlowlyHasTheTimeOfTheMatch(t *testing.T) {
	// It does not answer "uci" within the usual time, and the match goes on.
	impatient := patience{greeting: time.Nanosecond, loading: time.Nanosecond, grace: time.Minute, result: time.Minute}
	sent, _, err := play(t, "a\nb\n0\nOK <e2> <e4>\nRETIRE\n", Config{Timeout: time.Hour, patience: impatient}, "well", "e2e4")
	if err != nil || sent != "e2 e4\n" {
		t.Errorf("got %q, %v, want its move", sent, err)
	}
}

func TestTimeOfAMoveIsAShareOfTheMatch(t *testing.T) {
	tests := []struct {
		name string
		cfg  Config
		bank time.Duration
		want time.Duration
	}{
		{"nothing is known", Config{}, 0, time.Second},
		{"timeout", Config{Timeout: 20 * time.Second}, 0, time.Second},
		{"long timeout", Config{Timeout: 600 * time.Second}, 0, 5 * time.Second},
		{"wish", Config{Timeout: 90 * time.Second, MoveTime: time.Minute}, 0, time.Minute},
		{"bank", Config{Timeout: 600 * time.Second, Bank: time.Minute, More: time.Second}, 30 * time.Second, 1500 * time.Millisecond},
		{"empty bank", Config{Timeout: 600 * time.Second, Bank: time.Minute, More: time.Second}, -time.Second, 500 * time.Millisecond},
	}
	for _, tt := range tests {
		if got := (&match{cfg: tt.cfg, bank: tt.bank}).limit(); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestStockfishPlaysAgainstItself(t *testing.T) {
	path, err := exec.LookPath("stockfish")
	if err != nil {
		path = "/usr/games/stockfish" // Debian's folder, which is not in every PATH
		if _, err := os.Stat(path); err != nil {
			t.Skip("Stockfish is not installed")
		}
	}
	e, err := startUCI(Config{Engine: []string{path}, Options: []Option{{"Skill Level", "0"}}, patience: patience{greeting: time.Hour, loading: time.Hour, grace: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	e.begin("")
	b := newBoard(usual)
	var moves []string
	for range 30 {
		move, err := e.move(moves, 5*time.Millisecond, nil)
		if err != nil {
			t.Fatalf("after %v: %v", moves, err)
		}
		if move == "" {
			break // it is checkmated, or stalemated: at this level that can happen early
		}
		line, ok := b.line(move)
		words := strings.Fields(line)
		if again, known := uciMove(words); !ok || !known || again != move {
			t.Fatalf("after %v: %s is %q in the stream, and then %q, want it back", moves, move, line, again)
		}
		b.play(move)
		moves = append(moves, move)
	}
	if !e.rated {
		t.Error("got no score, want one")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("STARTx", "OK <e2> <e4>", "e7e5")
	f.Add("START <8/8/8/8/8/8/8/8 b>", "OK <castle> <e1> <g1> <h1> <f1>", "e1g1")
	f.Add("START <99999/8/////////k w>", "OK <promote> <e7> <e8> <queen>", "e7e8q")
	f.Add("START <>", "OK <enpassant> <e5> <d6>", "e5d6")
	f.Fuzz(func(t *testing.T, start, line, move string) {
		m := &match{in: readStream(strings.NewReader(line + "\n" + line + "\nDRAW <PROPOSED>\n")), engine: &uci{}, board: newBoard(start), cfg: Config{Out: io.Discard}}
		defer close(m.in.done)
		for range 3 {
			if over, err := m.follow(); over || err != nil {
				break
			}
		}
		m.board.play(move)
	})
}
