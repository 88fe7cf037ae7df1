package conformance_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
)

// BenchmarkGames compares the games of the folder plugins, compiled and as scripts,
// each in its own process. It reports how long the process takes to start, and how
// many answers of players its referees take in a second in sixteen matches at once,
// with the CPU time of the process for each answer. The players are random; no
// player thinks and no referee pauses.
func BenchmarkGames(b *testing.B) {
	bin := b.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "../../../../host", "../../../../plugins/...").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	folders, err := filepath.Glob("../../../../plugins/*")
	if err != nil {
		b.Fatal(err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		games := []benched{{name, recordedMatches(b, folder, nil)}}
		if name == "dama" {
			games = append(games, benched{"damath", recordedMatches(b, folder, map[string]string{"rules": "damath"})})
		}
		for _, way := range []struct {
			name    string
			command []string
		}{
			{"compiled", []string{filepath.Join(bin, name)}},
			{"script", []string{filepath.Join(bin, "host"), "script", folder}},
		} {
			b.Run(name+"/"+way.name+"/start", func(b *testing.B) {
				var times []time.Duration
				for b.Loop() {
					begin := time.Now()
					g := startGame(b, name, "", way.command...)
					times = append(times, time.Since(begin))
					b.StopTimer()
					g.Close()
					b.StartTimer()
				}
				slices.Sort(times)
				b.ReportMetric(times[0].Seconds()*1000, "min-ms")
				b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
				b.ReportMetric(0, "ns/op")
			})
			for _, game := range games {
				b.Run(game.name+"/"+way.name+"/answers", func(b *testing.B) {
					g := startGame(b, name, "", way.command...)
					answers, before := 0, cpuSeconds(b, g.Pid())
					for b.Loop() {
						answers += playAgain(b, g, game.matches)
					}
					b.ReportMetric(float64(answers)/b.Elapsed().Seconds(), "answers/s")
					b.ReportMetric((cpuSeconds(b, g.Pid())-before)/float64(answers)*1e6, "game-µs/answer")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

// benched is a game and its matches, under one of its names.
type benched struct {
	name    string
	matches []recorded
}

// recorded is a match whose answers are known.
type recorded struct {
	setup   *driver.Setup
	answers []driver.Answer
}

// recordedMatches plays sixteen matches of a game that can run as a script.
func recordedMatches(b *testing.B, folder string, args map[string]string) (list []recorded) {
	b.Helper()
	game, err := script.Load(folder)
	if err != nil {
		b.Fatal(err)
	}
	settings, err := driver.Of(game).Prepare(driver.Request{Args: args})
	if err != nil {
		b.Fatal(err)
	}
	for seed := range uint64(16) {
		m := gametest.Match{Game: game, Args: args, Seed: seed}
		setup := &driver.Setup{Settings: settings, Seed: seed, Rerun: true}
		for seat := range settings.Players {
			name := fmt.Sprintf("Player%d", seat)
			setup.Names = append(setup.Names, name)
			m.Players, m.Names = append(m.Players, gametest.Random(100*seed+uint64(seat))), append(m.Names, name)
		}
		list = append(list, recorded{setup, gametest.MustPlay(b, m).Answers})
	}
	return list
}

// playAgain plays the matches at the same time, and returns the number of answers.
func playAgain(b *testing.B, g *engine.Game, list []recorded) (answers int) {
	var wait sync.WaitGroup
	for _, r := range list {
		answers += len(r.answers)
		wait.Go(func() { // ends with the match
			if err := r.play(g); err != nil {
				b.Error(err)
			}
		})
	}
	wait.Wait()
	return answers
}

// play plays the match, without a transcript.
func (r recorded) play(g *engine.Game) error {
	inbox := newInbox()
	remote, err := g.Open(r.setup, inbox)
	if err != nil {
		return err
	}
	defer remote.Stop()
	for left := r.answers; ; {
		f, err := inbox.Next(context.Background())
		if err != nil {
			return err
		}
		n := 0
		if f.Question != nil {
			n = len(f.Question.Seats)
		}
		switch {
		case f.End != nil && (f.End.Aborted || len(left) > 0):
			return fmt.Errorf("got the end %v with %d answers left, want none left", f.End, len(left))
		case f.End != nil:
			return nil
		case n > len(left):
			return fmt.Errorf("got the question %v with %d answers left, want the end", f.Question, len(left))
		case n > 0:
			remote.Answer(left[:n])
			left = left[n:]
		}
	}
}

// BenchmarkOnWire plays many matches at once in a game's process, and reports their
// rounds per second together and the CPU time of the game. A round is one question
// to two seats and their answers. No player is connected.
func BenchmarkOnWire(b *testing.B) {
	for _, c := range candidates {
		for _, matches := range []int{1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/matches=%d", c.name, matches), func(b *testing.B) {
				g := c.found(b).start(b)
				match := c.hundredRounds(b, g)
				before := cpuSeconds(b, g.Pid())
				b.ResetTimer()
				var wait sync.WaitGroup
				for range matches {
					wait.Go(func() {
						for range max(b.N/matches/100, 1) {
							if err := match.play(g); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wait.Wait()
				b.StopTimer()
				rounds := max(b.N/matches/100, 1) * 100 * matches
				b.ReportMetric(float64(rounds)/b.Elapsed().Seconds(), "rounds/s")
				b.ReportMetric((cpuSeconds(b, g.Pid())-before)/float64(rounds)*1e6, "game-µs/round")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// hundredRounds returns a match of 100 rounds in which no player forfeits.
func (c candidate) hundredRounds(b *testing.B, g *engine.Game) (r recorded) {
	b.Helper()
	c.args = map[string]map[string]string{
		"roshambo": {"rounds": "100", "pace": "0"}, "goofspiel": {"cards": "100"}, "undercut": {"rounds": "100"},
	}[c.name]
	var err error
	if r.setup, err = (&wireMatch{Match: gametest.Match{Players: []gametest.Player{gametest.Gone, gametest.Gone}}, candidate: c}).prepare(g); err != nil {
		b.Fatal(err)
	}
	for round := range 100 {
		lines := []string{"ROCK", "PAPER"}
		switch c.name {
		case "goofspiel":
			lines = []string{strconv.Itoa(round + 1), strconv.Itoa(100 - round)}
		case "undercut":
			lines = []string{"4", "5"}
		}
		for seat, line := range lines {
			r.answers = append(r.answers, driver.Answer{Seat: seat, Line: line})
		}
	}
	return r
}

// cpuSeconds returns the CPU time that a process has used.
func cpuSeconds(b *testing.B, pid int) float64 {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("no process times here: ", err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it can have spaces
	fields := strings.Fields(rest)
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		b.Fatal(err1, err2)
	}
	const ticks = 100 // per second, on every Linux
	return float64(user+system) / ticks
}
