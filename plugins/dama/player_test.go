package main

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// program is an example player that runs as a process of its own.
type program struct {
	t       *testing.T
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	fed     int // bytes of the seat's stream handled so far
}

func startProgram(t *testing.T, file string) *program {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	p := &program{t: t, command: exec.Command(python, "../../examples/"+file)}
	p.command.Stderr = t.Output()
	p.in, _ = p.command.StdinPipe()
	out, _ := p.command.StdoutPipe()
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// feed gives the program what its seat received since the last call.
func (p *program) feed(stream string) {
	for line := range strings.Lines(stream[p.fed:]) {
		if !strings.HasPrefix(line, ">") {
			io.WriteString(p.in, line) // a program that has ended is noticed when its answer is missing
		}
	}
	p.fed = len(stream)
}

func (p *program) answer(q gametest.Question) (string, error) {
	p.feed(q.Stream)
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", sdk.ErrDisconnected
	}
	return line, nil
}

// finish gives the program the end of its stream and sees it out.
func (p *program) finish(stream string) {
	p.t.Helper()
	p.feed(stream)
	p.in.Close()
	if rest, _ := io.ReadAll(p.out); len(rest) > 0 {
		p.t.Errorf("the program still sent %q", rest)
	}
	if err := p.command.Wait(); err != nil {
		p.t.Errorf("the program ended with %v", err)
	}
}

func TestExamplePlayersPlayToTheEnd(t *testing.T) {
	for _, r := range allRules {
		file := "dama/player.py"
		if r == &damath {
			file = "damath/player.py"
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				a, b := startProgram(t, file), startProgram(t, file)
				got, err := gametest.Play(gametest.Match{
					Game: &game, Players: []gametest.Player{a.answer, b.answer}, Seed: seed,
					Args: map[string]string{"rules": r.Name, "pace": "0", "draw_after": "10"},
				})
				if err != nil {
					t.Fatal(err)
				}
				a.finish(got.Seats[0])
				b.finish(got.Seats[1])
				for seat, result := range got.Result.Seats {
					if result.Ended != sdk.EndedFinished {
						t.Errorf("seed %d: seat %d ended as %q:\n%s", seed, seat, result.Ended, got.Seats[seat])
					}
				}
			}
		})
	}
}

func TestExamplePlayersLeaveWhenTheOpponentRetires(t *testing.T) {
	for rules, file := range map[string]string{"classic": "dama/player.py", "damath": "damath/player.py"} {
		for seat := range 2 {
			p := startProgram(t, file)
			players := []gametest.Player{gametest.Gone, gametest.Gone}
			players[seat] = p.answer
			got, err := gametest.Play(gametest.Match{Game: &game, Players: players, Args: map[string]string{"rules": rules, "pace": "0"}})
			if err != nil {
				t.Fatal(err)
			}
			p.finish(got.Seats[seat])
			if got.Result.Seats[seat].Ended != sdk.EndedFinished {
				t.Errorf("%s: the player ended as %q", rules, got.Result.Seats[seat].Ended)
			}
		}
	}
}

func TestDamathExampleMovesForAPlayerWhoIsLate(t *testing.T) {
	for seed := range uint64(4) {
		p := startProgram(t, "damath/player.py")
		got, err := gametest.Play(gametest.Match{
			Game: &game, Players: []gametest.Player{p.answer, careless(seed)}, Seed: seed,
			Args: map[string]string{"rules": "damath", "late": "opponent", "pace": "0", "draw_after": "10", "game_time": "0"},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.finish(got.Seats[0])
		if !strings.Contains(got.Seats[0], "LATE 1\n>") || got.Result.Seats[0].Ended != sdk.EndedFinished {
			t.Errorf("seed %d: %+v\n%s", seed, got.Result, got.Seats[0])
		}
	}
}
