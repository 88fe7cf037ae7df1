package env

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"colosseum/sdk/driver"
)

// request is a line of the client. It has one of these.
type request struct {
	Reset *[]reset `json:"reset"`
	Step  *step    `json:"step"`
	Copy  *[][]int `json:"copy"` // pairs of a match, and the one that becomes its copy
	Close *[]int   `json:"close"`
}

// reset begins a match.
type reset struct {
	Match      int               `json:"match"`
	Seed       *uint64           `json:"seed"`
	Players    *int              `json:"players"` // seats, bots included
	Names      []string          `json:"names"`   // by seat
	Args       map[string]string `json:"args"`
	Bots       map[string]string `json:"bots"` // levels, by seat; empty: that of the parameter
	Spectators bool              `json:"spectators"`
}

// step has the answers for some matches: Answers[i] for Matches[i], in the order of the
// seats that are asked. Null is none in time.
type step struct {
	Matches []int       `json:"matches"`
	Answers [][]*string `json:"answers"`
}

// handle carries out a request, and leaves its answer in out. It returns why it can't.
func (s *server) handle(ctx context.Context, line []byte) error {
	var r request
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return fmt.Errorf("a request is not an object with reset, step, copy or close: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("a line has more than one request")
	}
	given := 0
	for _, has := range []bool{r.Reset != nil, r.Step != nil, r.Copy != nil, r.Close != nil} {
		if has {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("a request has one of reset, step, copy and close")
	case r.Reset != nil:
		return s.reset(ctx, *r.Reset)
	case r.Step != nil:
		return s.step(ctx, *r.Step)
	case r.Copy != nil:
		return s.copy(ctx, *r.Copy)
	default:
		return s.close(*r.Close)
	}
}

func (s *server) reset(ctx context.Context, list []reset) error {
	slots := make([]*slot, len(list))
	seen := map[int]bool{}
	seed := s.Seed
	for i, r := range list {
		if err := s.checkOnce(r.Match, seen); err != nil {
			return err
		}
		if r.Seed == nil {
			own := seed
			r.Seed = &own
			seed++
		}
		setup, err := s.setup(ctx, r)
		if err != nil {
			return fmt.Errorf("match %d: %w", r.Match, err)
		}
		slots[i] = &slot{server: s, number: r.Match, setup: setup, watched: r.Spectators}
	}
	s.Seed = seed
	if err := s.open(ctx, slots); err != nil {
		return err
	}
	s.states(slots, true)
	return nil
}

// setup returns the setup of a match, whose players sit in the order of the request.
func (s *server) setup(ctx context.Context, r reset) (*driver.Setup, error) {
	request := driver.Request{Players: r.Players, Bots: len(r.Bots), Args: r.Args}
	levels := map[int]string{}
	for key, level := range r.Bots {
		seat, err := strconv.Atoi(key)
		if err != nil || strconv.Itoa(seat) != key || seat < 0 {
			return nil, fmt.Errorf("bots: %q is not the number of a seat", driver.Shorten(key))
		}
		levels[seat] = level
	}
	seats := slices.Sorted(maps.Keys(levels))
	for _, seat := range seats {
		request.Levels = append(request.Levels, levels[seat])
	}
	settings, err := s.Game.Prepare(ctx, request)
	if err != nil {
		return nil, err
	}
	n := settings.Players
	setup := &driver.Setup{
		Settings: settings, Seed: *r.Seed, Names: r.Names, Bots: make([]bool, n), Levels: make([]string, n), Hints: make([]bool, n),
		Thoughts: s.Thoughts, Stall: s.Stall, Rerun: len(seats) == 0,
	}
	if len(seats) > 0 && (seats[len(seats)-1] >= n || len(seats) == n) {
		return nil, fmt.Errorf("bots: the seats are numbered from 0 to %d, and one is for a player", n-1)
	}
	for seat := range n {
		level, bot := levels[seat]
		setup.Bots[seat], setup.Levels[seat], setup.Hints[seat] = bot, level, !bot
		if r.Names == nil {
			setup.Names = append(setup.Names, "P"+strconv.Itoa(seat))
		}
	}
	return setup, checkNames(setup.Names, n)
}

// maxName is how many bytes a name can have.
const maxName = 64

func checkNames(names []string, n int) error {
	if len(names) != n {
		return fmt.Errorf("%d names for %d seats", len(names), n)
	}
	for _, name := range names {
		if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.TrimSpace(name) != name || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return fmt.Errorf("the name %q is not from 1 to %d printable bytes", driver.Shorten(name), maxName)
		}
	}
	return nil
}

