package gamefixture

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
)

// Sizes of BenchmarkScript.
const (
	comparisons = 5
	measureTime = 150 * time.Millisecond // of one way, at least
	seeds       = 3
	botMoves    = 4 // of a match of bots: in the opening, no search ends by itself
	botThoughts = 6 // for each of these moves
)

// BenchmarkScript compares the game of the current folder as a script to the compiled
// one: how many answers of random players its referee takes in a second, and how many
// positions its strongest bot searches, or its moves if it does not search. Both play the
// same matches in turns. The rates are medians, and the ratio is that of their times. A
// bot searches the given number of positions between two calls of Thinking.
func BenchmarkScript(b *testing.B, game *sdk.Game, args map[string]string, positions int) {
	interpreted, err := script.Load(".")
	if err != nil {
		b.Fatal(err)
	}
	settings, err := driver.Of(game).Prepare(driver.Request{Args: args})
	if err != nil {
		b.Fatal(err)
	}
	var referees, bots []driver.Setup
	var answers [][]driver.Answer
	for seed := range uint64(seeds) {
		t := gametest.MustPlay(b, gametest.Match{
			Game: game, Args: args, Seed: seed, Players: []gametest.Player{gametest.Random(seed), gametest.Random(seed + 1)},
		})
		s := driver.Setup{Settings: settings, Seed: seed, Names: []string{"Player0", "Player1"}, Thoughts: botThoughts}
		referees, answers = append(referees, s), append(answers, t.Answers)
		s.Bots = []bool{true, true}
		bots = append(bots, s)
	}
	ways := [2]*sdk.Game{game, interpreted}
	for b.Loop() {
		compare(b, "answers", func(way int) (n int) {
			for i, s := range referees {
				run(ways[way], s, &playback{answers: answers[i]})
				n += len(answers[i])
			}
			return n
		})
		var thoughts atomic.Int64
		search := func(way int) (moves int) {
			for _, s := range bots {
				s.Thought = func() { thoughts.Add(1) }
				d := &playback{most: botMoves}
				run(ways[way], s, d)
				moves += d.moves
			}
			return moves
		}
		if search(0); thoughts.Load() == 0 {
			compare(b, "moves", search)
			continue
		}
		compare(b, "positions", func(way int) int {
			thoughts.Store(0)
			search(way)
			return positions * int(thoughts.Load())
		})
	}
	b.ReportMetric(0, "ns/op")
}

// compare measures both ways in turns. work does a piece of work and returns its size.
func compare(b *testing.B, unit string, work func(way int) int) {
	var rates [2][]float64
	for range comparisons {
		for way := range rates {
			n, start := 0, time.Now()
			for time.Since(start) < measureTime {
				n += work(way)
			}
			rates[way] = append(rates[way], float64(n)/time.Since(start).Seconds())
		}
	}
	var median [2]float64
	for way, list := range rates {
		slices.Sort(list)
		median[way] = list[comparisons/2]
	}
	b.ReportMetric(median[0], unit+"/s")
	b.ReportMetric(median[1], "script-"+unit+"/s")
	b.ReportMetric(median[0]/median[1], unit+"-ratio")
}

// run plays a match, or the part of it until the driver stops it.
func run(game *sdk.Game, s driver.Setup, d driver.Driver) {
	done := make(chan struct{})
	go func() { // ends with the match
		defer close(done)
		driver.Of(game).Run(&s, d)
	}()
	<-done
}

// playback drives a match with the answers of another one, or with those of bots.
type playback struct {
	answers []driver.Answer // of players, not yet used
	seats   int             // of the last question
	moves   int             // of bots
	most    int             // moves of bots, after which the match is stopped; 0: none
}

func (p *playback) Send(frame *driver.Frame) bool {
	if frame.Question != nil {
		p.seats = len(frame.Question.Seats)
	}
	p.moves += len(frame.BotAnswers)
	return p.most == 0 || p.moves < p.most
}

func (p *playback) Wait() ([]driver.Answer, bool) {
	answers := p.answers[:p.seats]
	p.answers = p.answers[p.seats:]
	return answers, true
}

func (p *playback) Pause(time.Duration) bool { return true }
