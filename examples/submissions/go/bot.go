// This program plays roshambo: it shows the hand that beats the opponent's last one.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

func main() {
	beats := map[string]string{"ROCK": "PAPER", "PAPER": "SCISSORS", "SCISSORS": "ROCK"}
	in := bufio.NewScanner(os.Stdin)
	in.Scan() // its own name
	in.Scan() // the opponent's
	in.Scan()
	rounds, _ := strconv.Atoi(in.Text())
	for hand := "ROCK"; rounds > 0 && hand != ""; rounds-- {
		fmt.Println(hand)
		in.Scan()
		hand = beats[in.Text()] // empty for RETIRE: the match has ended
	}
}
