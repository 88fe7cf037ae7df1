package engine_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
	"colosseum/sdk/wire"
)

// BenchmarkGames compares the games of the folder plugins compiled and as
// scripts, each in its process: how long it takes to start, until the host could
// play on it, and how many answers of players its referee takes in a second, in
// sixteen matches at once, with the CPU time of the process for each. The matches
// are those of random players; nobody thinks and nobody rests.
func BenchmarkGames(b *testing.B) {
	bin := b.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "../../../host", "../../../plugins/...").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	folders, err := filepath.Glob("../../../plugins/*")
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
			start := func(b *testing.B) *engine.Game {
				g, err := engine.Start(b.Context(), engine.Spec{
					Name: name, Command: way.command, Memory: 512 << 20, StartTimeout: limit, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
				})
				if err != nil {
					b.Fatal(err)
				}
				return g
			}
			b.Run(name+"/"+way.name+"/start", func(b *testing.B) {
				var times []time.Duration
				for b.Loop() {
					begin := time.Now()
					g := start(b)
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
					g := start(b)
					defer g.Close()
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

// benched is a game under one of the names that it is offered by.
type benched struct {
	name    string
	matches []recorded
}

// recorded is a match that has been played.
type recorded struct {
	start   *wire.Start
	answers []driver.Answer
}

// recordedMatches plays sixteen matches of a game that can run as a script.
func recordedMatches(b *testing.B, folder string, args map[string]string) (list []recorded) {
	b.Helper()
	game, err := script.Load(folder)
	if err != nil {
		b.Fatal(err)
	}
	settings, err := game.Prepare(driver.Request{Args: args})
	if err != nil {
		b.Fatal(err)
	}
	for seed := range uint64(16) {
		m := gametest.Match{Game: game, Args: args, Seed: seed}
		start := &wire.Start{Seed: seed, Timeout: settings.Timeout, Params: settings.Params, Rerun: true}
		for seat := range settings.Players {
			name := fmt.Sprintf("Player%d", seat)
			start.Seats = append(start.Seats, &wire.Seat{Name: name})
			m.Players, m.Names = append(m.Players, gametest.Random(100*seed+uint64(seat))), append(m.Names, name)
		}
		list = append(list, recorded{start, gametest.MustPlay(b, m).Answers})
	}
	return list
}

// playAgain plays the matches all at once, and returns the number of answers.
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

func (r recorded) play(g *engine.Game) error {
	m := &onWire{frames: make(chan *wire.GameFrame, 256), lost: make(chan error, 1)}
	table, err := g.Open(r.start, m)
	if err != nil {
		return err
	}
	defer table.Stop()
	for left := r.answers; ; {
		select {
		case err := <-m.lost:
			return err
		case f := <-m.frames:
			if f.End != nil {
				if f.End.Aborted || len(left) > 0 {
					return fmt.Errorf("%d answers before the end: %v", len(left), f.End)
				}
				return nil
			}
			if n := len(f.Ask.GetSeats()); n > 0 {
				if n > len(left) {
					return fmt.Errorf("it asks more than was answered: %v", f.Ask)
				}
				table.Answer(wire.EncodeAnswers(left[:n]))
				left = left[n:]
			}
		}
	}
}
