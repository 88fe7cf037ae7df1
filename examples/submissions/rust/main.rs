// Plays roshambo: shows the hand that beats the opponent's last one.
use std::io::{stdin, BufRead};

fn main() {
    let hands = ["ROCK", "PAPER", "SCISSORS"]; // each is beaten by the next
    let mut lines = stdin().lock().lines().map(|line| line.unwrap());
    lines.next(); // its own name
    lines.next(); // the opponent's
    let rounds: usize = lines.next().unwrap().trim().parse().unwrap();
    let mut hand = 0;
    for _ in 0..rounds {
        println!("{}", hands[hand]); // a line ends the buffer
        match lines.next().and_then(|line| hands.iter().position(|h| *h == line.trim())) {
            Some(other) => hand = (other + 1) % 3,
            None => break, // RETIRE: the match has ended
        }
    }
}
