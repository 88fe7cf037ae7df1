package sdk_test

import (
	"fmt"
	"strconv"
	"strings"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func ExampleGame() {
	game := sdk.Game{
		Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
		Play: func(m *sdk.Match) error {
			legal := []string{"0", "1"}
			answers := m.AskAll([][]string{legal, legal})
			if answers[0].Err != nil || answers[1].Err != nil {
				return nil // the seat has forfeited
			}
			winner := 0
			if answers[0].Line != answers[1].Line {
				winner = 1
			}
			m.Score(winner, 1)
			m.TellAll(m.Name(winner) + " wins")
			return nil
		},
	}
	got, err := gametest.Play(gametest.Match{
		Game: &game, Names: []string{"Ann", "Bob"}, Players: []gametest.Player{gametest.Script("1"), gametest.Script("0")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got)
	// Output:
	// -- seat 0 --
	// >1
	// Bob wins
	// -- seat 1 --
	// >0
	// Bob wins
	// -- spectators --
	// Bob wins
	// -- result --
	// seat 0: score 0, rank 2, finished
	// seat 1: score 1, rank 1, finished
}

// Three players bid for a prize without seeing each other's bids. A seat that
// forfeits loses its bid, and the others go on.
func ExampleMatch_AskAll() {
	game := sdk.Game{
		Name: "auction", Title: "Auction", MinPlayers: 2, MaxPlayers: 5, Timeout: 10,
		Play: func(m *sdk.Match) error {
			bids := make([][]string, m.Players())
			for seat := range bids {
				bids[seat] = []string{"1", "2", "3"}
			}
			best, winner := 0, -1
			for seat, a := range m.AskAll(bids) {
				if a.Err != nil {
					m.TellAll(m.Name(seat) + " is out: " + a.Err.Error())
					continue
				}
				m.TellAll(m.Name(seat) + " bids " + a.Line)
				if bid, _ := strconv.Atoi(a.Line); bid > best {
					best, winner = bid, seat
				}
			}
			if winner >= 0 {
				m.Score(winner, 1)
			}
			return nil
		},
	}
	got, err := gametest.Play(gametest.Match{
		Game: &game, Names: []string{"Ann", "Bob", "Cid"},
		Players: []gametest.Player{gametest.Script("2"), gametest.Script("4"), gametest.Script("3")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got.Spectators)
	for seat, r := range got.Result.Seats {
		fmt.Printf("seat %d: rank %d, %s\n", seat, r.Rank, r.Ended)
	}
	// Output:
	// Ann bids 2
	// Bob is out: illegal
	// Cid bids 3
	// seat 0: rank 2, finished
	// seat 1: rank 3, forfeit: illegal
	// seat 2: rank 1, finished
}

// A player guesses a number that a bot has chosen; the bot reads and writes lines
// as a player does.
func ExampleBot() {
	game := sdk.Game{
		Name: "guess", Title: "Guess a number", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10,
		Play: func(m *sdk.Match) error {
			m.Tell(0, "guess")
			for {
				guess, err := m.AskLine(0)
				if err != nil {
					return nil // a forfeit
				}
				m.Tell(1, guess)
				hint, err := m.Ask(1, []string{"lower", "higher", "yes"})
				if err != nil {
					return nil
				}
				m.Tell(0, hint)
				if hint == "yes" {
					m.Score(0, 1)
					return nil
				}
			}
		},
		Bot: func(b *sdk.Bot) error {
			secret := b.Rand(8)
			for {
				guess, err := strconv.Atoi(b.Read())
				switch {
				case err != nil:
					return err
				case guess > secret:
					b.Write("lower")
				case guess < secret:
					b.Write("higher")
				default:
					b.Write("yes")
				}
			}
		},
	}
	got, err := gametest.Play(gametest.Match{
		Game: &game, Players: []gametest.Player{gametest.Script("4", "2"), nil}, Seed: 3, // nil: the bot
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got.Seats[0])
	// Output:
	// guess
	// >4
	// lower
	// >2
	// yes
}

// A match starts from a heap of stones that its creator describes as a text; Check
// refuses what the game can't read.
func ExampleText() {
	game := sdk.Game{
		Name: "heaps", Title: "Heaps", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
		Params: []sdk.Param{sdk.Text("start", "stones of each heap", "3,4,5", 100)},
		Check: func(s *sdk.Settings) error {
			for _, heap := range strings.Split(s.Text("start"), ",") {
				if n, err := strconv.Atoi(heap); err != nil || n < 1 {
					return fmt.Errorf("Invalid stones of each heap: start=%q is not a list such as 3,4,5", s.Text("start"))
				}
			}
			return nil
		},
		Play: func(m *sdk.Match) error {
			m.TellAll("heaps " + m.Text("start"))
			return nil
		},
	}
	for _, start := range []string{" 1,1 ", "1,x"} {
		got, err := gametest.Play(gametest.Match{Game: &game, Players: []gametest.Player{gametest.Gone, gametest.Gone}, Args: map[string]string{"start": start}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Print(got.Spectators)
	}
	// Output:
	// heaps 1,1
	// Invalid stones of each heap: start="1,x" is not a list such as 3,4,5
}

// One of three players, drawn by lot, is out. The other two bid at the same time.
func ExampleMatch_AskSeats() {
	game := sdk.Game{
		Name: "final", Title: "Final", MinPlayers: 3, MaxPlayers: 3, Timeout: 10,
		Play: func(m *sdk.Match) error {
			out := m.Rand(m.Players())
			m.TellAll(m.Name(out) + " is out")
			var finalists []int
			for seat := 0; seat < m.Players(); seat++ {
				if seat != out {
					finalists = append(finalists, seat)
				}
			}
			bids := []string{"1", "2", "3"}
			for _, a := range m.AskSeats(finalists, [][]string{bids, bids}) {
				if a.Err == nil {
					m.TellAll(m.Name(a.Seat) + " bids " + a.Line)
				}
			}
			return nil
		},
	}
	got, err := gametest.Play(gametest.Match{
		Game: &game, Names: []string{"Ann", "Bob", "Cid"},
		Players: []gametest.Player{gametest.Script("3"), gametest.Script("2"), gametest.Script("1")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got.Spectators)
	// Output:
	// Cid is out
	// Ann bids 3
	// Bob bids 2
}

// Both players choose a word without seeing the other's, and a player who sends
// something else tries again in the rest of its time.
func ExampleMatch_AskLines() {
	game := sdk.Game{
		Name: "words", Title: "Words", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
		Play: func(m *sdk.Match) error {
			words := make([]string, m.Players())
			for left := []int{0, 1}; len(left) > 0; {
				m.Examples(func(seat int) []string { return []string{"word", "words"} })
				var again []int
				for _, a := range m.AskLines(left) {
					words[a.Seat] = a.Line
					if a.Err == nil && strings.Trim(a.Line, "abcdefghijklmnopqrstuvwxyz") != "" {
						if m.Refuse(a.Seat, "lower-case letters, please") == nil {
							again = append(again, a.Seat)
						}
					}
				}
				left = again
			}
			for seat, word := range words {
				m.Score(seat, float64(len(word)))
				m.TellAll(m.Name(seat) + " chose " + word)
			}
			return nil
		},
	}
	got, err := gametest.Play(gametest.Match{
		Game: &game, Names: []string{"Ann", "Bob"}, Players: []gametest.Player{gametest.Script("apple"), gametest.Script("Banana!", "banana")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got.Seats[1])
	// Output:
	// >Banana!
	// lower-case letters, please
	// >banana
	// Ann chose apple
	// Bob chose banana
}

// Two teams of two play for points. Each team has the rank of the sum of its points.
// Two players pull a rope in ticks. Who sends several lines in a tick pulls once, and who
// sends none does not pull.
func ExampleMatch_Tick() {
	game := sdk.Game{
		Name: "rope", Title: "Tug of war", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
		Play: func(m *sdk.Match) error {
			m.MaxMisses(3)
			rope := 0
			for rope > -2 && rope < 2 {
				m.Examples(func(int) []string { return []string{"pull"} })
				answers := m.Tick(0.2)
				for _, a := range answers {
					switch {
					case a.Err != nil:
						return nil // the seat has forfeited
					case a.Line == "pull" && a.Seat == 0:
						rope--
					case a.Line == "pull":
						rope++
					}
				}
				m.TellAll(fmt.Sprintf("%q %q: %d", answers[0].Line, answers[1].Line, rope))
			}
			winner := 0
			if rope > 0 {
				winner = 1
			}
			m.Score(winner, 1)
			return nil
		},
	}
	got, err := gametest.Play(gametest.Match{
		Game: &game, Players: []gametest.Player{gametest.Missing(2, gametest.Endless("pull")), gametest.Flooding(50, gametest.Endless("pull"))},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got.Spectators)
	fmt.Println(got.Result.Seats[1].Ended, "with rank", got.Result.Seats[1].Rank, "after", got.Answers[len(got.Answers)-1].At)
	// Output:
	// "pull" "pull": 0
	// "" "pull": 1
	// "pull" "pull": 1
	// "" "pull": 2
	// finished with rank 1 after 800ms
}

func ExampleMatch_Team() {
	game := sdk.Game{
		Name: "pairs", Title: "Pairs", MinPlayers: 4, MaxPlayers: 4, Timeout: 10,
		Play: func(m *sdk.Match) error {
			m.Team(0, 2)
			m.Team(1, 3)
			for seat, points := range []float64{3, 5, 4, 1} {
				m.Score(seat, points)
			}
			return nil
		},
	}
	got, err := gametest.Play(gametest.Match{Game: &game, Players: []gametest.Player{gametest.Gone, gametest.Gone, gametest.Gone, gametest.Gone}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for seat, r := range got.Result.Seats {
		fmt.Printf("seat %d: %v points, team %d, rank %d\n", seat, r.Score, r.Team, r.Rank)
	}
	// Output:
	// seat 0: 3 points, team 1, rank 1
	// seat 1: 5 points, team 2, rank 3
	// seat 2: 4 points, team 1, rank 1
	// seat 3: 1 points, team 2, rank 3
}

// A player that sends another line than a word tries again in the rest of its time, and
// the referee says how much that is.
func ExampleMatch_TimeLeft() {
	game := sdk.Game{
		Name: "word", Title: "Word", MinPlayers: 1, MaxPlayers: 1, Timeout: 10,
		Play: func(m *sdk.Match) error {
			line, err := m.AskLine(0)
			for err == nil && strings.Contains(line, " ") {
				if err = m.Refuse(0, "one word, please"); err == nil {
					m.Tell(0, fmt.Sprintf("you have %.1f s", m.TimeLeft(0)))
					line, err = m.AskLine(0)
				}
			}
			return nil
		},
	}
	got, err := gametest.Play(gametest.Match{Game: &game, Players: []gametest.Player{gametest.Slow(2.5, gametest.Script("two words", "one"))}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got.Seats[0])
	// Output:
	// >two words
	// one word, please
	// you have 7.5 s
	// >one
}

// The lines of this game are messages in JSON. A line that is not one is refused with the
// reason.
func ExampleParseJSON() {
	type move struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	game := sdk.Game{
		Name: "walk", Title: "Walk", MinPlayers: 1, MaxPlayers: 1, Timeout: 10,
		Play: func(m *sdk.Match) error {
			m.Tell(0, sdk.JSON(map[string]any{"turn": 1, "squares": []string{"a1", "a2"}}))
			for {
				m.Examples(func(seat int) []string { return []string{sdk.JSON(move{"a1", "a2"})} })
				line, err := m.AskLine(0)
				if err != nil {
					return nil
				}
				var got move
				if err := sdk.ParseJSON(line, &got); err != nil {
					m.Refuse(0, sdk.JSON(map[string]string{"error": err.Error()}))
					continue
				}
				m.TellAll(sdk.JSON(got))
				return nil
			}
		},
	}
	got, err := gametest.Play(gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script(`{"from": 1}`, `{"from":"a1","to":"a2"}`)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(got.Seats[0])
	// Output:
	// {"squares":["a1","a2"],"turn":1}
	// >{"from": 1}
	// {"error":"invalid JSON: from is a number, want a string"}
	// >{"from":"a1","to":"a2"}
	// {"from":"a1","to":"a2"}
}
