package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// follows is an independent form of the order of bids, by the sentences of the rules.
func follows(last, next bid, wild bool) bool {
	switch {
	case last == bid{}:
		return !wild || next.face != 1
	case wild && last.face == 1 && next.face == 1:
		return next.count > last.count
	case wild && next.face == 1: // half, rounded up
		return next.count >= (last.count+1)/2
	case wild && last.face == 1: // twice and one more
		return next.count >= 2*last.count+1
	}
	return next.count > last.count || next.count == last.count && next.face > last.face
}

func TestBidsFollowTheSentencesOfTheRules(t *testing.T) {
	const total = 12
	all := []bid{{}}
	for count := range total {
		for face := range faces {
			all = append(all, bid{count + 1, face + 1})
		}
	}
	for _, wild := range []bool{true, false} {
		for _, last := range all {
			var want []bid
			for _, next := range all[1:] {
				if follows(last, next, wild) {
					want = append(want, next)
				}
			}
			if got := higher(last, total, wild); !slices.Equal(got, want) {
				t.Errorf("after %v, wild %v: got %v, want %v", last, wild, got, want)
			}
		}
	}
}

// audit follows the stream of the spectators, and answers for what the referee does by an
// implementation of its own: it keeps the dice as texts.
type audit struct {
	wild  bool
	dice  []int    // by seat
	hands []string // by seat, like " 1 3 3"
	bid   bid
	by    int   // the bidder
	next  int   // the seat that has the turn
	out   []int // seats in the order in which they left
}

// after returns the next seat with dice.
func (a *audit) after(seat int) int {
	around := append(a.seats(seat+1, len(a.dice)), a.seats(0, seat)...)
	return around[0]
}

// seats returns the seats with dice in a range.
func (a *audit) seats(from, to int) (list []int) {
	for seat := from; seat < to; seat++ {
		if a.dice[seat] > 0 {
			list = append(list, seat)
		}
	}
	return list
}

// legal returns the lines that the seat which has the turn can send.
func (a *audit) legal() []string {
	var list []string
	total := 0
	for _, n := range a.dice {
		total += n
	}
	for count := range total {
		for face := range faces {
			if next := (bid{count + 1, face + 1}); follows(a.bid, next, a.wild) {
				list = append(list, fmt.Sprintf("%d %d", next.count, next.face))
			}
		}
	}
	if a.bid.count > 0 {
		list = append(list, "LIAR")
	}
	return list
}

// expect returns the lines that follow an answer of a seat, up to the next roll or question.
func (a *audit) expect(seat int, answer string) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	leaves := func(who int) {
		a.dice[who], a.out = 0, append(a.out, who)
	}
	switch {
	case !slices.Contains(a.legal(), answer):
		say("RETIRE %d", seat)
		a.next = a.after(seat)
		leaves(seat)
	case answer == "LIAR":
		say("LIAR %d", seat)
		dice := ""
		for _, who := range a.seats(0, len(a.dice)) {
			say("SHOW %d%s", who, a.hands[who])
			dice += a.hands[who]
		}
		count := strings.Count(dice, strconv.Itoa(a.bid.face))
		if a.wild && a.bid.face != 1 {
			count += strings.Count(dice, "1")
		}
		loser := a.by
		if count >= a.bid.count {
			loser = seat
		}
		say("COUNT %d", count)
		say("LOSES %d", loser)
		a.next = loser
		if a.dice[loser]--; a.dice[loser] == 0 {
			say("OUT %d", loser)
			a.next = a.after(loser)
			leaves(loser)
		}
	default:
		fmt.Sscan(answer, &a.bid.count, &a.bid.face)
		say("BID %d %s", seat, answer)
		a.by, a.next = seat, a.after(seat)
	}
	return lines
}

// check compares a whole match with the reference.
func (a *audit) check(t *testing.T, got *gametest.Transcript, answers []answered) {
	t.Helper()
	players := len(got.Seats)
	lines := strings.Split(strings.TrimSuffix(got.Spectators, "\n"), "\n")
	take := func(want string) {
		t.Helper()
		if len(lines) == 0 || lines[0] != want {
			t.Fatalf("got the lines %q, want first %q", lines[:min(len(lines), 3)], want)
		}
		lines = lines[1:]
	}
	lines = lines[1+players:] // GAME and PLAYER
	for round := 1; len(a.seats(0, players)) > 1; round++ {
		take(fmt.Sprintf("ROUND %d ", round) + strings.Trim(fmt.Sprint(a.dice), "[]"))
		a.bid = bid{}
		for _, seat := range a.seats(0, players) {
			hand, _ := strings.CutPrefix(lines[0], fmt.Sprintf("DICE %d", seat))
			if len(hand) != 2*a.dice[seat] || strings.Trim(hand, " 123456") != "" {
				t.Fatalf("got %q, want %d dice of seat %d", lines[0], a.dice[seat], seat)
			}
			a.hands[seat] = hand
			lines = lines[1:]
		}
		for over := false; !over; {
			take(fmt.Sprintf("TURN %d", a.next))
			answer := answers[0]
			answers = answers[1:]
			if answer.seat != a.next {
				t.Fatalf("seat %d was asked, want %d", answer.seat, a.next)
			}
			if want := a.legal(); !slices.Equal(answer.legal, want) {
				t.Fatalf("legal lines %q, want %q", answer.legal, want)
			}
			for _, want := range a.expect(answer.seat, answer.line) {
				take(want)
				over = !strings.HasPrefix(want, "BID")
			}
		}
	}
	winner := a.seats(0, players)[0]
	take(fmt.Sprintf("WINS %d", winner))
	for score, seat := range append(a.out, winner) {
		if r := got.Result.Seats[seat]; r.Score != float64(score) {
			t.Errorf("seat %d has the score %v, want %d", seat, r.Score, score)
		}
	}
	if len(lines) > 0 || len(answers) > 0 {
		t.Errorf("the lines %q and answers %v follow, want none", lines, answers)
	}
}