func (s *server) step(ctx context.Context, r step) error {
	if len(r.Matches) != len(r.Answers) {
		return fmt.Errorf("step has %d matches and answers for %d", len(r.Matches), len(r.Answers))
	}
	slots, answers := make([]*slot, len(r.Matches)), make([][]driver.Answer, len(r.Matches))
	seen := make(map[int]bool, len(r.Matches))
	sizes, total := make([]int, len(slots)), 0
	for i, number := range r.Matches {
		if err := s.checkOnce(number, seen); err != nil {
			return err
		}
		m, err := s.find(number)
		if err == nil {
			answers[i], sizes[i], err = s.answersOf(m, r.Answers[i])
		}
		if err != nil {
			return err
		}
		slots[i] = m
		total += sizes[i]
	}
	if s.history+total > maxHistory {
		return errHistory
	}
	s.history += total
	for i, m := range slots {
		m.size += sizes[i]
	}
	if err := s.answer(ctx, slots, answers); err != nil {
		return err
	}
	s.states(slots, false)
	return nil
}

// answersOf checks the lines for a match and returns them as answers, with their size in bytes.
func (s *server) answersOf(m *slot, lines []*string) (answers []driver.Answer, size int, err error) {
	seats, err := m.asks()
	if err != nil {
		return nil, 0, err
	}
	if len(seats) != len(lines) {
		return nil, 0, fmt.Errorf("match %d asks the seats %v, and got %d answers", m.number, seats, len(lines))
	}
	answers = make([]driver.Answer, len(seats))
	for i, line := range lines {
		answers[i] = driver.Answer{Seat: seats[i], Outcome: driver.Timeout}
		size += answerSize
		if line == nil {
			continue
		}
		text := strings.TrimSpace(*line)
		if len(text) > s.MaxLine || strings.ContainsAny(text, "\r\n") {
			return nil, 0, fmt.Errorf("match %d: an answer is not one line of at most %d bytes", m.number, s.MaxLine)
		}
		answers[i] = driver.Answer{Seat: seats[i], Line: text}
		size += len(text)
	}
	if m.size+size > maxAnswers {
		return nil, 0, fmt.Errorf("match %d: its answers have more than %d MiB", m.number, maxAnswers>>20)
	}
	return answers, size, nil
}

// copy begins matches again with the answers of others.
func (s *server) copy(ctx context.Context, pairs [][]int) error {
	sources, copies := make([]*slot, len(pairs)), make([]*slot, len(pairs))
	seen := map[int]bool{}
	total := s.history
	for i, pair := range pairs {
		if len(pair) != 2 {
			return errors.New("copy wants pairs of a match and its copy")
		}
		if err := s.checkOnce(pair[1], seen); err != nil {
			return err
		}
		m, err := s.find(pair[0])
		if err != nil {
			return err
		}
		if m.aborted() {
			return fmt.Errorf("match %d was aborted: it can't be copied", pair[0])
		}
		if old := s.slots[pair[1]]; old != nil {
			total -= old.size
		}
		total += m.size
		sources[i] = m
		copies[i] = &slot{server: s, number: pair[1], setup: m.setup, watched: m.watched, replay: m.answers, size: m.size}
	}
	for _, m := range sources {
		if seen[m.number] {
			return fmt.Errorf("match %d is the source of one copy, and becomes another", m.number)
		}
	}
	if total > maxHistory {
		return errHistory
	}
	if err := s.open(ctx, copies); err != nil {
		return err
	}
	s.history = total
	for {
		var slots []*slot
		var answers [][]driver.Answer
		for _, m := range copies {
			if seats, err := m.asks(); err == nil && len(m.replay) > 0 && len(seats) == len(m.replay[0]) {
				slots, answers = append(slots, m), append(answers, m.replay[0])
				m.replay = m.replay[1:]
			}
		}
		if len(slots) == 0 {
			break
		}
		if err := s.answer(ctx, slots, answers); err != nil {
			return err
		}
	}
	for i, m := range copies {
		if len(m.replay) > 0 || !m.same(sources[i]) {
			m.fail("the copy differs: the game, or a bot of it, does not do the same again")
		}
	}
	s.states(copies, true)
	return nil
}

// aborted reports whether the match has ended without a result.
func (m *slot) aborted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.end != nil && m.end.Aborted
}

func (s *server) close(list []int) error {
	for _, number := range list {
		if err := s.check(number); err != nil {
			return err
		}
	}
	for _, number := range list {
		s.stop(number)
	}
	s.states(nil, false)
	return nil
}

// checkOnce checks the number of a match that a request can name only once.
func (s *server) checkOnce(number int, seen map[int]bool) error {
	if err := s.check(number); err != nil {
		return err
	}
	if seen[number] {
		return fmt.Errorf("match %d is twice in a request", number)
	}
	seen[number] = true
	return nil
}
