package browser

import (
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// program is a player that uses the protocol instead of a browser.
type program struct {
	*programs.Client
	t testing.TB
}

func dial(t testing.TB, h *host) *program {
	t.Helper()
	return &program{h.Dial(t), t}
}

// create creates a match of roshambo.
func (p *program) create(name string, rounds, bots int) string {
	p.t.Helper()
	return p.request(name, rounds, bots, nil)
}

// createWith creates a match of roshambo against its bot, with a clock.
func (p *program) createWith(name string, rounds int, clock *protocol.Clock) string {
	p.t.Helper()
	return p.request(name, rounds, 1, clock)
}

func (p *program) request(name string, rounds, bots int, clock *protocol.Clock) string {
	p.t.Helper()
	request := programs.Roshambo(rounds, bots)
	request.Name = name
	if clock != nil {
		request.Params.Timeout, request.Params.Clock = nil, clock
	}
	id, err := p.Create(request)
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

func (p *program) join(id, name string) {
	p.t.Helper()
	if err := p.Join(id, name); err != nil {
		p.t.Fatal(err)
	}
}

// play sends lines of a match.
func (p *program) play(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		p.Answer(p.t, line)
	}
}