// answered is an answer of a player.
type answered struct {
	seat  int
	legal []string
	line  string // also "" for none
}

func TestRandomMatchesFollowAnIndependentReferee(t *testing.T) {
	t.Parallel()
	var retired, challenged, won int
	matches := gametest.Fewer(150)
	if long.Run() {
		matches *= 10
	}
	for seed := range uint64(matches) {
		players, dice, wild := 2+int(seed%5), 1+int(seed/5%5), seed%3 != 0
		var answers []answered
		m := gametest.Match{Game: &game, Seed: seed, Args: map[string]string{"dice": strconv.Itoa(dice), "wild": "yes"}}
		if !wild {
			m.Args["wild"] = "no"
		}
		a := &audit{wild: wild, hands: make([]string, players)}
		for seat := range players {
			a.dice = append(a.dice, dice)
			p := patient(seed*10 + uint64(seat))
			if seed%4 == 0 {
				p = gametest.Unruly(seed*10 + uint64(seat))
			}
			m.Players = append(m.Players, func(q gametest.Question) (string, error) {
				line, err := p(q)
				answers = append(answers, answered{q.Seat, q.Legal, line})
				return line, err
			})
		}
		got := gametest.MustPlay(t, m)
		a.check(t, got, answers)
		retired += strings.Count(got.Spectators, "RETIRE")
		challenged += strings.Count(got.Spectators, "LIAR")
		for _, loser := range strings.Split(got.Spectators, "LIAR ")[1:] {
			if strings.Contains(loser, "LOSES "+loser[:1]) {
				won++
			}
		}
	}
	t.Logf("%d challenges, of which %d lost, and %d retired", challenged, won, retired)
	if retired == 0 || won == 0 || won == challenged {
		t.Errorf("%d challenges, of which %d lost, and %d retired, want some of each", challenged, won, retired)
	}
}

// patient answers like [gametest.Random], but with one of the first few legal lines or LIAR, so
// that rounds are as long as those of people.
func patient(seed uint64) gametest.Player {
	r := driver.NewRand(seed, 0)
	return func(q gametest.Question) (string, error) {
		if last := q.Legal[len(q.Legal)-1]; r.Intn(6) == 0 {
			return last, nil
		}
		return q.Legal[r.Intn(min(8, len(q.Legal)))], nil
	}
}

// enumerate counts the rolls of some dice in which at least n dice match, and all rolls.
func enumerate(dice, n, face int, wild bool) (matched, all int) {
	var roll func(left, count int)
	roll = func(left, count int) {
		if left == 0 {
			all++
			if count >= n {
				matched++
			}
			return
		}
		for die := 1; die <= faces; die++ {
			if die == face || wild && die == 1 {
				roll(left-1, count+1)
			} else {
				roll(left-1, count)
			}
		}
	}
	roll(dice, 0)
	return matched, all
}

func TestChancesAreThoseOfAllRolls(t *testing.T) {
	for _, wild := range []bool{true, false} {
		for _, face := range []int{1, 4} {
			for dice := 2; dice < 8; dice++ {
				v := newView(3, wild) // seat 0 has three dice, of which two match a bid on fours
				v.dice, v.hand = []int{3, dice / 2, dice - dice/2}, []int{2, 4, 4}
				own := 0
				if face == 4 {
					own = 2
				}
				for n := range dice + 4 {
					matched, all := enumerate(dice, n-own, face, wild)
					want := float64(matched) / float64(all)
					if got := v.look(face, styleOf("medium")).truth(n); math.Abs(got-want) > 1e-12 {
						t.Errorf("%d dice, face %d, wild %v: at least %d with %v, want %v", dice, face, wild, n, got, want)
					}
				}
			}
		}
	}
}

// After a bid of threes, a seat's dice have weights 2.2 for threes and 1 for others.
func TestBidsChangeTheChances(t *testing.T) {
	v := newView(2, true)
	v.dice, v.hand = []int{1, 1}, []int{6}
	v.hear(1, bid{1, 3})
	strong := styleOf("strong")
	for _, tt := range []struct {
		face int
		want float64
	}{{3, 3.2 / 7.2}, {1, 1 / 7.2}, {5, 2 / 7.2}} {
		if got := v.look(tt.face, strong).truth(1); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("a die shows %d with %v, want %v", tt.face, got, tt.want)
		}
	}
	// The bot sees a six, so a bid of one six is true, and one of two sixes as likely as the other die.
	if got := v.look(6, strong).truth(1); got != 1 {
		t.Errorf("one six is true with %v, want 1", got)
	}
	if got := v.look(6, strong).truth(2); math.Abs(got-2/7.2) > 1e-12 {
		t.Errorf("two sixes are true with %v, want %v", got, 2/7.2)
	}
}
