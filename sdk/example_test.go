package sdk_test

import (
	"fmt"
	"strconv"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func ExampleGame() {
	game := sdk.Game{
		Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
		Play: func(m *sdk.Match) error {
			legal := []string{"0", "1"}
			answers, errs := m.AskAll([][]string{legal, legal})
			if errs[0] != nil || errs[1] != nil {
				return nil // the seat has forfeited
			}
			winner := 0
			if answers[0] != answers[1] {
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
			answers, errs := m.AskAll(bids)
			best, winner := 0, -1
			for seat, err := range errs {
				if err != nil {
					m.TellAll(m.Name(seat) + " is out: " + err.Error())
					continue
				}
				m.TellAll(m.Name(seat) + " bids " + answers[seat])
				if bid, _ := strconv.Atoi(answers[seat]); bid > best {
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
				guess, err := m.AskLine(0, nil)
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
