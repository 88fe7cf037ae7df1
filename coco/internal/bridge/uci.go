package bridge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/internal/locale"
)

// patience is how long an engine has to answer.
type patience struct {
	greeting time.Duration
	loading  time.Duration // of its tables and networks
	grace    time.Duration // after the time for a move
	result   time.Duration // until a match is over after which an engine has failed
}

var usualPatience = patience{10 * time.Second, time.Minute, 5 * time.Second, time.Second}

// Limits on the options of an engine; further ones cannot be set.
const (
	maxOptions    = 1000
	maxOptionName = 1000 // bytes
)

// Option is an option of an engine.
type Option struct{ Name, Value string }

// uci is an engine that speaks the Universal Chess Interface
// (backscattering.de/chess/uci, April 2006).
type uci struct {
	*process
	patience
	start string // "startpos", or "fen " and the position
	score int    // of its last move, in hundredths of a pawn from its own view
	rated bool   // it gave a score
}

// startUCI starts an engine, gives it the options, and waits until it is ready: at least
// twice as long as a match waits for a move, because its host also waits for the start.
func startUCI(cfg Config) (*uci, error) {
	p, err := startProcess(cfg.Engine, cfg.Trace)
	if err != nil {
		return nil, err
	}
	e := &uci{process: p, patience: cfg.patience}
	e.greeting, e.loading = max(e.greeting, 2*cfg.Timeout), max(e.loading, 2*cfg.Timeout)
	if err := e.greet(cfg.Options); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

func (e *uci) greet(options []Option) error {
	var known []string
	e.send("uci")
	err := e.await(e.greeting, nil, func(line string) bool {
		if rest, ok := strings.CutPrefix(line, "option name "); ok {
			if name, _, _ := strings.Cut(rest, " type "); len(known) < maxOptions && len(name) <= maxOptionName {
				known = append(known, name)
			}
		}
		return line == "uciok"
	})
	if err == errSilent {
		return failed(locale.Errorf(`the engine %s does not answer "uci" within %v: is it an engine with the Universal Chess Interface?`, e.name, e.greeting))
	}
	if err != nil {
		return err
	}
	for _, o := range options {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, o.Name) }) {
			return failed(locale.Errorf("the engine %s has no option %q (have %s)", e.name, o.Name, strings.Join(known, ", ")))
		}
		if o.Value == "" {
			e.send("setoption name %s", o.Name) // a button
		} else {
			e.send("setoption name %s value %s", o.Name, o.Value)
		}
	}
	e.send("ucinewgame")
	return e.ready()
}

func (e *uci) ready() error {
	e.send("isready")
	err := e.await(e.loading, nil, func(line string) bool { return line == "readyok" })
	if err == errSilent {
		return failed(locale.Errorf(`the engine %s does not answer "isready" within %v`, e.name, e.loading))
	}
	return err
}

// begin gives the engine the first position: a FEN, or "" for the usual one.
func (e *uci) begin(fen string) {
	e.start = "startpos"
	if fen != "" {
		e.start = "fen " + fen
	}
}

// move returns the engine's move, in UCI's notation, after those played; "" if it has none.
// It returns errOver if the match ends first.
func (e *uci) move(played []string, limit time.Duration, match *stream) (string, error) {
	text := "position " + e.start
	if len(played) > 0 {
		text += " moves " + strings.Join(played, " ")
	}
	e.send("%s", text)
	e.send("go movetime %d", max(1, limit.Milliseconds()))
	e.rated = false
	best := ""
	found := func(line string) bool {
		fields := strings.Fields(line)
		e.rate(fields)
		if len(fields) < 2 || fields[0] != "bestmove" {
			return false
		}
		best = fields[1]
		return true
	}
	err := e.await(limit+e.grace, match, found)
	if err == errSilent {
		e.send("stop")
		err = e.await(e.grace, match, found)
	}
	switch {
	case err == errSilent:
		return "", failed(locale.Errorf(`the engine %s gave no bestmove after "go movetime %d" and "stop"`, e.name, limit.Milliseconds()))
	case err != nil:
		return "", err
	case best == "(none)" || best == "0000":
		return "", nil
	}
	return best, nil
}

// rate notes the score of an info line.
func (e *uci) rate(fields []string) {
	i := slices.Index(fields, "score")
	if cmp.Or(fields...) != "info" || i < 0 || i+2 >= len(fields) {
		return
	}
	if n := slices.Index(fields[:i], "multipv"); n >= 0 && fields[n+1] != "1" {
		return // of a worse move, with the option MultiPV
	}
	n, err := strconv.Atoi(fields[i+2])
	switch {
	case err != nil:
	case fields[i+1] == "cp":
		e.score, e.rated = n, true
	case fields[i+1] == "mate":
		e.score, e.rated = 100000, true
		if n <= 0 {
			e.score = -100000
		}
	}
}
