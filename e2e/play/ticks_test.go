package play

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/protocol"
)

// asWide is the argument with which the test binary is a player of pulse that answers each
// tick with a line of the number of bytes in the next argument.
const asWide = "wide-player"

func playWide() {
	n, _ := strconv.Atoi(os.Args[2])
	line := strings.Repeat("x", n) + "\n"
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if strings.HasPrefix(in.Text(), "tick") {
			fmt.Print(line)
		}
	}
}

// startPulse starts a host with the game pulse, compiled or as a script.
func startPulse(t testing.TB, mode string) *programs.Host {
	t.Helper()
	folder, err := filepath.Abs("testdata/games")
	if err != nil {
		t.Fatal(err)
	}
	return programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: ['%s'], mode: %s}\n", folder, mode))
}

// heard is what a player of pulse has received.
type heard struct {
	answers []string      // for each tick
	lengths time.Duration // between the first tick and the last
	slow    map[int]bool  // ticks in which the machine made the player late
	result  *protocol.MatchResult
}

// playPulse plays a match with ticks of a length. answer returns what to send when a tick
// begins: lines, or "".
func playPulse(c *programs.Client, tick time.Duration, answer func(number int) string) (*heard, error) {
	got := &heard{slow: map[int]bool{}}
	lines := &programs.Lines{C: c}
	var first, last time.Time
	number := -1
	for {
		line, ended, err := lines.Next()
		switch {
		case err != nil:
			return got, err
		case ended != nil:
			got.result, got.lengths = ended.Result, last.Sub(first)
			return got, nil
		case strings.HasPrefix(line, "answers"):
			got.answers = append(got.answers, strings.TrimPrefix(line, "answers "))
		case strings.HasPrefix(line, "tick "):
			now := time.Now()
			if number++; number == 0 {
				first = now
			}
			if number > 0 && now.Sub(last) > tick+tick/4 {
				got.slow[number], got.slow[number-1] = true, true
			}
			last = now
			if text := answer(number); text != "" {
				if err := c.SendLine(text); err != nil {
					return got, err
				}
			}
			if time.Since(now) > tick/4 {
				got.slow[number] = true
			}
		}
	}
}

// startPlayers creates a match of pulse, and returns its ID and its players when it has
// started.
func startPlayers(h *programs.Host, players, ticks int, tick time.Duration) (id string, clients []*programs.Client, err error) {
	request := protocol.GameNew{Game: "pulse", Params: protocol.GameParams{Players: &players}, Args: map[string]string{
		"ticks": strconv.Itoa(ticks), "ms": strconv.FormatInt(tick.Milliseconds(), 10),
	}}
	for i := range players {
		c, err := programs.Dial(h.URL)
		if err != nil {
			return "", clients, err
		}
		if clients = append(clients, c); i == 0 {
			if id, err = c.Create(request); err != nil {
				return "", clients, err
			}
		}
		if err := c.Join(id, fmt.Sprintf("p%d", i)); err != nil {
			return "", clients, err
		}
	}
	for _, c := range clients {
		if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
			return "", clients, err
		}
	}
	return id, clients, nil
}

// playAll plays a match of pulse with clients, each with its own answers.
func playAll(clients []*programs.Client, tick time.Duration, answer func(player, number int) string) ([]*heard, error) {
	all, errs := make([]*heard, len(clients)), make([]error, len(clients))
	var playing sync.WaitGroup
	for i, c := range clients {
		playing.Go(func() { // ends with the match
			all[i], errs[i] = playPulse(c, tick, func(number int) string { return answer(i, number) })
		})
	}
	playing.Wait()
	for _, err := range errs {
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// Each player answers each tick with its number. One of them answers each third tick when it
// receives the next, before it answers that one.
func TestPlayerThatIsLateInTicksIsNeverBehindAndDisturbsNobody(t *testing.T) {
	const players, late, ticks, tick = 8, 5, 7, 500 * time.Millisecond // two answers come late
	modes := []string{"script"}
	if long.Run() {
		modes = append(modes, "compiled")
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			h := startPulse(t, mode)
			id, clients, err := startPlayers(h, players, ticks, tick)
			defer closeAll(clients)
			if err != nil {
				t.Fatal(err)
			}
			all, err := playAll(clients, tick, func(player, number int) string {
				switch {
				case player != late:
					return strconv.Itoa(number)
				case number%3 == 2:
					return ""
				case number%3 == 0 && number > 0:
					return fmt.Sprintf("%d\n%d", number-1, number)
				}
				return strconv.Itoa(number)
			})
			if err != nil {
				t.Fatal(err)
			}
			for seat, p := range all[0].result.Players {
				player, missed, dropped := int(p.Name[1]-'0'), 0, 0
				for i := range ticks {
					want := strconv.Itoa(i)
					if player == late && i%3 == 2 {
						want = "-"
					}
					for _, other := range all { // everybody has received the same
						got := strings.Fields(other.answers[i])
						if got[seat] != want && !all[player].slow[i] {
							t.Errorf("tick %d: got %s as the answer of %s, want %s", i, got[seat], p.Name, want)
						}
					}
					if strings.Fields(all[0].answers[i])[seat] == "-" {
						missed++
					}
					if player == late && i%3 == 0 && i > 0 {
						dropped++
					}
				}
				if p.Missed != missed || p.Dropped != dropped && len(all[player].slow) == 0 {
					t.Errorf("the result of %s has %d missed ticks and %d dropped lines, want %d and %d", p.Name, p.Missed, p.Dropped, missed, dropped)
				}
				if len(all[player].slow) > 0 {
					t.Logf("%s: this machine was too slow in the ticks %v", p.Name, all[player].slow)
				}
			}
			out, err := exec.Command(filepath.Join(programs.Bin, "host"), "--data", h.Data, "--config", h.Config, "verify", id).CombinedOutput()
			if want := fmt.Sprintf("is verified: %d answers", players*ticks); err != nil || !strings.Contains(string(out), want) {
				t.Errorf("host verify: got %v, %s, want it to say %q", err, out, want)
			}
		})
	}
}

func closeAll(clients []*programs.Client) {
	for _, c := range clients {
		c.Close()
	}
}

func TestLinesOfAGameWithLongOnesAreAsLongAsItAllows(t *testing.T) {
	t.Parallel()
	h := startPulse(t, "script")
	player, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		bytes int
		want  string
	}{
		{65536, "answers 65536 bytes"},
		{65537, "a line is longer than 65536 bytes"},
	} {
		c := h.Dial(t)
		// The tick ends while coco starts the player at the latest: the first tick of a seat
		// waits for it.
		id, err := c.Create(protocol.GameNew{Game: "pulse", Args: map[string]string{"ticks": "2", "ms": "1000"}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(filepath.Join(programs.Bin, "coco"), "-s", h.URL, "connect", "-n", "alice", id, "--", player, asWide, strconv.Itoa(tt.bytes)).CombinedOutput()
		stream := string(out)
		if tt.bytes <= 65536 {
			if err != nil {
				t.Errorf("%d bytes: coco failed: %v\n%s", tt.bytes, err, out)
			}
			_, body := programs.Get(t, h.Page("api/matches/"+id))
			stream = body
		}
		if !strings.Contains(stream, tt.want) {
			t.Errorf("%d bytes: got %.2000s, want %q in it", tt.bytes, stream, tt.want)
		}
	}
}

// BenchmarkTicks plays 20 matches of four players at once, with ticks of 200 ms, and reports
// how long a tick is on average, and how many were missed although the player was in time.
func BenchmarkTicks(b *testing.B) {
	const matches, players, ticks, tick = 20, 4, 50, 200 * time.Millisecond
	for _, mode := range []string{"compiled", "script"} {
		b.Run(mode, func(b *testing.B) {
			h := startPulse(b, mode)
			var length time.Duration
			var longest, missed, all int
			for b.Loop() {
				var playing sync.WaitGroup
				var mu sync.Mutex // guards what is measured
				for range matches {
					_, clients, err := startPlayers(h, players, ticks, tick)
					if err != nil {
						b.Fatal(err)
					}
					playing.Go(func() { // ends with the match
						defer closeAll(clients)
						got, err := playAll(clients, tick, func(_, number int) string { return strconv.Itoa(number) })
						mu.Lock()
						defer mu.Unlock()
						if err != nil {
							b.Error(err)
							return
						}
						length += got[0].lengths / (ticks - 1)
						longest = max(longest, int(got[0].lengths/(ticks-1)))
						all++
						for seat, p := range got[0].result.Players {
							for i, answers := range got[0].answers {
								if player := int(p.Name[1] - '0'); strings.Fields(answers)[seat] != strconv.Itoa(i) && !got[player].slow[i] {
									missed++
								}
							}
						}
					})
				}
				playing.Wait()
			}
			b.ReportMetric(float64(length)/float64(all)/float64(tick), "pace")
			b.ReportMetric(float64(longest)/float64(tick), "slowest-pace")
			b.ReportMetric(float64(missed), "missed")
			b.ReportMetric(0, "ns/op")
		})
	}
}
